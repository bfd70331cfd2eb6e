//! The video instructions: arithmetic on bytes and halves picked from words, and on words as if they
//! were one bit wider.
//!
//! Each becomes a few steps over 64-bit integers: pick the operands, compute, clamp, and combine with
//! the last operand.

use super::context::Cx;
use crate::engine::pure::{Pure, pure1, pure2, pure3};
use crate::ir::kernel::{Src, Width};
use crate::ir::lower::unsupported::{Refusal, Rule};
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::*;

/// Bits of a field, from its lowest on.
#[derive(Clone, Copy)]
struct Field {
    shift: u32,
    bits: u32,
}

const WORD: Field = Field { shift: 0, bits: 32 };

impl Field {
    /// As a constant operand, with its sign.
    fn source(self, signed: bool) -> Src {
        Src::Const(u64::from(self.shift | self.bits << 8 | u32::from(signed) << 16))
    }
}

/// The name of a register and the selector after its dot.
fn selected(operand: &Operand) -> (Operand, Option<String>) {
    if let Operand::Name(name) = operand
        && let Some((register, selector)) = name.split_once('.')
        && name.starts_with('%')
    {
        return (Operand::Name(register.to_owned()), Some(selector.to_owned()));
    }
    (operand.clone(), None)
}

/// The field that a scalar selector names.
fn field(cx: &Cx<'_, '_>, selector: Option<&str>) -> Rule<Field> {
    let Some(selector) = selector else { return Ok(WORD) };
    let place = selector.get(1..).and_then(|n| n.parse::<u32>().ok());
    match (selector.as_bytes().first(), place) {
        (Some(b'b'), Some(n @ 0..4)) => Ok(Field { shift: 8 * n, bits: 8 }),
        (Some(b'h'), Some(n @ 0..2)) => Ok(Field { shift: 16 * n, bits: 16 }),
        _ => Err(cx.unknown(&format!("selector `.{selector}`"))),
    }
}

/// A field of 64 bits, extended by its sign or not: `config` is [`Field::source`].
fn picked(word: u64, config: u32) -> i64 {
    let (shift, bits, signed) = (config & 0xff, config >> 8 & 0xff, config >> 16 != 0);
    let value = (word >> shift) << (64 - bits);
    if signed { value as i64 >> (64 - bits) } else { (value >> (64 - bits)) as i64 }
}

fn wide(cx: &mut Cx<'_, '_>, sources: &[Src], pure: &'static Pure) -> Rule<Src> {
    let register = cx.lowering.new_register(Width::Wide);
    cx.pure(Some(register), sources, pure)?;
    Ok(Src::Reg(register))
}

/// Operand `i` of a scalar instruction.
fn scalar_operand(cx: &mut Cx<'_, '_>, i: usize, signed: bool) -> Rule<Src> {
    let (operand, selector) = selected(&cx.operand(i)?.clone());
    let field = field(cx, selector.as_deref())?;
    let source = cx.source(&operand, B32)?;
    let pick = pure2(|a: u32, config: u32| picked(u64::from(a), config));
    wide(cx, &[source, field.source(signed)], pick)
}

/// The row that computes; `opcode` is without its digit.
fn computed(cx: &Cx<'_, '_>, opcode: &str) -> Rule<&'static Pure> {
    Ok(match opcode {
        "vadd" => pure2(|a: i64, b: i64| a + b),
        "vsub" => pure2(|a: i64, b: i64| a - b),
        "vabsdiff" => pure2(|a: i64, b: i64| (a - b).abs()),
        "vmin" => pure2(|a: i64, b: i64| a.min(b)),
        "vmax" => pure2(|a: i64, b: i64| a.max(b)),
        "vavrg" => pure2(|a: i64, b: i64| (a + b + i64::from(a + b >= 0)) >> 1),
        "vshl" if cx.has("wrap") => pure2(|a: i64, b: i64| a << (b & 31)),
        "vshl" => pure2(|a: i64, b: i64| ((i128::from(a)) << b.min(32)) as i64),
        "vshr" if cx.has("wrap") => pure2(|a: i64, b: i64| a >> (b & 31)),
        "vshr" => pure2(|a: i64, b: i64| a >> b.min(32)),
        "vset" if cx.has("eq") => pure2(|a: i64, b: i64| i64::from(a == b)),
        "vset" if cx.has("ne") => pure2(|a: i64, b: i64| i64::from(a != b)),
        "vset" if cx.has("lt") => pure2(|a: i64, b: i64| i64::from(a < b)),
        "vset" if cx.has("le") => pure2(|a: i64, b: i64| i64::from(a <= b)),
        "vset" if cx.has("gt") => pure2(|a: i64, b: i64| i64::from(a > b)),
        "vset" if cx.has("ge") => pure2(|a: i64, b: i64| i64::from(a >= b)),
        _ => return Err(cx.unknown("this operation")),
    })
}

/// Clamps to a field's range, if the instruction asks for it.
fn clamped(cx: &mut Cx<'_, '_>, value: Src, bits: u32, signed: bool) -> Rule<Src> {
    if !cx.has("sat") {
        return Ok(value);
    }
    let config = Field { shift: 0, bits }.source(signed);
    let clamp = pure2(|a: i64, config: u32| {
        let (bits, signed) = (config >> 8 & 0xff, config >> 16 != 0);
        let (low, high) = match signed {
            true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
            false => (0, (1i64 << bits) - 1),
        };
        a.clamp(low, high)
    });
    wide(cx, &[value, config], clamp)
}

const MODIFIERS: &[&str] = &[
    "sat", "add", "min", "max", "clamp", "wrap", "eq", "ne", "lt", "le", "gt", "ge", "shr7",
    "shr15", "po",
];

/// The types of the result and of both operands: whether each is signed.
fn signs(cx: &Cx<'_, '_>) -> Rule<[bool; 3]> {
    let types = cx.types();
    if types.iter().any(|ty| !matches!(ty, U32 | S32)) {
        return Err(cx.unknown("types other than `.u32` and `.s32`"));
    }
    match types[..] {
        // `vset` has no type of its own: its 0 or 1 meets the last operand as the first one's.
        [a, b] => Ok([a == S32, a == S32, b == S32]),
        [d, a, b] => Ok([d == S32, a == S32, b == S32]),
        _ => Err(cx.unknown("three types are expected")),
    }
}

/// Forms of which an H200 makes something else than the manual says.
fn unsettled(cx: &Cx<'_, '_>) -> Refusal {
    cx.unknown("GPUs differ from the manual here")
}

/// The scalar ones.
pub fn scalar(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(MODIFIERS)?;
    let [d_signed, a_signed, b_signed] = signs(cx)?;
    let (destination, selector) = selected(&cx.operand(0)?.clone());
    let into = field(cx, selector.as_deref())?;
    let dst = cx.destination(&destination)?;
    let a = scalar_operand(cx, 1, a_signed)?;
    let b = scalar_operand(cx, 2, b_signed)?;
    if cx.instruction.opcode == "vmad" {
        cx.operands(4)?;
        let shifts = cx.has("sat") || cx.has("shr7") || cx.has("shr15");
        if shifts && !(a_signed && b_signed) {
            return Err(unsettled(cx));
        }
        return multiply(cx, dst, [a, b], a_signed || b_signed);
    }
    let opcode = cx.instruction.opcode.clone();
    let extreme = cx.has("min") || cx.has("max");
    let clamps = cx.has("sat") && (!d_signed || into.bits < 32 || opcode == "vshl" || extreme);
    if clamps || into.shift > 0 || extreme && opcode != "vset" {
        return Err(unsettled(cx));
    }
    let pure = computed(cx, &opcode)?;
    let value = wide(cx, &[a, b], pure)?;
    let value = clamped(cx, value, into.bits, d_signed)?;
    if cx.instruction.operands.len() == 3 {
        return cx.pure(dst, &[value], pure1(|a: i64| a as u32));
    }
    cx.operands(4)?;
    let c = cx.src(3, B32)?;
    let pure = match (cx.has("add"), cx.has("min"), cx.has("max"), d_signed) {
        (true, ..) => pure2(|a: u32, c: u32| a.wrapping_add(c)),
        (_, true, _, true) => pure2(|a: i32, c: i32| a.min(c)),
        (_, true, _, false) => pure2(|a: u32, c: u32| a.min(c)),
        (_, _, true, true) => pure2(|a: i32, c: i32| a.max(c)),
        (_, _, true, false) => pure2(|a: u32, c: u32| a.max(c)),
        _ => return cx.pure(dst, &[value, c, into.source(false)], pure3(merged)),
    };
    cx.pure(dst, &[value, c], pure)
}

/// `c` with a field replaced by the low bits of a value.
fn merged(value: u64, c: u32, config: u32) -> u32 {
    let (shift, bits) = (config & 0xff, config >> 8 & 0xff);
    let mask = (u64::MAX >> (64 - bits)) << shift;
    (u64::from(c) & !mask | value << shift & mask) as u32
}

/// `vmad`: a product plus `c`, shifted down and clamped.
fn multiply(cx: &mut Cx<'_, '_>, dst: Option<u32>, [a, b]: [Src; 2], signed: bool) -> Rule {
    let c = cx.src(3, B32)?;
    let c = wide(cx, &[c, WORD.source(signed)], pure2(|c: u32, n: u32| picked(u64::from(c), n)))?;
    let sum = match (signed, cx.has("po")) {
        (true, false) => pure3(|a: i64, b: i64, c: i64| a.wrapping_mul(b).wrapping_add(c)),
        (true, true) => pure3(|a: i64, b: i64, c: i64| a.wrapping_mul(b).wrapping_add(c + 1)),
        (false, false) => pure3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c)),
        (false, true) => pure3(|a: u64, b: u64, c: u64| a.wrapping_mul(b).wrapping_add(c + 1)),
    };
    let sum = wide(cx, &[a, b, c], sum)?;
    let shift = match (cx.has("shr7"), cx.has("shr15")) {
        (true, _) => 7,
        (_, true) => 15,
        _ => 0,
    };
    let down = match (signed, cx.has("sat")) {
        (true, true) => {
            pure2(|a: i64, n: u32| (a >> n).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32)
        }
        (true, false) => pure2(|a: i64, n: u32| (a >> n) as u32),
        (false, true) => pure2(|a: u64, n: u32| (a >> n).min(0xffff_ffff) as u32),
        (false, false) => pure2(|a: u64, n: u32| (a >> n) as u32),
    };
    cx.pure(dst, &[sum, Src::Const(shift)], down)
}

/// The lanes that a packed selector names, lowest first; `least` where there is none.
fn lanes(cx: &Cx<'_, '_>, selector: Option<&str>, least: [u32; 4]) -> Rule<[u32; 4]> {
    let Some(selector) = selector else { return Ok(least) };
    let mut lanes = least;
    let digits: Vec<u32> = selector.chars().skip(1).filter_map(|c| c.to_digit(8)).collect();
    if digits.len() + 1 != selector.len() || digits.len() > 4 {
        return Err(cx.unknown(&format!("selector `.{selector}`")));
    }
    for (lane, digit) in lanes.iter_mut().zip(digits.iter().rev()) {
        *lane = *digit;
    }
    Ok(lanes)
}

/// The packed ones, by two and by four.
pub fn packed(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["sat", "add", "eq", "ne", "lt", "le", "gt", "ge"])?;
    cx.operands(4)?;
    let [d_signed, a_signed, b_signed] = signs(cx)?;
    let four = cx.instruction.opcode.ends_with('4');
    let (count, bits) = if four { (4, 8) } else { (2, 16) };
    let opcode = cx.instruction.opcode[..cx.instruction.opcode.len() - 1].to_owned();
    let pure = computed(cx, &opcode)?;
    let (destination, mask) = selected(&cx.operand(0)?.clone());
    let written: Vec<u32> = match mask {
        None => (0..count).collect(),
        Some(mask) => mask.chars().skip(1).filter_map(|c| c.to_digit(4)).collect(),
    };
    let dst = cx.destination(&destination)?;
    let (a, a_lanes) = selected(&cx.operand(1)?.clone());
    let (b, b_lanes) = selected(&cx.operand(2)?.clone());
    let a_lanes = lanes(cx, a_lanes.as_deref(), [0, 1, 2, 3])?;
    let second = if four { [4, 5, 6, 7] } else { [2, 3, 0, 0] };
    let b_lanes = lanes(cx, b_lanes.as_deref(), second)?;
    let (a, b) = (cx.source(&a, B32)?, cx.source(&b, B32)?);
    // Selectors count through both words, `a` first.
    let both = wide(cx, &[a, b], pure2(|a: u32, b: u32| u64::from(b) << 32 | u64::from(a)))?;
    let mut result = cx.src(3, B32)?;
    for lane in 0..count {
        if !written.contains(&lane) {
            continue;
        }
        let pick = pure2(picked);
        let at = |lane: u32| Field { shift: bits * lane, bits };
        let x = wide(cx, &[both, at(a_lanes[lane as usize]).source(a_signed)], pick)?;
        let y = wide(cx, &[both, at(b_lanes[lane as usize]).source(b_signed)], pick)?;
        let value = wide(cx, &[x, y], pure)?;
        let value = clamped(cx, value, bits, d_signed)?;
        let next = cx.lowering.new_register(Width::Word);
        if cx.has("add") {
            let sum = pure2(|sum: u32, value: i64| sum.wrapping_add(value as u32));
            cx.pure(Some(next), &[result, value], sum)?;
        } else {
            let merge = pure3(merged);
            cx.pure(Some(next), &[value, result, at(lane).source(false)], merge)?;
        }
        result = Src::Reg(next);
    }
    cx.pure(dst, &[result], pure1(|a: u32| a))
}
