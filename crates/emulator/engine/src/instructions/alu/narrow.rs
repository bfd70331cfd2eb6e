//! Handlers of floating-point arithmetic of 16 bits, single and packed.

use crate::instructions::alu::operation::{AluOperation, rare1, rare2, rare3};
use crate::number::approximate::forms;
use crate::number::eight::{narrow_halves, narrow_singles, widen};
use crate::number::narrow::*;
use crate::number::single::{max32, min32, or_nan};
use ::half::{bf16, f16};
use lanework_ptx_ir::opcode::convert::{SmallFloatDirection, SmallFloatFormat, SmallFloatOp};
use lanework_ptx_ir::opcode::float::{F16Function, HalfFunction, HalfOp, HalfType, MinMax};

/// The handlers of a function of f32, for each type.
macro_rules! widened {
    ($ty:expr, $make:ident, |$($x:ident),*| $body:expr) => {
        each_type!(
            $ty,
            $make,
            |$($x),*| { $(let $x = $x.widen();)* to_f16($body) },
            |$($x),*| { $(let $x = $x.widen();)* to_bf16($body) }
        )
    };
}

/// The handlers of a function of f16 and one of bf16, single and packed.
macro_rules! each_type {
    ($ty:expr, $make:ident, |$($x:ident),*| $f16:expr, |$($y:ident),*| $bf16:expr) => {
        match $ty {
            HalfType::F16 => $make(|$($x: f16),*| -> f16 { $f16 }),
            HalfType::Bf16 => $make(|$($y: bf16),*| -> bf16 { $bf16 }),
            HalfType::F16x2 => $make(|$($x: u32),*| -> u32 { map16([$($x),*], |[$($x),*]| $f16) }),
            HalfType::Bf16x2 => $make(|$($y: u32),*| -> u32 { mapb16([$($y),*], |[$($y),*]| $bf16) }),
        }
    };
}

/// The handlers of an opcode of this family.
pub fn handlers(op: HalfOp) -> &'static AluOperation {
    match op {
        HalfOp::Any(function, ty) => any(function, ty),
        HalfOp::F16 { function, packed } => only_f16(function, packed),
    }
}

fn any(function: HalfFunction, ty: HalfType) -> &'static AluOperation {
    match function {
        HalfFunction::Add => widened!(ty, rare2, |a, b| a + b),
        HalfFunction::Sub => widened!(ty, rare2, |a, b| a - b),
        HalfFunction::Mul => widened!(ty, rare2, |a, b| a * b),
        HalfFunction::Fma => {
            each_type!(ty, rare3, |a, b, c| f16_fma(a, b, c), |a, b, c| bf16_fma(a, b, c))
        }
        HalfFunction::FmaOutOfBounds => {
            each_type!(ty, rare3, |a, b, c| f16_fma_oob(a, b, c), |a, b, c| bf16_fma_oob(a, b, c))
        }
        HalfFunction::MinMax(choice) => min_max(choice, ty),
        HalfFunction::Abs => sign(true, ty),
        HalfFunction::Neg => sign(false, ty),
        HalfFunction::Ex2 => {
            each_type!(ty, rare1, |a| forms::ex2_f16(a), |a| forms::ex2_bf16(a))
        }
        HalfFunction::Tanh => {
            each_type!(ty, rare1, |a| forms::tanh_f16(a), |a| forms::tanh_bf16(a))
        }
        HalfFunction::Relu => match ty {
            HalfType::F16 | HalfType::Bf16 => rare1(|a: u16| relu16(a)),
            HalfType::F16x2 | HalfType::Bf16x2 => rare1(|a: u32| relu16x2(a)),
        },
    }
}

fn only_f16(function: F16Function, packed: bool) -> &'static AluOperation {
    fn mul(a: f16, b: f16) -> f16 {
        // The product is exact in f32.
        to_f16(flushable(f64::from(a.widen() * b.widen())) as f32)
    }
    fn fma(a: f16, b: f16, c: f16) -> f16 {
        wide_to_f16(flushable(fused(a.widen(), b.widen(), c.widen())))
    }
    match (function, packed) {
        (F16Function::MulFlushed, false) => rare2(|a: f16, b: f16| mul(a, b)),
        (F16Function::MulFlushed, true) => {
            rare2(|a: u32, b: u32| map16([a, b], |[a, b]| mul(a, b)))
        }
        (F16Function::FmaFlushed, false) => rare3(|a: f16, b: f16, c: f16| fma(a, b, c)),
        (F16Function::FmaFlushed, true) => {
            rare3(|a: u32, b: u32, c: u32| map16([a, b, c], |[a, b, c]| fma(a, b, c)))
        }
        (F16Function::Flush, false) => rare1(|a: u16| flush16(a)),
        (F16Function::Flush, true) => rare1(|a: u32| flush16x2(a)),
        (F16Function::Saturate, false) => rare1(|a: u16| saturate16(a)),
        (F16Function::Saturate, true) => rare1(|a: u32| saturate16x2(a)),
    }
}

fn f16_fma(a: f16, b: f16, c: f16) -> f16 {
    wide_to_f16(fused(a.widen(), b.widen(), c.widen()))
}

fn bf16_fma(a: bf16, b: bf16, c: bf16) -> bf16 {
    wide_to_bf16(fused(a.widen(), b.widen(), c.widen()))
}

/// Whether a factor is the NaN, of either sign, that a copy of a tensor fills in for elements outside it.
fn outside(a: u16, b: u16) -> bool {
    a & 0x7fff == 0x7ff7 || b & 0x7fff == 0x7ff7
}

fn f16_fma_oob(a: f16, b: f16, c: f16) -> f16 {
    if outside(a.to_bits(), b.to_bits()) { f16::from_bits(0) } else { f16_fma(a, b, c) }
}

fn bf16_fma_oob(a: bf16, b: bf16, c: bf16) -> bf16 {
    if outside(a.to_bits(), b.to_bits()) { bf16::from_bits(0) } else { bf16_fma(a, b, c) }
}

fn min_max(choice: MinMax, ty: HalfType) -> &'static AluOperation {
    macro_rules! xor_signs {
        ($f:expr) => {
            each_type!(ty, rare2, |a, b| xor_signs_f16(a, b, $f), |a, b| xor_signs_bf16(a, b, $f))
        };
    }
    let MinMax { max, nan, xorsign } = choice;
    match (xorsign, nan, max) {
        (false, false, false) => widened!(ty, rare2, |a, b| min32(a, b)),
        (false, false, true) => widened!(ty, rare2, |a, b| max32(a, b)),
        (false, true, false) => widened!(ty, rare2, |a, b| or_nan(min32, a, b)),
        (false, true, true) => widened!(ty, rare2, |a, b| or_nan(max32, a, b)),
        (true, false, false) => xor_signs!(min32),
        (true, false, true) => xor_signs!(max32),
        (true, true, false) => xor_signs!(|a, b| or_nan(min32, a, b)),
        (true, true, true) => xor_signs!(|a, b| or_nan(max32, a, b)),
    }
}

/// `f` of the magnitudes, with the exclusive or of the signs.
fn xor_signs<T: Narrow + Copy>(
    a: T,
    b: T,
    bits: impl Fn(T) -> u16,
    round: impl Fn(f32) -> T,
    f: impl Fn(f32, f32) -> f32,
) -> u16 {
    let result = f(a.widen().abs(), b.widen().abs());
    let sign = (bits(a) ^ bits(b)) & 0x8000;
    if result.is_nan() { NAN16 } else { bits(round(result)) & 0x7fff | sign }
}

fn xor_signs_f16(a: f16, b: f16, f: impl Fn(f32, f32) -> f32) -> f16 {
    f16::from_bits(xor_signs(a, b, f16::to_bits, to_f16, f))
}

fn xor_signs_bf16(a: bf16, b: bf16, f: impl Fn(f32, f32) -> f32) -> bf16 {
    bf16::from_bits(xor_signs(a, b, bf16::to_bits, to_bf16, f))
}

/// `abs` and `neg`: NaN becomes the one that arithmetic produces.
fn sign(abs: bool, ty: HalfType) -> &'static AluOperation {
    fn signed(a: u16, abs: bool, infinity: u16) -> u16 {
        match (a & 0x7fff > infinity, abs) {
            (true, _) => NAN16,
            (_, true) => a & 0x7fff,
            (_, false) => a ^ 0x8000,
        }
    }
    match (ty, abs) {
        (HalfType::F16, true) => rare1(|a: u16| signed(a, true, 0x7c00)),
        (HalfType::F16, false) => rare1(|a: u16| signed(a, false, 0x7c00)),
        (HalfType::F16x2, true) => rare1(|a: u32| halves(a, |a| signed(a, true, 0x7c00))),
        (HalfType::F16x2, false) => rare1(|a: u32| halves(a, |a| signed(a, false, 0x7c00))),
        (HalfType::Bf16, true) => rare1(|a: u16| signed(a, true, 0x7f80)),
        (HalfType::Bf16, false) => rare1(|a: u16| signed(a, false, 0x7f80)),
        (HalfType::Bf16x2, true) => rare1(|a: u32| halves(a, |a| signed(a, true, 0x7f80))),
        (HalfType::Bf16x2, false) => rare1(|a: u32| halves(a, |a| signed(a, false, 0x7f80))),
    }
}

/// The handlers of a function of the format and of `.relu`, both constants.
macro_rules! each_format {
    ($op:expr, |$format:ident, $relu:ident| $handlers:expr) => {{
        macro_rules! one {
            ($constant:expr, $with:expr) => {{
                const $format: SmallFloatFormat = $constant;
                const $relu: bool = $with;
                $handlers
            }};
        }
        match ($op.format, $op.relu) {
            (SmallFloatFormat::E4m3, false) => one!(SmallFloatFormat::E4m3, false),
            (SmallFloatFormat::E4m3, true) => one!(SmallFloatFormat::E4m3, true),
            (SmallFloatFormat::E5m2, false) => one!(SmallFloatFormat::E5m2, false),
            (SmallFloatFormat::E5m2, true) => one!(SmallFloatFormat::E5m2, true),
            (SmallFloatFormat::E2m3, false) => one!(SmallFloatFormat::E2m3, false),
            (SmallFloatFormat::E2m3, true) => one!(SmallFloatFormat::E2m3, true),
            (SmallFloatFormat::E3m2, false) => one!(SmallFloatFormat::E3m2, false),
            (SmallFloatFormat::E3m2, true) => one!(SmallFloatFormat::E3m2, true),
            (SmallFloatFormat::E2m1, false) => one!(SmallFloatFormat::E2m1, false),
            (SmallFloatFormat::E2m1, true) => one!(SmallFloatFormat::E2m1, true),
        }
    }};
}

/// The handlers of an opcode of this family.
pub fn eight_handlers(op: SmallFloatOp) -> &'static AluOperation {
    match op.direction {
        SmallFloatDirection::FromSingles => {
            each_format!(op, |F, RELU| rare2(|a: f32, b: f32| narrow_singles(F, RELU, a, b)))
        }
        SmallFloatDirection::FromHalves => {
            each_format!(op, |F, RELU| rare1(|a: u32| narrow_halves(F, RELU, a)))
        }
        SmallFloatDirection::ToHalves => {
            each_format!(op, |F, RELU| rare1(|a: u32| widen(F, RELU, a)))
        }
    }
}
