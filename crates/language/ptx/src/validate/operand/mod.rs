//! Checks an operand against its specification in the form (PTX manual, "Operand Type Checking", "Operand Size
//! Exceeding Instruction-Type Size", "Type Information for Instructions and Operands").

pub(super) mod address;

use crate::ast::{Operand, *};
use crate::instructions::notation::{AllowedLiterals, FormMatch, OperandKind, OperandSpec};
use crate::instructions::{Modifier, NamedSpecial, SpecialShape};
use crate::types::{ScalarType, StateSpace};
use crate::validate::Checker;
use crate::validate::names::{RegisterType, Symbol, VariableRole};
use crate::validate::operand::address::{
    FitResult, agrees, bits_of, in_space, literal_fits, shown, wanted,
};
use ScalarType::*;

impl Checker<'_> {
    /// Whether an operand fits its specification; `space` is the state space that the instruction names for it.
    pub(super) fn operand(
        &self,
        operand: &Operand,
        spec: &OperandSpec,
        found: &FormMatch,
        space: Option<Modifier>,
    ) -> FitResult {
        let ty = found.type_of(spec);
        let elements = spec.elements.map(|n| if n == 0 { found.elements.unwrap_or(1) } else { n });
        match (elements, operand) {
            (Some(n), Operand::Address(address)) if spec.kind == OperandKind::Coordinates => {
                match address.extra.as_slice() {
                    [Operand::Vector(list)] if list.len() == usize::from(n) => Ok(()),
                    _ => Err(format!("an address, does not fit; expected {n} coordinates")),
                }
            }
            (Some(n), Operand::Vector(list)) if usize::from(n) == list.len() => {
                self.alike(list)?;
                // Loads may discard elements. For stores, ptxas allows that only with 32 bytes.
                let whole = u32::from(n) * ty.size() == 32 && list.iter().any(|e| !is_sink(e));
                let discard =
                    spec.discard && n > 1 && (spec.kind == OperandKind::Destination || whole);
                if spec.kind == OperandKind::Value && discard {
                    let mut kept = list.iter().filter(|element| !is_sink(element));
                    return kept.try_for_each(|element| self.element(element, spec, ty, space));
                }
                // Only the values of stores may leave elements out.
                let of_store = spec.kind == OperandKind::Value && spec.discard;
                let inner = OperandSpec { discard, ..*spec };
                list.iter().try_for_each(|element| match of_store {
                    true => self.element(element, &inner, ty, space),
                    false => self.scalar(element, &inner, ty, space),
                })
            }
            (Some(n), Operand::Vector(list)) => {
                Err(format!("a vector of {}, does not fit; expected {n} elements", list.len()))
            }
            (Some(_), Operand::Name(name)) if found.movement => {
                Err(format!("`{name}`, is not a vector; expected `{{...}}`"))
            }
            (Some(n), Operand::Name(name)) if n > 1 || spec.elements != Some(0) => {
                match self.register(name) {
                    Some(r) if n > 1 && r.vector == n => self.typed(name, r, ty, spec.wide),
                    _ => Err(format!("`{name}`, is not a vector; expected {n} elements")),
                }
            }
            (Some(n), _) if n > 1 => Err(format!("is not a vector; expected {n} elements")),
            (Some(_), _) => {
                self.scalar(operand, &OperandSpec { discard: false, ..*spec }, ty, space)
            }
            (None, Operand::Vector(list)) if spec.parts => self.parts(list, spec, ty),
            (None, Operand::Name(name)) if spec.parts && self.is_whole(name, ty) => Ok(()),
            (None, _) => self.scalar(operand, spec, ty, space),
        }
    }

    /// Whether an element of a stored vector fits. ptxas accepts special registers there, although it refuses them as operands.
    /// It also accepts them in the vectors of atomics, but invents their values.
    fn element(
        &self,
        element: &Operand,
        spec: &OperandSpec,
        ty: ScalarType,
        space: Option<Modifier>,
    ) -> FitResult {
        let named = match element {
            Operand::Name(name) => {
                NamedSpecial::from_name(name.split('.').next().unwrap_or(name)).is_some()
            }
            _ => false,
        };
        if named && ty != Pred && ty.size() >= 4 {
            return self.scalar(
                element,
                &OperandSpec { special: true, ..*spec },
                bits_of(ty),
                space,
            );
        }
        self.scalar(element, spec, ty, space)
    }

    fn scalar(
        &self,
        operand: &Operand,
        spec: &OperandSpec,
        ty: ScalarType,
        space: Option<Modifier>,
    ) -> FitResult {
        match (spec.kind, operand) {
            (OperandKind::Anything, Operand::Vector(list)) => self.alike(list),
            (OperandKind::Anything | OperandKind::Rest, _) => Ok(()),
            (OperandKind::Memory, Operand::Address(address)) => {
                self.address(address, space, spec.wide)
            }
            (OperandKind::Memory, _) => Err("is not an address; expected `[...]`".to_owned()),
            (OperandKind::TensorMemory | OperandKind::Matrix, Operand::Address(address)) => {
                self.tensor_memory(address)
            }
            (OperandKind::TensorMemory, _) => {
                Err("is not an address of tensor memory; expected `[...]`".to_owned())
            }
            (OperandKind::Matrix, _) => self.value(operand, spec, ty, space),
            (OperandKind::Literal, Operand::Immediate(Immediate::Integer(value)))
                if spec.literals == AllowedLiterals::Barrier && !(0..16).contains(value) =>
            {
                Err(format!("{value}, is not in range; expected 0 to 15"))
            }
            (OperandKind::Literal, Operand::Immediate(Immediate::Integer(_))) => Ok(()),
            (OperandKind::Literal, _) => {
                Err("is not a literal; expected an integer literal".to_owned())
            }
            (OperandKind::Predicate, Operand::Not(name)) => self.named(name, spec, Pred, space),
            (OperandKind::Destination | OperandKind::PredicateDestination, Operand::Pair(a, b))
                if spec.pair =>
            {
                let second =
                    OperandSpec { kind: OperandKind::PredicateDestination, discard: true, ..*spec };
                self.scalar(a, &OperandSpec { discard: true, ..*spec }, ty, space)?;
                self.scalar(b, &OperandSpec { pair: false, ..second }, Pred, space)
            }
            (OperandKind::Coordinates, _) => Err("is not an address; expected `[...]`".to_owned()),
            (OperandKind::Predicate, _) => self.value(operand, spec, Pred, space),
            (OperandKind::PredicateDestination, _) => self.value(operand, spec, Pred, space),
            (OperandKind::Destination | OperandKind::Register | OperandKind::Value, _) => {
                self.value(operand, spec, ty, space)
            }
        }
    }

    fn value(
        &self,
        operand: &Operand,
        spec: &OperandSpec,
        ty: ScalarType,
        space: Option<Modifier>,
    ) -> FitResult {
        let writes =
            matches!(spec.kind, OperandKind::Destination | OperandKind::PredicateDestination);
        match operand {
            Operand::Name(name) if name == "_" => match spec.discard && writes {
                true => Ok(()),
                false => Err("`_`, cannot be left out".to_owned()),
            },
            Operand::Name(name) => self.named(name, spec, ty, space),
            Operand::Offset(name, _) if !writes => self.moved(name, spec, ty, space),
            Operand::Immediate(Immediate::Integer(value))
                if spec.literals == AllowedLiterals::Barrier && !(0..16).contains(value) =>
            {
                Err(format!("{value}, is not a barrier; there are barriers 0 to 15"))
            }
            Operand::Immediate(Immediate::Integer(value))
                if spec.literals == AllowedLiterals::Threads && value % 32 != 0 =>
            {
                Err(format!("{value}, is not a multiple of 32 threads"))
            }
            Operand::Immediate(Immediate::Integer(value))
                if spec.literals == AllowedLiterals::Columns
                    && (!(32..=512).contains(value) || value.count_ones() != 1) =>
            {
                Err(format!(
                    "{value}, is not a number of columns; give a power of two from 32 to 512"
                ))
            }
            Operand::Immediate(value) if !writes && spec.kind != OperandKind::Register => {
                match literal_fits(*value, ty) {
                    true => Ok(()),
                    false => Err(format!("{}, does not fit .{}", shown(*value), ty.name())),
                }
            }
            Operand::Immediate(value) => {
                Err(format!("{}, is a literal; expected a .{} register", shown(*value), ty.name()))
            }
            Operand::Vector(_) => {
                Err(format!("a vector, is used where one .{} value is expected", ty.name()))
            }
            Operand::Address(_) => {
                Err(format!("an address, is used where a .{} value is expected", ty.name()))
            }
            Operand::Not(name) => {
                Err(format!("`!{name}`, negates a value that is not a predicate"))
            }
            Operand::Pair(..) => Err("a pair, is used where one value is expected".to_owned()),
            Operand::Offset(name, _) => {
                Err(format!("a sum of `{name}` and an offset, cannot be written"))
            }
            Operand::Arguments(_) => Err("is in parentheses".to_owned()),
        }
    }

    /// `name + constant` as a source operand. ptxas accepts it for registers that are not floats, for variables, and for special
    /// registers without elements, even if the form does not allow these alone.
    fn moved(
        &self,
        name: &str,
        spec: &OperandSpec,
        ty: ScalarType,
        space: Option<Modifier>,
    ) -> FitResult {
        if let Some(register) = self.register(name) {
            if register.ty.is_float() || register.ty == Pred {
                return Err(format!("a sum of `{name}` and an offset, needs an integer register"));
            }
            return self.scalar_register(name, register, ty, spec.wide);
        }
        if let Some(special) = NamedSpecial::from_name(name) {
            return match special.elements() > 1 || matches!(ty, Pred | Bf16) {
                true => Err(format!(
                    "a sum of `{name}` and an offset, does not fit; expected {}",
                    wanted(ty)
                )),
                false => Ok(()),
            };
        }
        match self.resolve(name) {
            Some(Symbol::Variable(variable, _)) if !ty.is_float() && ty != Pred => match space {
                Some(space) => in_space(name, variable, space),
                None => Ok(()),
            },
            None => Ok(()), // reported as undeclared
            _ => Err(format!(
                "a sum of `{name}` and an offset, does not fit; expected {}",
                wanted(ty)
            )),
        }
    }

    fn named(
        &self,
        name: &str,
        spec: &OperandSpec,
        ty: ScalarType,
        space: Option<Modifier>,
    ) -> FitResult {
        let writes =
            matches!(spec.kind, OperandKind::Destination | OperandKind::PredicateDestination);
        if let Some(register) = self.register(name) {
            return self.scalar_register(name, register, ty, spec.wide);
        }
        let (base, field) = name.split_once('.').unwrap_or((name, ""));
        if let Some(special) = NamedSpecial::from_name(base) {
            let whole = special.elements() > 1 && field.is_empty();
            let of_size = |bytes| ty.size() == bytes || spec.wide && ty.size() < bytes;
            let fits = match special.shape {
                SpecialShape::Predicate => ty == Pred,
                _ if ty == Pred || ty.is_float() => false,
                SpecialShape::Either => ty.size() >= 4,
                SpecialShape::Vector => ty.size() <= 4,
                SpecialShape::Word => of_size(4),
                SpecialShape::Wide => of_size(8),
            };
            return match spec.special && !writes && fits && !whole {
                true => Ok(()),
                false => Err(format!("`{name}`, is a special register; expected {}", wanted(ty))),
            };
        }
        match self.resolve(name) {
            Some(Symbol::Variable(variable, role)) if spec.variable => {
                if ty.is_float() || ty == Pred {
                    return Err(format!("`{name}`, is an address; expected {}", wanted(ty)));
                }
                if role == VariableRole::Body && variable.space == StateSpace::Param {
                    return Err(format!("`{name}`, is a parameter of a call and has no address"));
                }
                match space {
                    Some(space) => in_space(name, variable, space),
                    None => Ok(()),
                }
            }
            Some(Symbol::Function { .. }) if !writes && !ty.is_float() && ty != Pred => Ok(()),
            Some(meaning) => {
                Err(format!("`{name}`, is {}; expected {}", meaning.describe(), wanted(ty)))
            }
            None => Ok(()), // reported as undeclared
        }
    }

    /// The register that a name denotes; for `%v.x`, the element.
    fn register(&self, name: &str) -> Option<RegisterType> {
        if let Some(Symbol::Register(register)) = self.resolve(name) {
            return Some(register);
        }
        match self.resolve(name.split_once('.')?.0) {
            Some(Symbol::Register(register)) => Some(RegisterType { vector: 1, ..register }),
            _ => None,
        }
    }

    fn scalar_register(
        &self,
        name: &str,
        register: RegisterType,
        ty: ScalarType,
        wide: bool,
    ) -> FitResult {
        if register.vector > 1 {
            return Err(format!("`{name}`, is a vector; expected {}", wanted(ty)));
        }
        self.typed(name, register, ty, wide)
    }

    fn typed(&self, name: &str, register: RegisterType, ty: ScalarType, wide: bool) -> FitResult {
        match agrees(ty, register.ty, wide) {
            true => Ok(()),
            false => Err(format!(
                "`{name}`, is a .{} register; expected {}",
                register.ty.name(),
                wanted(ty)
            )),
        }
    }

    /// Checks an argument or result of a call.
    pub(super) fn argument(&self, actual: &Operand, formal: &Variable) -> FitResult {
        let size = formal.size().max(u64::from(formal.vector) * u64::from(formal.ty.size()));
        match actual {
            Operand::Name(name)
                if name.split('.').next().and_then(NamedSpecial::from_name).is_some() =>
            {
                Err(format!("`{name}`, is a special register; move it to a register"))
            }
            Operand::Name(name) => match (self.register(name), self.resolve(name)) {
                (Some(register), _) if formal.dims.is_empty() => {
                    self.typed(name, register, bits_of(formal.ty), false)
                }
                // The last parameter of a variadic function accepts any number of bytes.
                (_, Some(Symbol::Variable(variable, _)))
                    if is_open(formal) && variable.space == StateSpace::Param =>
                {
                    Ok(())
                }
                (_, Some(Symbol::Variable(variable, _))) => {
                    match variable.space == StateSpace::Param && variable.size() == size {
                        true => Ok(()),
                        false => Err(format!(
                            "`{name}`, has {} bytes in {}; expected {size} in .param",
                            variable.size(),
                            variable.space
                        )),
                    }
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// Whether an operand is `_`.
fn is_sink(operand: &Operand) -> bool {
    matches!(operand, Operand::Name(name) if name == "_")
}

/// Whether a parameter is an array without a size, `.param .b8 rest[]`.
fn is_open(formal: &Variable) -> bool {
    formal.dims.first() == Some(&None)
}

impl Checker<'_> {
    /// Whether the registers of a vector have the same size.
    pub(super) fn alike(&self, list: &[Operand]) -> FitResult {
        let size = |operand: &Operand| match operand {
            Operand::Name(name) => self.register(name).map(|register| register.ty.size()),
            _ => None,
        };
        let mut sizes = list.iter().filter_map(size);
        let first = sizes.next();
        match sizes.all(|size| Some(size) == first) {
            true => Ok(()),
            false => Err("a vector, has elements of several sizes".to_owned()),
        }
    }

    /// Whether a name is a vector register whose elements make up a value of the type.
    pub(super) fn is_whole(&self, name: &str, ty: ScalarType) -> bool {
        self.register(name).is_some_and(|register| {
            register.vector > 1 && u32::from(register.vector) * register.ty.size() == ty.size()
        })
    }

    /// The parts of a value, `{a, b}`: equal registers that make up its size.
    pub(super) fn parts(&self, list: &[Operand], spec: &OperandSpec, ty: ScalarType) -> FitResult {
        let mut sizes = Vec::new();
        for part in list {
            let name = match part {
                Operand::Name(name) => name,
                _ if spec.kind == OperandKind::Destination => {
                    return Err("a vector, has an element that is not a register".to_owned());
                }
                _ => continue,
            };
            match self.register(name) {
                Some(register) if register.ty != Pred => sizes.push(register.ty.size()),
                _ if name == "_" && spec.kind == OperandKind::Destination => {}
                None if spec.kind != OperandKind::Destination && is_special_word(name) => {
                    sizes.push(4)
                }
                _ => {
                    return Err(format!(
                        "a vector, has `{name}`, which is not a register that can be a vector element"
                    ));
                }
            }
        }
        let each = ty.size() / list.len().max(1) as u32;
        match sizes.iter().all(|size| *size == each) && each * list.len() as u32 == ty.size() {
            true => Ok(()),
            false => {
                Err(format!("a vector, does not have the {} bytes of .{}", ty.size(), ty.name()))
            }
        }
    }
}

/// Whether a name is one word of a special register: `%laneid`, `%tid.x`.
fn is_special_word(name: &str) -> bool {
    let (base, field) = name.split_once('.').unwrap_or((name, ""));
    NamedSpecial::from_name(base).is_some_and(|special| match special.shape {
        SpecialShape::Vector => !field.is_empty(),
        shape => shape == SpecialShape::Word && field.is_empty(),
    })
}
