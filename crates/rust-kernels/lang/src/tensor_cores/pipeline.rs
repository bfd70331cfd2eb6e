//! Pipelines of asynchronous copies (`cp.async`, from sm_80): a thread's copies are committed by groups,
//! one per stage, and waited for in order. The number in `cp.async.wait_group` follows from what is in
//! flight, so that it cannot be wrong.

mod copies;

use super::element::MatrixElement;
use super::source::Matrix;
use super::swizzle::SwizzleMode;
use super::tile::SharedTile;
use super::words::word;
use crate::current::{here, with};
use crate::memory::{Extent, IndexValue, Place, ReadPlace};
use crate::number::Element;
use crate::var::{IntoVar, Read};
use copies::{copy, copy_tile};
use lanework_ptx::Operand;

/// A pipeline of copies from global to shared memory with `STAGES` buffers.
///
/// Copies started by [`copy16`](Self::copy16) and its like belong to the group that the next
/// [`commit`](Self::commit) ends; [`wait`](Self::wait) waits for the oldest group. At most `STAGES`
/// groups may be in flight, and every iteration of a loop has to commit as many as it waits for;
/// otherwise staging fails.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// /// Sums 64 elements of each of 16 rows, while the next 64 are on their way.
/// #[kernel(block = 32)]
/// fn example(x: &[f32], out: &mut [f32], steps: u32) {
///     let stages = SharedTiles::<f32, 16, 32>::new(2);
///     let pipe = CopyPipeline::<2>::new();
///     let me = (thread_idx.x, 32);
///     let x = x.matrix(steps * 32);
///     pipe.copy_tile(stages[0], x, (0, 0), me);
///     pipe.commit();
///     let mut sum = 0.0;
///     for step in 0..steps {
///         if step + 1 < steps {
///             pipe.copy_tile(stages[(step + 1) % 2], x, (0, (step + 1) * 32), me);
///         }
///         pipe.commit(); // an empty group at the end
///         pipe.wait(); // cp.async.wait_group 1
///         sync_threads();
///         for i in 0..32u32 {
///             sum += stages[step % 2][[thread_idx.x % 16, i]];
///         }
///         sync_threads();
///     }
///     out[thread_idx.x] = sum;
/// }
/// # let device = Device::emulator();
/// # let x: Vec<f32> = (0..16 * 96).map(|i| (i / 96) as f32).collect();
/// # let x = device.upload(&x)?;
/// # let mut out = device.zeros::<f32>(32)?;
/// # example(&x, &mut out, 3).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[5], 96.0 * 5.0);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CopyPipeline<const STAGES: u32> {
    id: u32,
}

impl<const STAGES: u32> crate::data::Functions for CopyPipeline<STAGES> {
    type Of = Self;
}

impl<const STAGES: u32> Read for CopyPipeline<STAGES> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

macro_rules! copies {
    ($($(#[$doc:meta])* $name:ident $filled:ident $cache:literal $bytes:literal;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Element>(self, to: Place<T>, from: impl Into<ReadPlace<T>>) {
            here();
            let from = from.into().place;
            with(|b| copy(b, ($cache, $bytes), to, from, None));
        }

        /// The same, but only the first `have` bytes are read and the rest is filled with zeros; with
        /// 0, nothing is read and `from` may be any place.
        #[track_caller]
        pub fn $filled<T: Element>(
            self,
            to: Place<T>,
            from: impl Into<ReadPlace<T>>,
            have: impl IntoVar<u32>,
        ) {
            here();
            let (from, have) = (from.into().place, have.into_var().value);
            with(|b| copy(b, ($cache, $bytes), to, from, Some(have)));
        }
    )*};
}

impl<const STAGES: u32> CopyPipeline<STAGES> {
    /// A pipeline with nothing in flight.
    #[allow(clippy::new_without_default)]
    #[track_caller]
    pub fn new() -> Self {
        here();
        with(|b| {
            if STAGES == 0 {
                b.error("a pipeline of 0 stages holds no copies", "give it at least 1 stage");
            }
            CopyPipeline { id: b.flight.pipeline() }
        })
    }

    copies! {
        /// Starts copying 4 bytes to shared memory, both places aligned to 4 (`cp.async.ca`).
        copy4 copy4_filled "ca" 4;
        /// Starts copying 8 bytes to shared memory, both places aligned to 8 (`cp.async.ca`).
        copy8 copy8_filled "ca" 8;
        /// Starts copying 16 bytes to shared memory past the L1 cache, both places aligned to 16
        /// (`cp.async.cg`).
        copy16 copy16_filled "cg" 16;
        /// Starts copying 16 bytes to shared memory through the L1 cache, both places aligned to 16
        /// (`cp.async.ca`): for data that the multiprocessor reads again.
        copy16_cached copy16_cached_filled "ca" 16;
    }

    /// Starts copying a tile of `source` from row `row` and column `column` on, 16 bytes at a time: this
    /// thread's part, as number `thread` of `threads`.
    #[track_caller]
    pub fn copy_tile<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode>(
        self,
        tile: SharedTile<T, R, C, S>,
        source: impl Into<Matrix<T::Storage>>,
        (row, column): (impl IndexValue, impl IndexValue),
        (thread, threads): (impl IndexValue, impl Extent),
    ) {
        here();
        let at = with(|b| (word(b, row.parts()), word(b, column.parts())));
        let turn = (thread.parts(), threads.extent());
        copy_tile(tile, source.into(), at, turn, None);
    }

    /// As [`copy_tile`](Self::copy_tile), with zeros for rows from `rows` on and for columns beyond the
    /// matrix's.
    ///
    /// ```
    /// # use half::{bf16, f16};
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     let tile = SharedTile::<f32, 16, 32>::new();
    ///     let pipe = CopyPipeline::<1>::new();
    ///     // 10 rows of 20 columns.
    ///     pipe.copy_tile_filled(tile, x.matrix(20), (0, 0), (thread_idx.x, 32), 10);
    ///     pipe.commit();
    ///     pipe.wait();
    ///     sync_threads();
    ///     out[thread_idx.x] = tile[[9, thread_idx.x]];
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[1.0f32; 200])?;
    /// # let mut out = device.zeros::<f32>(32)?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[18..22], [1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn copy_tile_filled<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode>(
        self,
        tile: SharedTile<T, R, C, S>,
        source: impl Into<Matrix<T::Storage>>,
        (row, column): (impl IndexValue, impl IndexValue),
        (thread, threads): (impl IndexValue, impl Extent),
        rows: impl IndexValue,
    ) {
        here();
        let at = with(|b| (word(b, row.parts()), word(b, column.parts())));
        let turn = (thread.parts(), threads.extent());
        let rows = with(|b| word(b, rows.parts()));
        copy_tile(tile, source.into(), at, turn, Some(rows));
    }

    /// Ends the group of the copies started since the last one, which may be empty
    /// (`cp.async.commit_group`).
    #[track_caller]
    pub fn commit(self) {
        here();
        with(|b| {
            if b.flight.outstanding(self.id) >= STAGES as usize {
                b.error(
                    format!("{} groups of copies are in flight in a pipeline of {STAGES} stages", STAGES + 1),
                    "wait for the oldest before this one is committed, or give the pipeline more stages",
                );
            } else {
                b.flight.commit(self.id);
            }
            b.emit("cp.async.commit_group", vec![]);
        });
    }

    /// Waits until the copies of this thread's oldest group are done; later groups stay in flight
    /// (`cp.async.wait_group`). Other threads see what was copied after a barrier, such as
    /// `sync_threads`.
    #[track_caller]
    pub fn wait(self) {
        here();
        with(|b| match b.flight.wait(self.id) {
            Some(later) => b.emit("cp.async.wait_group", vec![Operand::integer(later as u64)]),
            None => b.error(
                "no group of this pipeline is in flight here",
                "commit one before each wait; the stages filled before a loop are committed there",
            ),
        });
    }

    /// Waits for all of this thread's copies, of other pipelines too (`cp.async.wait_group 0`).
    #[track_caller]
    pub fn wait_all(self) {
        here();
        with(|b| {
            b.flight.wait_all();
            b.emit("cp.async.wait_group", vec![Operand::integer(0)]);
        });
    }
}
