//! mbarriers, bulk copies, and what concerns clusters.

use super::access::{atomic_kind, elements, resolve, space};
use super::context::Cx;
use crate::kernel::*;
use crate::literal::immediate_bits;
use crate::lower::unsupported::Rule;
use crate::opcode::Alu;
use crate::opcode::address::AddressOp;
use crate::opcode::asynchrony::{AsyncOp, At, CopyOp, MbarrierOp, TensorOp};
use crate::opcode::atomic::{AtomicKind, AtomicOp};
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::{self, *};

/// How memory is ordered: with warps in turn, none of it matters.
const ORDER: &[&str] =
    &["release", "acquire", "relaxed", "weak", "cta", "cluster", "gpu", "sys", "L2::cache_hint"];
const SHARED: &[&str] = &["shared", "shared::cta", "shared::cluster"];
/// Reductions of bulk copies.
const REDUCTIONS: &[&str] = &["add", "min", "max", "inc", "dec", "and", "or", "xor"];

fn emit(cx: &mut Cx<'_, '_>, op: AsyncOp, dst: Vec<Option<Reg>>, src: Vec<Src>) {
    let guard = cx.guard;
    cx.lowering.emit(Action::Async(op), dst, src, guard);
}

/// The address operand `i` in shared memory; generic where the instruction names no space.
fn shared_operand(cx: &mut Cx<'_, '_>, i: usize, generic: bool) -> Rule<(Src, At)> {
    let (base, offset, named) = cx.address(i)?;
    let space = match resolve(MemorySpace::Generic, named) {
        MemorySpace::Shared => MemorySpace::Shared,
        _ if generic => MemorySpace::Generic,
        _ => MemorySpace::Shared,
    };
    Ok((base, At { space, offset }))
}

/// `mbarrier`.
pub fn mbarrier(cx: &mut Cx<'_, '_>) -> Rule {
    let forms = [
        "init",
        "inval",
        "arrive",
        "arrive_drop",
        "expect_tx",
        "complete_tx",
        "test_wait",
        "try_wait",
        "pending_count",
        "noComplete",
        "parity",
    ];
    cx.allow(&[ORDER, SHARED, &forms].concat())?;
    let generic = space(cx) == MemorySpace::Generic;
    let count = cx.instruction.operands.len();
    if cx.has("pending_count") {
        cx.operands(2)?;
        let (dst, state) = (cx.dst_of(0, U32)?, cx.src(1, B64)?);
        return cx.alu(dst, &[state], Alu::PendingCount);
    }
    if cx.has("test_wait") || cx.has("try_wait") {
        if count != 3 && count != 4 {
            return Err(cx.unknown("three or four operands are expected"));
        }
        let parity = cx.has("parity");
        let dst = cx.dst_of(0, Pred)?;
        let (base, at) = shared_operand(cx, 1, generic)?;
        let of = cx.src(2, if parity { U32 } else { B64 })?;
        let op = AsyncOp::Mbarrier(MbarrierOp::Wait { parity }, at);
        // A warp that waits stops in the middle, so a guard becomes a branch.
        cx.branching(Action::Async(op), vec![dst], vec![base, of]);
        return Ok(());
    }
    if cx.has("arrive") || cx.has("arrive_drop") {
        let expect = cx.has("expect_tx");
        let dst = cx.dst(0)?;
        let (base, at) = shared_operand(cx, 1, generic)?;
        let last = match count {
            2 if !expect => None,
            3 => Some(cx.src(2, U32)?),
            _ => return Err(cx.unknown("this number of operands")),
        };
        let one = Src::Const(1);
        let src = match (expect, last) {
            (true, Some(bytes)) => vec![base, one, bytes],
            (_, count) => vec![base, count.unwrap_or(one)],
        };
        let (drop, stay) = (cx.has("arrive_drop"), cx.has("noComplete"));
        let what = MbarrierOp::Arrive { drop, expect, stay };
        emit(cx, AsyncOp::Mbarrier(what, at), vec![dst], src);
        return Ok(());
    }
    let what = match () {
        () if cx.has("init") => MbarrierOp::Init,
        () if cx.has("inval") => MbarrierOp::Invalidate,
        () if cx.has("expect_tx") => MbarrierOp::Expect,
        () if cx.has("complete_tx") => MbarrierOp::Complete,
        () => return Err(cx.unknown("this operation")),
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
pub fn copy_arrive(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[&["async", "mbarrier", "arrive", "noinc"], SHARED].concat())?;
    cx.operands(1)?;
    let generic = space(cx) == MemorySpace::Generic;
    let (base, at) = shared_operand(cx, 0, generic)?;
    let what = MbarrierOp::CopyArrive { counted: cx.has("noinc") };
    emit(cx, AsyncOp::Mbarrier(what, at), Vec::new(), vec![base]);
    Ok(())
}

/// `barrier.cluster`.
pub fn cluster_barrier(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["cluster", "arrive", "wait", "release", "acquire", "relaxed", "aligned"])?;
    cx.operands(0)?;
    let aligned = cx.has("aligned");
    let op = match (cx.has("arrive"), cx.has("wait")) {
        (true, false) => AsyncOp::ClusterArrive { aligned },
        (false, true) => AsyncOp::ClusterWait { aligned },
        _ => return Err(cx.unknown("neither `.arrive` nor `.wait`")),
    };
    cx.branching(Action::Async(op), Vec::new(), Vec::new());
    Ok(())
}

/// The spaces of the modifiers, in order: where a copy goes to and comes from.
fn spaces(cx: &Cx<'_, '_>) -> Vec<(MemorySpace, bool)> {
    let of = |modifier: &String| match modifier.as_str() {
        "global" => Some((MemorySpace::Global, false)),
        "shared" | "shared::cta" => Some((MemorySpace::Shared, false)),
        "shared::cluster" => Some((MemorySpace::Shared, true)),
        _ => None,
    };
    cx.instruction.modifiers.iter().filter_map(of).collect()
}

/// What a reduction does, whatever the type.
fn reduction_kind(cx: &Cx<'_, '_>) -> Option<AtomicKind> {
    REDUCTIONS.iter().find(|name| cx.has(name)).and_then(|name| atomic_kind(name))
}

/// What a reduction writes, and the bytes of an element.
fn reduction(cx: &mut Cx<'_, '_>) -> Rule<(AtomicOp, u8)> {
    let ty = cx.ty()?;
    let mut modifiers = cx.instruction.modifiers.iter();
    let named = modifiers.find(|m| REDUCTIONS.contains(&m.as_str()));
    let kind = named.and_then(|modifier| atomic_kind(modifier));
    let atomic = kind.and_then(|kind| AtomicOp::of_copy(kind, ty));
    Ok((atomic.ok_or_else(|| cx.unknown("this operation or type"))?, ty.size() as u8))
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`, but for tensors, prefetches and groups.
pub fn bulk(cx: &mut Cx<'_, '_>) -> Rule {
    if cx.has("commit_group") {
        cx.operands(0)?;
        emit(cx, AsyncOp::Commit, Vec::new(), Vec::new());
        return Ok(());
    }
    if cx.has("wait_group") {
        cx.allow(&["async", "bulk", "wait_group", "read"])?;
        let Operand::Immediate(pending) = *cx.operand(0)? else {
            return Err(cx.unknown("the number of groups is not a literal"));
        };
        let pending = immediate_bits(pending, U32) as u32;
        emit(cx, AsyncOp::WaitGroup { pending }, Vec::new(), Vec::new());
        return Ok(());
    }
    if cx.has("prefetch") {
        return cx.nothing();
    }
    if cx.has("tensor") {
        return tensor(cx);
    }
    let words = [
        "async",
        "bulk",
        "reduce",
        "global",
        "mbarrier::complete_tx::bytes",
        "bulk_group",
        "multicast::cluster",
        "noftz",
    ];
    cx.allow(&[&words, SHARED, ORDER, REDUCTIONS].concat())?;
    let [(to, _), (from, _)] = spaces(cx)[..] else {
        return Err(cx.unknown("it does not say where to and where from"));
    };
    let told = cx.has("mbarrier::complete_tx::bytes");
    let fits = match (to, from) {
        (MemorySpace::Shared, _) => told,
        (_, MemorySpace::Shared) => cx.has("bulk_group"),
        _ => false,
    };
    if !fits {
        return Err(cx.unknown("these spaces and this way to wait"));
    }
    let reduction = match cx.has("reduce") {
        true => Some(reduction(cx)?),
        false => None,
    };
    let ((to_base, to_offset, _), (from_base, from_offset, _)) = (cx.address(0)?, cx.address(1)?);
    let size = cx.src(2, U32)?;
    let (barrier, bar_base) = match told {
        true => {
            let (base, at) = shared_operand(cx, 3, false)?;
            (Some(at), base)
        }
        false => (None, Src::Const(0)),
    };
    let multicast = cx.has("multicast::cluster");
    let mask = if multicast { cx.src(4, U16)? } else { Src::Const(0) };
    if reduction.is_some() && to == MemorySpace::Global {
        // Who comes first may be seen in the result.
        cx.lowering.kernel.ordered_blocks = true;
    }
    let copy = CopyOp {
        to: At { space: to, offset: to_offset },
        from: At { space: from, offset: from_offset },
        barrier,
        multicast,
        reduction,
    };
    emit(cx, AsyncOp::Copy(copy), Vec::new(), vec![to_base, from_base, size, bar_base, mask]);
    Ok(())
}

/// The tensor map and the coordinates of operand `i`.
fn map_and_coordinates(cx: &mut Cx<'_, '_>, i: usize) -> Rule<(Src, At, Vec<Src>)> {
    let Operand::Address(mut address) = cx.operand(i)?.clone() else {
        return Err(cx.unknown("a tensor map and coordinates in brackets are expected"));
    };
    let coordinates = match &std::mem::take(&mut address.extra)[..] {
        [Operand::Vector(coordinates)] => coordinates.clone(),
        _ => return Err(cx.unknown("the coordinates are no vector")),
    };
    let (base, offset, named) = cx.address_of(&address)?;
    let space = match named {
        Some(space @ (MemorySpace::Parameter | MemorySpace::Constant)) => space,
        Some(MemorySpace::Global) => MemorySpace::Global,
        _ => MemorySpace::Generic,
    };
    let mut sources = Vec::new();
    for coordinate in &coordinates {
        sources.push(cx.source(coordinate, S32)?);
    }
    Ok((base, At { space, offset }, sources))
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`.
fn tensor(cx: &mut Cx<'_, '_>) -> Rule {
    let words = [
        "async",
        "bulk",
        "reduce",
        "tensor",
        "1d",
        "2d",
        "3d",
        "4d",
        "5d",
        "global",
        "tile",
        "mbarrier::complete_tx::bytes",
        "bulk_group",
        "multicast::cluster",
    ];
    cx.allow(&[&words, SHARED, ORDER, REDUCTIONS].concat())?;
    let dimensions = ["1d", "2d", "3d", "4d", "5d"].iter().position(|d| cx.has(d));
    let dimensions = dimensions.ok_or_else(|| cx.unknown("no number of dimensions"))? + 1;
    let load = match (&spaces(cx)[..], cx.has("bulk_group")) {
        ([(MemorySpace::Shared, _), (MemorySpace::Global, _)], false) => true,
        ([(MemorySpace::Global, _), (MemorySpace::Shared, _)], true) => false,
        _ => return Err(cx.unknown("these spaces and this way to wait")),
    };
    let (tensor_at, shared_at) = if load { (1, 0) } else { (0, 1) };
    let (map_base, map, coordinates) = map_and_coordinates(cx, tensor_at)?;
    if coordinates.len() != dimensions {
        return Err(cx.unknown("the number of coordinates is not that of the dimensions"));
    }
    let (shared_base, shared) = shared_operand(cx, shared_at, false)?;
    let (bar_base, barrier) = match load {
        true => {
            let (base, at) = shared_operand(cx, 2, false)?;
            (base, Some(at))
        }
        false => (Src::Const(0), None),
    };
    let multicast = cx.has("multicast::cluster");
    let mask = if multicast { cx.src(3, U16)? } else { Src::Const(0) };
    let reduction = match cx.has("reduce") {
        true => reduction_kind(cx),
        false => None,
    };
    if reduction.is_some() != cx.has("reduce") {
        return Err(cx.unknown("no reduction"));
    }
    if !load {
        // Who comes first may be seen in the result.
        cx.lowering.kernel.ordered_blocks |= reduction.is_some();
    }
    let op = TensorOp { dimensions, shared, map, barrier, multicast, reduction };
    let mut src = vec![shared_base, map_base, bar_base, mask];
    src.extend(coordinates);
    emit(cx, AsyncOp::Tensor(op), Vec::new(), src);
    Ok(())
}

/// `st.async` and `red.async`.
pub fn store(cx: &mut Cx<'_, '_>) -> Rule {
    let words = ["async", "mbarrier::complete_tx::bytes", "v2", "v4"];
    cx.allow(&[&words, SHARED, ORDER, REDUCTIONS].concat())?;
    if !cx.has("mbarrier::complete_tx::bytes") {
        return Err(cx.unknown("without an mbarrier"));
    }
    cx.operands(3)?;
    let ty = cx.ty()?;
    let (reduction, bytes) = match cx.instruction.opcode.as_str() {
        "red" => {
            let (atomic, bytes) = reduction(cx)?;
            (Some(atomic), bytes)
        }
        _ => (None, ty.size() as u8),
    };
    if ty == ScalarType::Pred || !(4..=8).contains(&bytes) {
        return Err(cx.unknown("this type"));
    }
    let (to_base, to) = shared_operand(cx, 0, false)?;
    let (bar_base, barrier) = shared_operand(cx, 2, false)?;
    let count = if cx.has("v2") {
        2
    } else if cx.has("v4") {
        4
    } else {
        1
    };
    let mut src = vec![to_base, bar_base];
    for operand in elements(cx, 1, count)? {
        src.push(cx.source(&operand, ty)?);
    }
    emit(cx, AsyncOp::Store { bytes, reduction, to, barrier }, Vec::new(), src);
    Ok(())
}

/// `mapa`: the same place in the shared memory of another block.
pub fn mapa(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["shared::cluster"])?;
    cx.operands(3)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, ty)?;
    let (a, rank) = (cx.src(1, ty)?, cx.src(2, U32)?);
    let (wide, generic) = (ty.size() != 4, !cx.has("shared::cluster"));
    if generic && ty.size() != 8 {
        return Err(cx.unknown("32-bit generic addresses"));
    }
    cx.alu(dst, &[a, rank], Alu::Address(AddressOp::MapShared { wide, generic }))
}

/// `getctarank`: whose shared memory an address is in.
pub fn getctarank(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["shared::cluster"])?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    let dst = cx.dst_of(0, U32)?;
    let a = cx.src(1, ty)?;
    let own = Src::Reg(cx.lowering.special(Special::ClusterRank, Width::Word));
    let wide = ty.size() == 8;
    cx.alu(dst, &[a, own], Alu::Address(AddressOp::RankOf { wide }))
}

/// `setmaxnreg`: registers change hands between warps; the emulator's are not scarce.
pub fn setmaxnreg(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["inc", "dec", "sync", "aligned"])?;
    cx.operands(1)?;
    let Operand::Immediate(count) = *cx.operand(0)? else {
        return Err(cx.unknown("the number of registers is not a literal"));
    };
    let count = immediate_bits(count, U32);
    if !(24..=256).contains(&count) || !count.is_multiple_of(8) {
        return Err(cx.unknown("the number of registers is not a multiple of 8 from 24 to 256"));
    }
    cx.nothing()
}
