//! `alloca`, `stacksave` and `stackrestore` (PTX manual, "Stack Manipulation Instructions"): memory that a function allocates and
//! releases on return.
//!
//! A bump allocator over a range of local memory, from its end downward; a register holds the end of the free part. An
//! allocation that does not fit faults. Limit: the range has [`BYTES`] bytes for all functions of a thread together.

use crate::LoweringResult;
use crate::kernel::*;
use crate::lower::state::Lowering;
use crate::opcode::Alu;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::{CompareOp, LogicOp, Relation};
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::ScalarType::{U32, U64};
use lanework_ptx::{Function, Immediate, Statement};

/// Bytes for `alloca` of each thread.
pub const BYTES: u32 = 32 << 10;
/// The name of this memory in lists of variables.
const NAME: &str = "memory of `alloca`";

impl<'m> Lowering<'m> {
    /// Reserves an instruction that initializes the register, if a body may need it.
    pub(super) fn start_allocation(&mut self, body: &'m [Statement]) {
        let reached = self.call_graph.below(body);
        let mut reached = reached.into_iter().filter_map(|name| self.call_graph.function(name));
        if allocates_in(body) || reached.any(allocates) {
            self.emit(Opcode::Nothing, Vec::new(), Vec::new(), None);
        }
    }

    /// Fills in that instruction.
    pub(super) fn finish_allocation(&mut self) {
        if let Some(register) = self.allocation
            && let Some(first) = self.kernel.insts.first_mut()
        {
            let end = self.allocation_base + u64::from(BYTES);
            first.opcode = Opcode::Alu(Alu::copy(Width::Wide));
            (first.dst, first.src) = (vec![Some(register)], vec![Operand::Const(end)]);
        }
    }

    /// The register that holds the end of the free memory, and the start of that memory.
    pub fn allocation(&mut self) -> (Reg, u64) {
        if let Some(register) = self.allocation {
            return (register, self.allocation_base);
        }
        let register = self.new_register(Width::Wide);
        self.allocation = Some(register);
        self.allocation_base = self.reserve_local(NAME, BYTES);
        (register, self.allocation_base)
    }

    /// Saves the end of the free part at function entry, if the function allocates.
    pub(super) fn allocated(&mut self, function: &'m Function) -> Option<Reg> {
        if !allocates(function) {
            return None;
        }
        let (register, _) = self.allocation();
        let kept = self.new_register(Width::Wide);
        let copy = Opcode::Alu(Alu::copy(Width::Wide));
        self.emit(copy, vec![Some(kept)], vec![Operand::Reg(register)], None);
        Some(kept)
    }

    /// Releases the allocations of a function.
    pub(super) fn release(&mut self, kept: Option<Reg>) {
        if let Some(kept) = kept {
            let (register, _) = self.allocation();
            let copy = Opcode::Alu(Alu::copy(Width::Wide));
            self.emit(copy, vec![Some(register)], vec![Operand::Reg(kept)], None);
        }
    }
}

/// Whether a function allocates.
fn allocates(function: &Function) -> bool {
    function.body.as_deref().is_some_and(allocates_in)
}

fn allocates_in(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::Instruction(instruction) => {
            matches!(
                instruction.opcode,
                syntax::Opcode::Alloca | syntax::Opcode::Stacksave | syntax::Opcode::Stackrestore
            )
        }
        Statement::Block(inner) => allocates_in(inner),
        _ => false,
    })
}

/// The default alignment of `alloca`.
const ALIGNMENT: u64 = 8;
/// The maximum alignment.
const MOST_ALIGNED: i128 = 1024;

/// `alloca ptr, size, align`.
pub fn alloca(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    if !matches!(ty, U32 | U64) {
        return Err(cx.unsupported("a type other than `.u32` and `.u64`"));
    }
    let align = match cx.instruction.operands.get(2) {
        None => ALIGNMENT,
        Some(syntax::Operand::Immediate(Immediate::Integer(align)))
            if (1..=MOST_ALIGNED).contains(align) && align.count_ones() == 1 =>
        {
            *align as u64
        }
        Some(_) => return Err(cx.unsupported("an alignment that is not a power of two up to 1024")),
    };
    let dst = cx.dst_of(0, ty)?;
    let size = cx.src(1, ty)?;
    let skip = cx.lowering.skip_unless(cx.guard.take());
    let (end, base) = cx.lowering.allocation();
    let integer = cx.integer(U64)?;
    let [bytes, free, after] = [(); 3].map(|()| cx.lowering.new_register(Width::Wide));
    let zero = Operand::Const(0);
    // A 32-bit size with zeros above it.
    let widen = match ty {
        U32 => Alu::Move(crate::opcode::logic::MoveOp::Concatenate { wide: true, low: 4 }),
        _ => Alu::Logic(LogicOp::Or(Width::Wide)),
    };
    cx.alu(Some(bytes), &[size, zero], widen)?;
    let sub = Alu::Integer(IntegerOp::Sub(integer));
    cx.alu(Some(free), &[Operand::Reg(end), Operand::Const(base)], sub)?;
    let full = cx.lowering.new_register(Width::Predicate);
    let unsigned: Integer = integer;
    let above = Alu::Compare(CompareOp::Integer(Relation::Greater, unsigned));
    cx.alu(Some(full), &[Operand::Reg(bytes), Operand::Reg(free)], above)?;
    let fits = cx.lowering.skip_unless(Some((full, false)));
    cx.emit(Opcode::StackOverflow, Vec::new(), Vec::new());
    if let Some(fits) = fits {
        cx.lowering.set_label(fits);
    }
    cx.alu(Some(after), &[Operand::Reg(end), Operand::Reg(bytes)], sub)?;
    let mask = Operand::Const(align.wrapping_neg());
    let and = Alu::Logic(LogicOp::And(Width::Wide));
    cx.alu(Some(end), &[Operand::Reg(after), mask], and)?;
    cx.alu(dst, &[Operand::Reg(end)], crate::rules::mov::copy(ty))?;
    if let Some(skip) = skip {
        cx.lowering.set_label(skip);
    }
    Ok(())
}

/// `stacksave`: the end of the free part.
pub fn save(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    cx.operands(1)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, ty)?;
    let (end, _) = cx.lowering.allocation();
    cx.alu(dst, &[Operand::Reg(end)], crate::rules::mov::copy(ty))
}

/// `stackrestore`: restores the end of the free part.
pub fn restore(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[])?;
    cx.operands(1)?;
    let ty = cx.ty()?;
    let source = cx.src(0, ty)?;
    let (end, _) = cx.lowering.allocation();
    match ty {
        U64 => cx.alu(Some(end), &[source], crate::rules::mov::copy(ty)),
        U32 => {
            let widen = crate::opcode::logic::MoveOp::Concatenate { wide: true, low: 4 };
            cx.alu(Some(end), &[source, Operand::Const(0)], Alu::Move(widen))
        }
        _ => Err(cx.unsupported("a type other than `.u32` and `.u64`")),
    }
}
