//! Handlers of conversions from and to floats of 8 bits.

use crate::alu_operation::{AluOperation, rare1, rare2};
use crate::number::eight::{narrow_halves, narrow_singles, widen};
use lanework_ptx_ir::opcode::convert::{SmallFloatDirection, SmallFloatFormat, SmallFloatOp};

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
pub fn handlers(op: SmallFloatOp) -> &'static AluOperation {
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
