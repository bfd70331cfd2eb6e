//! Results of products: converted to narrower types, and reduced along their rows.

use super::element::MatrixElement;
use super::fragment::FragmentC;
use super::packing::put;
use crate::current::{here, with};
use crate::intrinsics::{FULL_MASK, shfl_xor_sync};
use crate::value::Value;
use crate::var::Var;
use half::{bf16, f16};
use lanework_ptx::ScalarType;

/// A type that sums of f32 are rounded to, two at a time.
#[diagnostic::on_unimplemented(
    message = "sums are not converted to `{Self}`",
    note = "f32 sums convert to f16 and bf16"
)]
pub trait Narrow: MatrixElement {
    /// The instruction's type.
    #[doc(hidden)]
    const PAIR: &'static str;
}

impl Narrow for f16 {
    const PAIR: &'static str = "f16x2";
}

impl Narrow for bf16 {
    const PAIR: &'static str = "bf16x2";
}

impl<const M: u32, const N: u32> FragmentC<f32, M, N> {
    /// The elements rounded to nearest even, two in a register (`cvt.rn.bf16x2.f32`, from sm_80).
    #[track_caller]
    pub fn to<T: Narrow>(self) -> FragmentC<T, M, N> {
        here();
        with(|b| {
            let to = FragmentC::<T, M, N>::declare(b, false);
            let name = format!("cvt.rn.{}.f32", T::PAIR);
            let from = self.registers();
            for (register, pair) in to.registers().into_iter().zip(from.chunks(2)) {
                // The first operand goes to the upper half.
                let inputs = [
                    (Value::Register(pair[1]), ScalarType::F32),
                    (Value::Register(pair[0]), ScalarType::F32),
                ];
                let word = b.pure(&name, ScalarType::B32, &inputs);
                put(b, register, word, ScalarType::B32);
            }
            to
        })
    }

    /// The rows that this lane has elements of, reduced over the fragments side by side.
    fn reduced(
        side_by_side: &[Self],
        combine: impl Fn(Var<f32>, Var<f32>) -> Var<f32>,
    ) -> [Var<f32>; 2] {
        let layout = Self::layout();
        std::array::from_fn(|line| {
            let mut sum: Option<Var<f32>> = None;
            for fragment in side_by_side {
                for i in (0..layout.elements()).filter(|i| Self::row_of(*i) == line) {
                    let next = fragment.element(i);
                    sum = Some(sum.map_or(next, |sum| combine(sum, next)));
                }
            }
            let mut sum = sum.unwrap_or_else(|| Var::constant(0.0));
            for bits in [1u32, 2] {
                sum = combine(sum, shfl_xor_sync(FULL_MASK, sum, bits));
            }
            sum
        })
    }

    /// The largest element of each of the two rows that this lane has elements of, over the whole row: the
    /// lane's own, then those of its quad by two shuffles. Element `i` belongs to row
    /// [`row_of`](Self::row_of)`(i)` of these.
    ///
    /// ```
    /// # use half::{bf16, f16};
    /// # use lanework::prelude::*;
    /// /// Divides every element by its row's largest.
    /// #[kernel(block = 32)]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     let mut part = FragmentC::<f32, 16, 16>::load(x.matrix(16), 0, 0);
    ///     let most = part.row_max();
    ///     #[unroll]
    ///     for i in 0..FragmentC::<f32, 16, 16>::ELEMENTS {
    ///         part[i] = part[i] / most[FragmentC::<f32, 16, 16>::row_of(i)];
    ///     }
    ///     part.store(out.matrix(16), 0, 0);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<f32, 256, _>(|i| 1.0 + i as f32))?;
    /// # let mut out = device.zeros::<f32>(256)?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[15..17], [1.0, 17.0 / 32.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn row_max(self) -> [Var<f32>; 2] {
        here();
        Self::reduced(&[self], |x, y| x.max(y))
    }

    /// The sum of each of the two rows that this lane has elements of, over the whole row: the lane's own
    /// from left to right, then those of its quad by two shuffles.
    #[track_caller]
    pub fn row_sum(self) -> [Var<f32>; 2] {
        here();
        Self::reduced(&[self], |x, y| x + y)
    }

    /// [`row_max`](Self::row_max) of fragments side by side, with two shuffles for all of them.
    #[track_caller]
    pub fn row_max_of<const COUNT: usize>(fragments: [Self; COUNT]) -> [Var<f32>; 2] {
        here();
        Self::reduced(&fragments, |x, y| x.max(y))
    }

    /// [`row_sum`](Self::row_sum) of fragments side by side, with two shuffles for all of them.
    #[track_caller]
    pub fn row_sum_of<const COUNT: usize>(fragments: [Self; COUNT]) -> [Var<f32>; 2] {
        here();
        Self::reduced(&fragments, |x, y| x + y)
    }
}

impl<T: MatrixElement, const M: u32, const N: u32> FragmentC<T, M, N> {
    /// Which of the rows that a lane has elements of element `i` belongs to: 0 or 1.
    pub fn row_of(i: u32) -> usize {
        (Self::layout().place(i).0.first / 8) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_elements_alternate_between_two_rows() {
        let rows: Vec<usize> = (0..8).map(FragmentC::<f32, 16, 16>::row_of).collect();
        assert_eq!(rows, [0, 0, 1, 1, 0, 0, 1, 1]);
    }
}
