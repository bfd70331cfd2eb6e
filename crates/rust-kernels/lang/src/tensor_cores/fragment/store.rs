//! Results of products: stores by each lane or by `stmatrix`, conversion to narrower types, and reduction along rows.

use crate::data::place::{Place, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Value, memory_type};
use crate::intrinsics::shfl_xor_sync;
use crate::intrinsics::warp::FULL_MASK;
use crate::scalar::number::IndexValue;
use crate::scalar::var::{Scalar, Var};
use crate::tensor_cores::element::{MatrixElement, put, unit_bits};
use crate::tensor_cores::fragment::FragmentC;
use crate::tensor_cores::fragment::load::store_rows;
use crate::tensor_cores::layout::{
    add, constant, index, plus, position, row_of_lane, warp_row, word,
};
use crate::tensor_cores::tile::source::Target;
use half::{bf16, f16};
use lanework_ptx::{Operand, ScalarType};

impl<T: MatrixElement, const M: u32, const N: u32> FragmentC<T, M, N> {
    /// Stores the fragment at row `row` and column `column` of the matrix. Each lane stores its elements, two adjacent ones in one
    /// access.
    #[track_caller]
    pub fn store<S: Target<Element = T::Storage>>(
        self,
        target: S,
        row: impl IndexValue,
        column: impl IndexValue,
    ) {
        here();
        let (row, column) = (row.parts(), column.parts());
        let start = with(|b| (word(b, row), word(b, column)));
        let layout = self.layout_here();
        let size = unit_bits::<T>() / 8;
        let together = S::BY_ROWS && target.alignment() >= 2 * size;
        let step = if together { 2 } else { 1 };
        for i in (0..layout.elements()).step_by(step as usize) {
            let at = with(|b| {
                let (row, column) = layout.place(i);
                let warp = warp_row(b, layout.warps());
                let here = (position(b, row), position(b, column));
                let here = plus(b, here, (warp, constant(0)));
                plus(b, start, here)
            });
            let place = target.spot(index(at.0), index(at.1), step);
            if together && layout.per_register == 2 {
                let register = self.registers()[i as usize / 2];
                with(|b| {
                    let operands = vec![place.operand(b), register.name().into()];
                    b.emit(&format!("st.{}.b32", place.space.word()), operands);
                });
            } else if together {
                let pair = [self.element(i).value, self.element(i + 1).value];
                with(|b| store_pair(b, place, pair, T::Storage::SCALAR));
            } else {
                place.store(self.element(i));
            }
        }
    }

    /// Stores 16-bit elements to shared memory by `stmatrix` (from sm_90), as [`store`](Self::store)
    /// does by each lane.
    ///
    /// ```
    /// # use half::{bf16, f16};
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [bf16]) {
    ///     let tile = SharedTile::<bf16, 16, 16, Swizzle32>::new();
    ///     let sums = FragmentC::<f32, 16, 16>::fill(1.5);
    ///     sums.to::<bf16>().store_matrix(tile, 0, 0);
    ///     sync_warp(FULL_MASK);
    ///     out[thread_idx.x] = tile[[thread_idx.x / 2, 7]];
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<bf16>(32)?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [bf16::from_f32(1.5); 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn store_matrix<S: Target<Element = T::Storage>>(
        self,
        target: S,
        row: impl IndexValue,
        column: impl IndexValue,
    ) {
        here();
        if T::BITS != 16 || S::SPACE != Space::Shared || target.alignment() != 16 {
            with(|b| {
                b.error(
                    "`stmatrix` stores 16-bit elements to rows of 16 bytes in shared memory",
                    "convert with `.to::<bf16>()` and store to a SharedTile, or use `store`",
                );
            });
            return;
        }
        let (row, column) = (row.parts(), column.parts());
        let start = with(|b| {
            let warp = warp_row(b, self.layout_here().warps());
            let row = word(b, row);
            (add(b, row, warp), word(b, column))
        });
        let registers: Vec<Value> = self.registers().into_iter().map(Value::Register).collect();
        let lines = self.layout_here().lines();
        for (which, words) in registers.chunks(4).enumerate() {
            let steps = if lines == 1 { [(0, 8), (0, 16)] } else { [(8, 0), (0, 8)] };
            let at = with(|b| {
                let lane = row_of_lane(b, S::BY_ROWS, words.len(), steps);
                let columns = 8 * 4 / lines * which as u32;
                let at = plus(b, start, lane);
                (at.0, add(b, at.1, constant(columns)))
            });
            let place = target.spot(index(at.0), index(at.1), 8);
            with(|b| store_rows(b, place, !S::BY_ROWS, words));
        }
    }
}

/// Stores two adjacent scalars at once.
fn store_pair<U>(b: &mut Builder, place: Place<U>, pair: [Value; 2], scalar: ScalarType) {
    let name = format!("st.{}.v2.{}", place.space.word(), memory_type(scalar).name());
    let list = pair.iter().map(|value| b.operand(*value, scalar)).collect();
    let operands = vec![place.operand(b), Operand::Vector(list)];
    b.emit(&name, operands);
}

/// A type to which f32 sums are rounded, two at a time.
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
            let to = FragmentC::<T, M, N>::declare_of(b, false, self.width());
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

    /// Reduces the rows of this lane's elements over adjacent fragments.
    fn reduced(
        side_by_side: &[Self],
        combine: impl Fn(Var<f32>, Var<f32>) -> Var<f32>,
    ) -> [Var<f32>; 2] {
        std::array::from_fn(|line| {
            let mut sum: Option<Var<f32>> = None;
            for fragment in side_by_side {
                for i in (0..fragment.layout_here().elements()).filter(|i| Self::row_of(*i) == line)
                {
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

    /// The largest elements of this lane's two rows: reduces the lane's own elements, then those of its quad by two shuffles.
    /// Element `i` belongs to row [`row_of`](Self::row_of)`(i)` of the two.
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

    /// The sums of this lane's two rows: adds the lane's own elements from left to right, then those of its quad by two shuffles.
    #[track_caller]
    pub fn row_sum(self) -> [Var<f32>; 2] {
        here();
        Self::reduced(&[self], |x, y| x + y)
    }

    /// [`row_max`](Self::row_max) of adjacent fragments, with two shuffles for all of them.
    #[track_caller]
    pub fn row_max_of<const COUNT: usize>(fragments: [Self; COUNT]) -> [Var<f32>; 2] {
        here();
        Self::reduced(&fragments, |x, y| x.max(y))
    }

    /// [`row_sum`](Self::row_sum) of adjacent fragments, with two shuffles for all of them.
    #[track_caller]
    pub fn row_sum_of<const COUNT: usize>(fragments: [Self; COUNT]) -> [Var<f32>; 2] {
        here();
        Self::reduced(&fragments, |x, y| x + y)
    }
}

impl<T: MatrixElement, const M: u32, const N: u32> FragmentC<T, M, N> {
    /// Which of the lane's two rows element `i` belongs to: 0 or 1.
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
