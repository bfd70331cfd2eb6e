//! Floating-point arithmetic of 32 and 64 bits; [`super::narrow`] has the 16-bit types.
//!
//! Rounding to nearest even is the host's own; the other directions are [`crate::engine::soft`]'s. Where a GPU
//! approximates, the emulator computes in double precision and rounds once ([`crate::ir::fidelity`] has the
//! bounds). A NaN that f32 arithmetic makes is 0x7fffffff; f64 arithmetic passes on the payload of an
//! operand. The hot f32 instructions leave their NaN as the host made it, and [`crate::ir::canonicalize`] puts that
//! right where its bits can be seen.

use super::integer::found;
use super::{Cx, narrow};
use crate::engine::number::single::*;
use crate::engine::number::soft::{self, Round};
use crate::engine::number::{self, double, single};
use crate::engine::pure::{Pure, hot2, hot3, pure1, pure2, pure3, warm1, warm2, warm3};
use crate::ir::kernel::Src;
use crate::ir::lower::Rule;
use lanework_ptx::ScalarType::{self, *};

/// The rows of an f32 function: plain, flushing, saturating, both.
macro_rules! f32_rows {
    ($cx:expr, $make:ident, $cold:ident, |$($x:ident),*| $body:expr) => {
        match ($cx.has("ftz"), $cx.has("sat")) {
            (false, false) => $make(|$($x: f32),*| -> f32 { canonical($body) }),
            (true, false) => $cold(|$($x: f32),*| -> f32 { $(let $x = flush($x);)* canonical(flush($body)) }),
            (false, true) => $cold(|$($x: f32),*| -> f32 { saturate($body) }),
            (true, true) => $cold(|$($x: f32),*| -> f32 { $(let $x = flush($x);)* saturate(flush($body)) }),
        }
    };
}

/// Whether the instruction rounds in a direction of its own.
fn directed(cx: &Cx<'_, '_>) -> Option<Round> {
    [("rz", Round::Zero), ("rm", Round::Down), ("rp", Round::Up)]
        .into_iter()
        .find_map(|(name, round)| cx.has(name).then_some(round))
}

/// The rows of a function in each direction: of f32, and of f64 with the order of its operands' NaNs.
macro_rules! directed_rows {
    ($round:expr, $ty:expr, $make:ident, |$($x:ident),*| $body:expr, [$($nan:ident),*]) => {{
        macro_rules! row {
            ($direction:expr) => {
                if $ty == F32 {
                    $make(|$($x: f32),*| -> f32 {
                        $(let $x = single::unpack($x);)*
                        single::round(($body)($direction), $direction)
                    })
                } else {
                    $make(|$($x: f64),*| -> f64 {
                        let nans = [$($nan),*];
                        $(let $x = double::unpack($x);)*
                        double::round(($body)($direction), $direction, nans)
                    })
                }
            };
        }
        match $round {
            Round::Down => row!(Round::Down),
            Round::Up => row!(Round::Up),
            _ => row!(Round::Zero),
        }
    }};
}

/// A subnormal operand flushed, in a register of its own.
pub(super) fn flushed(cx: &mut Cx<'_, '_>, a: Src, ty: ScalarType) -> Rule<Src> {
    let pure = match ty {
        F32 => pure1(|a: f32| flush(a)),
        F16 => pure1(|a: u16| number::narrow::flush16(a)),
        F16x2 => pure1(|a: u32| number::narrow::flush16x2(a)),
        _ => return Ok(a),
    };
    let register = cx.lowering.new_register(crate::ir::lower::width_of(ty)?);
    cx.pure(Some(register), &[a], pure)?;
    Ok(Src::Reg(register))
}

/// Emits `pure` over operands of `ty`, with what `.ftz`, `.sat` and `.relu` ask for around it.
pub(super) fn around(
    cx: &mut Cx<'_, '_>,
    ty: ScalarType,
    count: usize,
    pure: &'static Pure,
) -> Rule {
    let (ftz, sat, relu) = (cx.has("ftz"), cx.has("sat"), cx.has("relu"));
    cx.operands(count + 1)?;
    let dst = cx.dst_of(0, ty)?;
    let mut sources = Vec::new();
    for i in 1..=count {
        let source = cx.src(i, ty)?;
        sources.push(if ftz { flushed(cx, source, ty)? } else { source });
    }
    if !ftz && !sat && !relu {
        return cx.pure(dst, &sources, pure);
    }
    let middle = cx.lowering.new_register(crate::ir::lower::width_of(ty)?);
    cx.pure(Some(middle), &sources, pure)?;
    let mut last = Src::Reg(middle);
    if ftz {
        last = flushed(cx, last, ty)?;
    }
    let finish = match (ty, sat, relu) {
        (F32, true, _) => pure1(|a: f32| saturate(a)),
        (F16 | Bf16, _, true) => pure1(|a: u16| number::narrow::relu16(a)),
        (F16x2 | Bf16x2, _, true) => pure1(|a: u32| number::narrow::relu16x2(a)),
        (F16, true, _) => pure1(|a: u16| number::narrow::saturate16(a)),
        (F16x2, true, _) => pure1(|a: u32| number::narrow::saturate16x2(a)),
        (_, false, false) => crate::engine::alu::handlers(super::mov::copy(ty)),
        _ => return Err(cx.unknown("`.sat` or `.relu` of this type")),
    };
    cx.pure(dst, &[last], finish)
}

const ROUNDING: &[&str] = &["rn", "rz", "rm", "rp", "ftz", "sat"];

/// `add`, `sub` and `mul`: in a direction, of the narrow types, or as the rows say; `hot` is whether
/// the row leaves its NaN as the host made it.
fn binary(
    cx: &mut Cx<'_, '_>,
    soft: Option<&'static Pure>,
    row: &'static Pure,
    f64_row: &'static Pure,
    narrow: Option<&'static Pure>,
) -> Rule {
    let ty = cx.ty()?;
    cx.allow(ROUNDING)?;
    if let (Some(pure), F32 | F64) = (soft, ty) {
        return around(cx, ty, 2, pure);
    }
    match ty {
        F32 => {
            cx.uniform_type(ty, 2, row)?;
            cx.leaves_nan(!cx.has("ftz") && !cx.has("sat"));
            Ok(())
        }
        F64 => cx.uniform_type(ty, 2, f64_row),
        _ => {
            let pure = found(cx, narrow)?;
            around(cx, ty, 2, pure)
        }
    }
}

/// The rows of a hot f32 function: the plain one leaves its NaN as the host made it.
macro_rules! hot_rows {
    ($cx:expr, $hot:ident, $warm:ident, |$($x:ident),*| $body:expr) => {
        if $cx.has("ftz") || $cx.has("sat") {
            f32_rows!($cx, $warm, $warm, |$($x),*| $body)
        } else {
            $hot(|$($x: f32),*| -> f32 { $body })
        }
    };
}

/// `add` of floats.
pub fn add(cx: &mut Cx<'_, '_>) -> Rule {
    let (ty, round) = (cx.ty()?, directed(cx));
    let soft = round.map(|round| {
        directed_rows!(round, ty, pure2, |a, b| |round| soft::add(a, b, round), [b, a])
    });
    let row = hot_rows!(cx, hot2, warm2, |a, b| a + b);
    binary(
        cx,
        soft,
        row,
        warm2(|a: f64, b: f64| double::with_nan_of(a + b, [b, a])),
        narrow::add(ty),
    )
}

/// `sub` of floats.
pub fn sub(cx: &mut Cx<'_, '_>) -> Rule {
    let (ty, round) = (cx.ty()?, directed(cx));
    let soft = round.map(|round| {
        directed_rows!(round, ty, pure2, |a, b| |r| soft::add(a, soft::negate(b), r), [b, a])
    });
    let row = hot_rows!(cx, hot2, warm2, |a, b| a - b);
    binary(
        cx,
        soft,
        row,
        warm2(|a: f64, b: f64| double::with_nan_of(a - b, [b, a])),
        narrow::sub(ty),
    )
}

/// `mul` of floats.
pub fn mul(cx: &mut Cx<'_, '_>) -> Rule {
    let (ty, round) = (cx.ty()?, directed(cx));
    let soft = round
        .map(|round| directed_rows!(round, ty, pure2, |a, b| |_| soft::multiply(a, b), [b, a]));
    let row = match cx.has("ftz") {
        true => {
            hot_rows!(cx, hot2, warm2, |a, b| flush_rounded_up(a * b, f64::from(a) * f64::from(b)))
        }
        false => hot_rows!(cx, hot2, warm2, |a, b| a * b),
    };
    binary(
        cx,
        soft,
        row,
        warm2(|a: f64, b: f64| double::with_nan_of(a * b, [b, a])),
        narrow::mul(ty, cx.has("ftz")),
    )
}

/// `div` of floats; the approximate forms are exact here.
pub fn div(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["rn", "rz", "rm", "rp", "ftz", "approx", "full"])?;
    let ty = cx.ty()?;
    if let (Some(round), F32 | F64) = (directed(cx), ty) {
        let pure = if cx.has("ftz") {
            directed_rows!(round, ty, pure2, |a, b| |_| flush_number(soft::divide(a, b)), [a, b])
        } else {
            directed_rows!(round, ty, pure2, |a, b| |_| soft::divide(a, b), [a, b])
        };
        return around(cx, ty, 2, pure);
    }
    let approximate = cx.has("approx");
    let pure = match ty {
        F32 if approximate && !cx.has("ftz") => {
            pure2(|a: f32, b: f32| canonical(divide_by_reciprocal(a, b)))
        }
        F32 if approximate => {
            pure2(|a: f32, b: f32| canonical(flush(divide_by_reciprocal(flush(a), flush(b)))))
        }
        F32 if cx.has("ftz") => {
            f32_rows!(cx, warm2, pure2, |a, b| flush_rounded_up(a / b, f64::from(a) / f64::from(b)))
        }
        F32 => f32_rows!(cx, warm2, pure2, |a, b| a / b),
        F64 => pure2(|a: f64, b: f64| double::with_nan_of(a / b, [a, b])),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 2, pure)?;
    if ty == F32 {
        cx.blind_to_nan();
    }
    Ok(())
}

/// `fma`, and `mad` of floats.
pub fn fma(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["rn", "rz", "rm", "rp", "ftz", "sat", "relu", "oob"])?;
    let ty = cx.ty()?;
    match (ty, directed(cx)) {
        (F32 | F64, Some(round)) => {
            let pure = directed_rows!(
                round,
                ty,
                pure3,
                |a, b, c| |round| soft::add(soft::multiply(a, b), c, round),
                [b, c, a]
            );
            around(cx, ty, 3, pure)
        }
        (F32, None) => {
            let plain = !cx.has("ftz") && !cx.has("sat");
            let pure = fused_f32(cx);
            cx.uniform_type(ty, 3, pure)?;
            cx.leaves_nan(plain);
            Ok(())
        }
        (F64, None) => cx.uniform_type(
            ty,
            3,
            hot3(|a: f64, b: f64, c: f64| double::with_nan_of(a.mul_add(b, c), [b, c, a])),
        ),
        _ => {
            let row = match cx.has("ftz") && !cx.has("oob") && matches!(ty, F16 | F16x2) {
                true => narrow::fma_flushed(ty),
                false => narrow::fma(ty, cx.has("oob")),
            };
            let pure = found(cx, row)?;
            around(cx, ty, 3, pure)
        }
    }
}

/// `fma.f32`; the plain one is marked, for the assembler fuses it with the loads before it.
fn fused_f32(cx: &Cx<'_, '_>) -> &'static Pure {
    if cx.has("ftz") || cx.has("sat") {
        return match (cx.has("ftz"), cx.has("sat")) {
            (true, false) => warm3(|a: f32, b: f32, c: f32| canonical(fma_flushed(a, b, c))),
            (true, true) => warm3(|a: f32, b: f32, c: f32| saturate(fma_flushed(a, b, c))),
            _ => warm3(|a: f32, b: f32, c: f32| saturate(a.mul_add(b, c))),
        };
    }
    static PURE: std::sync::OnceLock<Pure> = std::sync::OnceLock::new();
    PURE.get_or_init(|| Pure { fma: true, ..*hot3(|a: f32, b: f32, c: f32| a.mul_add(b, c)) })
}

/// `min` and `max` of floats.
pub fn min_max(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz", "NaN", "xorsign", "abs"])?;
    if cx.instruction.operands.len() == 4 {
        return Err(cx.unknown("three inputs"));
    }
    let ty = cx.ty()?;
    let (min, nan, apart) = (cx.instruction.opcode == "min", cx.has("NaN"), cx.has("xorsign"));
    if ty == F64 {
        let pure = if min {
            pure2(|a: f64, b: f64| double::min(a, b))
        } else {
            pure2(|a: f64, b: f64| double::max(a, b))
        };
        return cx.uniform_type(ty, 2, pure);
    }
    if ty != F32 {
        let pure = found(cx, narrow::min_max(ty, min, nan, apart))?;
        return around(cx, ty, 2, pure);
    }
    let pure = match (apart, nan, min) {
        (false, false, true) => f32_rows!(cx, warm2, pure2, |a, b| min32(a, b)),
        (false, false, false) => f32_rows!(cx, warm2, pure2, |a, b| max32(a, b)),
        (false, true, true) => f32_rows!(cx, pure2, pure2, |a, b| or_nan(min32, a, b)),
        (false, true, false) => f32_rows!(cx, pure2, pure2, |a, b| or_nan(max32, a, b)),
        (true, false, true) => f32_rows!(cx, pure2, pure2, |a, b| xor_signs(min32, a, b)),
        (true, false, false) => f32_rows!(cx, pure2, pure2, |a, b| xor_signs(max32, a, b)),
        (true, true, true) => {
            f32_rows!(cx, pure2, pure2, |a, b| xor_signs(|a, b| or_nan(min32, a, b), a, b))
        }
        (true, true, false) => {
            f32_rows!(cx, pure2, pure2, |a, b| xor_signs(|a, b| or_nan(max32, a, b), a, b))
        }
    };
    cx.uniform_type(ty, 2, pure)?;
    cx.blind_to_nan();
    Ok(())
}

/// `abs`.
pub fn abs(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz"])?;
    let ty = cx.ty()?;
    let pure = match ty {
        S16 => pure1(|a: i16| a.wrapping_abs()),
        S32 => pure1(|a: i32| a.wrapping_abs()),
        S64 => pure1(|a: i64| a.wrapping_abs()),
        F32 => f32_rows!(cx, warm1, pure1, |a| a.abs()),
        F64 => pure1(|a: f64| if a.is_nan() { double::quiet(a) } else { a.abs() }),
        F16 | Bf16 | F16x2 | Bf16x2 => return narrow::sign(cx, ty, true),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)?;
    if ty == F32 {
        cx.blind_to_nan();
    }
    Ok(())
}

/// `neg`.
pub fn neg(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["ftz"])?;
    let ty = cx.ty()?;
    let pure = match ty {
        S16 => pure1(|a: i16| a.wrapping_neg()),
        S32 => pure1(|a: i32| a.wrapping_neg()),
        S64 => pure1(|a: i64| a.wrapping_neg()),
        F32 => f32_rows!(cx, warm1, pure1, |a| -a),
        F64 => pure1(|a: f64| if a.is_nan() { double::quiet(a) } else { -a }),
        F16 | Bf16 | F16x2 | Bf16x2 => return narrow::sign(cx, ty, false),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)?;
    if ty == F32 {
        cx.blind_to_nan();
    }
    Ok(())
}

/// `copysign`: the magnitude of `b` with the sign of `a`.
pub fn copysign(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        F32 => pure2(|a: f32, b: f32| b.copysign(a)),
        F64 => pure2(|a: f64, b: f64| b.copysign(a)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 2, pure)
}

/// `sqrt` and `rcp`: correctly rounded.
pub fn root(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["rn", "rz", "rm", "rp", "approx", "ftz"])?;
    let ty = cx.ty()?;
    let sqrt = cx.instruction.opcode == "sqrt";
    if let (Some(round), F32 | F64) = (directed(cx), ty) {
        let pure = if sqrt {
            directed_rows!(round, ty, pure1, |a| |_| soft::root(a), [a])
        } else {
            directed_rows!(round, ty, pure1, |a| |_| soft::divide(soft::integer(false, 1), a), [a])
        };
        return around(cx, ty, 1, pure);
    }
    let pure = match (ty, sqrt) {
        (F32, true) => f32_rows!(cx, warm1, pure1, |a| a.sqrt()),
        (F32, false) => f32_rows!(cx, warm1, pure1, |a| 1.0 / a),
        (F64, true) => pure1(|a: f64| double::with_nan_of(a.sqrt(), [a])),
        (F64, false) if cx.has("approx") => {
            pure1(|a: f64| double::through_high_word(|a| 1.0 / a, a))
        }
        (F64, false) => pure1(|a: f64| double::with_nan_of(1.0 / a, [a])),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)?;
    if ty == F32 {
        cx.blind_to_nan();
    }
    Ok(())
}

/// The functions that a GPU approximates.
pub fn approximate(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["approx", "ftz"])?;
    let ty = cx.ty()?;
    let pure = match (cx.instruction.opcode.as_str(), ty) {
        ("ex2", F32) => f32_rows!(cx, pure1, pure1, |a| through_double(f64::exp2, a)),
        ("lg2", F32) => f32_rows!(cx, pure1, pure1, |a| through_double(f64::log2, a)),
        ("sin", F32) => f32_rows!(cx, pure1, pure1, |a| through_double(f64::sin, a)),
        ("cos", F32) => f32_rows!(cx, pure1, pure1, |a| through_double(f64::cos, a)),
        ("tanh", F32) => f32_rows!(cx, pure1, pure1, |a| through_double(f64::tanh, a)),
        ("rsqrt", F32) => f32_rows!(cx, pure1, pure1, |a| through_double(|x| 1.0 / x.sqrt(), a)),
        ("rsqrt", F64) if cx.has("ftz") => {
            pure1(|a: f64| double::through_high_word(|a| 1.0 / a.sqrt(), a))
        }
        ("rsqrt", F64) => pure1(|a: f64| double::with_nan_of(1.0 / a.sqrt(), [a])),
        (name @ ("ex2" | "tanh"), F16 | Bf16 | F16x2 | Bf16x2) => {
            let pure = found(cx, narrow::approximate(ty, name == "ex2"))?;
            return cx.uniform_type(ty, 1, pure);
        }
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)?;
    if ty == F32 {
        cx.blind_to_nan();
    }
    Ok(())
}

/// `testp`; a zero is normal.
pub fn testp(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"])?;
    let ty = cx.ty()?;
    let test = cx.instruction.modifiers.first().cloned().unwrap_or_default();
    let pure = match (test.as_str(), ty) {
        ("finite", F32) => pure1(|a: f32| a.is_finite()),
        ("infinite", F32) => pure1(|a: f32| a.is_infinite()),
        ("number", F32) => pure1(|a: f32| !a.is_nan()),
        ("notanumber", F32) => pure1(|a: f32| a.is_nan()),
        ("normal", F32) => pure1(|a: f32| a.is_normal() || a == 0.0),
        ("subnormal", F32) => pure1(|a: f32| a.is_subnormal()),
        ("finite", F64) => pure1(|a: f64| a.is_finite()),
        ("infinite", F64) => pure1(|a: f64| a.is_infinite()),
        ("number", F64) => pure1(|a: f64| !a.is_nan()),
        ("notanumber", F64) => pure1(|a: f64| a.is_nan()),
        ("normal", F64) => pure1(|a: f64| a.is_normal() || a == 0.0),
        ("subnormal", F64) => pure1(|a: f64| a.is_subnormal()),
        _ => return Err(cx.unknown("this test")),
    };
    cx.operands(2)?;
    let dst = cx.dst_of(0, ScalarType::Pred)?;
    let a = cx.src(1, ty)?;
    cx.pure(dst, &[a], pure)
}
