//! Rules of mbarriers, clusters, and `clusterlaunchcontrol` (PTX manual, "Parallel Synchronization and Communication
//! Instructions").
//!
//! Every `clusterlaunchcontrol` request is answered "not canceled", which the manual permits at any time: all clusters of the grid
//! run anyway. The answer is 16 zero bytes; a GPU's answer is opaque. `.multicast::cluster::all` writes it to every block of the
//! cluster and signals each block's mbarrier.

use crate::LoweringResult;
use crate::kernel::*;
use crate::module::constants::immediate_bits;
use crate::opcode::Alu;
use crate::opcode::asynchrony::{AddressOperand, AsyncOp, MbarrierOp};
use crate::opcode::integer::AddressOp;
use crate::opcode::logic::{LogicOp, MoveOp, PartSize};
use crate::rules::b128;
use crate::rules::context::Cx;
use crate::rules::memory::access::{resolve, space};
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{B32, Pred, *};

/// Ordering modifiers. The emulator runs memory accesses in order, so they have no effect.
pub const ORDER: &[Modifier] =
    &[Release, Acquire, Relaxed, Weak, Cta, Cluster, Gpu, Sys, L2CacheHint];
pub const SHARED: &[Modifier] = &[Shared, SharedCta, SharedCluster];

pub fn emit(cx: &mut Cx<'_, '_>, op: AsyncOp, dst: Vec<Option<Reg>>, src: Vec<Operand>) {
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Async(op), dst, src, guard);
}

/// The address operand `i` in shared memory; generic where the instruction names no space.
pub fn shared_operand(
    cx: &mut Cx<'_, '_>,
    i: usize,
    generic: bool,
) -> LoweringResult<(Operand, AddressOperand)> {
    let (base, offset, named) = cx.address(i)?;
    let space = match resolve(MemorySpace::Generic, named) {
        MemorySpace::Shared => MemorySpace::Shared,
        _ if generic => MemorySpace::Generic,
        _ => MemorySpace::Shared,
    };
    Ok((base, AddressOperand { space, offset }))
}

/// `mbarrier`.
pub fn mbarrier(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let generic = space(cx) == MemorySpace::Generic;
    let count = cx.instruction.operands.len();
    if cx.has(PendingCount) {
        cx.operands(2)?;
        let (dst, state) = (cx.dst_of(0, U32)?, cx.src(1, B64)?);
        return cx.alu(dst, &[state], Alu::PendingCount);
    }
    if cx.has(TestWait) || cx.has(TryWait) {
        if count != 3 && count != 4 {
            return Err(cx.unsupported("three or four operands are expected"));
        }
        let parity = cx.has(Parity);
        let dst = cx.dst_of(0, Pred)?;
        let (base, at) = shared_operand(cx, 1, generic)?;
        let phase = cx.src(2, if parity { U32 } else { B64 })?;
        let relaxed = cx.has(Relaxed);
        let op = AsyncOp::Mbarrier(MbarrierOp::Wait { parity, relaxed, observes: true }, at);
        // A warp that waits stops within the instruction, so a guard becomes a branch.
        cx.branching(Opcode::Async(op), vec![dst], vec![base, phase]);
        return Ok(());
    }
    if cx.has(Arrive) || cx.has(ArriveDrop) {
        let expect = cx.has(ExpectTx);
        let dst = cx.dst_of(0, B64)?;
        let (base, at) = shared_operand(cx, 1, generic)?;
        let last = match count {
            2 if !expect => None,
            3 => Some(cx.src(2, U32)?),
            _ => return Err(cx.unsupported("this number of operands")),
        };
        let one = Operand::Const(1);
        let src = match (expect, last) {
            (true, Some(bytes)) => vec![base, one, bytes],
            (_, count) => vec![base, count.unwrap_or(one)],
        };
        let (drop, stay) = (cx.has(ArriveDrop), cx.has(NoComplete));
        let what = MbarrierOp::Arrive { drop, expect, stay, relaxed: cx.has(Relaxed) };
        emit(cx, AsyncOp::Mbarrier(what, at), vec![dst], src);
        return Ok(());
    }
    let what = match () {
        () if cx.has(Init) => MbarrierOp::Init,
        () if cx.has(Inval) => MbarrierOp::Invalidate,
        () if cx.has(ExpectTx) => MbarrierOp::Expect,
        () if cx.has(CompleteTx) => MbarrierOp::Complete,
        () => return Err(cx.unsupported("this operation")),
    };
    let (base, at) = shared_operand(cx, 0, generic)?;
    let mut src = vec![base];
    if what != MbarrierOp::Invalidate {
        cx.operands(2)?;
        src.push(cx.src(1, U32)?);
    }
    emit(cx, AsyncOp::Mbarrier(what, at), Vec::new(), src);
    Ok(())
}

/// `cp.async.mbarrier.arrive`.
pub fn copy_arrive(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[&[Async, Mbarrier, Arrive, Noinc], SHARED].concat())?;
    cx.operands(1)?;
    let generic = space(cx) == MemorySpace::Generic;
    let (base, at) = shared_operand(cx, 0, generic)?;
    let what = MbarrierOp::CopyArrive { counted: cx.has(Noinc) };
    emit(cx, AsyncOp::Mbarrier(what, at), Vec::new(), vec![base]);
    Ok(())
}

/// `barrier.cluster`.
pub fn cluster_barrier(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&[Cluster, Arrive, Wait, Release, Acquire, Relaxed, Aligned])?;
    cx.operands(0)?;
    let aligned = cx.has(Aligned);
    let op = match (cx.has(Arrive), cx.has(Wait)) {
        (true, false) => AsyncOp::ClusterArrive { aligned, relaxed: cx.has(Relaxed) },
        (false, true) => AsyncOp::ClusterWait { aligned },
        _ => return Err(cx.unsupported("neither `.arrive` nor `.wait`")),
    };
    cx.branching(Opcode::Async(op), Vec::new(), Vec::new());
    Ok(())
}

/// `mapa`: the same place in the shared memory of another block.
pub fn mapa(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(3)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, ty)?;
    let (a, rank) = (cx.src(1, ty)?, cx.src(2, U32)?);
    let (wide, generic) = (ty.size() != 4, !cx.has(SharedCluster));
    if generic && ty.size() != 8 {
        return Err(cx.unsupported("32-bit generic addresses"));
    }
    cx.alu(dst, &[a, rank], Alu::Address(AddressOp::MapShared { wide, generic }))
}

/// `getctarank`: the rank of the block whose shared memory an address is in.
pub fn getctarank(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, U32)?;
    let a = cx.src(1, ty)?;
    let own = Operand::Reg(cx.lowering.special(SpecialRegister::ClusterRank, Width::Word));
    let wide = ty.size() == 8;
    cx.alu(dst, &[a, own], Alu::Address(AddressOp::RankOf { wide }))
}

/// `setmaxnreg`: moves registers between warps.
pub fn setmaxnreg(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(1)?;
    let syntax::Operand::Immediate(count) = *cx.operand(0)? else {
        return Err(cx.unsupported("the number of registers is not a literal"));
    };
    let count = immediate_bits(count, U32) as u32;
    if !(24..=256).contains(&count) || !count.is_multiple_of(8) {
        return Err(cx.unsupported("the number of registers is not a multiple of 8 from 24 to 256"));
    }
    let op = AsyncOp::Registers { count, more: cx.has(Inc) };
    cx.branching(Opcode::Async(op), Vec::new(), Vec::new());
    Ok(())
}

/// Bytes of each half of an answer.
const HALF_ANSWER: u8 = 8;

/// `clusterlaunchcontrol.try_cancel` and `clusterlaunchcontrol.query_cancel`.
pub fn cluster_launch_control(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(TryCancel) {
        return try_cancel(cx);
    }
    let axes = [GetFirstCtaidX, GetFirstCtaidY, GetFirstCtaidZ];
    cx.allow(&[&[QueryCancel, IsCanceled, GetFirstCtaid, V4], &axes[..]].concat())?;
    cx.operands(2)?;
    let answer = b128::source(cx, 1)?;
    if cx.has(IsCanceled) {
        let dst = cx.dst_of(0, Pred)?;
        let any = cx.lowering.new_register(Width::Wide);
        cx.alu(Some(any), &answer, Alu::Logic(LogicOp::Or(Width::Wide)))?;
        let differs = Alu::Logic(LogicOp::WideDiffer);
        return cx.alu(dst, &[Operand::Reg(any), Operand::Const(0)], differs);
    }
    let coordinates = match (axes.iter().position(|axis| cx.has(*axis)), cx.operand(0)?.clone()) {
        (Some(axis), operand) => vec![(axis, operand)],
        (None, syntax::Operand::Vector(operands)) if operands.len() == 4 => {
            operands.into_iter().take(3).enumerate().collect()
        }
        _ => return Err(cx.unsupported("one register, or four in braces, are expected")),
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
    let all = MulticastClusterAll;
    cx.allow(&[TryCancel, Async, SharedCta, MbarrierCompleteTxBytes, all])?;
    cx.operands(2)?;
    let generic = !cx.has(SharedCta);
    let (to_base, to) = shared_operand(cx, 0, generic)?;
    let (bar_base, barrier) = shared_operand(cx, 1, generic)?;
    let zero = Operand::Const(0);
    let everywhere = cx.has(all);
    let store = AsyncOp::Store { bytes: HALF_ANSWER, reduction: None, to, barrier, everywhere };
    emit(cx, store, Vec::new(), vec![to_base, bar_base, zero, zero]);
    Ok(())
}
