//! Tensor maps with their element type and rank, which a kernel takes as `&TensorMap<T, R>`. Dimensions are listed
//! outermost first, like shapes of arrays; strides are in elements. An error names the dimension that breaks a rule.

use crate::lang::TensorTiles;
use crate::lang::rt::{ByReference, tensor_tiles};
use crate::ptx::ScalarType;
use crate::{
    Arg, Buffer, Device, DynTensorMap, Element, Error, ReferenceArg, ReferenceMutArg, Result,
    Swizzle, TensorElement, Tiling, View, ViewMut,
};
use lanework_abi::Tile;
use std::marker::PhantomData;

/// The shape of a tensor of `R` dimensions (1 to 5), outermost first, and of the tiles that a kernel copies.
///
/// ```
/// use lanework::prelude::*;
///
/// # fn main() -> lanework::Result<()> {
/// let device = Device::emulator();
/// let x = device.zeros::<f32>(100 * 64)?;
/// let tiles = Tiles::new([100, 64], [16, 32]).swizzle(Swizzle::B128);
/// let map = TensorMap::new(&x, &tiles)?;
/// assert_eq!(map.tile_bytes(), 16 * 32 * 4);
///
/// // Every second row of the same memory, and NaN beyond its edges.
/// let tiles = Tiles::new([50, 64], [16, 32]).strides([128, 1]).steps([2, 1]).nan_outside();
/// let map = TensorMap::new(&x, &tiles)?;
/// assert_eq!(map.untyped().as_bytes().len(), 128);
///
/// // A map of part of a buffer: all but the first 32 rows.
/// let map = TensorMap::of_view(&device, x.view(32 * 64..), &Tiles::new([68, 64], [4, 32]))?;
/// assert_eq!(map.tile_bytes(), 4 * 32 * 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles<const R: usize> {
    shape: [usize; R],
    tile: [u32; R],
    strides: Option<[usize; R]>,
    steps: [u32; R],
    swizzle: Swizzle,
    nan_outside: bool,
}

impl<const R: usize> Tiles<R> {
    /// Tiles of a tensor without gaps. Both shapes are outermost first: `Tiles::new([rows, columns], [32, 32])`.
    pub fn new(shape: [usize; R], tile: [u32; R]) -> Tiles<R> {
        Tiles {
            shape,
            tile,
            strides: None,
            steps: [1; R],
            swizzle: Swizzle::None,
            nan_outside: false,
        }
    }

    /// Elements from one index to the next in each dimension; the last is 1.
    #[must_use]
    pub fn strides(self, strides: [usize; R]) -> Tiles<R> {
        Tiles { strides: Some(strides), ..self }
    }

    /// Copies only every n-th element of a tile's extent, 1 to 8 per dimension; in the last dimension, every element.
    #[must_use]
    pub fn steps(self, steps: [u32; R]) -> Tiles<R> {
        Tiles { steps, ..self }
    }

    /// Sets the permutation of a tile's 16-byte chunks in shared memory. The kernel reads the tile as `tile.swizzled(..)`.
    #[must_use]
    pub fn swizzle(self, swizzle: Swizzle) -> Tiles<R> {
        Tiles { swizzle, ..self }
    }

    /// Elements outside the tensor are read as NaN instead of zero.
    #[must_use]
    pub fn nan_outside(self) -> Tiles<R> {
        Tiles { nan_outside: true, ..self }
    }

    /// Checks the rules whose errors name a dimension.
    fn check(&self, size: usize) -> Result<(), String> {
        if !(1..=5).contains(&R) {
            return Err(format!("a tensor of {R} dimensions; the copy engine supports 1 to 5"));
        }
        for (axis, ((extent, tile), step)) in
            self.shape.iter().zip(self.tile).zip(self.steps).enumerate()
        {
            if !(1..=1usize << 32).contains(extent) {
                return Err(format!(
                    "dimension {axis} of the shape {:?} is {extent}, not 1 to 2^32",
                    self.shape
                ));
            }
            if !(1..=256).contains(&tile) {
                return Err(format!(
                    "dimension {axis} of the tile {:?} is {tile}, not 1 to 256\n  = help: copy several tiles of at most 256",
                    self.tile
                ));
            }
            if !(1..=8).contains(&step) {
                return Err(format!("dimension {axis} has the step {step}, not 1 to 8"));
            }
        }
        let strides = self.byte_strides(size);
        if strides[R - 1] != size {
            return Err(format!(
                "the last of the strides {:?} is not 1\n  = help: list the dimension whose elements are adjacent last",
                self.strides.unwrap_or([0; R])
            ));
        }
        for (axis, stride) in strides[..R - 1].iter().enumerate() {
            if !stride.is_multiple_of(16) || *stride >= 1 << 40 {
                let unit = 16 / size.min(16);
                return Err(format!(
                    "dimension {axis} has a stride of {stride} bytes, not a multiple of 16 below 2^40\n  \
                     = help: pad the rows of the buffer to a multiple of {unit} elements and say so with `.strides(..)`"
                ));
            }
        }
        let row = self.tile[R - 1] as usize * size;
        if !row.is_multiple_of(16) {
            return Err(format!(
                "dimension {} of the tile {:?} has {row} bytes, not a multiple of 16\n  = help: copy more columns",
                R - 1,
                self.tile
            ));
        }
        if self.swizzle != Swizzle::None && row as u64 > self.swizzle.width() {
            return Err(format!(
                "dimension {} of the tile {:?} has {row} bytes, more than the {} of its swizzle\n  \
                 = help: copy {} columns at a time, each part to a separate slab",
                R - 1,
                self.tile,
                self.swizzle.width(),
                self.swizzle.width() / size as u64
            ));
        }
        Ok(())
    }

    /// Bytes from one index to the next in each dimension.
    fn byte_strides(&self, size: usize) -> [usize; R] {
        if let Some(strides) = self.strides {
            return strides.map(|stride| stride.saturating_mul(size));
        }
        let mut bytes = size;
        let mut strides = [0; R];
        for (stride, extent) in strides.iter_mut().zip(self.shape).rev() {
            *stride = bytes;
            bytes = bytes.saturating_mul(extent);
        }
        strides
    }

    fn map<'a, T: Element>(
        &self,
        device: &Device,
        memory: View<'a, T>,
    ) -> Result<(DynTensorMap<'a>, Option<Tile>)> {
        let size = size_of::<T>();
        self.check(size).map_err(|rule| Error::TensorMap { rule })?;
        let extent: Vec<u64> = self.shape.iter().rev().map(|extent| *extent as u64).collect();
        let tile: Vec<u32> = self.tile.iter().rev().copied().collect();
        let strides = self.byte_strides(size);
        let strides: Vec<u64> =
            strides[..R - 1].iter().rev().map(|stride| *stride as u64).collect();
        let steps: Vec<u32> = self.steps.iter().rev().copied().collect();
        let mut tiling =
            Tiling::new(&extent, &tile).strides(&strides).steps(&steps).swizzle(self.swizzle);
        if self.nan_outside {
            tiling = tiling.nan_outside();
        }
        let map = DynTensorMap::of_view(device, memory, element::<T>(), &tiling)?;
        let last = R - 1;
        let extents = self.tile.iter().zip(self.steps).enumerate();
        let extents = extents
            .map(|(axis, (tile, step))| if axis == last { *tile } else { tile.div_ceil(step) });
        let extents = extents.filter(|extent| *extent != 1);
        Ok((map, Tile::new(extents, self.swizzle, size as u32)))
    }
}

/// The copy engine's type for an element. Integers without such a type are copied as unsigned integers.
pub(crate) fn element<T: Element>() -> TensorElement {
    match T::SCALAR {
        ScalarType::U16 | ScalarType::S16 => TensorElement::U16,
        ScalarType::U32 => TensorElement::U32,
        ScalarType::S32 => TensorElement::I32,
        ScalarType::U64 => TensorElement::U64,
        ScalarType::S64 => TensorElement::I64,
        ScalarType::F16 => TensorElement::F16,
        ScalarType::Bf16 => TensorElement::Bf16,
        ScalarType::F32 => TensorElement::F32,
        ScalarType::F64 => TensorElement::F64,
        _ => TensorElement::U8,
    }
}

macro_rules! maps {
    ($($(#[$doc:meta])* $name:ident $written:literal $buffer:ty, $view:ident $method:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a, T, const R: usize> {
            map: DynTensorMap<'a>,
            tile: Option<Tile>,
            element: PhantomData<fn() -> T>,
        }

        impl<'a, T: Element, const R: usize> $name<'a, T, R> {
            /// Describes the tensor at the start of a buffer, for the buffer's device.
            ///
            /// # Errors
            /// [`Error::TensorMap`] naming the broken rule and the dimension that breaks it, also if the tensor is larger
            /// than the buffer; on a GPU, errors of the driver.
            pub fn new(buffer: $buffer, tiles: &Tiles<R>) -> Result<Self> {
                let device = buffer.device().clone();
                $name::of_view(&device, buffer.$method(..), tiles)
            }

            /// As `new`, for the tensor at the start of a part of a buffer on `device`.
            ///
            /// # Errors
            /// As `new`. If the part is on another device, launches reject the map.
            pub fn of_view(device: &Device, memory: $view<'a, T>, tiles: &Tiles<R>) -> Result<Self> {
                let (map, tile) = tiles.map(device, memory.into())?;
                Ok($name { map, tile, element: PhantomData })
            }

            /// Bytes of a tile, which a load signals to its mbarrier.
            pub fn tile_bytes(&self) -> u64 {
                self.map.tile_bytes()
            }

            /// The untyped map, for PTX kernels.
            pub fn untyped(&self) -> &DynTensorMap<'a> {
                &self.map
            }
        }

        impl<T: Element, const R: usize> ByReference for $name<'_, T, R> {
            type Handle = TensorTiles<T, R, $written>;
            fn declare(name: &'static str) -> Self::Handle {
                tensor_tiles(name)
            }
        }
    )*};
}

// A launch copies the map and borrows only its memory.
impl<'a, T: Element, const R: usize> ReferenceArg<'a> for &TensorMap<'a, T, R> {
    fn into_arg(self) -> Arg<'a> {
        Arg::map(&self.map, self.tile)
    }
}

// A launch that writes takes over the exclusive borrow of the memory, or borrows the map that holds it.
impl<'a, T: Element, const R: usize> ReferenceMutArg<'a, TensorMapMut<'a, T, R>>
    for TensorMapMut<'a, T, R>
{
    fn into_arg(self) -> Arg<'a> {
        Arg::map(&self.map, self.tile)
    }
}

impl<'a, T: Element, const R: usize> ReferenceMutArg<'a, TensorMapMut<'a, T, R>>
    for &'a mut TensorMapMut<'_, T, R>
{
    fn into_arg(self) -> Arg<'a> {
        Arg::map(&self.map, self.tile)
    }
}

maps! {
    /// The map of a tensor that a kernel reads tile by tile: the argument for `x: &TensorMap<T, R>`.
    #[derive(Clone)]
    TensorMap false &'a Buffer<T>, View view;
    /// The map of a tensor that a kernel writes tile by tile: the argument for `y: &mut TensorMapMut<T, R>`. It holds an
    /// exclusive borrow, so it is not `Clone`, and two launches cannot use it at once:
    ///
    /// ```compile_fail,E0499
    /// use lanework::prelude::*;
    ///
    /// #[kernel]
    /// fn touch(y: &mut TensorMapMut<f32, 2>) {
    ///     y.prefetch_map();
    /// }
    ///
    /// let device = Device::emulator();
    /// let mut y = device.zeros::<f32>(32 * 32)?;
    /// let mut map = TensorMapMut::new(&mut y, &Tiles::new([32, 32], [32, 32]))?;
    /// let first = touch(&mut map).grid(1).block(32);
    /// let second = touch(&mut map).grid(1).block(32); // `first` still borrows `map`
    /// first.launch(&device)?;
    /// second.launch(&device)?;
    /// # Ok::<(), lanework::Error>(())
    /// ```
    TensorMapMut true &'a mut Buffer<T>, ViewMut view_mut;
}
