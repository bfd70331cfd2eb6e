//! The functions that a GPU approximates, bit for bit as a Hopper GPU computes them.
//!
//! The special function unit has one datapath for all: the upper bits of a reduced argument choose a segment,
//! the lower bits `x` are interpolated quadratically, C0 + C1 x + C2 x^2, and the sum is cut off, not rounded
//! (S. F. Oberman and M. Y. Siu, "A High-Performance Area-Efficient Multifunction Interpolator", 2005). Its
//! square is a truncated one: partial products below a fixed column are never added (`square`). Negative or
//! mirrored arguments are reduced by one's complement.
//!
//! [`mod@unit`] is the unit itself, with subnormal inputs as zero; [`forms`] has the PTX instructions, composed
//! as in the driver's code. Limits: measured on compute capability 9.0; other generations have other tables.

pub(crate) mod forms;
pub(crate) mod tables;
pub(crate) mod unit;

use crate::number::approximate::tables::Row;

/// The square of a number of `BITS` bits, less every partial product below column `COLUMN`, in units of
/// 2^`COLUMN`. A product of two different bits is added once, a column higher; `COLUMN` is odd.
#[inline(always)]
fn square<const BITS: u32, const COLUMN: u32>(x: u32) -> u32 {
    let half = (COLUMN - 1) / 2;
    // Among the bits from `half` on, only the square of the lowest one is below the column.
    let upper = x >> half;
    let mut sum = (upper * upper) >> 1;
    for i in 0..half {
        // The lowest bit whose product with bit `i` reaches the column.
        let low = COLUMN - 1 - i;
        if low < BITS {
            sum += (x >> low) & ((x >> i) & 1).wrapping_neg();
        }
    }
    sum
}

/// Alignment of a function's coefficients: C0 is shifted left, and so is the product with C2; a constant is
/// added.
struct Alignment {
    c0: u32,
    c2: u32,
    constant: i64,
}

/// C0 + C1 `x` + C2 `x`^2 of a segment, with `x` of 17 bits.
#[inline(always)]
fn interpolate(row: Row, x: u32, alignment: Alignment) -> u64 {
    sum(row, x, square::<17, 19>(x), alignment)
}

/// C0 + C1 `x` + C2 `x`^2 of a segment, with `x` of 16 bits.
#[inline(always)]
fn interpolate16(row: Row, x: u32, alignment: Alignment) -> u64 {
    sum(row, x, square::<16, 17>(x), alignment)
}

#[inline(always)]
fn sum((c0, c1, c2): Row, x: u32, square: u32, alignment: Alignment) -> u64 {
    let linear = i64::from(c1) * i64::from(x);
    let quadratic = (i64::from(c2) * i64::from(square)) << alignment.c2;
    // No table makes this negative.
    ((i64::from(c0) << alignment.c0) + alignment.constant + linear + quadratic) as u64
}

/// The f32 of `value` * 2^`-scale`, cut off; its sign bit is clear.
#[inline(always)]
fn truncated(value: u64, scale: i32) -> u32 {
    if value == 0 {
        return 0;
    }
    let digits = 64 - value.leading_zeros() as i32;
    let mantissa = if digits > 24 { value >> (digits - 24) } else { value << (24 - digits) };
    let exponent = (digits - 1 - scale + 127) as u32;
    (exponent << 23) | (mantissa as u32 & 0x7f_ffff)
}

#[cfg(test)]
mod tests {
    use crate::number::approximate::{square, truncated};

    #[test]
    fn a_square_lacks_only_what_is_below_its_column() {
        for x in (0..1u32 << 17).step_by(37) {
            let exact = u64::from(x) * u64::from(x);
            let cut = u64::from(square::<17, 19>(x)) << 19;
            // Each of the 18 columns below lacks at most 9 products.
            assert!(cut <= exact && exact - cut < 9 << 19, "{x}");
        }
        // Products of only upper bits are exact.
        assert_eq!(u64::from(square::<17, 19>(0x1fc00)) << 19, 0x1fc00 * 0x1fc00);
        assert_eq!(u64::from(square::<16, 17>(0xfe00)) << 17, 0xfe00 * 0xfe00);
    }

    #[test]
    fn numbers_are_cut_off() {
        assert_eq!(f32::from_bits(truncated(3, 1)), 1.5);
        assert_eq!(truncated((1 << 25) - 1, 24), 2f32.to_bits() - 1);
        assert_eq!(truncated(0, 37), 0);
    }
}
