//! Evaluates expressions for one thread, in a stopped launch or while it runs.

use crate::data::parse::Expression;
use crate::data::scope::{LaunchScope, Named};
use crate::data::types::{DataType, FloatKind, NumericValue, has_fill, marked_text, number, text};
use lanework_engine::event::Space;
use lanework_ptx_ir::kernel::{Reg, Width};
use lanework_ptx_ir::memory_layout::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use std::sync::Arc;

/// The state of one warp and its block, for evaluation.
pub trait Machine {
    /// The bits of a register in a lane; `None` if no instruction uses it.
    fn register(&self, register: Reg, lane: u32) -> Option<u64>;

    /// Reads memory as a lane would; false if the bytes cannot be accessed. Shared and local addresses are offsets.
    fn read(&self, space: Space, lane: u32, address: u64, bytes: &mut [u8]) -> bool;
}

/// The thread and the instruction for which an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPlace {
    /// Linear index of the block.
    pub block: u64,
    /// Linear index of the thread in the block.
    pub thread: u32,
    /// Its next instruction.
    pub instruction: u32,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluatedValue {
    /// Its type.
    pub ty: DataType,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its location in memory, if any.
    pub place: Option<MemoryPlace>,
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlace {
    /// The space.
    pub space: Space,
    /// The address; an offset in shared and local memory.
    pub address: u64,
}

/// Maximum number of bytes read from an array.
const MOST: u64 = 1 << 16;

impl EvaluatedValue {
    /// The value as text. Marks memory that still has the emulator's fill pattern.
    pub fn text(&self) -> String {
        let fresh = self.place.is_some() && !self.bytes.is_empty();
        if fresh && self.bytes.iter().all(|byte| *byte == 0xcd) {
            return format!("{} (not written yet)", text(&self.ty, &self.bytes));
        }
        match fresh && has_fill(&self.ty, &self.bytes) {
            true => format!("{} (?: not written yet)", marked_text(&self.ty, &self.bytes)),
            false => text(&self.ty, &self.bytes),
        }
    }

    /// The value as a number.
    ///
    /// # Errors
    /// If the value is an array or a structure.
    pub fn number(&self) -> Result<NumericValue, String> {
        number(&self.ty, &self.bytes)
            .ok_or_else(|| format!("a value of type {} is not a number", self.ty))
    }

    fn of(found: NumericValue) -> EvaluatedValue {
        let (ty, bytes) = match found {
            NumericValue::Integer(value) if i32::try_from(value).is_ok() => {
                (DataType::I32, (value as i32).to_le_bytes().to_vec())
            }
            NumericValue::Integer(value) => (
                DataType::Integer { bytes: 8, signed: i64::try_from(value).is_ok() },
                (value as i64).to_le_bytes().to_vec(),
            ),
            NumericValue::Float(value) => {
                (DataType::Float(FloatKind::F64), value.to_le_bytes().to_vec())
            }
        };
        EvaluatedValue { ty, bytes, place: None }
    }
}

/// The space of a generic address, and the address within that space.
pub fn located(address: u64) -> MemoryPlace {
    let (space, address) = if address.wrapping_sub(SHARED_WINDOW) < WINDOW {
        (Space::Shared, address - SHARED_WINDOW)
    } else if address.wrapping_sub(LOCAL_WINDOW) < WINDOW {
        (Space::Local, address - LOCAL_WINDOW)
    } else if address.wrapping_sub(PARAMETER_WINDOW) < WINDOW {
        (Space::Constant, address - PARAMETER_WINDOW)
    } else {
        (Space::Global, address)
    };
    MemoryPlace { space, address }
}

/// The coordinates of a linear index.
pub fn coordinates(shape: [u32; 3], index: u64) -> [u32; 3] {
    let [x, y, _] = shape.map(|extent| u64::from(extent.max(1)));
    [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32]
}

/// Evaluates expressions for a thread.
pub struct Evaluator<'a> {
    /// The names.
    pub scope: &'a LaunchScope,
    /// The state.
    pub machine: &'a dyn Machine,
    /// The thread.
    pub at: ThreadPlace,
}

impl Evaluator<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// If a name is unknown, memory cannot be read, or the types do not fit.
    pub fn value(&self, expression: &Expression) -> Result<EvaluatedValue, String> {
        match expression {
            Expression::Literal(found) => Ok(EvaluatedValue::of(*found)),
            Expression::Name(name) => self.name(name),
            Expression::Register(name) => self.register(name),
            Expression::Index(base, index) => {
                let index = self.integer(index)?;
                if let Some(found) = self.element_of_value(base, index)? {
                    return Ok(found);
                }
                let (element, first) = self.elements(base)?;
                self.load(&element, offset(first, index, &element))
            }
            Expression::Range(base, from, to) => {
                let (from, to) = (self.integer(from)?, self.integer(to)?);
                let (element, first) = self.elements(base)?;
                let count = u64::try_from(to - from).map_err(|_| "the range is empty")?;
                let ty = DataType::Array(Arc::new(element.clone()), count);
                self.load(&ty, offset(first, from, &element))
            }
            Expression::Member(of, name) => self.member(of, name),
            Expression::Dereference(pointer) => {
                let (element, first) = self.elements(pointer)?;
                self.load(&element, first)
            }
            Expression::Address(of) => {
                let value = self.value(of)?;
                let place = value.place.ok_or("only a value in memory has an address")?;
                let window = match place.space {
                    Space::Shared => SHARED_WINDOW,
                    Space::Local => LOCAL_WINDOW,
                    Space::Global | Space::Constant => 0,
                };
                let bytes = (place.address + window).to_le_bytes().to_vec();
                Ok(EvaluatedValue { ty: DataType::Pointer(Arc::new(value.ty)), bytes, place: None })
            }
            Expression::Cast(of, ty) => self.cast(of, ty),
            Expression::Unary(operator, operand) => {
                let operand = self.value(operand)?.number()?;
                Ok(EvaluatedValue::of(match (operator, operand) {
                    ('-', NumericValue::Integer(value)) => NumericValue::Integer(-value),
                    ('-', NumericValue::Float(value)) => NumericValue::Float(-value),
                    ('!', value) => NumericValue::Integer((!value.is_true()).into()),
                    (_, NumericValue::Integer(value)) => NumericValue::Integer(!value),
                    (_, NumericValue::Float(_)) => return Err("`~` needs an integer".to_owned()),
                }))
            }
            Expression::Binary(operator, left, right) => self.binary(operator, left, right),
            Expression::Conditional(condition, first, second) => {
                let holds = self.value(condition)?.number()?.is_true();
                self.value(if holds { first } else { second })
            }
            Expression::Size(of) => {
                let bytes = self.value(of)?.ty.bytes();
                Ok(EvaluatedValue::of(NumericValue::Integer(bytes.into())))
            }
        }
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// As [`Evaluator::value`].
    pub fn holds(&self, condition: &Expression) -> Result<bool, String> {
        Ok(self.value(condition)?.number()?.is_true())
    }

    fn lane(&self) -> u32 {
        self.at.thread % 32
    }

    fn integer(&self, expression: &Expression) -> Result<i128, String> {
        match self.value(expression)?.number()? {
            NumericValue::Integer(value) => Ok(value),
            NumericValue::Float(value) => Err(format!("{value} is not an integer")),
        }
    }

    fn load(&self, ty: &DataType, place: MemoryPlace) -> Result<EvaluatedValue, String> {
        let count = ty.bytes();
        if count > MOST {
            return Err(format!("{count} bytes are too many; give a range like [0..16]"));
        }
        let mut bytes = vec![0; count as usize];
        let MemoryPlace { space, address } = place;
        let read = match (space, address) {
            // Kernel parameters.
            (Space::Constant, at) if at < self.scope.parameter_bytes().len() as u64 => {
                let own = self.scope.parameter_bytes();
                let own = own.get(at as usize..(at + count) as usize);
                own.map(|own| bytes.copy_from_slice(own)).is_some()
            }
            _ => self.machine.read(space, self.lane(), address, &mut bytes),
        };
        match read {
            true => Ok(EvaluatedValue { ty: ty.clone(), bytes, place: Some(place) }),
            false => {
                let why = match space {
                    Space::Global | Space::Constant => "no allocation holds all of them",
                    Space::Shared | Space::Local => {
                        "the block of the thread does not run here, or has less; go back with `rcontinue` or `goto`"
                    }
                };
                let space = space.name();
                Err(format!(
                    "{count} bytes of {space} memory at {address:#x} cannot be read: {why}"
                ))
            }
        }
    }

    /// Resolves a name. A kernel parameter is a local variable once the kernel has stored it, while its thread exists.
    pub(super) fn find(&self, name: &str) -> Option<Named> {
        let found = self.scope.find(name, self.at.instruction)?;
        let Named::Local(ty, address) = &found else { return Some(found) };
        let own = self.load(ty, MemoryPlace { space: Space::Local, address: *address });
        let stored = own.is_ok_and(|value| value.bytes.iter().any(|byte| *byte != 0xcd));
        match self.scope.kernel_parameter(name, self.at.instruction) {
            Some(parameter) if !stored => Some(parameter),
            _ => Some(found),
        }
    }

    fn name(&self, name: &str) -> Result<EvaluatedValue, String> {
        let place = |space, address| MemoryPlace { space, address };
        match self.find(name) {
            Some(Named::Local(ty, at)) => self.load(&ty, place(Space::Local, at)),
            Some(Named::Parameter(ty, bytes)) => Ok(EvaluatedValue { ty, bytes, place: None }),
            Some(Named::Shared(ty, at)) => self.load_array(&ty, place(Space::Shared, at)),
            Some(Named::Global(ty, at)) => self.load_array(&ty, place(Space::Global, at)),
            Some(Named::Register(ty, register)) => self.register_value(ty, register),
            Some(Named::Lost) => Err(format!(
                "`{name}` has no place at this instruction: the compiler does not keep its value here"
            )),
            None => self.builtin(name).ok_or_else(|| self.unknown(name)),
        }
    }

    /// As [`Evaluator::load`], but loads only the start of a large array.
    fn load_array(&self, ty: &DataType, place: MemoryPlace) -> Result<EvaluatedValue, String> {
        match ty {
            DataType::Array(element, count) if ty.bytes() > MOST => {
                let shown = (MOST / element.bytes().max(1)).min(*count);
                self.load(&DataType::Array(Arc::clone(element), shown), place)
            }
            _ => self.load(ty, place),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let scope = self.scope;
        let mut known: Vec<String> =
            scope.locals(self.at.instruction).iter().map(|of| of.name.clone()).collect();
        // Once a function has stored its parameters, they are also local variables.
        let others = scope.parameter_names().into_iter().chain(scope.shared_names());
        for other in others {
            if !known.contains(&other) {
                known.push(other);
            }
        }
        known.extend(["threadIdx", "blockIdx", "blockDim", "gridDim"].map(str::to_owned));
        format!(
            "`{name}` is not a name here; known: {}; registers are written %r1 (`registers` lists them)",
            known.join(", ")
        )
    }

    /// A built-in value of CUDA.
    pub(super) fn builtin(&self, name: &str) -> Option<EvaluatedValue> {
        let one = |value: u32| EvaluatedValue {
            ty: DataType::U32,
            bytes: value.to_le_bytes().to_vec(),
            place: None,
        };
        match name {
            "laneId" => return Some(one(self.lane())),
            "warpId" => return Some(one(self.at.thread / 32)),
            "warpSize" => return Some(one(32)),
            _ => {}
        }
        let axes = self.axes(name)?;
        let ty = DataType::Array(Arc::new(DataType::U32), 3);
        Some(EvaluatedValue {
            ty,
            bytes: axes.iter().flat_map(|at| at.to_le_bytes()).collect(),
            place: None,
        })
    }

    fn axes(&self, name: &str) -> Option<[u32; 3]> {
        let LaunchScope { grid, block, .. } = self.scope;
        Some(match name {
            "threadIdx" | "thread_idx" => coordinates(*block, self.at.thread.into()),
            "blockIdx" | "block_idx" => coordinates(*grid, self.at.block),
            "blockDim" | "block_dim" => *block,
            "gridDim" | "grid_dim" => *grid,
            _ => return None,
        })
    }

    fn register(&self, name: &str) -> Result<EvaluatedValue, String> {
        let register = self.scope.register(name, self.at.instruction);
        let register = register.ok_or_else(|| {
            format!("the kernel has no register `{name}`; `registers` lists those of this thread")
        })?;
        let bits = self
            .machine
            .register(register, self.lane())
            .ok_or_else(|| format!("no instruction uses register `{name}`, so it has no value"))?;
        let bytes = match self.scope.kernel.registers[register as usize].width {
            Width::Predicate => 1,
            Width::Word => 4,
            Width::Wide => 8,
        };
        let ty = DataType::Bits(bytes);
        Ok(EvaluatedValue {
            ty,
            bytes: bits.to_le_bytes()[..usize::from(bytes)].to_vec(),
            place: None,
        })
    }

    /// The value of a variable in a register.
    fn register_value(&self, ty: DataType, register: Reg) -> Result<EvaluatedValue, String> {
        let bits = self.machine.register(register, self.lane());
        let bits = bits.ok_or("no instruction uses its register, so it has no value")?;
        let bytes = bits.to_le_bytes();
        let bytes = bytes.get(..ty.bytes() as usize);
        let bytes = bytes.ok_or_else(|| format!("a value of type {ty} is not in one register"))?;
        Ok(EvaluatedValue { bytes: bytes.to_vec(), ty, place: None })
    }

    /// The element of an array that is not in memory, such as in a parameter; `None` for other bases.
    fn element_of_value(
        &self,
        base: &Expression,
        index: i128,
    ) -> Result<Option<EvaluatedValue>, String> {
        // Other bases may be arrays without a known end.
        let Expression::Member(..) = base else { return Ok(None) };
        let value = self.value(base)?;
        let (DataType::Array(element, count), None) = (&value.ty, value.place) else {
            return Ok(None);
        };
        let size = element.bytes() as usize;
        let start = usize::try_from(index).ok().and_then(|index| index.checked_mul(size));
        let bytes = start.and_then(|start| value.bytes.get(start..start.checked_add(size)?));
        let bytes = bytes.ok_or_else(|| format!("the array has {count} elements"))?.to_vec();
        Ok(Some(EvaluatedValue { ty: element.as_ref().clone(), bytes, place: None }))
    }

    /// The element type and the first element of an array, or of a pointer's target.
    fn elements(&self, base: &Expression) -> Result<(DataType, MemoryPlace), String> {
        // An array in shared memory without a known end has no bytes to load.
        if let Expression::Name(name) = base {
            let named = self.find(name);
            let (found, space) = match &named {
                Some(Named::Local(ty, at)) => (Some((ty, *at)), Space::Local),
                Some(Named::Shared(ty, at)) => (Some((ty, *at)), Space::Shared),
                Some(Named::Global(ty, at)) => (Some((ty, *at)), Space::Global),
                _ => (None, Space::Global),
            };
            if let Some((DataType::Array(element, _), address)) = found {
                return Ok((element.as_ref().clone(), MemoryPlace { space, address }));
            }
        }
        let value = self.value(base)?;
        match (&value.ty, value.place) {
            (DataType::Array(element, _), Some(place)) => Ok((element.as_ref().clone(), place)),
            (DataType::Pointer(to), _) if to.bytes() == 0 => {
                Err("it points to void; write its type: (p as f32*)[0]".to_owned())
            }
            (DataType::Pointer(to), _) => match value.number()? {
                NumericValue::Integer(address) => {
                    Ok((to.as_ref().clone(), located(address as u64)))
                }
                NumericValue::Float(_) => Err("it is not a pointer".to_owned()),
            },
            (DataType::Bits(8), _) => {
                Err("the type that it points to is not known; write it: (p as f32*)[0]".to_owned())
            }
            (ty, _) => Err(format!("a value of type {ty} is neither an array nor a pointer")),
        }
    }

    fn member(&self, of: &Expression, name: &str) -> Result<EvaluatedValue, String> {
        if let Expression::Name(builtin) = of
            && self.scope.find(builtin, self.at.instruction).is_none()
            && let Some(axes) = self.axes(builtin)
        {
            let axis = ["x", "y", "z"].iter().position(|axis| *axis == name);
            let axis = axis.ok_or_else(|| format!("{builtin} has the members x, y and z"))?;
            let bytes = axes[axis].to_le_bytes().to_vec();
            return Ok(EvaluatedValue { ty: DataType::U32, bytes, place: None });
        }
        if let (Expression::Name(slice), "len") = (of, name)
            && let Some(Named::Parameter(ty, bytes)) =
                self.scope.kernel_parameter(&format!("{slice}.len()"), self.at.instruction)
        {
            return Ok(EvaluatedValue { ty, bytes, place: None });
        }
        let mut value = self.value(of)?;
        // A reference of C++ is a pointer here.
        if matches!(&value.ty, DataType::Pointer(to) if matches!(**to, DataType::Record(_))) {
            let (element, first) = self.elements(of)?;
            value = self.load(&element, first)?;
        }
        let DataType::Record(record) = &value.ty else {
            return Err(format!("a value of type {} has no members", value.ty));
        };
        let field = record.fields.iter().find(|field| field.name == name).ok_or_else(|| {
            let names: Vec<&str> = record.fields.iter().map(|field| &field.name[..]).collect();
            format!("{} has no member `{name}`; it has {}", record.name, names.join(", "))
        })?;
        let from = field.offset as usize;
        let bytes = value.bytes.get(from..from + field.ty.bytes() as usize);
        let place =
            value.place.map(|place| MemoryPlace { address: place.address + field.offset, ..place });
        let bytes = bytes.ok_or("the member is outside of its structure")?.to_vec();
        Ok(EvaluatedValue { ty: field.ty.clone(), bytes, place })
    }

    /// Casts a value. Registers and pointers keep their bits; numbers are converted.
    fn cast(&self, of: &Expression, ty: &DataType) -> Result<EvaluatedValue, String> {
        let value = self.value(of)?;
        let reinterprets =
            matches!(value.ty, DataType::Bits(_) | DataType::Pointer(_) | DataType::Array(..));
        if let (DataType::Pointer(_), DataType::Array(..), Some(place)) =
            (ty, &value.ty, value.place)
        {
            let window = match place.space {
                Space::Shared => SHARED_WINDOW,
                Space::Local => LOCAL_WINDOW,
                _ => 0,
            };
            let bytes = (place.address + window).to_le_bytes().to_vec();
            return Ok(EvaluatedValue { ty: ty.clone(), bytes, place: None });
        }
        if reinterprets || matches!(ty, DataType::Pointer(_)) {
            let mut bytes = value.bytes.clone();
            bytes.resize(ty.bytes() as usize, 0);
            return Ok(EvaluatedValue { ty: ty.clone(), bytes, place: value.place });
        }
        let found = value.number()?;
        let bytes = match (ty, found) {
            (DataType::Float(FloatKind::F32), found) => {
                (found.float() as f32).to_le_bytes().to_vec()
            }
            (DataType::Float(FloatKind::F64), found) => found.float().to_le_bytes().to_vec(),
            (DataType::Integer { bytes, .. } | DataType::Bits(bytes), found) => {
                let value = match found {
                    NumericValue::Integer(value) => value,
                    NumericValue::Float(value) => value as i128,
                };
                value.to_le_bytes()[..usize::from(*bytes)].to_vec()
            }
            _ => return Err(format!("a value of type {} cannot be converted to {ty}", value.ty)),
        };
        Ok(EvaluatedValue { ty: ty.clone(), bytes, place: None })
    }

    fn binary(
        &self,
        operator: &str,
        left: &Expression,
        right: &Expression,
    ) -> Result<EvaluatedValue, String> {
        let first = self.value(left)?;
        let a = first.number()?;
        match operator {
            "&&" if !a.is_true() => return Ok(EvaluatedValue::of(NumericValue::Integer(0))),
            "||" if a.is_true() => return Ok(EvaluatedValue::of(NumericValue::Integer(1))),
            _ => {}
        }
        let second = self.value(right)?;
        let b = second.number()?;
        if let (
            DataType::Pointer(to),
            "+" | "-",
            NumericValue::Integer(base),
            NumericValue::Integer(by),
        ) = (&first.ty, operator, a, b)
        {
            let by = by * i128::from(to.bytes());
            let moved = if operator == "+" { base + by } else { base - by };
            let bytes = (moved as u64).to_le_bytes().to_vec();
            return Ok(EvaluatedValue { ty: first.ty.clone(), bytes, place: None });
        }
        let truth = |found: bool| Ok(EvaluatedValue::of(NumericValue::Integer(found.into())));
        let common = match operator {
            "<<" | ">>" => common_type(&first.ty, &DataType::I32),
            _ => common_type(&first.ty, &second.ty),
        };
        let (a, b) = match (a, b, common) {
            (NumericValue::Integer(a), NumericValue::Integer(b), Some(ty)) => {
                (NumericValue::Integer(ty.wrap(a)), NumericValue::Integer(ty.wrap(b)))
            }
            _ => (a, b),
        };
        match operator {
            "&&" | "||" => return truth(b.is_true()),
            "==" => return truth(a.float() == b.float() && same(a, b)),
            "!=" => return truth(!(a.float() == b.float() && same(a, b))),
            "<" => return truth(a.float() < b.float()),
            "<=" => return truth(a.float() <= b.float()),
            ">" => return truth(a.float() > b.float()),
            ">=" => return truth(a.float() >= b.float()),
            _ => {}
        }
        let found = arithmetic(operator, a, b)?;
        let is_single = |ty: &DataType| match ty {
            DataType::Float(kind) => *kind == FloatKind::F32,
            DataType::Integer { .. } | DataType::Bool => true,
            _ => false,
        };
        Ok(match (found, common) {
            (NumericValue::Integer(value), Some(ty)) => ty.value(value),
            (NumericValue::Float(value), _) if is_single(&first.ty) && is_single(&second.ty) => {
                let bytes = (value as f32).to_le_bytes().to_vec();
                EvaluatedValue { ty: DataType::Float(FloatKind::F32), bytes, place: None }
            }
            _ => EvaluatedValue::of(found),
        })
    }
}

/// The type to which C converts two integers before it computes with them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct IntegerType {
    bytes: u8,
    signed: bool,
}

/// C's usual arithmetic conversions; `None` if a type is no integer.
fn common_type(a: &DataType, b: &DataType) -> Option<IntegerType> {
    let promoted = |ty: &DataType| match ty {
        DataType::Integer { bytes, signed } if *bytes >= 4 => {
            Some(IntegerType { bytes: *bytes, signed: *signed })
        }
        DataType::Integer { .. } | DataType::Bool => Some(IntegerType { bytes: 4, signed: true }),
        _ => None,
    };
    let (a, b) = (promoted(a)?, promoted(b)?);
    Some(match a.bytes.cmp(&b.bytes) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal => IntegerType { signed: a.signed && b.signed, ..a },
    })
}

impl IntegerType {
    /// The value modulo the type's range.
    fn wrap(self, value: i128) -> i128 {
        let unused = 128 - 8 * u32::from(self.bytes.clamp(1, 16));
        match self.signed {
            true => value << unused >> unused,
            false => ((value as u128) << unused >> unused) as i128,
        }
    }

    /// The wrapped value with this type.
    fn value(self, value: i128) -> EvaluatedValue {
        let IntegerType { bytes, signed } = self;
        let ty = DataType::Integer { bytes, signed };
        let bytes = value.to_le_bytes()[..usize::from(bytes.min(16))].to_vec();
        EvaluatedValue { ty, bytes, place: None }
    }
}

/// Whether two integers are equal, without rounding to a float; true for other numbers.
fn same(a: NumericValue, b: NumericValue) -> bool {
    match (a, b) {
        (NumericValue::Integer(a), NumericValue::Integer(b)) => a == b,
        _ => true,
    }
}

fn arithmetic(operator: &str, a: NumericValue, b: NumericValue) -> Result<NumericValue, String> {
    let (NumericValue::Integer(x), NumericValue::Integer(y)) = (a, b) else {
        let (x, y) = (a.float(), b.float());
        return Ok(NumericValue::Float(match operator {
            "+" => x + y,
            "-" => x - y,
            "*" => x * y,
            "/" => x / y,
            "%" => x % y,
            _ => return Err(format!("`{operator}` needs integers")),
        }));
    };
    let shift = || u32::try_from(y).ok().filter(|y| *y < 64).ok_or("the shift is too large");
    let found = match operator {
        "+" => x.checked_add(y),
        "-" => x.checked_sub(y),
        "*" => x.checked_mul(y),
        "/" => x.checked_div(y),
        "%" => x.checked_rem(y),
        "&" => Some(x & y),
        "|" => Some(x | y),
        "^" => Some(x ^ y),
        "<<" => x.checked_shl(shift()?),
        _ => x.checked_shr(shift()?),
    };
    found.map(NumericValue::Integer).ok_or_else(|| match y {
        0 => format!("`{operator}` by zero"),
        _ => "the result is too large".to_owned(),
    })
}

/// The address of an element.
fn offset(first: MemoryPlace, index: i128, element: &DataType) -> MemoryPlace {
    let by = (index as i64).wrapping_mul(element.bytes() as i64);
    MemoryPlace { address: first.address.wrapping_add_signed(by), ..first }
}
