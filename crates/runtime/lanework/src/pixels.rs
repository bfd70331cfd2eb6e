//! Pixel maps for convolutions. A kernel takes a map as `&PixelMap<T, R>` and loads pixels, all shifted by the same
//! offset (PTX manual, "im2col mode"). Dimensions are listed outermost first: images, one to three of space, channels.

use crate::lang::TensorPixels;
use crate::lang::rt::{ByReference, tensor_pixels};
use crate::tensor::element;
use crate::{Arg, Buffer, DynTensorMap, Element, Error, ReferenceArg, Result, Swizzle, Tiling};
use lanework_abi::Tile;
use std::marker::PhantomData;

/// A tensor of images, `[images, height, width, channels]` for `R = 4`, and the pixels of one copy.
///
/// A copy reads `count` consecutive pixels of a box in each image, along the innermost dimension first. Pixels
/// outside the image are read as zero, so a filter needs no test at the edges. [`filter`](Pixels::filter) sets the box.
///
/// ```
/// use lanework::prelude::*;
///
/// # fn main() -> lanework::Result<()> {
/// let device = Device::emulator();
/// let images = device.zeros::<f32>(2 * 6 * 8 * 4)?;
/// let pixels = Pixels::new([2, 6, 8, 4], 32).filter(&[3, 3], &[1, 1]);
/// assert_eq!(PixelMap::new(&images, &pixels)?.copy_bytes(), 32 * 4 * 4);
///
/// // The same box by its corners, with fewer channels and a swizzle; and the map as bytes.
/// let pixels = Pixels::new([2, 6, 8, 4], 32).window(&[-1, -1], &[-1, -1]);
/// let map = PixelMap::new(&images, &pixels.channels(4).swizzle(Swizzle::B32))?;
/// assert_eq!(map.untyped().as_bytes().len(), 128);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels<const R: usize> {
    shape: [usize; R],
    channels: u32,
    count: u32,
    lower: [i16; 3],
    upper: [i16; 3],
    steps: [u32; 3],
    /// The number of spatial dimensions in a call, if it differs from the tensor's.
    wrong: Option<usize>,
    swizzle: Swizzle,
}

impl<const R: usize> Pixels<R> {
    /// Copies of `count` pixels (1 to 1024) with all channels, from a tensor without gaps.
    pub fn new(shape: [usize; R], count: u32) -> Pixels<R> {
        let channels =
            shape.last().map_or(0, |channels| u32::try_from(*channels).unwrap_or(u32::MAX));
        let (lower, upper, steps) = ([0; 3], [0; 3], [1; 3]);
        Pixels { shape, channels, count, lower, upper, steps, wrong: None, swizzle: Swizzle::None }
    }

    /// Copies only `channels` channels of each pixel.
    #[must_use]
    pub fn channels(self, channels: u32) -> Pixels<R> {
        Pixels { channels, ..self }
    }

    /// Sets the box per spatial dimension, outermost first: from `lower` pixels after the first pixel (before it, if negative)
    /// to `upper` pixels after the last.
    #[must_use]
    pub fn window(self, lower: &[i16], upper: &[i16]) -> Pixels<R> {
        let wrong = self.wrong_number(lower.len()).or(self.wrong_number(upper.len()));
        Pixels { lower: inner_first(lower, 0), upper: inner_first(upper, 0), wrong, ..self }
    }

    /// Sets the box of the first taps of a filter with these extents and padding on each side, per spatial dimension;
    /// offsets from 0 to the extent minus 1 reach the other taps.
    #[must_use]
    pub fn filter(self, extents: &[u16], padding: &[u16]) -> Pixels<R> {
        let lower: Vec<i16> = padding.iter().map(|pad| (*pad as i16).wrapping_neg()).collect();
        let pairs = padding.iter().zip(extents);
        let upper: Vec<i16> =
            pairs.map(|(pad, extent)| pad.wrapping_sub(extent.wrapping_sub(1)) as i16).collect();
        self.window(&lower, &upper)
    }

    /// Copies only every n-th pixel, 1 to 8 per spatial dimension, outermost first: the stride of a convolution.
    #[must_use]
    pub fn steps(self, steps: &[u32]) -> Pixels<R> {
        Pixels { steps: inner_first(steps, 1), wrong: self.wrong_number(steps.len()), ..self }
    }

    /// Sets the permutation of the pixels' 16-byte chunks in shared memory.
    #[must_use]
    pub fn swizzle(self, swizzle: Swizzle) -> Pixels<R> {
        Pixels { swizzle, ..self }
    }

    fn wrong_number(&self, given: usize) -> Option<usize> {
        self.wrong.or((given + 2 != R).then_some(given))
    }

    /// Checks the rules whose errors name a dimension.
    fn check(&self, size: usize) -> Result<(), String> {
        if !(3..=5).contains(&R) {
            return Err(format!(
                "pixels of a tensor of {R} dimensions\n  = help: list images, one to three spatial dimensions, channels"
            ));
        }
        if let Some(given) = self.wrong {
            let (shape, known) = (self.shape, R - 2);
            return Err(format!(
                "{given} spatial dimensions are described, but the tensor {shape:?} has {known}"
            ));
        }
        let row = self.shape[R - 1].saturating_mul(size);
        if !row.is_multiple_of(16) {
            let unit = 16 / size.min(16);
            return Err(format!(
                "a pixel has {row} bytes, not a multiple of 16\n  = help: pad the channels to a multiple of {unit}"
            ));
        }
        // Range of the corners' bit fields, by number of spatial dimensions.
        let most = [32_767, 127, 15][R - 3];
        let corners = self.lower.iter().chain(&self.upper);
        match corners.copied().find(|corner| !(-most - 1..=most).contains(corner)) {
            Some(corner) => {
                Err(format!("a corner of the box is at {corner}, not {} to {most}", -most - 1))
            }
            None => Ok(()),
        }
    }

    fn map<'a, T: Element>(
        &self,
        buffer: &'a Buffer<T>,
    ) -> Result<(DynTensorMap<'a>, Option<Tile>)> {
        self.check(size_of::<T>()).map_err(|rule| Error::TensorMap { rule })?;
        let extent: Vec<u64> = self.shape.iter().rev().map(|extent| *extent as u64).collect();
        let mut tile = vec![1; R];
        tile[0] = self.channels;
        let mut steps = vec![1; R];
        steps[1..R - 1].copy_from_slice(&self.steps[..R - 2]);
        let tiling = Tiling::new(&extent, &tile).steps(&steps).swizzle(self.swizzle);
        let tiling = tiling.pixels(self.lower, self.upper, self.count);
        let map = DynTensorMap::new(buffer, element::<T>(), &tiling)?;
        let extents = [self.count, self.channels].into_iter().filter(|extent| *extent != 1);
        let tile = Tile::new(extents, self.swizzle, size_of::<T>() as u32);
        Ok((map, tile))
    }
}

/// In the hardware's order of spatial dimensions: innermost first.
fn inner_first<N: Copy>(given: &[N], rest: N) -> [N; 3] {
    let mut all = [rest; 3];
    for (to, from) in all.iter_mut().zip(given.iter().rev()) {
        *to = *from;
    }
    all
}

/// The map of a tensor that a kernel reads pixel by pixel: the argument for `x: &PixelMap<T, R>`.
#[derive(Clone, Debug)]
pub struct PixelMap<'a, T, const R: usize> {
    map: DynTensorMap<'a>,
    tile: Option<Tile>,
    element: PhantomData<fn() -> T>,
}

impl<'a, T: Element, const R: usize> PixelMap<'a, T, R> {
    /// Describes the tensor at the start of a buffer, for the buffer's device.
    ///
    /// # Errors
    /// [`Error::TensorMap`] naming the broken rule, also if the tensor is larger than the buffer; on a GPU, errors of the driver.
    pub fn new(buffer: &'a Buffer<T>, pixels: &Pixels<R>) -> Result<Self> {
        let (map, tile) = pixels.map(buffer)?;
        Ok(PixelMap { map, tile, element: PhantomData })
    }

    /// Bytes of a copy, which a load signals to its mbarrier.
    pub fn copy_bytes(&self) -> u64 {
        self.map.tile_bytes()
    }

    /// The untyped map, for PTX kernels.
    pub fn untyped(&self) -> &DynTensorMap<'a> {
        &self.map
    }
}

impl<T: Element, const R: usize> ByReference for PixelMap<'_, T, R> {
    type Handle = TensorPixels<T, R>;
    fn declare(name: &'static str) -> Self::Handle {
        tensor_pixels(name)
    }
}

impl<'a, T: Element, const R: usize> ReferenceArg<'a> for &PixelMap<'a, T, R> {
    fn into_arg(self) -> Arg<'a> {
        Arg::map(&self.map, self.tile)
    }
}
