//! Copies of tensor tiles by the tensor memory accelerator (PTX manual, "cp.async.bulk.tensor"): loads that signal an
//! mbarrier, stores and reductions that a thread waits for in bulk groups, and prefetches. Elements outside of the tensor
//! are read as zero (or as the map says) and not written.

use super::coordinates::TileAt;
use super::handle::handle;
use super::mbarrier::Signal;
use super::part::{IntoPart, Part};
use super::tensor_map::Map;
use crate::current::here;
use crate::number::Element;
use crate::value::Index;
use crate::var::{IntoVar, Var};
use std::marker::PhantomData;

/// A tensor that is copied by tiles: a parameter `x: &TensorMap<T, R>`, or `y: &TensorMapMut<T, R>`, which is `WRITTEN`.
///
/// ```
/// # use lanework::prelude::*;
/// /// Adds 1 to each element, tile by tile.
/// #[kernel(block = 64)]
/// fn example(x: &TensorMap<f32, 2>, y: &TensorMapMut<f32, 2>) {
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
/// let tiles = Tiles::new([20, 12], [8, 8]); // what lies outside is read as 0 and not written
/// let (from, to) = (TensorMap::new(&x, &tiles)?, TensorMapMut::new(&mut y, &tiles)?);
/// example(&from, &to).grid((2, 3)).block(64).launch(&device)?;
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
    message = "this tensor is only read",
    label = "not written by this kernel",
    note = "declare the parameter as `&TensorMapMut<T, R>`, and make its map by `TensorMapMut::new(&mut buffer, ..)`"
)]
pub trait WrittenTensor {}

impl<T, const R: usize> WrittenTensor for TensorTiles<T, R, true> {}

/// Declares the parameter `name: &TensorMap<T, R>` or `&TensorMapMut<T, R>`.
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
    pub(super) fn map(self) -> Map {
        self.map
    }

    /// Starts to copy the tile at `at` into shared memory; `signal` is told of its bytes (`cp.async.bulk.tensor`).
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

    /// [`load`](Self::load) by untyped coordinates.
    pub(crate) fn load_part(self, to: Part<T, 2>, at: &[Index; R], signal: impl Signal) {
        self.map.load(to, at, None, signal);
    }

    /// [`store`](Self::store) by untyped coordinates.
    pub(crate) fn store_part(self, from: Part<T, 2>, at: &[Index; R]) {
        self.map.store(from, at, None);
    }

    /// Starts to fetch the tile at `at` into the L2 cache.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Scales tiles in place, fetches the next one ahead, and keeps the lines in L2.
    /// #[kernel(block = 64)]
    /// fn example(x: &TensorMapMut<f32, 2>) {
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
    /// example(&TensorMapMut::new(&mut x, &Tiles::new([16, 8], [8, 8]))?).grid(1).block(64).launch(&device)?;
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

    /// Loads give the tile to every block of the cluster whose bit is set, each at the same place of its shared memory, and
    /// signal the barrier at the same place.
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
        reduce_add "add" "Starts to add a tile to what is there (`cp.reduce.async.bulk.tensor`).";
        reduce_min "min" "Starts to take the minima of a tile and what is there.";
        reduce_max "max" "Starts to take the maxima of a tile and what is there.";
        reduce_and "and" "Starts to `&` a tile with what is there.";
        reduce_or "or" "Starts to `|` a tile with what is there.";
        reduce_xor "xor" "Starts to `^` a tile with what is there.";
    }
}
