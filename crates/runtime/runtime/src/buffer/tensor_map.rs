//! Tensor maps: descriptors of a tensor in a buffer for the tensor memory accelerator (TMA) of
//! sm_90.
//!
//! A kernel takes one as `const __grid_constant__ CUtensorMap`, which is
//! `.param .align 64 .b8 map[128]` in PTX. On a GPU the driver encodes it; on the emulator Lanework
//! does, by the same rules.

use crate::device::{Device, Engine};
use crate::{Buffer, Error, Result, Storable, View};
use lanework_cuda::{L2Promotion, PixelBox, TiledMap};
use lanework_emulator::{Im2col, Swizzle, TensorElement};
use std::marker::PhantomData;

/// A tensor's extents and the tiles that are copied of it. Dimensions are listed fastest-varying
/// first: for a row-major matrix, columns before rows.
///
/// ```
/// use lanework::{Device, DynTensorMap, Swizzle, TensorElement, Tiling};
///
/// let device = Device::emulator();
/// let x = device.zeros::<f32>(100 * 64)?;
/// // 100 rows of 64 columns, 256 bytes apart; tiles of 16 columns in 8 rows.
/// let tiling = Tiling::new(&[64, 100], &[16, 8]).strides(&[256]).steps(&[1, 1]);
/// let tiling = tiling.swizzle(Swizzle::B64).nan_outside();
/// let map = DynTensorMap::new(&x, TensorElement::F32, &tiling)?;
/// assert_eq!((map.as_bytes().len(), map.tile_bytes(), map.shared_bytes()), (128, 512, 512));
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiling {
    extent: Vec<u64>,
    strides: Option<Vec<u64>>,
    tile: Vec<u32>,
    steps: Vec<u32>,
    swizzle: Swizzle,
    nan_outside: bool,
    im2col: Option<Im2col>,
}

/// The descriptor of a tensor in a buffer of one device: an argument of a kernel
/// ([`crate::PtxArg::Map`]).
#[derive(Clone, Debug)]
pub struct DynTensorMap<'a> {
    bytes: Vec<u8>,
    device: u64,
    tile_bytes: u64,
    shared_bytes: u64,
    memory: PhantomData<&'a ()>,
}

impl Tiling {
    /// A tensor of 1 to 5 dimensions without gaps, and the extents of a tile.
    pub fn new(extent: &[u64], tile: &[u32]) -> Tiling {
        Tiling {
            extent: extent.to_vec(),
            strides: None,
            tile: tile.to_vec(),
            steps: vec![1; extent.len()],
            swizzle: Swizzle::None,
            nan_outside: false,
            im2col: None,
        }
    }

    /// Copies `count` pixels for a convolution (`im2col`) instead of tiles: the tile has the channels first, and 1 in every
    /// other dimension. `lower` and `upper` are the corners of their box, per spatial dimension, innermost first.
    #[doc(hidden)]
    pub fn pixels(self, lower: [i16; 3], upper: [i16; 3], count: u32) -> Tiling {
        Tiling { im2col: Some(Im2col { lower, upper, pixels: count }), ..self }
    }

    /// Bytes from one index to the next in the second and further dimensions.
    #[must_use]
    pub fn strides(self, strides: &[u64]) -> Tiling {
        Tiling { strides: Some(strides.to_vec()), ..self }
    }

    /// Element strides (`elementStrides` of `cuTensorMapEncodeTiled`), 1 to 8 by dimension: only
    /// every n-th element of a tile's extent is copied. The first dimension ignores its stride.
    #[must_use]
    pub fn steps(self, steps: &[u32]) -> Tiling {
        Tiling { steps: steps.to_vec(), ..self }
    }

    /// How 16-byte chunks are permuted in shared memory.
    #[must_use]
    pub fn swizzle(self, swizzle: Swizzle) -> Tiling {
        Tiling { swizzle, ..self }
    }

    /// Elements outside the tensor read as NaN instead of zero.
    #[must_use]
    pub fn nan_outside(self) -> Tiling {
        Tiling { nan_outside: true, ..self }
    }

    /// The map of a tensor at an address.
    fn at(&self, element: TensorElement, address: u64) -> lanework_emulator::TensorMap {
        let dense = || {
            let mut bytes = element.bytes();
            let axes = self.extent.iter().take(self.extent.len().saturating_sub(1));
            axes.map(|extent| {
                bytes = bytes.saturating_mul(*extent);
                bytes
            })
            .collect()
        };
        lanework_emulator::TensorMap {
            element,
            address,
            extent: self.extent.clone(),
            strides: self.strides.clone().unwrap_or_else(dense),
            tile: self.tile.clone(),
            steps: self.steps.clone(),
            swizzle: self.swizzle,
            nan_outside: self.nan_outside,
            im2col: self.im2col,
        }
    }
}

impl<'a> DynTensorMap<'a> {
    /// Describes a tensor of `element` at the start of a buffer, for the buffer's device.
    ///
    /// # Errors
    /// [`Error::TensorMap`] naming the violated rule, also when the tensor is larger than the
    /// buffer; the driver's error, on a GPU.
    pub fn new<T: Storable>(
        buffer: &'a Buffer<T>,
        element: TensorElement,
        tiling: &Tiling,
    ) -> Result<DynTensorMap<'a>> {
        DynTensorMap::of_view(&buffer.device, buffer.view(..), element, tiling)
    }

    /// As [`DynTensorMap::new`], of a tensor at the start of a part of a buffer on `device`.
    #[doc(hidden)]
    pub fn of_view<T: Storable>(
        device: &Device,
        memory: View<'a, T>,
        element: TensorElement,
        tiling: &Tiling,
    ) -> Result<DynTensorMap<'a>> {
        let map = tiling.at(element, memory.address);
        let refuse = |rule: String| Error::TensorMap { rule };
        // The emulator's encoder checks the rules for both backends.
        let encoded = map.encode().map_err(refuse)?;
        let mut bytes = u128::from(element.bytes()) * u128::from(map.extent[0]);
        for (extent, stride) in map.extent[1..].iter().zip(&map.strides) {
            bytes += u128::from(extent - 1) * u128::from(*stride);
        }
        let have = memory.length as u64 * size_of::<T>() as u64;
        if bytes > u128::from(have) {
            return Err(refuse(format!("the tensor spans {bytes} bytes, its buffer has {have}")));
        }
        let (tile_bytes, shared_bytes) = (map.tile_bytes(), map.shared_bytes());
        let bytes = match &device.0.engine {
            Engine::Emulator(_) => encoded.to_vec(),
            Engine::Gpu(_) => {
                lanework_cuda::encode_tiled_map(&for_driver(map))?.as_bytes().to_vec()
            }
        };
        Ok(DynTensorMap {
            bytes,
            device: memory.device,
            tile_bytes,
            shared_bytes,
            memory: PhantomData,
        })
    }

    /// The 128 bytes passed to the kernel.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of a tile: the transaction count that an mbarrier expects.
    pub fn tile_bytes(&self) -> u64 {
        self.tile_bytes
    }

    /// Bytes of a tile in shared memory: more than [`DynTensorMap::tile_bytes`] if rows are narrower than the
    /// swizzle span, because rows then start at multiples of the span.
    pub fn shared_bytes(&self) -> u64 {
        self.shared_bytes
    }

    /// The identity of its device.
    pub(crate) fn device(&self) -> u64 {
        self.device
    }

    /// Whether it belongs to a device.
    pub(crate) fn is_for(&self, device: &Device) -> bool {
        self.device == device.identity()
    }
}

/// The map in the form of the driver's encoder.
fn for_driver(map: lanework_emulator::TensorMap) -> TiledMap {
    use lanework_cuda::{Element as E, Swizzle as S};
    TiledMap {
        element: match map.element {
            TensorElement::U8 => E::U8,
            TensorElement::U16 => E::U16,
            TensorElement::U32 => E::U32,
            TensorElement::I32 => E::I32,
            TensorElement::U64 => E::U64,
            TensorElement::I64 => E::I64,
            TensorElement::F16 => E::F16,
            TensorElement::F32 => E::F32,
            TensorElement::F64 => E::F64,
            TensorElement::Bf16 => E::Bf16,
        },
        address: map.address,
        swizzle: match map.swizzle {
            Swizzle::None => S::None,
            Swizzle::B32 => S::B32,
            Swizzle::B64 => S::B64,
            Swizzle::B128 => S::B128,
            Swizzle::B128By32 => S::B128By32,
        },
        l2_promotion: L2Promotion::B128,
        nan_outside: map.nan_outside,
        im2col: map.im2col.map(|im2col| {
            let corner = |all: [i16; 3]| all.into_iter().take(map.tile.len() - 2).map(i32::from);
            PixelBox {
                lower: corner(im2col.lower).collect(),
                upper: corner(im2col.upper).collect(),
                pixels: im2col.pixels,
            }
        }),
        extent: map.extent,
        strides: map.strides,
        tile: map.tile,
        steps: map.steps,
    }
}
