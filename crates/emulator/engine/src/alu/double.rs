//! Handlers of f64 arithmetic. The NaN of an operand passes on its payload; which operand's it is differs by
//! instruction, as on a GPU.

use crate::alu_operation::{AluOperation, hot3, rare1, rare2, rare3, warm2};
use crate::number::approximate::forms;
use crate::number::double::{self, quiet, with_nan_of};
use lanework_ptx_ir::opcode::float::DoubleOp;
use lanework_ptx_ir::opcode::float::FloatClass;
use lanework_ptx_ir::opcode::float::Negated;

/// The handlers of an opcode of this family.
pub fn handlers(op: DoubleOp) -> &'static AluOperation {
    match op {
        DoubleOp::Add => warm2(|a: f64, b: f64| with_nan_of(a + b, [b, a])),
        DoubleOp::Sub => warm2(|a: f64, b: f64| with_nan_of(a - b, [b, a])),
        DoubleOp::Mul => warm2(|a: f64, b: f64| with_nan_of(a * b, [b, a])),
        DoubleOp::Fma => hot3(|a: f64, b: f64, c: f64| with_nan_of(a.mul_add(b, c), [b, c, a])),
        DoubleOp::FmaNegated(negated) => fma_negated(negated),
        DoubleOp::Div => rare2(|a: f64, b: f64| with_nan_of(a / b, [a, b])),
        DoubleOp::Min => rare2(|a: f64, b: f64| double::min(a, b)),
        DoubleOp::Max => rare2(|a: f64, b: f64| double::max(a, b)),
        DoubleOp::Abs => rare1(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }),
        DoubleOp::Neg => rare1(|a: f64| if a.is_nan() { quiet(a) } else { -a }),
        DoubleOp::CopySign => rare2(|a: f64, b: f64| b.copysign(a)),
        DoubleOp::Sqrt => rare1(|a: f64| with_nan_of(a.sqrt(), [a])),
        DoubleOp::Rcp => rare1(|a: f64| with_nan_of(1.0 / a, [a])),
        DoubleOp::RcpApproximate => rare1(|a: f64| forms::rcp_f64(a)),
        DoubleOp::Rsqrt => rare1(|a: f64| forms::rsqrt_f64(a)),
        DoubleOp::RsqrtApproximate => rare1(|a: f64| forms::rsqrt_f64_high(a)),
        DoubleOp::Test(class) => test(class),
        DoubleOp::Saturate => rare1(|a: f64| if a > 0.0 { a.min(1.0) } else { 0.0 }),
    }
}

/// `fma` with the product or the addend negated, both exactly; a NaN keeps its sign.
fn fma_negated(Negated { product, addend }: Negated) -> &'static AluOperation {
    match (product, addend) {
        (false, false) => handlers(DoubleOp::Fma),
        (true, false) => hot3(|a: f64, b: f64, c: f64| with_nan_of((-a).mul_add(b, c), [b, c, a])),
        (false, true) => hot3(|a: f64, b: f64, c: f64| with_nan_of(a.mul_add(b, -c), [b, c, a])),
        (true, true) => rare3(|a: f64, b: f64, c: f64| with_nan_of((-a).mul_add(b, -c), [b, c, a])),
    }
}

fn test(class: FloatClass) -> &'static AluOperation {
    match class {
        FloatClass::Finite => rare1(|a: f64| a.is_finite()),
        FloatClass::Infinite => rare1(|a: f64| a.is_infinite()),
        FloatClass::Number => rare1(|a: f64| !a.is_nan()),
        FloatClass::NotANumber => rare1(|a: f64| a.is_nan()),
        FloatClass::Normal => rare1(|a: f64| a.is_normal() || a == 0.0),
        FloatClass::Subnormal => rare1(|a: f64| a.is_subnormal()),
    }
}
