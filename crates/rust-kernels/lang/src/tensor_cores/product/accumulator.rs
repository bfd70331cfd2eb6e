//! `wgmma`: four warps multiply matrices in shared memory asynchronously and sum the products in their
//! registers (sm_90a).
//!
//! Also chains of products, as in flash attention: sums can become the left factor of the next product, be read while later products
//! run, or be scaled in place.

use crate::data::variable::{AssignTo, IntoVariable, Receive};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{here, with};
use crate::emit::value::{Register, Value};
use crate::memory::registers::Get;
use crate::scalar::number::Extent;
use crate::scalar::var::{IntoVar, Read};
use crate::tensor_cores::element::{MatrixElement, put};
use crate::tensor_cores::fragment::{FragmentA, FragmentC};
use crate::tensor_cores::product::GroupProduct;
use crate::tensor_cores::product::group::{self, GroupOperand, Left};
use lanework_ptx::{Operand, ScalarType};

/// The 64 x `N` sums of a warpgroup's products, in registers that the tensor cores may still be writing.
/// [`finish`](Self::finish) waits for them and returns a fragment that can be read.
///
/// It is a variable, declared with `let mut`; `N` is a multiple of 8 up to 256. The four warps of a
/// warpgroup (128 threads, starting at a multiple of 128) must execute every call together.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// /// `c = a * transpose(b)` of 64 x 64 elements.
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
///     let mut sums = Accumulator::<f32, 64>::zero();
///     sums.multiply(left, right.t());
///     sums.finish().store(c.matrix(64), 0, 0);
/// }
/// # let device = Device::emulator();
/// # let a: Vec<bf16> = (0..4096).map(|i| bf16::from_f32((i / 64) as f32)).collect();
/// # let a = device.upload(&a)?;
/// # let mut c = device.zeros::<f32>(4096)?;
/// # example(&a, &a, &mut c).grid(1).block(128).launch(&device)?;
/// assert_eq!(c.download()?[64 * 3 + 5], 64.0 * 3.0 * 5.0);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<D: MatrixElement, const N: u32> {
    pub(crate) registers: FragmentC<D, 64, N>,
}

impl<D: MatrixElement, const N: u32> crate::data::convert::Functions for Accumulator<D, N> {
    type Of = Self;
}

impl<D: MatrixElement, const N: u32> Read for Accumulator<D, N> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

impl<D: MatrixElement, const N: u32> Receive for Accumulator<D, N> {
    type Receiver = Self;
    fn receive(self) -> Self {
        self
    }
}

impl<D: MatrixElement, const N: u32> IntoVariable for Accumulator<D, N> {
    type Variable = Self;
    fn into_variable(self) -> Self {
        self.check_readable();
        Accumulator { registers: self.registers.into_variable() }
    }
}

impl<D: MatrixElement, const N: u32> AssignTo<Accumulator<D, N>> for Accumulator<D, N> {
    #[track_caller]
    fn assign_to(self, variable: Self) {
        here();
        self.check_readable();
        AssignTo::<FragmentC<D, 64, N>>::assign_to(self.registers, variable.registers);
    }
}

/// Sums that no product is writing. An accumulator never implements it.
#[diagnostic::on_unimplemented(
    message = "sums are read while the tensor cores may still be writing them",
    label = "not finished",
    note = "`let sums = accumulator.finish();` waits for the products; then read `sums[i]`"
)]
pub trait Finished {}

impl<D: MatrixElement, const N: u32, I: Extent> Get<I> for Accumulator<D, N>
where
    Self: Finished,
{
    type Output = <FragmentC<D, 64, N> as Get<I>>::Output;

    fn get(&self, index: I) -> Self::Output {
        self.registers.get(index)
    }
}

impl<D: MatrixElement, const N: u32> Accumulator<D, N> {
    /// Zeros.
    #[track_caller]
    pub fn zero() -> Self {
        Accumulator { registers: FragmentC::zero() }
    }

    /// Zeros with this number of columns, for a type that leaves them open ([`STAGED`](crate::tensor_cores::STAGED)).
    #[track_caller]
    pub fn zero_of(columns: impl Extent) -> Self {
        Accumulator { registers: FragmentC::zero_of(columns) }
    }

    /// Sums that start from a fragment's values: `sums = Accumulator::of(values)`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use half::bf16;
    /// use lanework::lang::tensor_cores::{GroupProduct, Narrow, SwizzleMode};
    ///
    /// /// `c += a * transpose(b)` of 64 x 64 elements, generic over types and swizzles. `rows` gets
    /// /// twice the product, rounded: one term has `a` in shared memory, the other has `a` in registers.
    /// #[kernel(block = 128)]
    /// fn example<T: GroupProduct<T, f32> + Narrow, S: SwizzleMode>(
    ///     a: &[T::Storage],
    ///     b: &[T::Storage],
    ///     c: &mut [f32],
    ///     rows: &mut [T::Storage],
    /// ) {
    ///     let (left, right) = (SharedTile::<T, 64, 64, S>::new(), SharedTile::<T, 64, 64, S>::new());
    ///     let pipe = CopyPipeline::<2>::new();
    ///     pipe.copy_tile(left, a.matrix(64), (0, 0), (thread_idx.x, 128));
    ///     pipe.commit();
    ///     pipe.copy_tile(right, b.matrix(64), (0, 0), (thread_idx.x, 128));
    ///     pipe.commit();
    ///     pipe.wait_all(); // both groups
    ///     fence_proxy_async_shared();
    ///     sync_threads();
    ///     let mut sums = Accumulator::<f32, 64>::of(FragmentC::load(c.matrix(64), 0, 0));
    ///     sums.multiply(left, right.t());
    ///     sums.finish().store(c.matrix(64), 0, 0);
    ///     let mut again = Accumulator::<f32, 64>::zero();
    ///     again.set_product(left, right.t()); // overwrites the sums instead of adding to them
    ///     let row = thread_idx.x / 32 * 16;
    ///     let parts = [
    ///         FragmentA::<T, 16, 16>::load(left, row, 0),
    ///         FragmentA::<T, 16, 16>::load(left, row, 16),
    ///         FragmentA::<T, 16, 16>::load(left, row, 32),
    ///         FragmentA::<T, 16, 16>::load(left, row, 48),
    ///     ];
    ///     again.multiply_fragments(parts, right.t());
    ///     let [first, _] = again.finish().row_sum();
    ///     again.finish().to::<T>().store(rows.matrix(64), 0, 0);
    ///     if first < 0.0 {
    ///         c[0] = first;
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let a = device.upload(&[bf16::from_f32(0.5); 4096])?;
    /// # let mut c = device.upload(&[1.0f32; 4096])?;
    /// # let mut rows = device.zeros::<bf16>(4096)?;
    /// # example::<bf16, Swizzle128>(&a, &a, &mut c, &mut rows).grid(1).block(128).launch(&device)?;
    /// assert_eq!(c.download()?, [17.0; 4096]);
    /// assert_eq!(rows.download()?, [bf16::from_f32(32.0); 4096]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn of(fragment: FragmentC<D, 64, N>) -> Self {
        here();
        Accumulator { registers: Read::copy(fragment) }
    }

    fn check_readable(self) {
        with(|b| {
            if self.registers.is_variable() {
                b.error(
                    "an accumulator's registers may still be written by the tensor cores",
                    "`finish()` waits for them and gives their value: `Accumulator::of(sums.finish())`",
                );
            }
        });
    }

    /// Starts `self += a * b`, with `a` of 64 x `K` and `b` of `K` x `N` in shared memory, and commits it
    /// as a group (`wgmma.fence`, a `wgmma.mma_async` per 32 bytes of K, `wgmma.commit_group`).
    ///
    /// `a` and `b` are tiles or `.t()` of tiles; only 16-bit elements may be stored with M or N contiguous. Threads
    /// that fill a tile with plain stores must call [`fence_proxy_async_shared`] before the barrier, so that the tensor cores see
    /// the stores. Tiles filled by TMA need no fence.
    ///
    /// [`fence_proxy_async_shared`]: crate::prelude::fence_proxy_async_shared
    #[track_caller]
    pub fn multiply<T, U, const K: u32>(
        self,
        a: impl GroupOperand<T, 64, K>,
        b: impl GroupOperand<U, K, N>,
    ) where
        T: GroupProduct<U, D>,
        U: MatrixElement,
    {
        here();
        group::stage::<T, D>(self.registers.into(), K, Left::Shared(a.stored()), b.stored(), true);
    }

    /// Starts `self = a * b`, as [`multiply`](Self::multiply) starts `self += a * b`.
    #[track_caller]
    pub fn set_product<T, U, const K: u32>(
        self,
        a: impl GroupOperand<T, 64, K>,
        b: impl GroupOperand<U, K, N>,
    ) where
        T: GroupProduct<U, D>,
        U: MatrixElement,
    {
        here();
        group::stage::<T, D>(self.registers.into(), K, Left::Shared(a.stored()), b.stored(), false);
    }

    /// Starts `self += a * b` with `a` from registers: each warp holds its 16 rows, in one fragment per 32 bytes of K.
    #[track_caller]
    pub fn multiply_fragments<T, U, const K: u32, const STEP: u32, const COUNT: usize>(
        self,
        a: [FragmentA<T, 16, STEP>; COUNT],
        b: impl GroupOperand<U, K, N>,
    ) where
        T: GroupProduct<U, D>,
        U: MatrixElement,
    {
        here();
        with(|b| {
            if STEP * T::BITS != 256 || STEP * COUNT as u32 != K {
                b.error(
                    format!("{COUNT} fragments of 16 x {STEP} do not fit the {K} rows of `b`"),
                    format!("give {} fragments of 16 x {}", K * T::BITS / 256, 256 / T::BITS),
                );
            }
        });
        let fragments = a.iter().map(|fragment| fragment.operand()).collect();
        group::stage::<T, D>(
            self.registers.into(),
            K,
            Left::Registers(fragments),
            b.stored(),
            true,
        );
    }

    /// Waits until all but the latest `pending` groups of this warpgroup's products are complete (`wgmma.wait_group`):
    /// the shared memory that they read may be overwritten.
    #[track_caller]
    pub fn wait(self, pending: impl Extent) {
        here();
        with(|b| match pending.extent().filter(|pending| *pending <= 7) {
            Some(pending) => {
                let pending = Operand::integer(pending as u64);
                b.emit("wgmma.wait_group.sync.aligned", vec![pending]);
                self.registers.written(b);
            }
            None => b.error("at most 7 groups stay unfinished", "wait for all but 0 to 7"),
        });
    }

    /// Waits for all of this warpgroup's products (`wgmma.wait_group 0`), and returns the sums.
    #[track_caller]
    pub fn finish(self) -> FragmentC<D, 64, N> {
        self.finish_before(0u32)
    }

    /// Like [`finish`](Self::finish), but the latest `pending` groups of this warpgroup's products may still run. They must belong
    /// to other accumulators.
    ///
    /// ```
    /// # use half::bf16;
    /// # use lanework::prelude::*;
    /// /// Twice `a * transpose(a)` of 64 x 64 elements, by two products that run together.
    /// #[kernel(block = 128)]
    /// fn example(a: &[bf16], c: &mut [f32]) {
    ///     let tile = SharedTile::<bf16, 64, 64>::new();
    ///     let pipe = CopyPipeline::<1>::new();
    ///     pipe.copy_tile(tile, a.matrix(64), (0, 0), (thread_idx.x, 128));
    ///     pipe.commit();
    ///     pipe.wait();
    ///     fence_proxy_async_shared();
    ///     sync_threads();
    ///     let mut first = Accumulator::<f32, 64>::zero();
    ///     let mut second = Accumulator::<f32, 64>::zero();
    ///     first.set_product(tile, tile.t());
    ///     second.set_product(tile, tile.t());
    ///     let mut sums = first.finish_before(1); // the second product may still run
    ///     let others = second.finish();
    ///     #[unroll]
    ///     for i in 0..32u32 {
    ///         sums[i] = sums[i] + others[i];
    ///     }
    ///     sums.store(c.matrix(64), 0, 0);
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let a = device.upload(&[bf16::ONE; 4096])?;
    /// # let mut c = device.zeros::<f32>(4096)?;
    /// # example(&a, &mut c).grid(1).block(128).launch(&device)?;
    /// assert_eq!(c.download()?, [128.0; 4096]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn finish_before(self, pending: impl Extent) -> FragmentC<D, 64, N> {
        self.wait(pending);
        here();
        Read::copy(self.registers)
    }
}

impl<D: MatrixElement, const N: u32> Accumulator<D, N> {
    /// Starts `self += a * b` with `a` from the registers of earlier results, rounded to 16 bits, as in flash
    /// attention. The registers must not be used until the product has been waited for.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use half::bf16;
    ///
    /// /// `c = (a * transpose(b)) * b` of 64 x 64 elements; the scores are computed again
    /// /// while the first product with `b` runs, and the sums are scaled in between.
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
                    format!("sums of {} cannot be a left factor", T::NAME),
                    "round them: `sums.to::<bf16>()`",
                );
            }
        });
        // Two results of 8 columns have the layout of a factor of 16 columns.
        let list = |four: &[Register]| four.iter().map(|register| register.name().into()).collect();
        let fragments = a.registers().chunks(4).map(|four| Operand::Vector(list(four))).collect();
        group::stage::<T, D>(
            self.registers.into(),
            K,
            Left::Registers(fragments),
            b.stored(),
            true,
        );
    }

    /// Waits for all but the latest `pending` groups of this warpgroup's products, which must belong to other accumulators,
    /// and returns the sums, which can be read while those products run. [`multiply_sums`](Self::multiply_sums) shows it.
    #[track_caller]
    pub fn finish_ahead_of(self, pending: impl Extent) -> FragmentC<D, 64, N> {
        self.wait(pending);
        here();
        Read::copy(self.registers)
    }
}

impl<const N: u32> Accumulator<f32, N> {
    /// Multiplies each of this lane's two rows by its factor, in place. Call it after [`wait`](Self::wait)`(0)`. Each warp
    /// may decide independently whether to call it.
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
