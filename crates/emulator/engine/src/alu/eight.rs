//! Handlers of conversions from and to floats of 8 bits.

use crate::alu_operation::{AluOperation, rare1, rare2};
use crate::number::eight::{narrow_halves, narrow_singles, widen};
use lanework_ptx_ir::opcode::convert::{EightDirection, EightFormat, EightOp};

/// The handlers of a function of the format and of `.relu`, both constants.
macro_rules! each_format {
    ($op:expr, |$format:ident, $relu:ident| $handlers:expr) => {{
        macro_rules! one {
            ($constant:expr, $with:expr) => {{
                const $format: EightFormat = $constant;
                const $relu: bool = $with;
                $handlers
            }};
        }
        match ($op.format, $op.relu) {
            (EightFormat::E4m3, false) => one!(EightFormat::E4m3, false),
            (EightFormat::E4m3, true) => one!(EightFormat::E4m3, true),
            (EightFormat::E5m2, false) => one!(EightFormat::E5m2, false),
            (EightFormat::E5m2, true) => one!(EightFormat::E5m2, true),
            (EightFormat::E2m3, false) => one!(EightFormat::E2m3, false),
            (EightFormat::E2m3, true) => one!(EightFormat::E2m3, true),
            (EightFormat::E3m2, false) => one!(EightFormat::E3m2, false),
            (EightFormat::E3m2, true) => one!(EightFormat::E3m2, true),
            (EightFormat::E2m1, false) => one!(EightFormat::E2m1, false),
            (EightFormat::E2m1, true) => one!(EightFormat::E2m1, true),
        }
    }};
}

/// The handlers of an opcode of this family.
pub fn handlers(op: EightOp) -> &'static AluOperation {
    match op.direction {
        EightDirection::FromSingles => {
            each_format!(op, |F, RELU| rare2(|a: f32, b: f32| narrow_singles(F, RELU, a, b)))
        }
        EightDirection::FromHalves => {
            each_format!(op, |F, RELU| rare1(|a: u32| narrow_halves(F, RELU, a)))
        }
        EightDirection::ToHalves => each_format!(op, |F, RELU| rare1(|a: u32| widen(F, RELU, a))),
    }
}
