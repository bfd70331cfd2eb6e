//! The intrinsics that mean something for one thread, on ordinary values.

use crate::number::{Float, Integer, Number};

/// The smaller of two numbers.
pub fn min<T: Number>(x: T, y: T) -> T {
    x.min(y)
}

/// The larger of two numbers.
pub fn max<T: Number>(x: T, y: T) -> T {
    x.max(y)
}

/// The absolute value.
pub fn abs<T: Number>(x: T) -> T {
    x.abs()
}

/// `x` where the condition holds, else `y`.
pub fn select<T: Number>(condition: bool, x: T, y: T) -> T {
    if condition { x } else { y }
}

/// `a * b + c` with one rounding.
pub fn fma<T: Float>(a: T, b: T, c: T) -> T {
    a.mul_add(b, c)
}

/// The reciprocal.
pub fn rcp<T: Float>(x: T) -> T {
    x.recip()
}

macro_rules! rounding {
    ($($name:ident)*) => {$(
        /// The method of the same name.
        pub fn $name<T: Float>(x: T) -> T {
            x.$name()
        }
    )*};
}

rounding!(sqrt floor ceil round trunc);

/// The float with these bits.
pub fn f32_from_bits(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The `f64` with these bits.
pub fn f64_from_bits(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// The number of set bits.
pub fn popc<T: Integer>(x: T) -> u32 {
    x.count_ones()
}

/// The number of leading zero bits.
pub fn clz<T: Integer>(x: T) -> u32 {
    x.leading_zeros()
}

/// The bits in reverse order.
pub fn brev<T: Integer>(x: T) -> T {
    x.reverse_bits()
}

/// The position of the lowest set bit, from 1; 0 when there is none.
pub fn ffs<T: Integer>(x: T) -> u32 {
    if x == T::ZERO { 0 } else { x.trailing_zeros() + 1 }
}

/// The high half of the double-width product.
pub fn mul_hi<T: Integer>(x: T, y: T) -> T {
    x.mul_hi(y)
}
