//! `clusterlaunchcontrol`: taking over the work of a cluster that has not started (PTX manual, "Parallel
//! Synchronization and Communication Instructions").
//!
//! Every request is answered "not cancelled", as the manual allows at any time: all clusters of the grid run
//! by themselves. The answer is 16 zero bytes; what a GPU writes there is opaque. `.multicast::cluster::all` writes it
//! to every block of the cluster, and tells the mbarrier of each.

use super::asynchrony::{emit, shared_operand};
use super::context::Cx;
use super::quad;
use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::asynchrony::AsyncOp;
use crate::opcode::logic::LogicOp;
use crate::opcode::moves::{MoveOp, PartSize};
use lanework_ptx as syntax;
use lanework_ptx::ScalarType::{B32, Pred};

/// Bytes of each half of an answer.
const HALF: u8 = 8;

/// `clusterlaunchcontrol.try_cancel` and `clusterlaunchcontrol.query_cancel`.
pub fn control(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has("try_cancel") {
        return try_cancel(cx);
    }
    let axes = ["get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"];
    cx.allow(&[&["query_cancel", "is_canceled", "get_first_ctaid", "v4"], &axes[..]].concat())?;
    cx.operands(2)?;
    let answer = quad::source(cx, 1)?;
    if cx.has("is_canceled") {
        let dst = cx.dst_of(0, Pred)?;
        let any = cx.lowering.new_register(Width::Wide);
        cx.alu(Some(any), &answer, Alu::Logic(LogicOp::Or(Width::Wide)))?;
        let differs = Alu::Logic(LogicOp::WideDiffer);
        return cx.alu(dst, &[Operand::Reg(any), Operand::Const(0)], differs);
    }
    let coordinates = match (axes.iter().position(|axis| cx.has(axis)), cx.operand(0)?.clone()) {
        (Some(axis), operand) => vec![(axis, operand)],
        (None, syntax::Operand::Vector(operands)) if operands.len() == 4 => {
            operands.into_iter().take(3).enumerate().collect()
        }
        _ => return Err(cx.unknown("one register, or four in braces, are expected")),
    };
    for (axis, operand) in coordinates {
        let dst = cx.destination(&operand, B32)?;
        let word = Alu::Move(MoveOp::Extract { wide: true, part: PartSize::Word });
        let amount = Operand::Const(32 * (axis as u64 & 1));
        cx.alu(dst, &[answer[axis / 2], amount], word)?;
    }
    Ok(())
}

fn try_cancel(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let all = "multicast::cluster::all";
    cx.allow(&["try_cancel", "async", "shared::cta", "mbarrier::complete_tx::bytes", all])?;
    cx.operands(2)?;
    let generic = !cx.has("shared::cta");
    let (to_base, to) = shared_operand(cx, 0, generic)?;
    let (bar_base, barrier) = shared_operand(cx, 1, generic)?;
    let zero = Operand::Const(0);
    let everywhere = cx.has(all);
    let store = AsyncOp::Store { bytes: HALF, reduction: None, to, barrier, everywhere };
    emit(cx, store, Vec::new(), vec![to_base, bar_base, zero, zero]);
    Ok(())
}
