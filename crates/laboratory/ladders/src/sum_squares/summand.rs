//! The element types of the ladder, and the types of their sums.

use half::{bf16, f16};
use lanework::{Buffer, Element, Prepared, Result};
use lanework_ops::{Plan, TensorMut, reduce};

/// A number type whose squares can be summed.
///
/// | numbers | squared and added in | when the sum is too large |
/// |---|---|---|
/// | `i32`, `u32`, `i64`, `u64` | `u64` | it wraps: the result is the true sum modulo 2^64 |
/// | `f32`, `f16`, `bf16` | `f32` | infinity |
/// | `f64` | `f64` | infinity |
///
/// Squares are never negative, so the sum of integers is unsigned, and it is exact whenever the
/// true sum is under 2^64: always for 2^30 numbers of magnitude up to 2^16. With wrapping
/// arithmetic every order of additions gives the same sum, so that all rungs can be compared with
/// the host bit for bit. A sum of floats depends on the order, but each rung's order is the same in
/// every run.
pub trait Summand: Element {
    /// The type in which squares are computed and added.
    type Sum: Summand<Sum = Self::Sum>;
    /// Unit roundoff of the sums; 0 for integers, whose sums do not round.
    const ROUNDOFF: f64;

    /// The nearest value of this type; integers truncate the fraction.
    fn from_f64(x: f64) -> Self;

    /// The value, rounded where an integer has more than 53 bits.
    fn to_f64(self) -> f64;

    /// The square, as kernels compute it.
    fn square(self) -> Self::Sum;

    /// The library's kernel for the sum of the squares.
    ///
    /// # Errors
    /// If the device has too little memory for the exchange between blocks.
    fn by_library<'a>(
        src: &'a Buffer<Self>,
        sums: &'a mut Buffer<Self::Sum>,
    ) -> Result<Prepared<'a>>;

    /// The sum of sums, as the host adds them: modulo 2^64, or in `f64` and rounded once.
    fn add_up(sums: impl Iterator<Item = Self::Sum>) -> Self::Sum;
}

/// The only kernel of a reduction.
fn one(plan: Plan<'_>) -> Result<Prepared<'_>> {
    match plan.into_kernel() {
        Some(kernel) => Ok(kernel),
        None => unreachable!("a reduction to one number is one kernel"),
    }
}

macro_rules! integers {
    ($($number:ty),*) => {$(
        impl Summand for $number {
            type Sum = u64;
            const ROUNDOFF: f64 = 0.0;

            #[inline]
            fn from_f64(x: f64) -> Self {
                x as $number
            }

            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }

            #[inline]
            fn square(self) -> u64 {
                (self as u64).wrapping_mul(self as u64)
            }

            fn by_library<'a>(
                src: &'a Buffer<Self>,
                sums: &'a mut Buffer<u64>,
            ) -> Result<Prepared<'a>> {
                // The library adds signed numbers in `i64`, which has the same bits.
                let sum = TensorMut::from_view(sums.view_mut(..).cast(), [1], [1])?;
                one(reduce::sum_of_squares(src).prepare(sum)?)
            }

            fn add_up(sums: impl Iterator<Item = u64>) -> u64 {
                sums.fold(0, u64::wrapping_add)
            }
        }
    )*};
}

integers!(i32, u32, i64, u64);

macro_rules! floating {
    ($($number:ty => $sum:ty, $from_f64:expr;)*) => {$(
        impl Summand for $number {
            type Sum = $sum;
            const ROUNDOFF: f64 = <$sum>::EPSILON as f64 / 2.0;

            #[inline]
            fn from_f64(x: f64) -> Self {
                $from_f64(x)
            }

            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn square(self) -> $sum {
                let x = <$sum>::from(self);
                x * x
            }

            fn by_library<'a>(
                src: &'a Buffer<Self>,
                sums: &'a mut Buffer<$sum>,
            ) -> Result<Prepared<'a>> {
                one(reduce::sum_of_squares(src).prepare(sums)?)
            }

            fn add_up(sums: impl Iterator<Item = $sum>) -> $sum {
                sums.fold(0.0, |total, sum| total + f64::from(sum)) as $sum
            }
        }
    )*};
}

floating! {
    f32 => f32, |x| x as f32;
    f64 => f64, |x| x;
    f16 => f32, f16::from_f64;
    bf16 => f32, bf16::from_f64;
}

/// The sum of squares on the host, one number at a time: the baseline, and for integers the reference.
pub fn on_host<E: Summand>(src: &[E]) -> E::Sum {
    E::add_up(src.iter().map(|number| number.square()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_squared_without_sign_and_wrap_at_2_to_the_64() {
        assert_eq!(on_host(&[-3i32, 4]), 25);
        assert_eq!(on_host(&[i32::MIN; 2]), 1 << 63);
        assert_eq!(on_host(&[i32::MIN; 4]), 0);
        assert_eq!(on_host(&[u32::MAX]), 0xffff_fffe_0000_0001);
        assert_eq!(on_host(&[-1i64, i64::MIN]), 1);
        assert_eq!(on_host(&[u64::MAX, 2]), 5);
    }

    #[test]
    fn halves_are_added_in_single_precision() {
        let tenth = f16::from_f64(0.1);
        let square = f32::from(tenth) * f32::from(tenth);
        assert_eq!(tenth.square(), square);
        assert_eq!(on_host(&[tenth; 1000]), (f64::from(square) * 1000.0) as f32);
        assert_eq!(on_host(&[bf16::from_f64(3.0); 300]), 2700.0);
    }

    #[test]
    fn an_empty_sum_is_0() {
        assert_eq!(on_host::<f32>(&[]), 0.0);
        assert_eq!(on_host::<i64>(&[]), 0);
    }
}
