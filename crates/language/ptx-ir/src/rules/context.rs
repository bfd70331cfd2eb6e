//! One instruction being lowered: its modifiers and operands, and what a rule emits for it.

use crate::kernel::*;
use crate::lower::state::{Lowering, Symbol};
use crate::lower::unsupported::{LoweringResult, Unsupported};
use crate::opcode::Alu;
use crate::opcode::integer::Integer;
use crate::opcode::warp::WarpOp;
use lanework_ptx as syntax;
use lanework_ptx::{Instruction, ScalarType};

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
    /// Where it goes.
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
    pub fn has(&self, modifier: &str) -> bool {
        self.instruction.has(modifier)
    }

    /// The types among the modifiers.
    pub fn types(&self) -> Vec<ScalarType> {
        self.instruction.modifiers.iter().filter_map(|m| ScalarType::from_name(m)).collect()
    }

    /// The type among the modifiers.
    pub fn ty(&self) -> LoweringResult<ScalarType> {
        match self.types()[..] {
            [ty] => Ok(ty),
            [] => Err(self.unknown("a type is missing")),
            _ => Err(self.unknown("more than one type")),
        }
    }

    /// A refusal that names the instruction.
    pub fn unknown(&self, why: &str) -> Unsupported {
        Unsupported::new(
            format!("unknown form of `{}`: {why}", self.instruction.name()),
            "the emulator does not know this form; run this kernel on a GPU or report it",
        )
    }

    /// Refuses modifiers that are neither types nor in `known`.
    pub fn allow(&self, known: &[&str]) -> LoweringResult {
        for modifier in &self.instruction.modifiers {
            let known =
                known.contains(&modifier.as_str()) || ScalarType::from_name(modifier).is_some();
            if !known {
                return Err(self.unknown(&format!("modifier `.{modifier}`")));
            }
        }
        Ok(())
    }

    /// Refuses operands before `end` that add a constant to a register: ptxas has none here, for it makes a call or
    /// several instructions of this one.
    pub fn no_sums(&self, end: usize) -> LoweringResult {
        let sum = |operand: &syntax::Operand| matches!(operand, syntax::Operand::Offset(..));
        match self.instruction.operands.iter().take(end).any(sum) {
            true => Err(self.unknown("a register plus a constant")),
            false => Ok(()),
        }
    }

    /// Refuses any number of operands but `count`.
    pub fn operands(&self, count: usize) -> LoweringResult {
        if self.instruction.operands.len() == count {
            return Ok(());
        }
        let found = self.instruction.operands.len();
        Err(self.unknown(&format!("{found} operands instead of {count}")))
    }

    /// Operand `i`.
    pub fn operand(&self, i: usize) -> LoweringResult<&syntax::Operand> {
        self.instruction.operands.get(i).ok_or_else(|| self.unknown("too few operands"))
    }

    /// The integer of a type.
    pub fn integer(&self, ty: ScalarType) -> LoweringResult<Integer> {
        self.fitting(Integer::of(ty))
    }

    /// What there is for a type, or a refusal of it.
    pub fn fitting<T>(&self, row: Option<T>) -> LoweringResult<T> {
        row.ok_or_else(|| self.unknown("this type"))
    }

    /// Emits a computing instruction.
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

    /// Emits something that a guard must branch around.
    pub fn branching(&mut self, opcode: Opcode, dst: Vec<Option<Reg>>, src: Vec<Operand>) {
        let skip = self.lowering.skip_unless(self.guard);
        self.lowering.emit(opcode, dst, src, None);
        if let Some(skip) = skip {
            self.lowering.set_label(skip);
        }
    }

    /// Emits something that only checks listen to.
    pub fn note(&mut self, note: SyncAnnotation, src: Vec<Operand>) -> LoweringResult {
        self.emit(Opcode::Annotation(note), Vec::new(), src);
        Ok(())
    }

    /// Emits an instruction that does nothing: with warps in turn and memory in order, fences, hints and
    /// sleeps change nothing.
    pub fn nothing(&mut self) -> LoweringResult {
        self.emit(Opcode::Nothing, Vec::new(), Vec::new());
        Ok(())
    }

    /// Lets the lanes that `named` names come together for `op`, to which each brings a value. A guard would leave some of them behind for
    /// good, so that only an unguarded instruction waits.
    pub fn converge(&mut self, op: Option<WarpOp>, named: Operand, value: Option<Operand>) {
        if self.guard.is_none() {
            let src = [Some(named), value].into_iter().flatten().collect();
            self.emit(Opcode::Converge(op), Vec::new(), src);
        }
    }
}
