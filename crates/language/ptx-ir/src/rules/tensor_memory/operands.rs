//! What the instructions share: the pair of blocks, addresses of tensor memory, and how one is emitted.

use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::asynchrony::AsyncOp;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::tensor_memory::TmemOp;
use crate::rules::context::Cx;

const PAIRS: &[&str] = &["cta_group::1", "cta_group::2"];

pub(super) fn emit(
    cx: &mut Cx<'_, '_>,
    op: TmemOp,
    dst: Vec<Option<Reg>>,
    src: Vec<Operand>,
) -> LoweringResult {
    cx.emit(Opcode::Async(AsyncOp::Tmem(op)), dst, src);
    Ok(())
}

/// Refuses modifiers but `.cta_group` and `known`.
pub(super) fn allow(cx: &Cx<'_, '_>, known: &[&str]) -> LoweringResult {
    cx.allow(&[PAIRS, known].concat())
}

/// Whether both blocks of a pair take part.
pub(super) fn pair(cx: &Cx<'_, '_>) -> LoweringResult<bool> {
    match (cx.has("cta_group::1"), cx.has("cta_group::2")) {
        (true, false) => Ok(false),
        (false, true) => Ok(true),
        _ => Err(cx.unknown("`.cta_group::1` or `.cta_group::2` is missing")),
    }
}

/// Operand `i`, an address of tensor memory in brackets, as one value.
pub(super) fn tensor_address(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<Operand> {
    let (base, offset, named) = cx.address(i)?;
    if named.is_some() {
        return Err(cx.unknown("a variable's address is not an address of tensor memory"));
    }
    let offset = u64::from(offset as u32);
    match base {
        base if offset == 0 => Ok(base),
        Operand::Const(at) => {
            Ok(Operand::Const(u64::from((at as u32).wrapping_add(offset as u32))))
        }
        base => {
            let sum = cx.lowering.new_register(Width::Word);
            let add = Alu::Integer(IntegerOp::Add(Integer::U32));
            cx.alu(Some(sum), &[base, Operand::Const(offset)], add)?;
            Ok(Operand::Reg(sum))
        }
    }
}
