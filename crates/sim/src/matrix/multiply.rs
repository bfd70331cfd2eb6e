//! The arithmetic of `mma`.
//!
//! Every product is exact. They are added to the accumulator one by one in the order of `k`: in f32
//! for 16-bit and tf32 operands, rounding to nearest after each addition (once more to f16 at the end
//! where the result is f16), in f64 with fused additions for f64, and without any rounding for
//! integers. Tensor cores add several products at once and truncate what lies below the largest of
//! them, so that float results differ from these in the last bits, or by more where large terms
//! cancel: of 0.5 + 2^24 + 1 - 2^24 within one instruction an H200 keeps 1.5, this keeps 0. The PTX
//! manual leaves the order open. A product of bf16 or tf32 below 2^-126 is rounded to f32.

use super::ops::{Fragment, Multiply, Number, Part};
use super::{Registers, read_registers, write_registers};
use crate::decode::packed::{Narrow, to_f16};
use crate::lanes::Slot;
use crate::op::Warp;
use half::{bf16, f16};

/// What products are computed in.
trait Arithmetic: Copy + Default {
    fn decode(number: Number, bits: u64) -> Self;
    fn add_product(self, a: Self, b: Self) -> Self;
    fn encode(self, to: &Multiply) -> u64;
}

impl Arithmetic for f32 {
    fn decode(number: Number, bits: u64) -> f32 {
        match number {
            Number::F16 => f16::from_bits(bits as u16).widen(),
            Number::Bf16 => bf16::from_bits(bits as u16).widen(),
            Number::Tf32 => f32::from_bits(bits as u32 & !0x1fff),
            _ => f32::from_bits(bits as u32),
        }
    }

    fn add_product(self, a: f32, b: f32) -> f32 {
        self + a * b
    }

    fn encode(self, to: &Multiply) -> u64 {
        match to.d {
            Number::F16 => u64::from(to_f16(self).to_bits()),
            _ => u64::from(self.to_bits()),
        }
    }
}

impl Arithmetic for f64 {
    fn decode(_: Number, bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    fn add_product(self, a: f64, b: f64) -> f64 {
        a.mul_add(b, self)
    }

    fn encode(self, _: &Multiply) -> u64 {
        self.to_bits()
    }
}

impl Arithmetic for i64 {
    fn decode(number: Number, bits: u64) -> i64 {
        match number {
            Number::S4 => (bits << 60) as i64 >> 60,
            Number::U4 => (bits & 15) as i64,
            Number::S8 => i64::from(bits as i8),
            Number::U8 => i64::from(bits as u8),
            _ => i64::from(bits as i32),
        }
    }

    fn add_product(self, a: i64, b: i64) -> i64 {
        self + a * b
    }

    fn encode(self, to: &Multiply) -> u64 {
        let clamped = self.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
        u64::from(if to.saturate { clamped as u32 } else { self as u32 })
    }
}

/// Multiplies what the registers in `src` hold into those in `dst`.
///
/// # Safety
/// The slots are registers of the warp.
pub unsafe fn multiply(warp: &mut Warp, this: &Multiply, src: &[Slot], dst: &[Slot]) {
    // SAFETY: by the caller.
    unsafe {
        match this.a {
            Number::F64 => product::<f64>(warp, this, src, dst),
            Number::S8 | Number::U8 | Number::S4 | Number::U4 => {
                product::<i64>(warp, this, src, dst);
            }
            _ => product::<f32>(warp, this, src, dst),
        }
    }
}

/// Elements of the largest matrix: 16 x 64.
const MOST: usize = 1024;

unsafe fn product<T: Arithmetic>(warp: &mut Warp, this: &Multiply, src: &[Slot], dst: &[Slot]) {
    let shape = this.shape;
    let fragment = |part, number| Fragment { part, shape, number };
    let [of_a, of_b, _] = this.registers;
    // SAFETY: by the caller.
    let (a, b, mut sums) = unsafe {
        (
            matrix::<T>(warp, fragment(Part::A, this.a), &src[..of_a]),
            matrix::<T>(warp, fragment(Part::B, this.b), &src[of_a..of_a + of_b]),
            matrix::<T>(warp, fragment(Part::C, this.c), &src[of_a + of_b..]),
        )
    };
    for row in 0..shape.m {
        let sums = &mut sums[row * shape.n..][..shape.n];
        for k in 0..shape.k {
            let a = a[row * shape.k + k];
            for (sum, b) in sums.iter_mut().zip(&b[k * shape.n..][..shape.n]) {
                *sum = sum.add_product(a, *b);
            }
        }
    }
    let result = fragment(Part::C, this.d);
    let (per, bits) = (this.d.per_register(), this.d.bits());
    let mut words: Registers = [[0; 32]; 8];
    for lane in 0..32 {
        for i in 0..result.elements() {
            let (row, column) = result.place(lane, i);
            let element = sums[row * shape.n + column].encode(this);
            words[i / per][lane] |= element << (bits * (i % per));
        }
    }
    // SAFETY: by the caller.
    unsafe { write_registers(warp, this.d, dst, &words) }
}

/// The matrix that a fragment holds, by rows.
unsafe fn matrix<T: Arithmetic>(warp: &Warp, fragment: Fragment, slots: &[Slot]) -> [T; MOST] {
    // SAFETY: by the caller.
    let words = unsafe { read_registers(warp, fragment.number, slots) };
    let (per, bits) = (fragment.number.per_register(), fragment.number.bits());
    let (_, columns) = fragment.extents();
    let mut to = [T::default(); MOST];
    for lane in 0..32 {
        for i in 0..fragment.elements() {
            let (row, column) = fragment.place(lane, i);
            let element = words[i / per][lane] >> (bits * (i % per));
            to[row * columns + column] = T::decode(fragment.number, element);
        }
    }
    to
}
