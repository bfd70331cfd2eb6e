//! `tcgen05.mma`.

use super::operands::{allow, emit, pair, tensor_address};
use crate::literal::immediate_bits;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::tensor_memory::*;
use crate::rules::access::elements;
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::ScalarType::*;

const KINDS: &[(&str, MultiplyKind)] = &[
    ("kind::f16", MultiplyKind::F16),
    ("kind::tf32", MultiplyKind::Tf32),
    ("kind::f8f6f4", MultiplyKind::F8f6f4),
    ("kind::i8", MultiplyKind::I8),
    ("kind::mxf8f6f4", MultiplyKind::Mxf8f6f4),
    ("kind::mxf4", MultiplyKind::Mxf4),
    ("kind::mxf4nvf4", MultiplyKind::Mxf4nvf4),
];

/// Scale factors of a row of A, as the modifiers say.
fn factors(cx: &Cx<'_, '_>, kind: MultiplyKind) -> LoweringResult<usize> {
    let named = [
        ("scale_vec::1X", 1),
        ("scale_vec::2X", 2),
        ("scale_vec::4X", 4),
        ("block32", kind.k() / 32),
        ("block16", kind.k() / 16),
    ];
    let mut named = named.iter().filter(|(name, _)| cx.has(name)).map(|(_, count)| *count);
    let factors = match (named.next(), named.next(), kind) {
        (Some(count), None, _) => count,
        (None, None, MultiplyKind::Mxf8f6f4) => 1,
        (None, None, MultiplyKind::Mxf4) => 2,
        _ => return Err(cx.unknown("one size of scale factors is expected")),
    };
    let known = match kind {
        MultiplyKind::Mxf8f6f4 => factors == 1,
        MultiplyKind::Mxf4 => factors == 2,
        _ => factors == 2 || factors == 4,
    };
    if known { Ok(factors) } else { Err(cx.unknown("this size of scale factors for this kind")) }
}

/// `mma`.
pub(super) fn multiply(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
    let mut words = vec!["mma", "sp", "ws", "block_scale", "block16", "block32"];
    words.extend(["scale_vec::1X", "scale_vec::2X", "scale_vec::4X"]);
    let collectors: Vec<&str> = cx.instruction.modifiers.iter().map(String::as_str).collect();
    // Which matrix the tensor core keeps makes no difference to what it computes.
    words.extend(collectors.into_iter().filter(|word| word.starts_with("collector::")));
    allow(cx, &[&words[..], &names].concat())?;
    let kind = KINDS.iter().find(|(name, _)| cx.has(name));
    let (_, kind) = *kind.ok_or_else(|| cx.unknown("a kind is missing"))?;
    if cx.has("block_scale") != kind.is_scaled() {
        return Err(cx.unknown("`.block_scale` is for the kinds whose blocks are scaled"));
    }
    let mut this = TmemMultiply {
        kind,
        pair: pair(cx)?,
        a_in_tensor_memory: matches!(cx.operand(1)?, syntax::Operand::Address(_)),
        sparse: cx.has("sp"),
        stationary: cx.has("ws"),
        factors: if kind.is_scaled() { factors(cx, kind)? } else { 0 },
        kept_lanes: 0,
        zero_columns: false,
        halvings: 0,
    };
    if this.stationary && (this.pair || kind.is_scaled()) {
        return Err(cx.unknown("`.ws` is for one block and kinds without scale factors"));
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
        return Err(cx.unknown("the scale of D is not a literal"));
    };
    let value = immediate_bits(value, U32);
    if value > 15 || !matches!(kind, MultiplyKind::F16 | MultiplyKind::Tf32) {
        return Err(cx.unknown("D is scaled by 0 to 15, of `.kind::f16` and `.kind::tf32`"));
    }
    Ok(value as u32)
}
