//! Handlers of 16-bit floating-point arithmetic, single and packed.

use crate::instructions::alu::operation::{
    AluOperation, lanes2, lanes3, rare1, rare2, rare3, warm1, warm2,
};
use crate::number::approximate::forms;
use crate::number::eight::{narrow_halves, narrow_singles, widen};
use crate::number::narrow::*;
use crate::number::single::{max32, min32, or_nan};
use ::half::{bf16, f16};
use lanework_ptx_ir::opcode::convert::{SmallFloatDirection, SmallFloatFormat, SmallFloatOp};
use lanework_ptx_ir::opcode::float::{F16Function, HalfFunction, HalfOp, HalfType, MinMax};

/// The handlers of a function of the widened operands, for each type: one for f16 and one for bf16, single and packed.
macro_rules! each_type {
    ($ty:expr, $warm:ident, $lanes:ident, |$($x:ident),*| $f16:expr, |$($y:ident),*| $bf16:expr) => {
        match $ty {
            HalfType::F16 => single16!($lanes, |$($x),*| $f16),
            HalfType::F16x2 => packed16!($lanes, |$($x),*| $f16),
            HalfType::Bf16 => $warm(|$($y: bf16),*| -> bf16 { $(let $y = $y.widen();)* to_bf16($bf16) }),
            HalfType::Bf16x2 => $warm(|$($y: u32),*| -> u32 { mapb16([$($y),*], |[$($y),*]| $bf16) }),
        }
    };
    ($ty:expr, $warm:ident, $lanes:ident, |$($x:ident),*| $both:expr) => {
        each_type!($ty, $warm, $lanes, |$($x),*| $both, |$($x),*| $both)
    };
}

/// The handlers of a function of packed f16.
macro_rules! packed16 {
    ($lanes:ident, |$($x:ident),*| $f16:expr) => {
        $lanes(
            |$($x: u32),*| -> u32 { map16([$($x),*], |[$($x),*]| $f16) },
            |$($x: &[u32; 32]),*| {
                // SAFETY: on x86-64 only the handlers of the AVX2 level call this function (`Tiers::large`), and
                // `best_tier` found F16C on hosts of that level.
                unsafe { lanes::map16([$($x),*], |[$($x),*]| $f16) }
            },
        )
    };
}

/// The handlers of a function of single f16, which are in the low halves of words.
macro_rules! single16 {
    ($lanes:ident, |$($x:ident),*| $f16:expr) => {
        $lanes(
            |$($x: u32),*| -> u32 {
                $(let $x = f16_value($x & 0xffff);)*
                f16_bits($f16)
            },
            |$($x: &[u32; 32]),*| {
                // SAFETY: as in `packed16`.
                unsafe { lanes::map16_low([$($x),*], |[$($x),*]| $f16) }
            },
        )
    };
}

/// The handlers of a function of f16 and one of bf16, single and packed, lane by lane.
macro_rules! lane_by_lane {
    ($ty:expr, $make:ident, |$($x:ident),*| $f16:expr, |$($y:ident),*| $bf16:expr) => {
        match $ty {
            HalfType::F16 => $make(|$($x: f16),*| -> f16 { $f16 }),
            HalfType::Bf16 => $make(|$($y: bf16),*| -> bf16 { $bf16 }),
            HalfType::F16x2 => $make(|$($x: u32),*| -> u32 {
                let [$($x),*] = [$([f16::from_bits($x as u16), f16::from_bits(($x >> 16) as u16)]),*];
                let half = |i: usize| { $(let $x = $x[i];)* let value: f16 = $f16; value.to_bits() };
                pair(half(1), half(0))
            }),
            HalfType::Bf16x2 => $make(|$($y: u32),*| -> u32 {
                let [$($y),*] = [$([bf16::from_bits($y as u16), bf16::from_bits(($y >> 16) as u16)]),*];
                let half = |i: usize| { $(let $y = $y[i];)* let value: bf16 = $bf16; value.to_bits() };
                pair(half(1), half(0))
            }),
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
        HalfFunction::Add => each_type!(ty, warm2, lanes2, |a, b| a + b),
        HalfFunction::Sub => each_type!(ty, warm2, lanes2, |a, b| a - b),
        HalfFunction::Mul => each_type!(ty, warm2, lanes2, |a, b| a * b),
        HalfFunction::Fma => fma(ty),
        HalfFunction::FmaOutOfBounds => {
            lane_by_lane!(ty, rare3, |a, b, c| f16_fma_oob(a, b, c), |a, b, c| bf16_fma_oob(
                a, b, c
            ))
        }
        HalfFunction::MinMax(choice) => min_max(choice, ty),
        HalfFunction::Abs => sign(true, ty),
        HalfFunction::Neg => sign(false, ty),
        HalfFunction::Ex2 => {
            lane_by_lane!(ty, rare1, |a| forms::ex2_f16(a), |a| forms::ex2_bf16(a))
        }
        HalfFunction::Tanh => {
            lane_by_lane!(ty, rare1, |a| forms::tanh_f16(a), |a| forms::tanh_bf16(a))
        }
        HalfFunction::Relu => match ty {
            HalfType::F16 | HalfType::Bf16 => warm1(|a: u16| relu16(a)),
            HalfType::F16x2 | HalfType::Bf16x2 => warm1(|a: u32| relu16x2(a)),
        },
    }
}

fn only_f16(function: F16Function, packed: bool) -> &'static AluOperation {
    match (function, packed) {
        // The product is exact in f32.
        (F16Function::MulFlushed, false) => single16!(lanes2, |a, b| flushable(a * b)),
        (F16Function::MulFlushed, true) => packed16!(lanes2, |a, b| flushable(a * b)),
        (F16Function::FmaFlushed, false) => {
            single16!(lanes3, |a, b, c| flushable(fused16(a, b, c)))
        }
        (F16Function::FmaFlushed, true) => {
            packed16!(lanes3, |a, b, c| flushable(fused16(a, b, c)))
        }
        (F16Function::Flush, false) => warm1(|a: u16| flush16(a)),
        (F16Function::Flush, true) => warm1(|a: u32| flush16x2(a)),
        (F16Function::Saturate, false) => rare1(|a: u16| saturate16(a)),
        (F16Function::Saturate, true) => rare1(|a: u32| saturate16x2(a)),
    }
}

fn fma(ty: HalfType) -> &'static AluOperation {
    match ty {
        HalfType::F16 => single16!(lanes3, |a, b, c| fused16(a, b, c)),
        HalfType::F16x2 => packed16!(lanes3, |a, b, c| fused16(a, b, c)),
        HalfType::Bf16 => lanes3(
            |a: bf16, b: bf16, c: bf16| bf16_fma(a, b, c).to_bits(),
            |a: &[bf16; 32], b: &[bf16; 32], c: &[bf16; 32]| {
                let [a, b, c] = [a, b, c].map(|x| x.map(|x| u32::from(x.to_bits())));
                lanes::bf16_fma(&a, &b, &c).map(|x| x as u16)
            },
        ),
        HalfType::Bf16x2 => lanes3(
            |a: u32, b: u32, c: u32| {
                let half = |x: u32, i: u32| bf16::from_bits((x >> (16 * i)) as u16);
                let [low, high] = [0, 1].map(|i| bf16_fma(half(a, i), half(b, i), half(c, i)));
                pair(high.to_bits(), low.to_bits())
            },
            |a: &[u32; 32], b: &[u32; 32], c: &[u32; 32]| lanes::bf16_fma(a, b, c),
        ),
    }
}

#[inline(always)]
fn f16_fma(a: f16, b: f16, c: f16) -> f16 {
    to_f16(fused16(a.widen(), b.widen(), c.widen()))
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
            lane_by_lane!(ty, rare2, |a, b| xor_signs_f16(a, b, $f), |a, b| xor_signs_bf16(
                a, b, $f
            ))
        };
    }
    /// The handlers of [`chosen16`], single and packed.
    macro_rules! chosen {
        ($max:expr, $nan:expr) => {
            match ty {
                HalfType::F16 => warm2(|a: u16, b: u16| chosen16(a, b, ($max, $nan), 0x7c00)),
                HalfType::Bf16 => warm2(|a: u16, b: u16| chosen16(a, b, ($max, $nan), 0x7f80)),
                HalfType::F16x2 => lanes2(
                    |a: u32, b: u32| chosen16x2(a, b, ($max, $nan), 0x7c00),
                    |a: &[u32; 32], b: &[u32; 32]| lanes::chosen(a, b, ($max, $nan), 0x7c00),
                ),
                HalfType::Bf16x2 => lanes2(
                    |a: u32, b: u32| chosen16x2(a, b, ($max, $nan), 0x7f80),
                    |a: &[u32; 32], b: &[u32; 32]| lanes::chosen(a, b, ($max, $nan), 0x7f80),
                ),
            }
        };
    }
    let MinMax { max, nan, xorsign } = choice;
    match (xorsign, nan, max) {
        (false, false, false) => chosen!(false, false),
        (false, false, true) => chosen!(true, false),
        (false, true, false) => chosen!(false, true),
        (false, true, true) => chosen!(true, true),
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
    #[inline(always)]
    fn signed(a: u16, abs: bool, infinity: u16) -> u16 {
        let number = if abs { a & 0x7fff } else { a ^ 0x8000 };
        if a & 0x7fff > infinity { NAN16 } else { number }
    }
    match (ty, abs) {
        (HalfType::F16, true) => warm1(|a: u16| signed(a, true, 0x7c00)),
        (HalfType::F16, false) => warm1(|a: u16| signed(a, false, 0x7c00)),
        (HalfType::F16x2, true) => warm1(|a: u32| halves(a, |a| signed(a, true, 0x7c00))),
        (HalfType::F16x2, false) => warm1(|a: u32| halves(a, |a| signed(a, false, 0x7c00))),
        (HalfType::Bf16, true) => warm1(|a: u16| signed(a, true, 0x7f80)),
        (HalfType::Bf16, false) => warm1(|a: u16| signed(a, false, 0x7f80)),
        (HalfType::Bf16x2, true) => warm1(|a: u32| halves(a, |a| signed(a, true, 0x7f80))),
        (HalfType::Bf16x2, false) => warm1(|a: u32| halves(a, |a| signed(a, false, 0x7f80))),
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
