//! Handlers of f64 arithmetic. The NaN of an operand passes on its payload; which operand's it is differs by
//! instruction, as on a GPU.

use crate::number::double::{self, quiet, through_high_word, with_nan_of};
use crate::pure::{Pure, hot3, pure1, pure2, warm2};
use lanework_ptx_ir::opcode::double::DoubleOp;
use lanework_ptx_ir::opcode::single::FloatClass;

/// The handlers of an opcode of this family.
pub fn handlers(op: DoubleOp) -> &'static Pure {
    match op {
        DoubleOp::Add => warm2(|a: f64, b: f64| with_nan_of(a + b, [b, a])),
        DoubleOp::Sub => warm2(|a: f64, b: f64| with_nan_of(a - b, [b, a])),
        DoubleOp::Mul => warm2(|a: f64, b: f64| with_nan_of(a * b, [b, a])),
        DoubleOp::Fma => hot3(|a: f64, b: f64, c: f64| with_nan_of(a.mul_add(b, c), [b, c, a])),
        DoubleOp::Div => pure2(|a: f64, b: f64| with_nan_of(a / b, [a, b])),
        DoubleOp::Min => pure2(|a: f64, b: f64| double::min(a, b)),
        DoubleOp::Max => pure2(|a: f64, b: f64| double::max(a, b)),
        DoubleOp::Abs => pure1(|a: f64| if a.is_nan() { quiet(a) } else { a.abs() }),
        DoubleOp::Neg => pure1(|a: f64| if a.is_nan() { quiet(a) } else { -a }),
        DoubleOp::CopySign => pure2(|a: f64, b: f64| b.copysign(a)),
        DoubleOp::Sqrt => pure1(|a: f64| with_nan_of(a.sqrt(), [a])),
        DoubleOp::Rcp => pure1(|a: f64| with_nan_of(1.0 / a, [a])),
        DoubleOp::RcpApproximate => pure1(|a: f64| through_high_word(|a| 1.0 / a, a)),
        DoubleOp::Rsqrt => pure1(|a: f64| with_nan_of(1.0 / a.sqrt(), [a])),
        DoubleOp::RsqrtApproximate => pure1(|a: f64| through_high_word(|a| 1.0 / a.sqrt(), a)),
        DoubleOp::Test(class) => test(class),
        DoubleOp::Saturate => pure1(|a: f64| if a > 0.0 { a.min(1.0) } else { 0.0 }),
    }
}

fn test(class: FloatClass) -> &'static Pure {
    match class {
        FloatClass::Finite => pure1(|a: f64| a.is_finite()),
        FloatClass::Infinite => pure1(|a: f64| a.is_infinite()),
        FloatClass::Number => pure1(|a: f64| !a.is_nan()),
        FloatClass::NotANumber => pure1(|a: f64| a.is_nan()),
        FloatClass::Normal => pure1(|a: f64| a.is_normal() || a == 0.0),
        FloatClass::Subnormal => pure1(|a: f64| a.is_subnormal()),
    }
}
