//! Handlers of f32 arithmetic.
//!
//! The handlers of plain sums, products and fused operations leave the NaN that the host produces;
//! [`lanework_ptx_ir::passes::canonicalize`] corrects it where its bits can be observed. All others give the GPU's.

use crate::alu_operation::{AluOperation, hot2, hot3, rare1, rare2, rare3, warm1, warm2, warm3};
use crate::number::approximate::forms;
use crate::number::single::*;
use lanework_ptx_ir::opcode::float::Negated;
use lanework_ptx_ir::opcode::float::{
    Approximation, Division, FloatClass, FloatModifiers, MinMax, QuotientPart, SingleOp, Unary,
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
    ($ftz:expr, $make:ident, $rare:ident, |$($x:ident),*| $body:expr) => {
        match $ftz {
            false => $make(|$($x: f32),*| -> f32 { canonical($body) }),
            true => $rare(|$($x: f32),*| -> f32 {
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
        SingleOp::CopySign => rare2(|a: f32, b: f32| b.copysign(a)),
        SingleOp::Test(class) => test(class),
        SingleOp::Flush => warm1(|a: f32| flush(a)),
        SingleOp::Saturate => rare1(|a: f32| saturate(a)),
    }
}

/// `fma`; the plain one is marked, since the assembler fuses it with the loads before it.
fn fma(modifiers: FloatModifiers) -> &'static AluOperation {
    static PURE: std::sync::OnceLock<AluOperation> = std::sync::OnceLock::new();
    match modifiers {
        PLAIN => PURE.get_or_init(|| AluOperation {
            fma: true,
            ..*hot3(|a: f32, b: f32, c: f32| a.mul_add(b, c))
        }),
        FloatModifiers { ftz: true, sat: false } => {
            warm3(|a: f32, b: f32, c: f32| canonical(fma_flushed(a, b, c)))
        }
        FloatModifiers { ftz: true, sat: true } => {
            warm3(|a: f32, b: f32, c: f32| saturate(fma_flushed(a, b, c)))
        }
        FloatModifiers { ftz: false, sat: true } => {
            warm3(|a: f32, b: f32, c: f32| saturate(a.mul_add(b, c)))
        }
    }
}

/// `fma` with the product or the addend negated, both exactly.
fn fma_negated(modifiers: FloatModifiers, negated: Negated) -> &'static AluOperation {
    /// Handlers for each set of modifiers.
    macro_rules! each {
        (|$a:ident, $c:ident| $product:expr, $addend:expr) => {
            match modifiers {
                PLAIN => hot3(|$a: f32, b: f32, $c: f32| $product.mul_add(b, $addend)),
                FloatModifiers { ftz: true, sat: false } => {
                    warm3(|$a: f32, b: f32, $c: f32| canonical(fma_flushed($product, b, $addend)))
                }
                FloatModifiers { ftz: true, sat: true } => {
                    rare3(|$a: f32, b: f32, $c: f32| saturate(fma_flushed($product, b, $addend)))
                }
                FloatModifiers { ftz: false, sat: true } => {
                    rare3(|$a: f32, b: f32, $c: f32| saturate($product.mul_add(b, $addend)))
                }
            }
        };
    }
    match (negated.product, negated.addend) {
        (false, false) => fma(modifiers),
        (true, false) => each!(|a, c| -a, c),
        (false, true) => each!(|a, c| a, -c),
        (true, true) => each!(|a, c| -a, -c),
    }
}

fn factor(part: QuotientPart, full: bool, ftz: bool) -> &'static AluOperation {
    match (part, full, ftz) {
        (QuotientPart::Numerator, false, false) => {
            rare2(|a: f32, b: f32| forms::factors(a, b, false, false).0)
        }
        (QuotientPart::Numerator, false, true) => {
            rare2(|a: f32, b: f32| forms::factors(a, b, false, true).0)
        }
        (QuotientPart::Numerator, true, false) => {
            rare2(|a: f32, b: f32| forms::factors(a, b, true, false).0)
        }
        (QuotientPart::Numerator, true, true) => {
            rare2(|a: f32, b: f32| forms::factors(a, b, true, true).0)
        }
        (QuotientPart::Reciprocal, false, false) => {
            rare1(|b: f32| forms::factors(1.0, b, false, false).1)
        }
        (QuotientPart::Reciprocal, false, true) => {
            rare1(|b: f32| forms::factors(1.0, b, false, true).1)
        }
        (QuotientPart::Reciprocal, true, false) => {
            rare1(|b: f32| forms::factors(1.0, b, true, false).1)
        }
        (QuotientPart::Reciprocal, true, true) => {
            rare1(|b: f32| forms::factors(1.0, b, true, true).1)
        }
    }
}

fn min_max(choice: MinMax, ftz: bool) -> &'static AluOperation {
    let MinMax { max, nan, xorsign } = choice;
    match (xorsign, nan, max) {
        (false, false, false) => flushing!(ftz, warm2, warm2, |a, b| min32(a, b)),
        (false, false, true) => flushing!(ftz, warm2, warm2, |a, b| max32(a, b)),
        (false, true, false) => flushing!(ftz, rare2, rare2, |a, b| or_nan(min32, a, b)),
        (false, true, true) => flushing!(ftz, rare2, rare2, |a, b| or_nan(max32, a, b)),
        (true, false, false) => flushing!(ftz, rare2, rare2, |a, b| xor_signs(min32, a, b)),
        (true, false, true) => flushing!(ftz, rare2, rare2, |a, b| xor_signs(max32, a, b)),
        (true, true, false) => {
            flushing!(ftz, rare2, rare2, |a, b| xor_signs(|a, b| or_nan(min32, a, b), a, b))
        }
        (true, true, true) => {
            flushing!(ftz, rare2, rare2, |a, b| xor_signs(|a, b| or_nan(max32, a, b), a, b))
        }
    }
}

fn unary(function: Unary, ftz: bool) -> &'static AluOperation {
    match function {
        Unary::Abs => flushing!(ftz, warm1, rare1, |a| a.abs()),
        Unary::Neg => flushing!(ftz, warm1, rare1, |a| -a),
        Unary::Sqrt => flushing!(ftz, warm1, rare1, |a| a.sqrt()),
        Unary::Rcp => flushing!(ftz, warm1, rare1, |a| 1.0 / a),
    }
}

fn div(division: Division, ftz: bool) -> &'static AluOperation {
    match (division, ftz) {
        (Division::Rounded, false) => warm2(|a: f32, b: f32| canonical(a / b)),
        (Division::Rounded, true) => rare2(|a: f32, b: f32| {
            let (a, b) = (flush(a), flush(b));
            canonical(flush(flush_rounded_up(a / b, f64::from(a) / f64::from(b))))
        }),
        (Division::Approximate, false) => rare2(|a: f32, b: f32| forms::div(a, b, false)),
        (Division::Approximate, true) => rare2(|a: f32, b: f32| forms::div(a, b, true)),
        (Division::Full, false) => rare2(|a: f32, b: f32| forms::div_full(a, b, false)),
        (Division::Full, true) => rare2(|a: f32, b: f32| forms::div_full(a, b, true)),
    }
}

fn approximate(function: Approximation, ftz: bool) -> &'static AluOperation {
    /// Handlers for both values of `.ftz`.
    macro_rules! both {
        ($f:path) => {
            match ftz {
                false => rare1(|a: f32| $f(a, false)),
                true => rare1(|a: f32| $f(a, true)),
            }
        };
    }
    match function {
        Approximation::Rcp => both!(forms::rcp),
        Approximation::Rsqrt => both!(forms::rsqrt),
        Approximation::Sqrt => both!(forms::sqrt),
        Approximation::Ex2 => both!(forms::ex2),
        Approximation::Lg2 => both!(forms::lg2),
        Approximation::Sin => rare1(|a: f32| forms::sin(a)),
        Approximation::Cos => rare1(|a: f32| forms::cos(a)),
        Approximation::Tanh => rare1(|a: f32| forms::tanh(a)),
    }
}

fn test(class: FloatClass) -> &'static AluOperation {
    match class {
        FloatClass::Finite => rare1(|a: f32| a.is_finite()),
        FloatClass::Infinite => rare1(|a: f32| a.is_infinite()),
        FloatClass::Number => rare1(|a: f32| !a.is_nan()),
        FloatClass::NotANumber => rare1(|a: f32| a.is_nan()),
        FloatClass::Normal => rare1(|a: f32| a.is_normal() || a == 0.0),
        FloatClass::Subnormal => rare1(|a: f32| a.is_subnormal()),
    }
}
