//! Rules of `tcgen05`: tensor memory and fifth-generation tensor cores.

use crate::LoweringResult;
use crate::kernel::*;
use crate::module::constants::immediate_bits;
use crate::opcode::Alu;
use crate::opcode::asynchrony::AsyncOp;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::tensor_memory::*;
use crate::rules::context::Cx;
use crate::rules::memory::access::elements;
use crate::rules::memory::asynchrony::{SHARED, shared_operand};
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType::*;

/// `tcgen05`.
pub fn tcgen05(cx: &mut Cx<'_, '_>) -> LoweringResult {
    match cx.instruction.modifiers.first().copied() {
        Some(Alloc) => allocate(cx),
        Some(Dealloc) => free(cx),
        Some(RelinquishAllocPermit) => {
            cx.operands(0)?;
            pair(cx)?;
            emit(cx, TmemOp::Relinquish, Vec::new(), Vec::new())
        }
        Some(Ld) => load(cx),
        Some(St) => store(cx),
        Some(what @ (WaitLd | WaitSt)) => {
            let stores = what == WaitSt;
            cx.operands(0)?;
            emit(cx, TmemOp::Wait { stores }, Vec::new(), Vec::new())
        }
        // Loads and stores are performed at issue, and asynchronous operations in issue order, so these fences have no effect.
        Some(FenceBeforeThreadSync | FenceAfterThreadSync) => {
            cx.operands(0)?;
            cx.nothing()
        }
        Some(Commit) => commit(cx),
        Some(Cp) => copy(cx),
        Some(Shift) => {
            cx.operands(1)?;
            let pair = pair(cx)?;
            let address = tensor_address(cx, 0)?;
            emit(cx, TmemOp::Shift { pair }, Vec::new(), vec![address])
        }
        Some(Mma) => multiply(cx),
        _ => Err(cx.unsupported("this operation")),
    }
}

fn allocate(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let pair = pair(cx)?;
    let generic = !SHARED.iter().any(|space| cx.has(*space));
    let (base, to) = shared_operand(cx, 0, generic)?;
    let columns = cx.src(1, U32)?;
    // A warp that waits stops within the instruction, so a guard becomes a branch.
    let op = AsyncOp::Tmem(TmemOp::Allocate { pair, to });
    cx.branching(Opcode::Async(op), Vec::new(), vec![base, columns]);
    Ok(())
}

fn free(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let pair = pair(cx)?;
    let (address, columns) = (cx.src(0, U32)?, cx.src(1, U32)?);
    let op = AsyncOp::Tmem(TmemOp::Free { pair });
    cx.branching(Opcode::Async(op), Vec::new(), vec![address, columns]);
    Ok(())
}

fn commit(cx: &mut Cx<'_, '_>) -> LoweringResult {
    pair(cx)?;
    let multicast = cx.has(MulticastCluster);
    cx.operands(1 + usize::from(multicast))?;
    let generic = !SHARED.iter().any(|space| cx.has(*space));
    let (base, barrier) = shared_operand(cx, 0, generic)?;
    let mask = if multicast { cx.src(1, U16)? } else { Operand::Const(0) };
    emit(cx, TmemOp::Commit { barrier, multicast }, Vec::new(), vec![base, mask])
}

/// The shapes of `cp`: rows, bits of a row, the modifier that selects the target lanes, and those lanes.
const COPIES: &[(Modifier, u32, u32, Option<Modifier>, CopyLanes)] = &[
    (Size128x256b, 128, 256, None, CopyLanes::Each),
    (Size128x128b, 128, 128, None, CopyLanes::Each),
    (Size4x256b, 4, 256, None, CopyLanes::Apart),
    (Size64x128b, 64, 128, Some(Warpx2Pairs02And13), CopyLanes::Pairs02),
    (Size64x128b, 64, 128, Some(Warpx2Pairs01And23), CopyLanes::Pairs01),
    (Size32x128b, 32, 128, Some(Warpx4), CopyLanes::All),
];

fn copy(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let pair = pair(cx)?;
    let multicasts = COPIES.iter().filter_map(|row| row.3).any(|warps| cx.has(warps));
    let row =
        COPIES.iter().find(|row| cx.has(row.0) && row.3.map_or(!multicasts, |warps| cx.has(warps)));
    let (_, rows, bits, _, to) =
        *row.ok_or_else(|| cx.unsupported("this shape with this choice of warps"))?;
    let widened = match (cx.has(B8x16), cx.has(B6x16P32), cx.has(B4x16P64)) {
        (false, false, false) => None,
        (true, true, false) => Some(6),
        (true, false, true) => Some(4),
        _ => return Err(cx.unsupported("these formats")),
    };
    let src = vec![tensor_address(cx, 0)?, cx.src(1, B64)?];
    emit(cx, TmemOp::Copy(TmemCopy { pair, rows, bits, to, widened }), Vec::new(), src)
}

/// The shapes of `ld` and `st`.
const SHAPES: &[(Modifier, TransferShape)] = &[
    (Size32x32b, TransferShape::Lanes32Bits32),
    (Size16x64b, TransferShape::Lanes16Bits64),
    (Size16x128b, TransferShape::Lanes16Bits128),
    (Size16x256b, TransferShape::Lanes16Bits256),
    (Size16x32bx2, TransferShape::Lanes16Bits32Twice(0)),
];

const REPEATS: &[Modifier] = &[X1, X2, X4, X8, X16, X32, X64, X128];

/// The elements that `ld` or `st` moves; `split` is the operand with the distance of the two halves.
fn movement(cx: &mut Cx<'_, '_>, packed: Modifier, split: usize) -> LoweringResult<TmemTransfer> {
    let shape = SHAPES.iter().find(|(name, _)| cx.has(*name));
    let (_, mut shape) = *shape.ok_or_else(|| cx.unsupported("a shape is missing"))?;
    let repeat = REPEATS.iter().find(|count| cx.has(**count)).and_then(|count| count.repeats());
    let repeat = repeat.ok_or_else(|| cx.unsupported("a number of steps is missing"))?;
    if shape.registers() * repeat > 128 {
        return Err(cx.unsupported("more than 128 registers"));
    }
    if let TransferShape::Lanes16Bits32Twice(distance) = &mut shape {
        let Operand::Const(columns) = cx.src(split, S32)? else {
            return Err(cx.unsupported("the distance of the two halves is not a literal"));
        };
        *distance = columns as i32;
    }
    Ok(TmemTransfer { shape, repeat, packed: cx.has(packed), reduction: None })
}

/// The reduction of `ld.red`.
fn reduction(cx: &Cx<'_, '_>, this: &TmemTransfer) -> LoweringResult<LoadReduction> {
    let number = match cx.ty()? {
        F32 => ReducedNumber::F32,
        U32 => ReducedNumber::U32,
        S32 => ReducedNumber::S32,
        _ => return Err(cx.unsupported("this type")),
    };
    let (abs, nan) = (cx.has(Abs), cx.has(Nan));
    if (abs || nan) && number != ReducedNumber::F32 {
        return Err(cx.unsupported("`.abs` and `.NaN` are for floats"));
    }
    // The manual does not specify which columns count if two threads share a lane.
    if this.shape != TransferShape::Lanes32Bits32 || this.repeat < 2 || this.packed {
        return Err(cx.unsupported("a reduction of another shape than `.32x32b`, from `.x2` on"));
    }
    let max = match (cx.has(Min), cx.has(Max)) {
        (true, false) => false,
        (false, true) => true,
        _ => return Err(cx.unsupported("`.min` or `.max` is missing")),
    };
    Ok(LoadReduction { max, number, abs, nan })
}

/// `ld`.
pub fn load(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let reduces = cx.has(Red);
    let address = if reduces { 2 } else { 1 };
    let mut this = movement(cx, Pack16b, address + 1)?;
    let halves = matches!(this.shape, TransferShape::Lanes16Bits32Twice(_));
    cx.operands(address + 1 + usize::from(halves))?;
    let mut dst = Vec::new();
    for operand in elements(cx, 0, (this.shape.registers() * this.repeat) as u8)? {
        dst.push(cx.destination(&operand, B32)?);
    }
    if reduces {
        this.reduction = Some(reduction(cx, &this)?);
        dst.push(cx.dst_of(1, B32)?);
    } else if cx.ty()? != B32 {
        return Err(cx.unsupported("a type other than `.b32`"));
    }
    let src = vec![tensor_address(cx, address)?];
    emit(cx, TmemOp::Load(this), dst, src)
}

/// `st`.
pub fn store(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let this = movement(cx, Unpack16b, 1)?;
    if cx.ty()? != B32 || [Red, Min, Max, Abs, Nan].iter().any(|word| cx.has(*word)) {
        return Err(cx.unsupported("a store of `.b32` is expected"));
    }
    let values = 1 + usize::from(matches!(this.shape, TransferShape::Lanes16Bits32Twice(_)));
    cx.operands(values + 1)?;
    let mut src = vec![tensor_address(cx, 0)?];
    for operand in elements(cx, values, (this.shape.registers() * this.repeat) as u8)? {
        src.push(cx.source(&operand, B32)?);
    }
    emit(cx, TmemOp::Store(this), Vec::new(), src)
}

const KINDS: &[(Modifier, MultiplyKind)] = &[
    (KindF16, MultiplyKind::F16),
    (KindTf32, MultiplyKind::Tf32),
    (KindF8f6f4, MultiplyKind::F8f6f4),
    (KindI8, MultiplyKind::I8),
    (KindMxf8f6f4, MultiplyKind::Mxf8f6f4),
    (KindMxf4, MultiplyKind::Mxf4),
    (KindMxf4nvf4, MultiplyKind::Mxf4nvf4),
];

/// The scale factors per row of A.
fn factors(cx: &Cx<'_, '_>, kind: MultiplyKind) -> LoweringResult<usize> {
    let named = [
        (ScaleVec1X, 1),
        (ScaleVec2X, 2),
        (ScaleVec4X, 4),
        (Block32, kind.k() / 32),
        (Block16, kind.k() / 16),
    ];
    let mut named = named.iter().filter(|(name, _)| cx.has(*name)).map(|(_, count)| *count);
    let factors = match (named.next(), named.next(), kind) {
        (Some(count), None, _) => count,
        (None, None, MultiplyKind::Mxf8f6f4) => 1,
        (None, None, MultiplyKind::Mxf4) => 2,
        _ => return Err(cx.unsupported("one size of scale factors is expected")),
    };
    let known = match kind {
        MultiplyKind::Mxf8f6f4 => factors == 1,
        MultiplyKind::Mxf4 => factors == 2,
        _ => factors == 2 || factors == 4,
    };
    if known {
        Ok(factors)
    } else {
        Err(cx.unsupported("this size of scale factors for this kind"))
    }
}

/// `mma`.
pub fn multiply(cx: &mut Cx<'_, '_>) -> LoweringResult {
    // `.collector`: which matrix the tensor core keeps makes no difference to what it computes.
    if let Some(at) = cx.instruction.modifiers.iter().position(|modifier| *modifier == Ashift) {
        return Err(cx.unknown_modifier(at));
    }
    let kind = KINDS.iter().find(|(name, _)| cx.has(*name));
    let (_, kind) = *kind.ok_or_else(|| cx.unsupported("a kind is missing"))?;
    if cx.has(BlockScale) != kind.is_scaled() {
        return Err(cx.unsupported("`.block_scale` is for the kinds whose blocks are scaled"));
    }
    let mut this = TmemMultiply {
        kind,
        pair: pair(cx)?,
        a_in_tensor_memory: matches!(cx.operand(1)?, syntax::Operand::Address(_)),
        sparse: cx.has(Sp),
        stationary: cx.has(Ws),
        factors: if kind.is_scaled() { factors(cx, kind)? } else { 0 },
        kept_lanes: 0,
        zero_columns: false,
        halvings: 0,
    };
    if this.stationary && (this.pair || kind.is_scaled()) {
        return Err(cx.unsupported("`.ws` is for one block and kinds without scale factors"));
    }
    let a = match this.a_in_tensor_memory {
        true => tensor_address(cx, 1)?,
        false => cx.src(1, B64)?,
    };
    let (d, b) = (tensor_address(cx, 0)?, cx.src(2, B64)?);
    let mut next = 3;
    let mut rest = Vec::new();
    if this.sparse {
        rest.push(tensor_address(cx, next)?);
        next += 1;
    }
    let descriptor = cx.src(next, B32)?;
    next += 1;
    if kind.is_scaled() {
        rest.extend([tensor_address(cx, next)?, tensor_address(cx, next + 1)?]);
        next += 2;
    } else if !this.stationary && matches!(cx.operand(next)?, syntax::Operand::Vector(_)) {
        this.kept_lanes = if this.pair { 8 } else { 4 };
        for operand in elements(cx, next, this.kept_lanes as u8)? {
            rest.push(cx.source(&operand, B32)?);
        }
        next += 1;
    }
    let enable = cx.src(next, Pred)?;
    next += 1;
    if cx.instruction.operands.len() > next {
        if this.stationary {
            this.zero_columns = true;
            rest.push(cx.src(next, B64)?);
        } else {
            this.halvings = halvings(cx, next, kind)?;
        }
        next += 1;
    }
    cx.operands(next)?;
    let src = [vec![d, a, b, descriptor, enable], rest].concat();
    emit(cx, TmemOp::Multiply(this), Vec::new(), src)
}

/// `scale-input-d`.
fn halvings(cx: &Cx<'_, '_>, i: usize, kind: MultiplyKind) -> LoweringResult<u32> {
    let syntax::Operand::Immediate(value) = *cx.operand(i)? else {
        return Err(cx.unsupported("the scale of D is not a literal"));
    };
    let value = immediate_bits(value, U32);
    if value > 15 || !matches!(kind, MultiplyKind::F16 | MultiplyKind::Tf32) {
        return Err(cx.unsupported("D is scaled by 0 to 15, of `.kind::f16` and `.kind::tf32`"));
    }
    Ok(value as u32)
}

pub fn emit(
    cx: &mut Cx<'_, '_>,
    op: TmemOp,
    dst: Vec<Option<Reg>>,
    src: Vec<Operand>,
) -> LoweringResult {
    cx.emit(Opcode::Async(AsyncOp::Tmem(op)), dst, src);
    Ok(())
}

/// Whether both blocks of a pair take part.
pub fn pair(cx: &Cx<'_, '_>) -> LoweringResult<bool> {
    match (cx.has(CtaGroup1), cx.has(CtaGroup2)) {
        (true, false) => Ok(false),
        (false, true) => Ok(true),
        _ => Err(cx.unsupported("`.cta_group::1` or `.cta_group::2` is missing")),
    }
}

/// Operand `i`, an address of tensor memory in brackets, as one value.
fn tensor_address(cx: &mut Cx<'_, '_>, i: usize) -> LoweringResult<Operand> {
    let (base, offset, named) = cx.address(i)?;
    if named.is_some() {
        return Err(cx.unsupported("a variable's address is not an address of tensor memory"));
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
