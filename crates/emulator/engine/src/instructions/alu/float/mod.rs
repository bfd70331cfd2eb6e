//! Handlers of f32 arithmetic.
//!
//! The handlers of plain sums, products and fused operations leave the NaN that the host produces;
//! `lanework_ptx_ir` corrects it where its bits can be observed. All other handlers give the GPU's NaN.

#[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
mod relaxed;

use crate::instructions::alu::operation::{
    AluOperation, hot2, hot3, lanes1, lanes2, lanes3, rare1, rare2, rare3, warm1, warm2, warm3,
};
use crate::number::approximate::{double, forms};
use crate::number::directed;
use crate::number::fused::fused;
use crate::number::single::{flush_number, *};
use crate::number::soft::{Round, quiet, with_nan_of};
use crate::number::{single, soft};
use lanework_ptx_ir::opcode::float::{
    Approximation, DirectedFunction, DirectedOp, Division, DoubleOp, FloatClass, FloatModifiers,
    MinMax, Negated, QuotientPart, RoundingDirection, SingleOp, Unary,
};

const PLAIN: FloatModifiers = FloatModifiers { ftz: false, sat: false };

/// The handlers of a sum or product: the plain one is hot and keeps the host's NaN.
macro_rules! arithmetic {
    ($modifiers:expr, |$($x:ident),*| $body:expr, flushed $flushed:expr) => {
        match $modifiers {
            FloatModifiers { ftz: false, sat: false } => hot2(|$($x: f32),*| -> f32 { $body }),
            FloatModifiers { ftz: true, sat: false } => warm2(|$($x: f32),*| -> f32 {
                $(let $x = flush($x);)*
                canonical(flush($flushed))
            }),
            FloatModifiers { ftz: false, sat: true } => warm2(|$($x: f32),*| -> f32 { saturate($body) }),
            FloatModifiers { ftz: true, sat: true } => warm2(|$($x: f32),*| -> f32 {
                $(let $x = flush($x);)*
                saturate(flush($flushed))
            }),
        }
    };
}

/// The handlers of a function without and with `.ftz`.
macro_rules! flushing {
    ($ftz:expr, $make:ident, |$($x:ident),*| $body:expr) => {
        match $ftz {
            false => $make(|$($x: f32),*| -> f32 { canonical($body) }),
            true => $make(|$($x: f32),*| -> f32 {
                $(let $x = flush($x);)*
                canonical(flush($body))
            }),
        }
    };
}

/// The handlers of an opcode of this family.
pub fn handlers(op: SingleOp) -> &'static AluOperation {
    match op {
        SingleOp::Add(modifiers) => arithmetic!(modifiers, |a, b| a + b, flushed a + b),
        SingleOp::Sub(modifiers) => arithmetic!(modifiers, |a, b| a - b, flushed a - b),
        SingleOp::Mul(modifiers) => {
            arithmetic!(modifiers, |a, b| a * b, flushed flush_rounded_up(a * b, f64::from(a) * f64::from(b)))
        }
        SingleOp::Fma(modifiers) => fma(modifiers),
        SingleOp::FmaNegated { modifiers, negated } => fma_negated(modifiers, negated),
        SingleOp::Div { division, ftz } => div(division, ftz),
        SingleOp::Factor { part, division, ftz } => factor(part, division == Division::Full, ftz),
        SingleOp::MinMax { choice, ftz } => min_max(choice, ftz),
        SingleOp::Unary { function, ftz } => unary(function, ftz),
        SingleOp::Approximate { function, ftz } => approximate(function, ftz),
        SingleOp::CopySign => warm2(|a: f32, b: f32| b.copysign(a)),
        SingleOp::Test(class) => test(class),
        SingleOp::Flush => warm1(|a: f32| flush(a)),
        SingleOp::Saturate => warm1(|a: f32| saturate(a)),
    }
}

/// `fma`; the plain one is marked, since the assembler fuses it with the loads before it.
fn fma(modifiers: FloatModifiers) -> &'static AluOperation {
    static PURE: std::sync::OnceLock<AluOperation> = std::sync::OnceLock::new();
    match modifiers {
        #[cfg(not(all(target_family = "wasm", target_feature = "relaxed-simd")))]
        PLAIN => PURE.get_or_init(|| AluOperation {
            fma: true,
            ..*hot3(|a: f32, b: f32, c: f32| fused(a, b, c))
        }),
        #[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
        PLAIN => PURE.get_or_init(|| AluOperation { fma: true, ..relaxed::plain() }),
        FloatModifiers { ftz: true, sat: false } => lanes3(
            |a: f32, b: f32, c: f32| canonical(fma_flushed(a, b, c)),
            |a: &[f32; 32], b: &[f32; 32], c: &[f32; 32]| fma_flushed_lanes(a, b, c),
        ),
        FloatModifiers { ftz: true, sat: true } => {
            warm3(|a: f32, b: f32, c: f32| saturate(fma_flushed(a, b, c)))
        }
        FloatModifiers { ftz: false, sat: true } => {
            warm3(|a: f32, b: f32, c: f32| saturate(fused(a, b, c)))
        }
    }
}

/// `fma` with the product or the addend negated, both exactly.
fn fma_negated(modifiers: FloatModifiers, negated: Negated) -> &'static AluOperation {
    /// Handlers for each set of modifiers.
    macro_rules! each {
        (|$a:ident, $c:ident| $product:expr, $addend:expr) => {
            match modifiers {
                PLAIN => hot3(|$a: f32, b: f32, $c: f32| fused($product, b, $addend)),
                FloatModifiers { ftz: true, sat: false } => {
                    warm3(|$a: f32, b: f32, $c: f32| canonical(fma_flushed($product, b, $addend)))
                }
                FloatModifiers { ftz: true, sat: true } => {
                    rare3(|$a: f32, b: f32, $c: f32| saturate(fma_flushed($product, b, $addend)))
                }
                FloatModifiers { ftz: false, sat: true } => {
                    rare3(|$a: f32, b: f32, $c: f32| saturate(fused($product, b, $addend)))
                }
            }
        };
    }
    match (negated.product, negated.addend) {
        (false, false) => fma(modifiers),
        #[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
        (true, false) if modifiers == PLAIN => relaxed::negated_product(),
        #[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
        (false, true) if modifiers == PLAIN => relaxed::negated_addend(),
        (true, false) => each!(|a, c| -a, c),
        (false, true) => each!(|a, c| a, -c),
        (true, true) => each!(|a, c| -a, -c),
    }
}

fn factor(part: QuotientPart, full: bool, ftz: bool) -> &'static AluOperation {
    macro_rules! part {
        ($quotient:ty) => {
            match part {
                QuotientPart::Numerator => warm2(|a: f32, b: f32| <$quotient>::numerator(a, b)),
                QuotientPart::Reciprocal => warm1(|b: f32| <$quotient>::reciprocal(b)),
            }
        };
    }
    match (full, ftz) {
        (false, false) => part!(forms::Quotient<false, false>),
        (false, true) => part!(forms::Quotient<false, true>),
        (true, false) => part!(forms::Quotient<true, false>),
        (true, true) => part!(forms::Quotient<true, true>),
    }
}

fn min_max(choice: MinMax, ftz: bool) -> &'static AluOperation {
    let MinMax { max, nan, xorsign } = choice;
    match (xorsign, nan, max) {
        (false, false, false) => flushing!(ftz, warm2, |a, b| min32(a, b)),
        (false, false, true) => flushing!(ftz, warm2, |a, b| max32(a, b)),
        (false, true, false) => flushing!(ftz, warm2, |a, b| or_nan(min32, a, b)),
        (false, true, true) => flushing!(ftz, warm2, |a, b| or_nan(max32, a, b)),
        (true, false, false) => flushing!(ftz, rare2, |a, b| xor_signs(min32, a, b)),
        (true, false, true) => flushing!(ftz, rare2, |a, b| xor_signs(max32, a, b)),
        (true, true, false) => {
            flushing!(ftz, rare2, |a, b| xor_signs(|a, b| or_nan(min32, a, b), a, b))
        }
        (true, true, true) => {
            flushing!(ftz, rare2, |a, b| xor_signs(|a, b| or_nan(max32, a, b), a, b))
        }
    }
}

fn unary(function: Unary, ftz: bool) -> &'static AluOperation {
    match function {
        Unary::Abs => flushing!(ftz, warm1, |a| a.abs()),
        Unary::Neg => flushing!(ftz, warm1, |a| -a),
        Unary::Sqrt => flushing!(ftz, warm1, |a| a.sqrt()),
        Unary::Rcp => flushing!(ftz, warm1, |a| 1.0 / a),
    }
}

/// The handlers of `div.approx` or `div.full`.
macro_rules! approximate_quotient {
    ($full:literal, $ftz:literal) => {
        lanes2(
            |a: f32, b: f32| forms::Quotient::<$full, $ftz>::lane(a, b),
            |a: &[f32; 32], b: &[f32; 32]| forms::Quotient::<$full, $ftz>::warp(a, b),
        )
    };
}

fn div(division: Division, ftz: bool) -> &'static AluOperation {
    match (division, ftz) {
        (Division::Rounded, false) => warm2(|a: f32, b: f32| canonical(a / b)),
        (Division::Rounded, true) => rare2(|a: f32, b: f32| {
            let (a, b) = (flush(a), flush(b));
            canonical(flush(flush_rounded_up(a / b, f64::from(a) / f64::from(b))))
        }),
        (Division::Approximate, false) => approximate_quotient!(false, false),
        (Division::Approximate, true) => approximate_quotient!(false, true),
        (Division::Full, false) => approximate_quotient!(true, false),
        (Division::Full, true) => approximate_quotient!(true, true),
    }
}

fn approximate(function: Approximation, ftz: bool) -> &'static AluOperation {
    macro_rules! form {
        ($form:ty) => {
            lanes1(|a: f32| forms::lane::<$form>(a), |a: &[f32; 32]| forms::warp::<$form>(a))
        };
    }
    match (function, ftz) {
        (Approximation::Rcp, false) => form!(forms::Rcp<false>),
        (Approximation::Rcp, true) => form!(forms::Rcp<true>),
        (Approximation::Rsqrt, false) => form!(forms::Rsqrt<false>),
        (Approximation::Rsqrt, true) => form!(forms::Rsqrt<true>),
        (Approximation::Sqrt, false) => form!(forms::Sqrt<false>),
        (Approximation::Sqrt, true) => form!(forms::Sqrt<true>),
        (Approximation::Ex2, false) => form!(forms::Ex2<false>),
        (Approximation::Ex2, true) => form!(forms::Ex2<true>),
        (Approximation::Lg2, false) => form!(forms::Lg2<false>),
        (Approximation::Lg2, true) => form!(forms::Lg2<true>),
        (Approximation::Sin, _) => form!(forms::Sin),
        (Approximation::Cos, _) => form!(forms::Cos),
        (Approximation::Tanh, _) => form!(forms::Tanh),
    }
}

fn test(class: FloatClass) -> &'static AluOperation {
    match class {
        FloatClass::Finite => warm1(|a: f32| a.is_finite()),
        FloatClass::Infinite => warm1(|a: f32| a.is_infinite()),
        FloatClass::Number => warm1(|a: f32| !a.is_nan()),
        FloatClass::NotANumber => warm1(|a: f32| a.is_nan()),
        FloatClass::Normal => rare1(|a: f32| a.is_normal() || a == 0.0),
        FloatClass::Subnormal => rare1(|a: f32| a.is_subnormal()),
    }
}

/// The handlers of an opcode of this family.
pub fn double_handlers(op: DoubleOp) -> &'static AluOperation {
    match op {
        DoubleOp::Add => warm2(|a: f64, b: f64| with_nan_of(a + b, [b, a])),
        DoubleOp::Sub => warm2(|a: f64, b: f64| with_nan_of(a - b, [b, a])),
        DoubleOp::Mul => warm2(|a: f64, b: f64| with_nan_of(a * b, [b, a])),
        DoubleOp::Fma => hot3(|a: f64, b: f64, c: f64| with_nan_of(a.mul_add(b, c), [b, c, a])),
        DoubleOp::FmaNegated(negated) => double_fma_negated(negated),
        DoubleOp::Div => warm2(|a: f64, b: f64| with_nan_of(a / b, [a, b])),
        DoubleOp::Min => warm2(|a: f64, b: f64| soft::min(a, b)),
        DoubleOp::Max => warm2(|a: f64, b: f64| soft::max(a, b)),
        DoubleOp::Abs => warm1(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }),
        DoubleOp::Neg => warm1(|a: f64| if a.is_nan() { quiet(a) } else { -a }),
        DoubleOp::CopySign => warm2(|a: f64, b: f64| b.copysign(a)),
        DoubleOp::Sqrt => warm1(|a: f64| with_nan_of(a.sqrt(), [a])),
        DoubleOp::Rcp => warm1(|a: f64| with_nan_of(1.0 / a, [a])),
        DoubleOp::RcpApproximate => {
            lanes1(|a: f64| double::rcp(a), |a: &[f64; 32]| double::rcp_lanes(a))
        }
        DoubleOp::Rsqrt => {
            lanes1(|a: f64| double::rsqrt(a), |a: &[f64; 32]| double::rsqrt_lanes(a))
        }
        DoubleOp::RsqrtApproximate => lanes1(
            |a: f64| double::rsqrt_high_word(a),
            |a: &[f64; 32]| double::rsqrt_high_word_lanes(a),
        ),
        DoubleOp::Test(class) => double_test(class),
        DoubleOp::Saturate => rare1(|a: f64| if a > 0.0 { a.min(1.0) } else { 0.0 }),
    }
}

/// `fma` with the product or the addend negated, both exactly; a NaN keeps its sign.
fn double_fma_negated(Negated { product, addend }: Negated) -> &'static AluOperation {
    match (product, addend) {
        (false, false) => double_handlers(DoubleOp::Fma),
        (true, false) => hot3(|a: f64, b: f64, c: f64| with_nan_of((-a).mul_add(b, c), [b, c, a])),
        (false, true) => hot3(|a: f64, b: f64, c: f64| with_nan_of(a.mul_add(b, -c), [b, c, a])),
        (true, true) => warm3(|a: f64, b: f64, c: f64| with_nan_of((-a).mul_add(b, -c), [b, c, a])),
    }
}

fn double_test(class: FloatClass) -> &'static AluOperation {
    match class {
        FloatClass::Finite => warm1(|a: f64| a.is_finite()),
        FloatClass::Infinite => warm1(|a: f64| a.is_infinite()),
        FloatClass::Number => warm1(|a: f64| !a.is_nan()),
        FloatClass::NotANumber => warm1(|a: f64| a.is_nan()),
        FloatClass::Normal => rare1(|a: f64| a.is_normal() || a == 0.0),
        FloatClass::Subnormal => rare1(|a: f64| a.is_subnormal()),
    }
}

/// The handlers of an f32 operation in each direction.
macro_rules! single_in_each_direction {
    ($direction:expr, $make:ident, |$($x:ident),*| $function:expr) => {
        match $direction {
            RoundingDirection::Zero => {
                $make(|$($x: f32),*| -> f32 { $function(Round::Zero, $($x),*) })
            }
            RoundingDirection::Down => {
                $make(|$($x: f32),*| -> f32 { $function(Round::Down, $($x),*) })
            }
            RoundingDirection::Up => $make(|$($x: f32),*| -> f32 { $function(Round::Up, $($x),*) }),
        }
    };
}

/// The handlers of a function of numbers, in each direction, of f32 and f64; `nan` is the order in which
/// f64 operands pass on their NaN.
macro_rules! in_each_direction {
    ($op:expr, $make:ident, |$($x:ident),*| $body:expr, nan [$($nan:ident),*]) => {{
        macro_rules! to {
            ($direction:expr) => {
                if $op.double {
                    $make(|$($x: f64),*| -> f64 {
                        let nans = [$($nan),*];
                        $(let $x = soft::unpack($x);)*
                        soft::round(($body)($direction), $direction, nans)
                    })
                } else {
                    $make(|$($x: f32),*| -> f32 {
                        $(let $x = single::unpack($x);)*
                        single::round(($body)($direction), $direction)
                    })
                }
            };
        }
        match $op.direction {
            RoundingDirection::Zero => to!(Round::Zero),
            RoundingDirection::Down => to!(Round::Down),
            RoundingDirection::Up => to!(Round::Up),
        }
    }};
}

/// The handlers of an f64 operation, with the direction as the constant `R`.
macro_rules! double_in_each_direction {
    ($direction:expr, |$round:ident| $handlers:expr) => {
        match $direction {
            RoundingDirection::Zero => {
                const $round: Round = Round::Zero;
                $handlers
            }
            RoundingDirection::Down => {
                const $round: Round = Round::Down;
                $handlers
            }
            RoundingDirection::Up => {
                const $round: Round = Round::Up;
                $handlers
            }
        }
    };
}

/// An f64 product, rounded in a direction.
fn mul_directed(round: Round, a: f64, b: f64) -> f64 {
    soft::round(soft::multiply(soft::unpack(a), soft::unpack(b)), round, [b, a])
}

/// The same for a warp. If a product is too small for its error, all are computed by software.
#[inline(always)]
fn mul_directed_lanes(round: Round, a: &[f64; 32], b: &[f64; 32]) -> [f64; 32] {
    let (mut out, mut small) = ([0.0; 32], 0);
    for i in 0..32 {
        let (product, fits) = directed::mul_double(round, a[i], b[i]);
        small |= u32::from(!fits);
        out[i] = with_nan_of(product, [b[i], a[i]]);
    }
    if small != 0 {
        for i in 0..32 {
            out[i] = mul_directed(round, a[i], b[i]);
        }
    }
    out
}

/// The handlers of an opcode of this family.
pub fn directed_handlers(op: DirectedOp) -> &'static AluOperation {
    use DirectedFunction::{Add, Fma, Mul, Sub};
    match op.function {
        Add if !op.double => {
            single_in_each_direction!(op.direction, warm2, |a, b| directed::add)
        }
        Sub if !op.double => {
            single_in_each_direction!(op.direction, warm2, |a, b| directed::sub)
        }
        Mul if !op.double => {
            single_in_each_direction!(op.direction, warm2, |a, b| directed::mul)
        }
        Fma if !op.double => {
            single_in_each_direction!(op.direction, warm3, |a, b, c| directed::fma)
        }
        DirectedFunction::Add => {
            double_in_each_direction!(op.direction, |R| warm2(|a: f64, b: f64| {
                with_nan_of(directed::add_double(R, a, b), [b, a])
            }))
        }
        DirectedFunction::Sub => {
            double_in_each_direction!(op.direction, |R| warm2(|a: f64, b: f64| {
                with_nan_of(directed::add_double(R, a, -b), [b, a])
            }))
        }
        DirectedFunction::Mul => double_in_each_direction!(op.direction, |R| lanes2(
            |a: f64, b: f64| mul_directed(R, a, b),
            |a: &[f64; 32], b: &[f64; 32]| mul_directed_lanes(R, a, b),
        )),
        DirectedFunction::Fma => in_each_direction!(
            op,
            rare3,
            |a, b, c| |to| soft::add(soft::multiply(a, b), c, to),
            nan [b, c, a]
        ),
        DirectedFunction::Div { ftz: false } => {
            in_each_direction!(op, rare2, |a, b| |_| soft::divide(a, b), nan [a, b])
        }
        DirectedFunction::Div { ftz: true } => {
            in_each_direction!(op, rare2, |a, b| |_| flush_number(soft::divide(a, b)), nan [a, b])
        }
        DirectedFunction::Sqrt => in_each_direction!(op, rare1, |a| |_| soft::root(a), nan[a]),
        DirectedFunction::Rcp => {
            in_each_direction!(op, rare1, |a| |_| soft::divide(soft::integer(false, 1), a), nan[a])
        }
    }
}
