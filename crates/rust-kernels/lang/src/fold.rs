//! Constant folding, with the results that the GPU computes.

use crate::operation::Operation;
use crate::value::{integer, wrap};
use half::{bf16, f16};
use lanework_ptx::ScalarType;

/// `a op b` on constants; `None` where the result must be computed at run time.
pub(crate) fn fold(op: Operation, ty: ScalarType, a: u64, b: u64) -> Option<u64> {
    match ty {
        ScalarType::F32 => float32(op, f32::from_bits(a as u32), f32::from_bits(b as u32))
            .map(|v| v.to_bits().into()),
        ScalarType::F64 => float64(op, f64::from_bits(a), f64::from_bits(b)).map(f64::to_bits),
        ScalarType::F16 => {
            let wide = |bits: u64| f16::from_bits(bits as u16).to_f32();
            float32(op, wide(a), wide(b)).map(|v| f16::from_f32(v).to_bits().into())
        }
        ScalarType::Bf16 => {
            let wide = |bits: u64| bf16::from_bits(bits as u16).to_f32();
            float32(op, wide(a), wide(b)).map(|v| bf16::from_f32(v).to_bits().into())
        }
        _ => integers(op, ty, a, b),
    }
}

fn integers(op: Operation, ty: ScalarType, a: u64, b: u64) -> Option<u64> {
    let bits = 8 * ty.size();
    let shift = matches!(op, Operation::Shl | Operation::Shr);
    let (x, y) = (integer(a, ty), if shift { i128::from(b) } else { integer(b, ty) });
    let value = match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x.wrapping_mul(y),
        Operation::Div if y != 0 => x / y,
        Operation::Rem if y != 0 => x % y,
        Operation::And => x & y,
        Operation::Or => x | y,
        Operation::Xor => x ^ y,
        Operation::Shl if (0..i128::from(bits)).contains(&y) => x << y,
        Operation::Shr if (0..i128::from(bits)).contains(&y) => x >> y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => return None,
    };
    Some(wrap(value, ty))
}

fn float32(op: Operation, x: f32, y: f32) -> Option<f32> {
    Some(match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x * y,
        Operation::Div => x / y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => return None,
    })
}

fn float64(op: Operation, x: f64, y: f64) -> Option<f64> {
    Some(match op {
        Operation::Add => x + y,
        Operation::Sub => x - y,
        Operation::Mul => x * y,
        Operation::Div => x / y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => return None,
    })
}
