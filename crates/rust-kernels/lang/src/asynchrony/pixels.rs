//! Loads of pixels for convolutions by the tensor memory accelerator (PTX manual, "im2col mode"): pixel after pixel through a
//! box in each image, each moved by the same offset, which selects a tap of the filter.

use super::coordinates::TileAt;
use super::handle::handle;
use super::mbarrier::Signal;
use super::part::IntoPart;
use super::tensor_map::Map;
use crate::current::here;
use crate::memory::IndexValue;
use crate::number::Element;
use crate::value::Index;
use crate::var::{IntoVar, Var};
use std::marker::PhantomData;

/// A tensor of images that is read by pixels: a parameter `x: &PixelMap<T, R>`, of images, one to three dimensions of space,
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
///     // Where the filter's first tap lies for the block's first pixel: a row and a column before it.
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

/// How far a copy's pixels are moved, in each dimension of space of a tensor of `R` dimensions, outermost first: `(dy, dx)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not move pixels of a tensor of {R} dimensions",
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
    /// Starts to copy pixels into shared memory, `[pixels, channels]` as the map says, from the one at `at` on, which lies in
    /// the map's box; each is moved by `offsets`, 0 or more. `signal` is told of their bytes
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

    /// Loads give the pixels to every block of the cluster whose bit is set; see
    /// [`TensorTiles::multicast`](crate::TensorTiles::multicast).
    #[track_caller]
    #[must_use]
    pub fn multicast(self, blocks: impl IntoVar<u32>) -> Self {
        here();
        Self { map: self.map.multicast(blocks.into_var().value), ..self }
    }
}
