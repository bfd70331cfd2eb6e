//! Results of products stored to memory: by each lane, or by `stmatrix`.

use super::element::{MatrixElement, unit_bits};
use super::fragment::FragmentC;
use super::lanes::{index, plus, row_of_lane};
use super::rows::store_rows;
use super::source::Target;
use super::words::{add, constant, position, warp_row, word};
use crate::builder::Builder;
use crate::current::{here, with};
use crate::memory::{IndexValue, Place, Space};
use crate::scalar::Scalar;
use crate::value::{Value, memory_type};
use lanework_ptx::{Operand, ScalarType};

impl<T: MatrixElement, const M: u32, const N: u32> FragmentC<T, M, N> {
    /// Stores to the matrix's rows `row` and columns `column` on: each lane its elements, two side by
    /// side in one access where they lie so.
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
        let layout = Self::layout();
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
            let warp = warp_row(b, Self::layout().warps());
            let row = word(b, row);
            (add(b, row, warp), word(b, column))
        });
        let registers: Vec<Value> = self.registers().into_iter().map(Value::Register).collect();
        let lines = Self::layout().lines();
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

/// Two scalars side by side in one store.
fn store_pair<U>(b: &mut Builder, place: Place<U>, pair: [Value; 2], scalar: ScalarType) {
    let name = format!("st.{}.v2.{}", place.space.word(), memory_type(scalar).name());
    let list = pair.iter().map(|value| b.operand(*value, scalar)).collect();
    let operands = vec![place.operand(b), Operand::Vector(list)];
    b.emit(&name, operands);
}
