//! Copies of tensor tiles by the tensor memory accelerator (PTX manual, "cp.async.bulk.tensor"): loads that signal an
//! mbarrier, stores and reductions that a thread waits for in bulk groups, and prefetches. Elements outside of the tensor
//! are read as zero (or as the map says) and not written.
//!
//! Also copies of four rows of a matrix by their numbers (PTX manual, "tile::gather4" and "tile::scatter4"; sm_100), and loads
//! of pixels for convolutions (PTX manual, "im2col mode"): such a load visits a box of pixels in each image and shifts every
//! position by the same offset, which selects a tap of the filter.

use crate::asynchrony::mbarrier::Signal;
use crate::asynchrony::part::{IntoPart, Part, handle};
use crate::asynchrony::tensor_map::{Map, TileAt};
use crate::emit::current::{here, with};
use crate::emit::value::Index;
use crate::scalar::number::{Element, IndexValue};
use crate::scalar::var::{IntoVar, Var};
use std::marker::PhantomData;

/// A tensor that is copied by tiles: a parameter `x: &TensorMap<T, R>`, or `y: &mut TensorMapMut<T, R>` (`WRITTEN`).
///
/// ```
/// # use lanework::prelude::*;
/// /// Adds 1 to each element, tile by tile.
/// #[kernel(block = 64)]
/// fn example(x: &TensorMap<f32, 2>, y: &mut TensorMapMut<f32, 2>) {
///     let tile = shared::<f32>([8, 8]);
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     let at = (block_idx.y * 8, block_idx.x * 8); // row, column
///     if thread_idx.x == 0 {
///         full.arrive_expect(tile.bytes());
///         x.load(&tile, at, &full);
///     }
///     filled.wait();
///     let (row, column) = (thread_idx.x / 8, thread_idx.x % 8);
///     tile[[row, column]] = tile[[row, column]] + 1.0;
///     fence_proxy_async_shared();
///     sync_threads();
///     if thread_idx.x == 0 {
///         y.store(&tile, at);
///         bulk_commit();
///         bulk_wait_read(0);
///     }
/// }
///
/// # let device = Device::emulator().sanitized();
/// let x = device.upload(&[1.0f32; 20 * 12])?;
/// let mut y = device.zeros::<f32>(20 * 12)?;
/// let tiles = Tiles::new([20, 12], [8, 8]); // elements outside are read as 0 and not written
/// let (from, to) = (TensorMap::new(&x, &tiles)?, TensorMapMut::new(&mut y, &tiles)?);
/// example(&from, to).grid((2, 3)).block(64).launch(&device)?;
/// assert_eq!(y.download()?, [2.0; 20 * 12]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct TensorTiles<T, const R: usize, const WRITTEN: bool> {
    map: Map,
    element: PhantomData<fn() -> T>,
}

handle!(TensorTiles<T>[R: usize, WRITTEN: bool]);

/// A tensor that the kernel writes.
#[diagnostic::on_unimplemented(
    message = "this tensor map is read-only",
    label = "cannot be written",
    note = "declare the parameter as `&mut TensorMapMut<T, R>`, and make its map by `TensorMapMut::new(&mut buffer, ..)`"
)]
pub trait WrittenTensor {}

impl<T, const R: usize> WrittenTensor for TensorTiles<T, R, true> {}

/// Declares the parameter `name: &TensorMap<T, R>` or `&mut TensorMapMut<T, R>`.
pub fn tensor_tiles<T: Element, const R: usize, const WRITTEN: bool>(
    name: &'static str,
) -> TensorTiles<T, R, WRITTEN> {
    TensorTiles { map: Map::parameter::<T>(name, R, WRITTEN), element: PhantomData }
}

macro_rules! reductions {
    ($($name:ident $op:literal $doc:literal;)*) => {$(
        #[doc = $doc]
        #[track_caller]
        pub fn $name<const D: usize>(self, from: impl IntoPart<T, D>, at: impl TileAt<R>)
        where
            Self: WrittenTensor,
        {
            here();
            self.map.store(from.into_part(), &at.coordinates(), Some($op));
        }
    )*};
}

impl<T: Element, const R: usize, const WRITTEN: bool> TensorTiles<T, R, WRITTEN> {
    pub(crate) fn map(self) -> Map {
        self.map
    }

    /// Starts to copy the tile at `at` into shared memory, and announces its bytes to `signal` (`cp.async.bulk.tensor`).
    #[track_caller]
    pub fn load<const D: usize>(
        self,
        to: impl IntoPart<T, D>,
        at: impl TileAt<R>,
        signal: impl Signal,
    ) {
        here();
        self.map.load(to.into_part(), &at.coordinates(), None, signal);
    }

    /// As [`load`](Self::load), with untyped coordinates.
    pub(crate) fn load_part(self, to: Part<T, 2>, at: &[Index; R], signal: impl Signal) {
        self.map.load(to, at, None, signal);
    }

    /// As [`store`](Self::store), with untyped coordinates.
    pub(crate) fn store_part(self, from: Part<T, 2>, at: &[Index; R]) {
        self.map.store(from, at, None);
    }

    /// Starts to fetch the tile at `at` into the L2 cache.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Scales tiles in place, fetches the next one ahead, and keeps the lines in L2.
    /// #[kernel(block = 64)]
    /// fn example(x: &mut TensorMapMut<f32, 2>) {
    ///     let tile = shared::<f32>([8, 8]);
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     let kept = l2_policy(Evict::Last, 1.0);
    ///     for row in 0..2u32 {
    ///         if thread_idx.x == 0 {
    ///             x.prefetch_map();
    ///             full.arrive_expect(tile.bytes());
    ///             x.with_policy(kept).load(&tile, (8 * row, 0), &full);
    ///             x.prefetch((8 * row + 8, 0));
    ///         }
    ///         filled.wait();
    ///         let (row_of, column) = (thread_idx.x / 8, thread_idx.x % 8);
    ///         tile[[row_of, column]] *= 2.0;
    ///         fence_proxy_async_shared();
    ///         sync_threads();
    ///         if thread_idx.x == 0 {
    ///             x.store(&tile, (8 * row, 0));
    ///             bulk_commit();
    ///             bulk_wait(0);
    ///         }
    ///         sync_threads();
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let mut x = device.upload(&[1.0f32; 128])?;
    /// example(TensorMapMut::new(&mut x, &Tiles::new([16, 8], [8, 8]))?).grid(1).block(64).launch(&device)?;
    /// assert_eq!(x.download()?, [2.0; 128]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn prefetch(self, at: impl TileAt<R>) {
        here();
        self.map.prefetch_tile(&at.coordinates());
    }

    /// Starts to fetch the map itself (`prefetch.tensormap`).
    #[track_caller]
    pub fn prefetch_map(self) {
        here();
        self.map.prefetch();
    }

    /// Copies with this policy of the L2 cache; see [`l2_policy`](crate::prelude::l2_policy).
    #[must_use]
    pub fn with_policy(self, policy: Var<u64>) -> Self {
        Self { map: self.map.with_policy(policy.value), ..self }
    }

    /// Loads copy the tile to every block of the cluster whose bit is set, at the same shared-memory address in each, and
    /// signal the barrier at the same address in each.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// The first block of a cluster loads for both.
    /// #[kernel(block = 32, cluster = 2)]
    /// fn example(x: &TensorMap<u32, 1>, out: &mut [u32]) {
    ///     let tile = shared::<u32>(32);
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     if thread_idx.x == 0 {
    ///         full.arrive_expect(tile.bytes());
    ///         if cluster_rank() == 0 {
    ///             x.multicast(0b11).load(&tile, 32 * cluster_idx.x, &full);
    ///         }
    ///     }
    ///     filled.wait();
    ///     out[32 * block_idx.x + thread_idx.x] = tile[thread_idx.x];
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let x = device.upload(&(0..64).collect::<Vec<u32>>())?;
    /// # let mut out = device.zeros::<u32>(128)?;
    /// # let map = TensorMap::new(&x, &Tiles::new([64], [32]))?;
    /// # example(&map, &mut out).grid(4).block(32).launch(&device)?;
    /// let first: Vec<u32> = (0..32).collect();
    /// assert_eq!(out.download()?[..64], [&first[..], &first[..]].concat());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    #[must_use]
    pub fn multicast(self, blocks: impl IntoVar<u32>) -> Self {
        here();
        Self { map: self.map.multicast(blocks.into_var().value), ..self }
    }

    /// Starts to copy a tile from shared memory to `at`; the thread waits for it by
    /// [`bulk_wait`](crate::prelude::bulk_wait).
    #[track_caller]
    pub fn store<const D: usize>(self, from: impl IntoPart<T, D>, at: impl TileAt<R>)
    where
        Self: WrittenTensor,
    {
        here();
        self.map.store(from.into_part(), &at.coordinates(), None);
    }

    reductions! {
        reduce_add "add" "Starts to add a tile to the tensor's elements (`cp.reduce.async.bulk.tensor`).";
        reduce_min "min" "Starts to replace the tensor's elements by element-wise minima with a tile.";
        reduce_max "max" "Starts to replace the tensor's elements by element-wise maxima with a tile.";
        reduce_and "and" "Starts to combine a tile with the tensor's elements by `&`.";
        reduce_or "or" "Starts to combine a tile with the tensor's elements by `|`.";
        reduce_xor "xor" "Starts to combine a tile with the tensor's elements by `^`.";
    }
}

/// Reports a part that is not four rows.
fn four_rows<T: Element>(part: &Part<T, 2>) {
    if part.dims[0] != 4 {
        with(|b| {
            b.error(
                format!("four rows are copied at once, and this part has {}", part.dims[0]),
                "copy to and from a part of four rows: `shared::<T>([4, COLUMNS])`, or a slab of a larger array",
            );
        });
    }
}

/// The column and the rows, in the order of an array's dimensions: the fastest-varying last.
fn places(rows: [Index; 4], column: Index) -> [Index; 5] {
    let [a, b, c, d] = rows;
    [d, c, b, a, column]
}

impl<T: Element, const WRITTEN: bool> TensorTiles<T, 2, WRITTEN> {
    /// Starts to copy any four rows, from `column` on, into shared memory, and announces their bytes to `signal`
    /// (`cp.async.bulk.tensor.2d.tile::gather4`). The map's tile has one row: `Tiles::new(shape, [1, columns])`. Rows outside
    /// the tensor are read as zero. Needs sm_100.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Gathers rows of an embedding table by their numbers, four at a time.
    /// #[kernel(block = 32)]
    /// fn example(table: &TensorMap<f32, 2>, numbers: &[u32], out: &mut TensorMapMut<f32, 2>) {
    ///     let rows = shared::<f32>([4, 32]);
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     let i = block_idx.x * 4;
    ///     if thread_idx.x == 0 {
    ///         full.arrive_expect(rows.bytes());
    ///         let chosen = (numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]);
    ///         table.gather(&rows, chosen, 0, &full);
    ///     }
    ///     filled.wait();
    ///     if thread_idx.x == 0 {
    ///         out.scatter(&rows, (i + 3, i + 2, i + 1, i), 0);
    ///         bulk_commit();
    ///         bulk_wait(0);
    ///     }
    /// }
    ///
    /// # let device = Device::emulator().sanitized();
    /// let data: Vec<f32> = (0..100 * 32).map(|i| (i / 32) as f32).collect(); // each row holds its number
    /// let (x, numbers) = (device.upload(&data)?, device.upload(&[7u32, 99, 0, 7, 1, 2, 3, 50])?);
    /// let mut y = device.zeros::<f32>(8 * 32)?;
    /// let from = TensorMap::new(&x, &Tiles::new([100, 32], [1, 32]))?;
    /// let to = TensorMapMut::new(&mut y, &Tiles::new([8, 32], [1, 32]))?;
    /// example(&from, &numbers, to).grid(2).block(32).launch(&device)?;
    /// let first: Vec<f32> = y.download()?.chunks(32).map(|row| row[31]).collect();
    /// assert_eq!(first, [7.0, 0.0, 99.0, 7.0, 50.0, 3.0, 2.0, 1.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn gather(
        self,
        to: impl IntoPart<T, 2>,
        rows: impl TileAt<4>,
        column: impl IndexValue,
        signal: impl Signal,
    ) {
        here();
        let to = to.into_part();
        four_rows(&to);
        self.map().gather(to, &places(rows.coordinates(), column.parts()), signal);
    }

    /// Starts to copy four rows from shared memory to the rows numbered `rows`, from `column` on; the thread waits for it
    /// by [`bulk_wait`](crate::prelude::bulk_wait) (`cp.async.bulk.tensor.2d.tile::scatter4`). Rows outside the tensor are
    /// not written. Needs sm_100; see [`gather`](Self::gather).
    #[track_caller]
    pub fn scatter(self, from: impl IntoPart<T, 2>, rows: impl TileAt<4>, column: impl IndexValue)
    where
        Self: WrittenTensor,
    {
        here();
        let from = from.into_part();
        four_rows(&from);
        self.map().scatter(from, &places(rows.coordinates(), column.parts()));
    }
}

/// A tensor of images that is read by pixels: a parameter `x: &PixelMap<T, R>`. Its dimensions are images, one to three of space,
/// and channels.
///
/// ```
/// # use lanework::prelude::*;
/// /// Sums of 3 x 3 pixels, channel by channel; a block computes 16 pixels of images of 4 x 8.
/// #[kernel(block = 64)]
/// fn example(x: &PixelMap<f32, 4>, sums: &mut [f32]) {
///     let pixels = shared::<f32>([16, 4]); // 16 pixels of 4 channels
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     // The filter's first tap at the block's first pixel: a row and a column before it.
///     let first = block_idx.x * 16;
///     let (image, row) = (first / 32, first % 32 / 8);
///     let at = (image, row as i32 - 1, -1, 0); // image, row, column, channel
///     let mut sum = 0.0;
///     for dy in 0..3u32 {
///         for dx in 0..3u32 {
///             if thread_idx.x == 0 {
///                 full.arrive_expect(pixels.bytes());
///                 x.load(&pixels, at, (dy, dx), &full);
///             }
///             filled.wait();
///             sum += pixels[[thread_idx.x / 4, thread_idx.x % 4]];
///             sync_threads(); // all have read before the next copy
///         }
///     }
///     sums[block_idx.x * 64 + thread_idx.x] = sum;
/// }
///
/// # let device = Device::emulator().sanitized();
/// let x = device.upload(&[1.0f32; 2 * 4 * 8 * 4])?;
/// let mut sums = device.zeros::<f32>(2 * 4 * 8 * 4)?;
/// let pixels = Pixels::new([2, 4, 8, 4], 16).filter(&[3, 3], &[1, 1]);
/// example(&PixelMap::new(&x, &pixels)?, &mut sums).grid(4).block(64).launch(&device)?;
/// let sums = sums.download()?;
/// assert_eq!((sums[0], sums[4], sums[4 * 9]), (4.0, 6.0, 9.0)); // a corner, an edge, inside
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct TensorPixels<T, const R: usize> {
    map: Map,
    element: PhantomData<fn() -> T>,
}

handle!(TensorPixels<T>[R: usize]);

/// Declares the parameter `name: &PixelMap<T, R>`.
pub fn tensor_pixels<T: Element, const R: usize>(name: &'static str) -> TensorPixels<T, R> {
    TensorPixels { map: Map::parameter::<T>(name, R, false), element: PhantomData }
}

/// The shift of a copy's pixels in each spatial dimension of a tensor of `R` dimensions, outermost first: `(dy, dx)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pixel offset in a tensor of {R} dimensions",
    label = "expected two integers fewer than there are dimensions",
    note = "write an integer for each dimension of space, outermost first: `(dy, dx)` of `[images, height, width, channels]`"
)]
pub trait PixelOffsets<const R: usize>: Copy {
    /// The integers.
    #[doc(hidden)]
    fn offsets(self) -> Vec<Index>;
}

impl<I: IndexValue> PixelOffsets<3> for I {
    fn offsets(self) -> Vec<Index> {
        vec![self.parts()]
    }
}

impl<A: IndexValue, B: IndexValue> PixelOffsets<4> for (A, B) {
    fn offsets(self) -> Vec<Index> {
        vec![self.0.parts(), self.1.parts()]
    }
}

impl<A: IndexValue, B: IndexValue, C: IndexValue> PixelOffsets<5> for (A, B, C) {
    fn offsets(self) -> Vec<Index> {
        vec![self.0.parts(), self.1.parts(), self.2.parts()]
    }
}

impl<T: Element, const R: usize> TensorPixels<T, R> {
    /// Starts to copy pixels into shared memory, as `[pixels, channels]` of the map's size, and announces their bytes to `signal`. The
    /// first pixel is at `at`, inside the map's box; each is shifted by `offsets`, which are 0 or more
    /// (`cp.async.bulk.tensor.im2col`).
    #[track_caller]
    pub fn load(
        self,
        to: impl IntoPart<T, 2>,
        at: impl TileAt<R>,
        offsets: impl PixelOffsets<R>,
        signal: impl Signal,
    ) {
        here();
        self.map.load(to.into_part(), &at.coordinates(), Some(&offsets.offsets()), signal);
    }

    /// Starts to fetch the map itself (`prefetch.tensormap`).
    #[track_caller]
    pub fn prefetch_map(self) {
        here();
        self.map.prefetch();
    }

    /// Copies with this policy of the L2 cache; see [`l2_policy`](crate::prelude::l2_policy).
    #[must_use]
    pub fn with_policy(self, policy: Var<u64>) -> Self {
        Self { map: self.map.with_policy(policy.value), ..self }
    }

    /// Loads copy the pixels to every block of the cluster whose bit is set; see
    /// [`TensorTiles::multicast`](crate::TensorTiles::multicast).
    #[track_caller]
    #[must_use]
    pub fn multicast(self, blocks: impl IntoVar<u32>) -> Self {
        here();
        Self { map: self.map.multicast(blocks.into_var().value), ..self }
    }
}
