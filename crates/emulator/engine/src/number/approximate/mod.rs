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
/// added. The sum is in units of 2^-`scale`.
struct SegmentAlignment {
    c0: u32,
    c2: u32,
    constant: i64,
    scale: u32,
}

/// The aligned coefficients of a function's segments. Every sum has less than 53 bits, so it is exact in f64.
pub struct SegmentTable([[f64; 4]; 128]);

impl SegmentTable {
    /// Aligns the coefficients of a table.
    const fn new(rows: &[Row], alignment: SegmentAlignment) -> SegmentTable {
        let unit = 1.0 / (1u64 << alignment.scale) as f64;
        let mut segments = [[0.0; 4]; 128];
        let mut i = 0;
        while i < rows.len() {
            let (c0, c1, c2) = rows[i];
            let constant = ((c0 as i64) << alignment.c0) + alignment.constant;
            let quadratic = (c2 as i64) << alignment.c2;
            segments[i] = [constant as f64 * unit, c1 as f64 * unit, quadratic as f64 * unit, 0.0];
            i += 1;
        }
        SegmentTable(segments)
    }

    /// C0 + C1 `x` + C2 `square` of a segment.
    #[inline(always)]
    fn at(&self, segment: u32, x: u32, square: u32) -> f64 {
        let [c0, c1, c2, _] = self.0[segment as usize & 127];
        c0 + c1 * f64::from(x as i32) + c2 * f64::from(square as i32)
    }
}

/// A function of the unit in three steps. No step branches, so the compiler vectorizes a loop over lanes for each.
pub trait UnitFunction {
    /// Its segments.
    const SEGMENTS: &SegmentTable;
    /// The segment of an argument, and the bits to interpolate with.
    fn place(x: u32) -> (u32, u32);
    /// The truncated square of those bits.
    #[inline(always)]
    fn square(lower: u32) -> u32 {
        square::<17, 19>(lower)
    }
    /// The bits of the interpolated value as f32, or another value from which the result is made.
    #[inline(always)]
    fn narrow(_x: u32, value: f64) -> u32 {
        cut(value)
    }
    /// The result, also of special arguments.
    fn result(x: u32, narrow: u32) -> u32;
}

/// The function of one argument.
#[inline(always)]
pub fn of<F: UnitFunction>(x: u32) -> u32 {
    let (segment, lower) = F::place(x);
    F::result(x, F::narrow(x, F::SEGMENTS.at(segment, lower, F::square(lower))))
}

/// The function of 32 arguments.
#[inline(always)]
pub fn of_lanes<F: UnitFunction>(x: &[u32; 32]) -> [u32; 32] {
    let [mut segments, mut lower, mut squares, mut out] = [[0; 32]; 4];
    for i in 0..32 {
        (segments[i], lower[i]) = F::place(x[i]);
        squares[i] = F::square(lower[i]);
    }
    for i in 0..32 {
        out[i] = F::narrow(x[i], F::SEGMENTS.at(segments[i], lower[i], squares[i]));
    }
    for i in 0..32 {
        out[i] = F::result(x[i], out[i]);
    }
    out
}

/// A positive number as f32, cut off; a result that is not a normal number has no meaning.
#[inline(always)]
fn cut(value: f64) -> u32 {
    ((value.to_bits() >> 29) as u32).wrapping_sub((1023 - 127) << 23)
}

#[cfg(test)]
mod tests {
    use crate::number::approximate::{cut, square};

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
        assert_eq!(f32::from_bits(cut(1.5)), 1.5);
        assert_eq!(cut(f64::from((1 << 25) - 1) / f64::from(1 << 24)), 2f32.to_bits() - 1);
    }
}
