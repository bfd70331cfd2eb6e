//! Products of a warpgroup one after the other: sums that are the left factor of the next product, that are read while later
//! products run, and that are scaled in place. What flash attention does between its two products.

use super::accumulator::Accumulator;
use super::descriptor::GroupOperand;
use super::element::MatrixElement;
use super::fragment::FragmentC;
use super::group::{self, Left};
use super::packing::put;
use super::products::GroupProduct;
use crate::arithmetic::binary;
use crate::current::{here, with};
use crate::memory::Extent;
use crate::operation::Operation;
use crate::value::{Register, Value};
use crate::var::{IntoVar, Read};
use lanework_ptx::{Operand, ScalarType};

impl<D: MatrixElement, const N: u32> Accumulator<D, N> {
    /// Starts `self += a * b` with `a` from the registers of earlier results, rounded to 16 bits: what flash attention
    /// does between its two products. The registers are the product's until it has been waited for.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use half::bf16;
    ///
    /// /// `c = (a * transpose(b)) * b` of 64 x 64 elements; the second product starts before the first one's sums are
    /// /// scaled, and a third one with them afterwards.
    /// #[kernel(block = 128)]
    /// fn example(a: &[bf16], b: &[bf16], c: &mut [f32]) {
    ///     let (left, right) = (SharedTile::<bf16, 64, 64>::new(), SharedTile::<bf16, 64, 64>::new());
    ///     let pipe = CopyPipeline::<1>::new();
    ///     pipe.copy_tile(left, a.matrix(64), (0, 0), (thread_idx.x, 128));
    ///     pipe.copy_tile(right, b.matrix(64), (0, 0), (thread_idx.x, 128));
    ///     pipe.commit();
    ///     pipe.wait();
    ///     fence_proxy_async_shared();
    ///     sync_threads();
    ///     let mut scores = Accumulator::<f32, 64>::zero();
    ///     scores.set_product(left, right.t());
    ///     let weights = scores.finish().to::<bf16>();
    ///     let mut sums = Accumulator::<f32, 64>::zero();
    ///     scores.set_product(left, right.t());
    ///     sums.multiply_sums(weights, right);
    ///     let again = scores.finish_ahead_of(1); // the product of `sums` still runs
    ///     sums.wait(0);
    ///     sums.scale_rows([0.5, 0.5]);
    ///     sums.multiply_sums(again.to::<bf16>(), right);
    ///     sums.finish().store(c.matrix(64), 0, 0);
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let a = device.upload(&[bf16::from_f32(0.25); 4096])?;
    /// # let b = device.upload(&[bf16::from_f32(0.5); 4096])?;
    /// # let mut c = device.zeros::<f32>(4096)?;
    /// # example(&a, &b, &mut c).grid(1).block(128).launch(&device)?;
    /// assert_eq!(c.download()?, [1.5 * 64.0 * 8.0 * 0.5; 4096]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn multiply_sums<T, U, const K: u32>(
        self,
        a: FragmentC<T, 64, K>,
        b: impl GroupOperand<U, K, N>,
    ) where
        T: GroupProduct<U, D>,
        U: MatrixElement,
    {
        here();
        with(|b| {
            if T::BITS != 16 {
                b.error(
                    format!("sums of {} are not a left factor", T::NAME),
                    "round them: `sums.to::<bf16>()`",
                );
            }
        });
        // Two results of 8 columns lie as a factor of 16 columns does.
        let list = |four: &[Register]| four.iter().map(|register| register.name().into()).collect();
        let fragments = a.registers().chunks(4).map(|four| Operand::Vector(list(four))).collect();
        group::stage::<T, U, D, N>(self.registers, K, Left::Registers(fragments), b.stored(), true);
    }

    /// Waits for all but the latest `pending` groups of this warpgroup's products, which are other accumulators', and gives
    /// the sums: they are read while those products run. [`multiply_sums`](Self::multiply_sums) shows it.
    #[track_caller]
    pub fn finish_ahead_of(self, pending: impl Extent) -> FragmentC<D, 64, N> {
        self.wait(pending);
        here();
        Read::copy(self.registers)
    }
}

impl<const N: u32> Accumulator<f32, N> {
    /// Multiplies each of the two rows that this lane has elements of by its factor, in place, when [`wait`](Self::wait)`(0)`
    /// has waited for the products. Each warp may decide by itself whether it does so.
    #[track_caller]
    pub fn scale_rows(self, factors: [impl IntoVar<f32>; 2]) {
        here();
        let factors = factors.map(|factor| factor.into_var().value);
        with(|b| {
            for (i, register) in self.registers.registers().into_iter().enumerate() {
                let factor = factors[FragmentC::<f32, 64, N>::row_of(i as u32)];
                let ty = ScalarType::F32;
                let product = binary(b, Operation::Mul, ty, Value::Register(register), factor);
                put(b, register, product, ty);
            }
        });
    }
}
