//! `tcgen05`: tensor memory and the fifth generation of tensor cores.

mod movement;
mod multiply;
mod operands;

use super::asynchrony::{SHARED, shared_operand};
use super::context::Cx;
use crate::kernel::*;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::asynchrony::AsyncOp;
use crate::opcode::tensor_memory::*;
use lanework_ptx::ScalarType::*;
use movement::{load, store};
use multiply::multiply;
use operands::{allow, emit, pair, tensor_address};

/// `tcgen05`.
pub fn tcgen05(cx: &mut Cx<'_, '_>) -> LoweringResult {
    match cx.instruction.modifiers.first().map(String::as_str) {
        Some("alloc") => allocate(cx),
        Some("dealloc") => free(cx),
        Some("relinquish_alloc_permit") => {
            allow(cx, &["relinquish_alloc_permit", "sync", "aligned"])?;
            cx.operands(0)?;
            pair(cx)?;
            emit(cx, TmemOp::Relinquish, Vec::new(), Vec::new())
        }
        Some("ld") => load(cx),
        Some("st") => store(cx),
        Some(what @ ("wait::ld" | "wait::st")) => {
            let stores = what == "wait::st";
            cx.allow(&["wait::ld", "wait::st", "sync", "aligned"])?;
            cx.operands(0)?;
            emit(cx, TmemOp::Wait { stores }, Vec::new(), Vec::new())
        }
        // Loads and stores are done at once, and what is asynchronous is done in order.
        Some("fence::before_thread_sync" | "fence::after_thread_sync") => {
            cx.operands(0)?;
            cx.nothing()
        }
        Some("commit") => commit(cx),
        Some("cp") => copy(cx),
        Some("shift") => {
            allow(cx, &["shift", "down"])?;
            cx.operands(1)?;
            let pair = pair(cx)?;
            let address = tensor_address(cx, 0)?;
            emit(cx, TmemOp::Shift { pair }, Vec::new(), vec![address])
        }
        Some("mma") => multiply(cx),
        _ => Err(cx.unknown("this operation")),
    }
}

fn allocate(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, &["alloc", "sync", "aligned", "shared::cta", "shared"])?;
    cx.operands(2)?;
    let pair = pair(cx)?;
    let generic = !SHARED.iter().any(|space| cx.has(space));
    let (base, to) = shared_operand(cx, 0, generic)?;
    let columns = cx.src(1, U32)?;
    // A warp that waits stops in the middle, so a guard becomes a branch.
    let op = AsyncOp::Tmem(TmemOp::Allocate { pair, to });
    cx.branching(Opcode::Async(op), Vec::new(), vec![base, columns]);
    Ok(())
}

fn free(cx: &mut Cx<'_, '_>) -> LoweringResult {
    allow(cx, &["dealloc", "sync", "aligned"])?;
    cx.operands(2)?;
    let pair = pair(cx)?;
    let (address, columns) = (cx.src(0, U32)?, cx.src(1, U32)?);
    let op = AsyncOp::Tmem(TmemOp::Free { pair });
    cx.branching(Opcode::Async(op), Vec::new(), vec![address, columns]);
    Ok(())
}

fn commit(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let words = ["commit", "mbarrier::arrive::one", "multicast::cluster"];
    allow(cx, &[&words, SHARED].concat())?;
    pair(cx)?;
    let multicast = cx.has("multicast::cluster");
    cx.operands(1 + usize::from(multicast))?;
    let generic = !SHARED.iter().any(|space| cx.has(space));
    let (base, barrier) = shared_operand(cx, 0, generic)?;
    let mask = if multicast { cx.src(1, U16)? } else { Operand::Const(0) };
    emit(cx, TmemOp::Commit { barrier, multicast }, Vec::new(), vec![base, mask])
}

/// The shapes of `cp`: rows, bits of a row, which modifier says where they go, and where.
const COPIES: &[(&str, u32, u32, Option<&str>, CopyLanes)] = &[
    ("128x256b", 128, 256, None, CopyLanes::Each),
    ("128x128b", 128, 128, None, CopyLanes::Each),
    ("4x256b", 4, 256, None, CopyLanes::Apart),
    ("64x128b", 64, 128, Some("warpx2::02_13"), CopyLanes::Pairs02),
    ("64x128b", 64, 128, Some("warpx2::01_23"), CopyLanes::Pairs01),
    ("32x128b", 32, 128, Some("warpx4"), CopyLanes::All),
];

fn copy(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let names: Vec<&str> = COPIES.iter().flat_map(|row| [Some(row.0), row.3]).flatten().collect();
    let formats = ["cp", "b8x16", "b6x16_p32", "b4x16_p64"];
    allow(cx, &[&names[..], &formats].concat())?;
    cx.operands(2)?;
    let pair = pair(cx)?;
    let multicasts = names.iter().any(|name| name.starts_with("warp") && cx.has(name));
    let row =
        COPIES.iter().find(|row| cx.has(row.0) && row.3.map_or(!multicasts, |warps| cx.has(warps)));
    let (_, rows, bits, _, to) =
        *row.ok_or_else(|| cx.unknown("this shape with this choice of warps"))?;
    let widened = match (cx.has("b8x16"), cx.has("b6x16_p32"), cx.has("b4x16_p64")) {
        (false, false, false) => None,
        (true, true, false) => Some(6),
        (true, false, true) => Some(4),
        _ => return Err(cx.unknown("these formats")),
    };
    let src = vec![tensor_address(cx, 0)?, cx.src(1, B64)?];
    emit(cx, TmemOp::Copy(TmemCopy { pair, rows, bits, to, widened }), Vec::new(), src)
}
