//! Pipelines of asynchronous copies (`cp.async`, from sm_80): a thread commits its copies in groups,
//! one per stage, and waits for them in order. Staging computes the number in `cp.async.wait_group` from the
//! groups in flight. Also a thread's part of the copies of a tile.

use crate::data::place::{Place, ReadPlace, Space};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::flow::branch::if_then;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::{Element, Extent, IndexValue};
use crate::scalar::var::{IntoVar, Read, Scalar, Var};
use crate::tensor_cores::element::MatrixElement;
use crate::tensor_cores::layout::{add, constant, mul, word};
use crate::tensor_cores::tile::SharedTile;
use crate::tensor_cores::tile::source::{Matrix, Source};
use crate::tensor_cores::tile::swizzle::SwizzleMode;
use lanework_ptx::{Operand, ScalarType};

/// A pipeline of copies from global to shared memory with `STAGES` buffers.
///
/// Copies started by [`copy16`](Self::copy16) and similar methods belong to the group that the next
/// [`commit`](Self::commit) ends; [`wait`](Self::wait) waits for the oldest group. At most `STAGES`
/// groups may be in flight, and every iteration of a loop must commit as many groups as it waits for;
/// otherwise staging fails.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// /// Sums 64 elements of each of 16 rows while the next 64 are in flight.
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

impl<const STAGES: u32> crate::data::convert::Functions for CopyPipeline<STAGES> {
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

        /// As above, but reads only the first `have` bytes and fills the rest with zeros. If `have` is 0, it ignores `from`.
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
        /// Starts copying 16 bytes to shared memory, bypassing the L1 cache, both places aligned to 16 (`cp.async.cg`).
        copy16 copy16_filled "cg" 16;
        /// Starts copying 16 bytes to shared memory through the L1 cache, both places aligned to 16
        /// (`cp.async.ca`): for data that the multiprocessor reads again.
        copy16_cached copy16_cached_filled "ca" 16;
    }

    /// Starts to copy this thread's part of a tile of `source`, from row `row` and column `column` on, 16 bytes at a time. The
    /// thread is number `thread` of `threads`.
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

    /// Waits until the copies of this thread's oldest group are complete; later groups may stay in flight
    /// (`cp.async.wait_group`). Other threads see the copied data after a barrier, such as
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

    /// Waits for all of this thread's copies, including copies of other pipelines
    /// (`cp.async.wait_group 0`).
    #[track_caller]
    pub fn wait_all(self) {
        here();
        with(|b| {
            b.flight.wait_all();
            b.emit("cp.async.wait_group", vec![Operand::integer(0)]);
        });
    }
}

/// `cp.async` of `bytes`.
pub(crate) fn copy<T>(
    b: &mut Builder,
    (cache, bytes): (&str, u32),
    to: Place<T>,
    from: Place<T>,
    have: Option<Value>,
) {
    if to.space != Space::Shared || from.space != Space::Global {
        b.error("this copies from global to shared memory", "exchange the two places");
        return;
    }
    let mut operands = vec![to.operand(b), from.operand(b), Operand::integer(bytes)];
    operands.extend(have.map(|have| b.operand(have, ScalarType::U32)));
    b.emit(&format!("cp.async.{cache}.shared.global"), operands);
}

/// A thread's part of a tile's copies.
pub(crate) fn copy_tile<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode>(
    tile: SharedTile<T, R, C, S>,
    source: Matrix<T::Storage>,
    (row, column): (Value, Value),
    (thread, threads): (Index, Option<usize>),
    rows: Option<Value>,
) {
    let [line_count, columns] = tile.extents;
    let chunks = line_count * (columns * T::BITS / 128).max(1);
    let threads = threads.and_then(|threads| u32::try_from(threads).ok()).unwrap_or(0);
    if threads == 0 {
        with(|b| b.error("no threads share the copies of this tile", "give at least 1"));
        return;
    }
    let thread = with(|b| word(b, thread));
    for turn in 0..chunks.div_ceil(threads) {
        let linear = with(|b| add(b, thread, constant(turn * threads)));
        let one = || copy_chunk(tile, source, (row, column), linear, rows);
        if (turn + 1) * threads <= chunks {
            one();
        } else {
            // In the last round, some threads have nothing to copy.
            let has = with(|b| relate(b, Relation::Lt, ScalarType::U32, linear, constant(chunks)));
            if_then(Var::<bool>::new(has), one);
        }
    }
}

/// Starts copy number `linear` of a tile, counted along rows.
fn copy_chunk<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode>(
    tile: SharedTile<T, R, C, S>,
    source: Matrix<T::Storage>,
    (row, column): (Value, Value),
    linear: Value,
    rows: Option<Value>,
) {
    let ty = ScalarType::U32;
    let in_row = (tile.extents[1] * T::BITS / 128).max(1);
    let scalars = 16 / T::Storage::SCALAR.size();
    let index = |value| Index { value, ty };
    let (line, chunk, at, have) = with(|b| {
        let line = binary(b, Operation::Div, ty, linear, constant(in_row));
        let chunk = binary(b, Operation::Rem, ty, linear, constant(in_row));
        let chunk = mul(b, chunk, scalars);
        let mut at = (add(b, row, line), add(b, column, chunk));
        let have = rows.map(|rows| {
            let down = relate(b, Relation::Lt, ty, at.0, rows);
            let across = relate(b, Relation::Lt, ty, at.1, source.columns);
            let inside = binary(b, Operation::And, ScalarType::Pred, down, across);
            at = (select(b, inside, at.0, 0), select(b, inside, at.1, 0));
            select(b, inside, constant(16), 0)
        });
        (line, chunk, at, have)
    });
    let to = tile.spot(index(line), index(chunk), scalars);
    let from = source.spot(index(at.0), index(at.1), scalars);
    with(|b| copy(b, ("cg", 16), to, from, have));
}

/// `condition ? value : other`.
fn select(b: &mut Builder, condition: Value, value: Value, other: u32) -> Value {
    let ty = ScalarType::U32;
    match condition {
        Value::Constant(0) => constant(other),
        Value::Constant(_) => value,
        _ => {
            let inputs = [(value, ty), (constant(other), ty), (condition, ScalarType::Pred)];
            b.pure("selp.u32", ty, &inputs)
        }
    }
}
