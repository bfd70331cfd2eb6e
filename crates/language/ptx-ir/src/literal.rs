//! Literals of the PTX text as the bits of a type.

use half::{bf16, f16};
use lanework_ptx::Immediate;
use lanework_ptx::ScalarType::{self, *};

/// The NaN that a literal gives in either 16-bit type.
const NAN16: u16 = 0x7fff;

/// The bits of a literal used as `ty`; floats round once.
pub fn immediate_bits(value: Immediate, ty: ScalarType) -> u64 {
    match (value, ty) {
        (Immediate::Integer(i), F16) => u64::from(f16_bits(i as f64)),
        (Immediate::Integer(i), Bf16) => u64::from(bf16_bits(i as f64)),
        (Immediate::Integer(i), F32) => u64::from((i as f32).to_bits()),
        (Immediate::Integer(i), F64) => (i as f64).to_bits(),
        (Immediate::Integer(i), _) => i as u64,
        // The driver's compiler takes the digits of `0f3F800000` for the bits of an f64.
        (Immediate::F32(bits), F64) => u64::from(bits),
        (Immediate::F32(bits), F16) => u64::from(f16::from_f32(f32::from_bits(bits)).to_bits()),
        (Immediate::F32(bits), Bf16) => u64::from(bf16::from_f32(f32::from_bits(bits)).to_bits()),
        (Immediate::F32(bits), _) => u64::from(bits),
        (Immediate::F64(bits), F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Immediate::F64(bits), F16) => u64::from(f16_bits(f64::from_bits(bits))),
        (Immediate::F64(bits), Bf16) => u64::from(bf16_bits(f64::from_bits(bits))),
        (Immediate::F64(bits), _) => bits,
    }
}

fn f16_bits(x: f64) -> u16 {
    if x.is_nan() { NAN16 } else { f16::from_f32(round_to_odd(x)).to_bits() }
}

fn bf16_bits(x: f64) -> u16 {
    if x.is_nan() { NAN16 } else { bf16::from_f32(round_to_odd(x)).to_bits() }
}

/// `x` in f32, rounded to odd: an inexact result gets a last bit of 1, so that rounding it again, to
/// a type at least two bits narrower, gives what one rounding would have given (Boldo and Melquiond 2008).
pub fn round_to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    if nearest.is_nan() || f64::from(nearest) == x {
        return nearest;
    }
    let beyond = f64::from(nearest).abs() > x.abs();
    f32::from_bits((nearest.to_bits() - u32::from(beyond)) | 1)
}
