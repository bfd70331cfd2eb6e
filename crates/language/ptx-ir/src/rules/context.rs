//! One instruction being lowered: its modifiers and operands, and methods to emit code for it.

use crate::kernel::*;
use crate::lower::state::{DEFINE_EXTERN, Lowering, Symbol};
use crate::memory_layout::PARAMETER_WINDOW;
use crate::module::constants::immediate_bits;
use crate::module::function_address;
use crate::opcode::Alu;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::LogicOp;
use crate::opcode::memory::WarpOp;
use crate::rules::special::special_register;
use crate::{LoweringResult, Unsupported};
use lanework_ptx as syntax;
use lanework_ptx::{AddressBase, Instruction, Modifier, ScalarType};

/// The guard of an instruction.
///
/// # Errors
/// When it names no predicate.
pub fn guard(
    lowering: &mut Lowering<'_>,
    instruction: &Instruction,
) -> LoweringResult<Option<(Reg, bool)>> {
    let Some(guard) = &instruction.guard else { return Ok(None) };
    match lowering.lookup(&guard.register) {
        Some(Symbol::Register(r))
            if lowering.kernel.registers[r as usize].width == Width::Predicate =>
        {
            Ok(Some((r, guard.negated)))
        }
        _ => Err(Unsupported::new(format!("guard `{}` is not a predicate", guard.register), "")),
    }
}

/// One instruction being lowered.
pub struct Cx<'a, 'm> {
    /// The state of lowering, which the rule extends.
    pub lowering: &'a mut Lowering<'m>,
    /// The instruction.
    pub instruction: &'a Instruction,
    /// Its guard.
    pub guard: Option<(Reg, bool)>,
}

impl<'a, 'm> Cx<'a, 'm> {
    /// An instruction without a guard.
    pub fn unguarded(lowering: &'a mut Lowering<'m>, instruction: &'a Instruction) -> Self {
        Cx { lowering, instruction, guard: None }
    }
}

impl Cx<'_, '_> {
    /// Whether a modifier is present.
    pub fn has(&self, modifier: Modifier) -> bool {
        self.instruction.has(modifier)
    }

    /// The types among the modifiers.
    pub fn types(&self) -> Vec<ScalarType> {
        self.instruction.modifiers.iter().filter_map(|m| m.scalar_type()).collect()
    }

    /// The type among the modifiers.
    pub fn ty(&self) -> LoweringResult<ScalarType> {
        match self.types()[..] {
            [ty] => Ok(ty),
            [] => Err(self.unsupported("a type is missing")),
            _ => Err(self.unsupported("more than one type")),
        }
    }

    /// An unsupported-form error that names the instruction.
    pub fn unsupported(&self, why: &str) -> Unsupported {
        Unsupported::new(
            format!("unknown form of `{}`: {why}", self.instruction.name()),
            "the emulator does not know this form; run this kernel on a GPU or report it",
        )
    }

    /// Rejects modifiers that are neither types nor in `known`.
    pub fn allow(&self, known: &[Modifier]) -> LoweringResult {
        self.allow_if(|modifier| known.contains(&modifier) || modifier.scalar_type().is_some())
    }

    /// Rejects modifiers that are not in the instruction table.
    pub fn allow_known(&self) -> LoweringResult {
        self.allow_if(|modifier| modifier != Modifier::Unknown)
    }

    fn allow_if(&self, allowed: impl Fn(Modifier) -> bool) -> LoweringResult {
        match self.instruction.modifiers.iter().position(|modifier| !allowed(*modifier)) {
            None => Ok(()),
            Some(at) => Err(self.unknown_modifier(at)),
        }
    }

    /// An unsupported-form error that names a modifier.
    pub fn unknown_modifier(&self, at: usize) -> Unsupported {
        self.unsupported(&format!("modifier `.{}`", self.instruction.word(1 + at)))
    }

    /// Rejects `register + constant` among the first `end` operands: ptxas does not accept it here, because it expands this
    /// instruction.
    pub fn no_sums(&self, end: usize) -> LoweringResult {
        let sum = |operand: &syntax::Operand| matches!(operand, syntax::Operand::Offset(..));
        match self.instruction.operands.iter().take(end).any(sum) {
            true => Err(self.unsupported("a register plus a constant")),
            false => Ok(()),
        }
    }

    /// Checks the number of operands.
    pub fn operands(&self, count: usize) -> LoweringResult {
        if self.instruction.operands.len() == count {
            return Ok(());
        }
        let found = self.instruction.operands.len();
        Err(self.unsupported(&format!("{found} operands instead of {count}")))
    }

    /// Operand `i`.
    pub fn operand(&self, i: usize) -> LoweringResult<&syntax::Operand> {
        self.instruction.operands.get(i).ok_or_else(|| self.unsupported("too few operands"))
    }

    /// The integer of a type.
    pub fn integer(&self, ty: ScalarType) -> LoweringResult<Integer> {
        self.fitting(Integer::from_type(ty))
    }

    /// The value for a type, or an error if the type is not supported.
    pub fn fitting<T>(&self, row: Option<T>) -> LoweringResult<T> {
        row.ok_or_else(|| self.unsupported("this type"))
    }

    /// Emits an ALU instruction.
    pub fn alu(&mut self, dst: Option<Reg>, src: &[Operand], op: Alu) -> LoweringResult {
        let guard = self.guard;
        match dst {
            Some(_) => self.lowering.emit(Opcode::Alu(op), vec![dst], src.to_vec(), guard),
            None => self.lowering.emit(Opcode::Nothing, Vec::new(), Vec::new(), guard),
        }
        Ok(())
    }

    /// Emits `dst = f(operands 1..)` where all operands have type `ty`.
    pub fn uniform_type(&mut self, ty: ScalarType, count: usize, op: Alu) -> LoweringResult {
        self.operands(count + 1)?;
        let dst = self.dst_of(0, ty)?;
        let mut sources = Vec::new();
        for i in 1..=count {
            sources.push(self.src(i, ty)?);
        }
        self.alu(dst, &sources, op)
    }

    /// Emits an instruction under the guard.
    pub fn emit(&mut self, opcode: Opcode, dst: Vec<Option<Reg>>, src: Vec<Operand>) {
        self.lowering.emit(opcode, dst, src, self.guard);
    }

    /// Emits an instruction that a guard must branch around.
    pub fn branching(&mut self, opcode: Opcode, dst: Vec<Option<Reg>>, src: Vec<Operand>) {
        let skip = self.lowering.skip_unless(self.guard);
        self.lowering.emit(opcode, dst, src, None);
        if let Some(skip) = skip {
            self.lowering.set_label(skip);
        }
    }

    /// Emits an annotation for checks.
    pub fn note(&mut self, note: SyncAnnotation, src: Vec<Operand>) -> LoweringResult {
        self.emit(Opcode::Annotation(note), Vec::new(), src);
        Ok(())
    }

    /// Emits an instruction without effect: fences, hints and sleeps change nothing, because the emulator runs memory accesses in
    /// order.
    pub fn nothing(&mut self) -> LoweringResult {
        self.emit(Opcode::Nothing, Vec::new(), Vec::new());
        Ok(())
    }

    /// Makes the lanes in mask `named` reconverge for `op`, to which each contributes a value. Only an unguarded instruction
    /// waits, because a guard would keep some lanes away.
    pub fn converge(&mut self, op: Option<WarpOp>, named: Operand, value: Option<Operand>) {
        if self.guard.is_none() {
            let src = [Some(named), value].into_iter().flatten().collect();
            self.emit(Opcode::Converge(op), Vec::new(), src);
        }
    }
}

impl Cx<'_, '_> {
    fn register(&mut self, name: &str) -> LoweringResult<Reg> {
        match self.lowering.lookup(name) {
            Some(Symbol::Register(r)) => Ok(r),
            Some(_) => Err(self.unsupported(&format!("`{name}` is not a register"))),
            None => Err(self.undeclared(name)),
        }
    }

    /// An operand that is written with a result of `ty`: a register, checked for its width, or `_`.
    pub fn destination(
        &mut self,
        operand: &syntax::Operand,
        ty: ScalarType,
    ) -> LoweringResult<Option<Reg>> {
        match operand {
            syntax::Operand::Name(name) if name == "_" => Ok(None),
            syntax::Operand::Name(name) => {
                let register = self.register(name)?;
                self.check_width(register, ty)?;
                Ok(Some(register))
            }
            _ => Err(self.unsupported("the destination is not a register")),
        }
    }

    /// Operand `i` as a destination of a result of `ty`.
    pub fn dst_of(&mut self, i: usize, ty: ScalarType) -> LoweringResult<Option<Reg>> {
        let operand = self.operand(i)?.clone();
        self.destination(&operand, ty)
    }

    pub fn check_width(&self, register: Reg, ty: ScalarType) -> LoweringResult {
        let width = self.lowering.kernel.registers[register as usize].width;
        let predicate = ty == ScalarType::Pred;
        if (width == Width::Predicate) != predicate {
            let what = if predicate {
                "an operand is not a predicate"
            } else {
                "an operand is a predicate"
            };
            return Err(self.unsupported(what));
        }
        Ok(())
    }

    /// Any operand as a source of type `ty`.
    pub fn source(&mut self, operand: &syntax::Operand, ty: ScalarType) -> LoweringResult<Operand> {
        match operand {
            syntax::Operand::Immediate(value) if ty == ScalarType::Pred => {
                Ok(Operand::Truth(immediate_bits(*value, ScalarType::B32) != 0))
            }
            syntax::Operand::Immediate(value) => Ok(Operand::Const(immediate_bits(*value, ty))),
            syntax::Operand::Name(name) => self.named(name, ty),
            syntax::Operand::Offset(name, offset) => self.moved(name, *offset, ty),
            syntax::Operand::Not(name) if ty == ScalarType::Pred => {
                let positive = self.named(name, ty)?;
                let opposite = self.lowering.new_register(Width::Predicate);
                let not = Alu::Logic(LogicOp::Not(Width::Predicate));
                self.alu(Some(opposite), &[positive], not)?;
                Ok(Operand::Reg(opposite))
            }
            _ => Err(self.unsupported("an operand has a form that does not fit here")),
        }
    }

    fn named(&mut self, name: &str, ty: ScalarType) -> LoweringResult<Operand> {
        if let Some(value) = special_register(self.lowering, name) {
            if let Operand::Reg(register) = value {
                self.check_width(register, ty)?;
            }
            return Ok(value);
        }
        match self.lowering.lookup(name) {
            Some(Symbol::Register(r)) => {
                self.check_width(r, ty)?;
                Ok(Operand::Reg(r))
            }
            Some(Symbol::Variable(space, address)) => {
                let window = match space {
                    MemorySpace::Parameter => PARAMETER_WINDOW,
                    _ => 0,
                };
                Ok(move_address(address, window))
            }
            Some(Symbol::Label(_) | Symbol::Targets(_)) => {
                Err(self.unsupported(&format!("`{name}` is a label")))
            }
            Some(Symbol::Quad(_)) => {
                Err(self.unsupported(&format!("`{name}` is a register of 128 bits")))
            }
            Some(Symbol::Vector(_) | Symbol::Framed(..)) => {
                Err(self.unsupported(&format!("`{name}` is a vector, and one element is expected")))
            }
            None => match function_address(self.lowering.module(), name) {
                Some(address) => Ok(Operand::Const(address)),
                None => Err(self.undeclared(name)),
            },
        }
    }

    /// The error of an undeclared name.
    fn undeclared(&self, name: &str) -> Unsupported {
        let mut variables = self.lowering.module().variables();
        if variables.any(|v| v.name == name && v.linkage == syntax::Linkage::Extern) {
            let what = format!("variable `{name}` is defined in another module");
            return Unsupported::new(what, DEFINE_EXTERN);
        }
        self.unsupported(&format!("`{name}` is not declared"))
    }

    /// `name + offset` as a value: the address of a variable moved, or the sum of an integer register and
    /// the constant, as ptxas computes it (seen in its machine code: one integer addition in the width of
    /// the register, also where the instruction takes a float).
    fn moved(&mut self, name: &str, offset: i64, ty: ScalarType) -> LoweringResult<Operand> {
        if function_address(self.lowering.module(), name).is_some()
            && self.lowering.lookup(name).is_none()
        {
            return Err(
                self.unsupported(&format!("`{name}` is a function, whose address takes no offset"))
            );
        }
        let value = self.named(name, ty)?;
        let Operand::Reg(register) = value else {
            return Ok(move_address(value, offset as u64));
        };
        // ptxas crashes on sums of predicates and of registers that are declared as floats.
        if ty == ScalarType::Pred || self.lowering.is_float(register) {
            return Err(self.unsupported(&format!(
                "`{name} + {offset}` adds to a register that is not an integer"
            )));
        }
        // Computed in the width of the register; an operand of fewer bits takes the low ones.
        let width = self.lowering.kernel.registers[register as usize].width;
        let (integer, bits) = match (width, ty.size()) {
            (Width::Wide, _) => (Integer::U64, u64::MAX),
            (_, 1 | 2) => (Integer::U16, u64::from(u16::MAX)),
            _ => (Integer::U32, u64::from(u32::MAX)),
        };
        let sum = self.lowering.new_register(width);
        let by = Operand::Const(offset as u64 & bits);
        self.alu(Some(sum), &[value, by], Alu::Integer(IntegerOp::Add(integer)))?;
        Ok(Operand::Reg(sum))
    }

    /// Operand `i` as a source of type `ty`.
    pub fn src(&mut self, i: usize, ty: ScalarType) -> LoweringResult<Operand> {
        let operand = self.operand(i)?.clone();
        self.source(&operand, ty)
    }

    /// A predicate operand, with `true` when it is written `!p`.
    pub fn predicate(&mut self, i: usize) -> LoweringResult<(Operand, bool)> {
        match self.operand(i)?.clone() {
            syntax::Operand::Not(name) => Ok((self.named(&name, ScalarType::Pred)?, true)),
            operand => Ok((self.source(&operand, ScalarType::Pred)?, false)),
        }
    }

    /// An address operand: its base, byte offset, and the space of the variable it names.
    pub fn address(&mut self, i: usize) -> LoweringResult<(Operand, i64, Option<MemorySpace>)> {
        let syntax::Operand::Address(address) = self.operand(i)?.clone() else {
            return Err(self.unsupported("an address in brackets is expected"));
        };
        if !address.extra.is_empty() {
            return Err(self.unsupported("addresses with coordinates"));
        }
        self.address_of(&address)
    }

    /// The base, offset and space of an address in brackets, without coordinates.
    pub fn address_of(
        &mut self,
        address: &lanework_ptx::Address,
    ) -> LoweringResult<(Operand, i64, Option<MemorySpace>)> {
        match &address.base {
            AddressBase::Absolute(value) => Ok((Operand::Const(*value), address.offset, None)),
            AddressBase::Name(name) => match self.lowering.lookup(name) {
                Some(Symbol::Variable(space, base)) => Ok((base, address.offset, Some(space))),
                Some(Symbol::Register(r)) => {
                    self.check_width(r, ScalarType::B32)?;
                    Ok((Operand::Reg(r), address.offset, None))
                }
                None => Err(self.undeclared(name)),
                _ => Err(self.unsupported(&format!("`{name}` is not an address"))),
            },
        }
    }
}

/// A constant address moved by some bytes.
pub fn move_address(address: Operand, by: u64) -> Operand {
    match address {
        Operand::Const(at) => Operand::Const(at.wrapping_add(by)),
        Operand::DynamicShared(at) => Operand::DynamicShared(at.wrapping_add(by)),
        other => other,
    }
}
