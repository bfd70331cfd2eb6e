//! Rules of bulk copies, tensor copies and asynchronous stores.

use crate::LoweringResult;
use crate::kernel::*;
use crate::module::constants::immediate_bits;
use crate::opcode::asynchrony::{AddressOperand, AsyncOp, CopyOp, TensorMode, TensorOp};
use crate::opcode::memory::{AtomicKind, AtomicOp};
use crate::rules::context::Cx;
use crate::rules::memory::access::{atomic_kind, count, elements};
use crate::rules::memory::asynchrony::{ORDER, SHARED, emit, shared_operand};
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::{self, *};

/// Reductions of bulk copies.
const REDUCTIONS: &[Modifier] = &[Add, Min, Max, Inc, Dec, And, Or, Xor];

/// The spaces of the modifiers, in order: where a copy goes to and comes from.
fn spaces(cx: &Cx<'_, '_>) -> Vec<(MemorySpace, bool)> {
    let space = |modifier: &Modifier| match modifier {
        Global => Some((MemorySpace::Global, false)),
        Shared | SharedCta => Some((MemorySpace::Shared, false)),
        SharedCluster => Some((MemorySpace::Shared, true)),
        _ => None,
    };
    cx.instruction.modifiers.iter().filter_map(space).collect()
}

/// The kind of reduction.
fn reduction_kind(cx: &Cx<'_, '_>) -> Option<AtomicKind> {
    REDUCTIONS.iter().find(|name| cx.has(**name)).and_then(|name| atomic_kind(*name))
}

/// The reduction, and the element size in bytes.
fn reduction(cx: &mut Cx<'_, '_>) -> LoweringResult<(AtomicOp, u8)> {
    let ty = cx.ty()?;
    let named = cx.instruction.modifiers.iter().copied().find(|m| REDUCTIONS.contains(m));
    let kind = named.and_then(atomic_kind);
    let atomic = kind.and_then(|kind| AtomicOp::for_copy(kind, ty));
    Ok((atomic.ok_or_else(|| cx.unsupported("this operation or type"))?, ty.size() as u8))
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`, except tensors, prefetches and groups.
pub fn bulk(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has(CommitGroup) {
        cx.operands(0)?;
        emit(cx, AsyncOp::Commit, Vec::new(), Vec::new());
        return Ok(());
    }
    if cx.has(WaitGroup) {
        cx.allow(&[Async, Bulk, WaitGroup, Read])?;
        let syntax::Operand::Immediate(pending) = *cx.operand(0)? else {
            return Err(cx.unsupported("the number of groups is not a literal"));
        };
        let pending = immediate_bits(pending, U32) as u32;
        let read = cx.has(Read);
        emit(cx, AsyncOp::WaitGroup { pending, read }, Vec::new(), Vec::new());
        return Ok(());
    }
    if cx.has(Prefetch) {
        return cx.nothing();
    }
    if cx.has(Tensor) {
        return tensor(cx);
    }
    let words =
        [Async, Bulk, Reduce, Global, MbarrierCompleteTxBytes, BulkGroup, MulticastCluster, Noftz];
    cx.allow(&[&words, SHARED, ORDER, REDUCTIONS].concat())?;
    let [(to, _), (from, _)] = spaces(cx)[..] else {
        return Err(cx.unsupported("the source and the target space are missing"));
    };
    let told = cx.has(MbarrierCompleteTxBytes);
    let fits = match (to, from) {
        (MemorySpace::Shared, _) => told,
        (_, MemorySpace::Shared) => cx.has(BulkGroup),
        _ => false,
    };
    if !fits {
        return Err(cx.unsupported("these spaces with this completion mechanism"));
    }
    let reduction = match cx.has(Reduce) {
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
        false => (None, Operand::Const(0)),
    };
    let multicast = cx.has(MulticastCluster);
    let mask = if multicast { cx.src(4, U16)? } else { Operand::Const(0) };
    if reduction.is_some() && to == MemorySpace::Global {
        // The result may depend on which block comes first.
        cx.lowering.kernel.ordered_blocks = true;
    }
    let copy = CopyOp {
        to: AddressOperand { space: to, offset: to_offset },
        from: AddressOperand { space: from, offset: from_offset },
        barrier,
        multicast,
        reduction,
    };
    emit(cx, AsyncOp::Copy(copy), Vec::new(), vec![to_base, from_base, size, bar_base, mask]);
    Ok(())
}

/// The tensor map and the coordinates of operand `i`.
fn map_and_coordinates(
    cx: &mut Cx<'_, '_>,
    i: usize,
) -> LoweringResult<(Operand, AddressOperand, Vec<Operand>)> {
    let syntax::Operand::Address(mut address) = cx.operand(i)?.clone() else {
        return Err(cx.unsupported("a tensor map and coordinates in brackets are expected"));
    };
    let coordinates = match &std::mem::take(&mut address.extra)[..] {
        [syntax::Operand::Vector(coordinates)] => coordinates.clone(),
        _ => return Err(cx.unsupported("the coordinates are not a vector")),
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
    Ok((base, AddressOperand { space, offset }, sources))
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`.
fn tensor(cx: &mut Cx<'_, '_>) -> LoweringResult {
    #[rustfmt::skip] // as many as fit
    #[rustfmt::skip] // as many as fit
    let words = [
        Async, Bulk, Reduce, Tensor, D1, D2, D3, D4, D5, Global, Tile, TileGather4, TileScatter4,
        Im2col, Im2colNoOffs, CtaGroup1, MbarrierCompleteTxBytes, BulkGroup, MulticastCluster,
    ];
    cx.allow(&[&words, SHARED, ORDER, REDUCTIONS].concat())?;
    let dimensions = [D1, D2, D3, D4, D5].iter().position(|d| cx.has(*d));
    let dimensions =
        dimensions.ok_or_else(|| cx.unsupported("the number of dimensions is missing"))? + 1;
    let load = match (&spaces(cx)[..], cx.has(BulkGroup)) {
        ([(MemorySpace::Shared, _), (MemorySpace::Global, _)], false) => true,
        ([(MemorySpace::Global, _), (MemorySpace::Shared, _)], true) => false,
        _ => return Err(cx.unsupported("these spaces with this completion mechanism")),
    };
    let mode = match load {
        true if cx.has(TileGather4) => TensorMode::Rows,
        false if cx.has(TileScatter4) && !cx.has(Reduce) => TensorMode::Rows,
        true if cx.has(Im2col) => TensorMode::Pixels,
        false if cx.has(Im2colNoOffs) => TensorMode::PixelsInPlace,
        _ => TensorMode::Tile,
    };
    let named = [TileGather4, TileScatter4, Im2col, Im2colNoOffs];
    let named = named.iter().any(|mode| cx.has(*mode));
    let fits = match mode {
        TensorMode::Tile => !named,
        TensorMode::Rows => dimensions == 2,
        _ => dimensions >= 3,
    };
    if !fits {
        return Err(
            cx.unsupported("this mode of copying in this direction or number of dimensions")
        );
    }
    let (tensor_at, shared_at) = if load { (1, 0) } else { (0, 1) };
    let (map_base, map, coordinates) = map_and_coordinates(cx, tensor_at)?;
    let (count, offset_count) = mode.numbers(dimensions);
    if coordinates.len() != count {
        return Err(cx.unsupported("the number of coordinates does not match the dimensions"));
    }
    let (shared_base, shared) = shared_operand(cx, shared_at, false)?;
    let (bar_base, barrier) = match load {
        true => {
            let (base, at) = shared_operand(cx, 2, false)?;
            (base, Some(at))
        }
        false => (Operand::Const(0), None),
    };
    let mut offsets = Vec::new();
    if offset_count > 0 {
        for operand in elements(cx, 3, offset_count as u8)? {
            offsets.push(cx.source(&operand, U16)?);
        }
    }
    let multicast = cx.has(MulticastCluster);
    let mask_at = if offset_count > 0 { 4 } else { 3 };
    let mask = if multicast { cx.src(mask_at, U16)? } else { Operand::Const(0) };
    let reduction = match cx.has(Reduce) {
        true => reduction_kind(cx),
        false => None,
    };
    if reduction.is_some() != cx.has(Reduce) {
        return Err(cx.unsupported("the reduction is missing"));
    }
    if !load {
        // The result may depend on which block comes first.
        cx.lowering.kernel.ordered_blocks |= reduction.is_some();
    }
    let op = TensorOp { dimensions, mode, shared, map, barrier, multicast, reduction };
    let mut src = vec![shared_base, map_base, bar_base, mask];
    src.extend(coordinates);
    src.extend(offsets);
    emit(cx, AsyncOp::Tensor(op), Vec::new(), src);
    Ok(())
}

/// `st.async` and `red.async`.
pub fn store(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let words = [Async, MbarrierCompleteTxBytes, V2, V4];
    cx.allow(&[&words, SHARED, ORDER, REDUCTIONS].concat())?;
    if !cx.has(MbarrierCompleteTxBytes) {
        return Err(cx.unsupported("without an mbarrier"));
    }
    cx.operands(3)?;
    let ty = cx.ty()?;
    let (reduction, bytes) = match cx.instruction.opcode {
        syntax::Opcode::Red => {
            let (atomic, bytes) = reduction(cx)?;
            (Some(atomic), bytes)
        }
        _ => (None, ty.size() as u8),
    };
    if ty == ScalarType::Pred || !(4..=8).contains(&bytes) {
        return Err(cx.unsupported("this type"));
    }
    let (to_base, to) = shared_operand(cx, 0, false)?;
    let (bar_base, barrier) = shared_operand(cx, 2, false)?;
    let count = count(cx);
    let mut src = vec![to_base, bar_base];
    for operand in elements(cx, 1, count)? {
        src.push(cx.source(&operand, ty)?);
    }
    let store = AsyncOp::Store { bytes, reduction, to, barrier, everywhere: false };
    emit(cx, store, Vec::new(), src);
    Ok(())
}
