//! Descriptors of tensors and images in device memory, which kernels take as arguments.
//!
//! A tensor map describes a tensor in a buffer to the tensor memory accelerator (TMA) of sm_90. A kernel takes one as
//! `const __grid_constant__ CUtensorMap`, which is `.param .align 64 .b8 map[128]` in PTX. On a GPU the driver encodes
//! it; on the emulator Lanework does, by the same rules. Textures and surfaces are images in an emulator's memory.

use crate::device::{Device, Engine};
use crate::{Buffer, Error, Result, Storable, View};
use lanework_cuda::{L2Promotion, PixelBox, TiledMap};
use lanework_emulator::{Im2col, Image, Sampler, Swizzle, TensorElement};
use std::marker::PhantomData;

/// The extents of a tensor and of the tiles to copy. Dimensions are listed fastest-varying first: for a row-major
/// matrix, columns before rows.
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

    /// Copies `count` pixels for a convolution (`im2col`) instead of tiles. The tile has the channels in its first
    /// dimension, and 1 in every other one. `lower` and `upper` are the corners of the pixels' box, per spatial
    /// dimension, innermost first.
    #[doc(hidden)]
    pub fn pixels(self, lower: [i16; 3], upper: [i16; 3], count: u32) -> Tiling {
        Tiling { im2col: Some(Im2col { lower, upper, pixels: count }), ..self }
    }

    /// Bytes from one index to the next in the second and further dimensions.
    #[must_use]
    pub fn strides(self, strides: &[u64]) -> Tiling {
        Tiling { strides: Some(strides.to_vec()), ..self }
    }

    /// Element strides (`elementStrides` of `cuTensorMapEncodeTiled`), one per dimension, 1 to 8. A stride of n copies
    /// every n-th element of the tile's extent. The first dimension ignores its stride.
    #[must_use]
    pub fn steps(self, steps: &[u32]) -> Tiling {
        Tiling { steps: steps.to_vec(), ..self }
    }

    /// Permutation of 16-byte chunks in shared memory.
    #[must_use]
    pub fn swizzle(self, swizzle: Swizzle) -> Tiling {
        Tiling { swizzle, ..self }
    }

    /// Makes elements outside the tensor read as NaN instead of zero.
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
    /// [`Error::TensorMap`], which names the violated rule, also if the tensor is larger than the buffer; on a GPU also
    /// the driver's error.
    pub fn new<T: Storable>(
        buffer: &'a Buffer<T>,
        element: TensorElement,
        tiling: &Tiling,
    ) -> Result<DynTensorMap<'a>> {
        DynTensorMap::of_view(&buffer.device, buffer.view(..), element, tiling)
    }

    /// As [`DynTensorMap::new`], for a tensor at the start of a view on `device`.
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

    /// Identity of the map's device.
    pub(crate) fn device(&self) -> u64 {
        self.device
    }

    /// Whether the map belongs to `device`.
    pub(crate) fn is_for(&self, device: &Device) -> bool {
        self.device == device.identity()
    }
}

/// Converts the map to the form that the driver's encoder takes.
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

impl Device {
    /// Makes a texture of an image in an emulator's memory, and returns the handle that a kernel takes as a `.u64`
    /// parameter.
    ///
    /// ```
    /// use lanework::emulator::{Channel, Image, ImageShape, Sampler, Texel};
    /// use lanework::{Device, PtxArg, PtxShape};
    ///
    /// let device = Device::emulator();
    /// let texels = device.upload(&[1f32, 2.0, 4.0, 8.0])?;
    /// let image = Image {
    ///     shape: ImageShape::Line,
    ///     texel: Texel { channel: Channel::Float, bits: 32, channels: 1 },
    ///     address: texels.address(),
    ///     extent: [4, 1, 1],
    ///     layers: 0,
    ///     pitch: 16,
    /// };
    /// let texture = device.texture_at(image, Sampler { linear: true, ..Sampler::default() })?;
    /// let result = device.zeros::<f32>(1)?;
    /// let module = device.load_ptx(
    ///     ".version 7.0
    ///      .target sm_70
    ///      .address_size 64
    ///      .visible .entry sample(.param .u64 image, .param .u64 out) {
    ///          .reg .b64 %rd<3>; .reg .f32 %f<5>;
    ///          ld.param.u64 %rd1, [image];
    ///          ld.param.u64 %rd2, [out];
    ///          mov.f32 %f0, 0f40000000;
    ///          tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];
    ///          st.global.f32 [%rd2], %f1;
    ///          ret;
    ///      }",
    /// )?;
    /// let arguments = [texture, result.address()].map(|word| PtxArg::Bytes(word.to_le_bytes().to_vec()));
    /// // SAFETY: the emulator checks every access.
    /// unsafe { module.launch("sample", PtxShape::new(1, 1), &arguments)? };
    /// assert_eq!(result.download()?, [3.0]); // between the second texel and the third
    /// assert!(device.end_image(texture));
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the image or the sampler breaks a rule; [`crate::Error::Unsupported`] on a GPU.
    pub fn texture_at(&self, image: Image, sampler: Sampler) -> Result<u64> {
        Ok(self.emulated()?.make_texture(image, sampler)?)
    }

    /// Makes a texture of mipmap levels. Each level has half the extents of the previous one. [`Sampler::mip`] selects
    /// the levels to read; coordinates must be normalized. Otherwise as [`Device::texture_at`].
    ///
    /// ```
    /// use lanework::emulator::{Channel, Image, ImageShape, Mip, Sampler, Texel};
    /// use lanework::{Device, PtxArg, PtxShape};
    ///
    /// let device = Device::emulator();
    /// let texels = device.upload(&[1f32, 3.0, 10.0])?;
    /// let level = |extent: u32, first: u64| Image {
    ///     shape: ImageShape::Line,
    ///     texel: Texel { channel: Channel::Float, bits: 32, channels: 1 },
    ///     address: texels.address() + 4 * first,
    ///     extent: [extent, 1, 1],
    ///     layers: 0,
    ///     pitch: 4 * u64::from(extent),
    /// };
    /// let mip = Mip { linear: true, most: 1.0, ..Mip::default() };
    /// let sampler = Sampler { linear: true, normalized: true, mip, ..Sampler::default() };
    /// let texture = device.mipmap_at(&[level(2, 0), level(1, 2)], sampler)?;
    /// let result = device.zeros::<f32>(1)?;
    /// let module = device.load_ptx(
    ///     ".version 7.0
    ///      .target sm_70
    ///      .address_size 64
    ///      .visible .entry sample(.param .u64 image, .param .u64 out) {
    ///          .reg .b64 %rd<3>; .reg .f32 %f<6>;
    ///          ld.param.u64 %rd1, [image];
    ///          ld.param.u64 %rd2, [out];
    ///          mov.f32 %f0, 0f3F000000; // the middle
    ///          mov.f32 %f5, 0f3E800000; // level 0.25
    ///          tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}], %f5;
    ///          st.global.f32 [%rd2], %f1;
    ///          ret;
    ///      }",
    /// )?;
    /// let arguments = [texture, result.address()].map(|word| PtxArg::Bytes(word.to_le_bytes().to_vec()));
    /// // SAFETY: the emulator checks every access.
    /// unsafe { module.launch("sample", PtxShape::new(1, 1), &arguments)? };
    /// assert_eq!(result.download()?, [4.0]); // 3/4 of 2, 1/4 of 10
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::texture_at`], and if the extents of the levels do not match.
    pub fn mipmap_at(&self, levels: &[Image], sampler: Sampler) -> Result<u64> {
        Ok(self.emulated()?.make_mipmap(levels, sampler)?)
    }

    /// Makes a surface of an image in an emulator's memory, as [`Device::texture_at`] makes a texture.
    ///
    /// ```
    /// use lanework::emulator::{Channel, Image, ImageShape, Texel};
    /// use lanework::{Device, PtxArg, PtxShape};
    ///
    /// let device = Device::emulator();
    /// let texels = device.zeros::<u32>(4)?;
    /// let image = Image {
    ///     shape: ImageShape::Line,
    ///     texel: Texel { channel: Channel::Unsigned, bits: 32, channels: 1 },
    ///     address: texels.address(),
    ///     extent: [4, 1, 1],
    ///     layers: 0,
    ///     pitch: 16,
    /// };
    /// let surface = device.surface_at(image)?;
    /// let module = device.load_ptx(
    ///     ".version 7.0
    ///      .target sm_70
    ///      .address_size 64
    ///      .visible .entry mark(.param .u64 image) {
    ///          .reg .b64 %rd<2>; .reg .b32 %r<3>;
    ///          ld.param.u64 %rd1, [image];
    ///          mov.u32 %r1, 8; // bytes from the first texel
    ///          mov.u32 %r2, 7;
    ///          sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};
    ///          ret;
    ///      }",
    /// )?;
    /// let argument = PtxArg::Bytes(surface.to_le_bytes().to_vec());
    /// // SAFETY: the emulator checks every access.
    /// unsafe { module.launch("mark", PtxShape::new(1, 1), &[argument])? };
    /// assert_eq!(texels.download()?, [0, 0, 7, 0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::texture_at`].
    pub fn surface_at(&self, image: Image) -> Result<u64> {
        Ok(self.emulated()?.make_surface(image)?)
    }

    /// Destroys a texture or surface of [`Device::texture_at`] or [`Device::surface_at`]. Returns whether it existed.
    /// Does not free the image's memory.
    pub fn end_image(&self, handle: u64) -> bool {
        self.emulated().is_ok_and(|emulator| emulator.end_object(handle))
    }
}
