//! Textures and surfaces of an emulator: images in its memory, and the handles that kernels take.

use crate::{Device, Result};
use lanework_emulator::{Image, Sampler};

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
    /// When the image or the sampler breaks a rule; [`crate::Error::Unsupported`] on a GPU.
    pub fn texture_at(&self, image: Image, sampler: Sampler) -> Result<u64> {
        Ok(self.emulated()?.make_texture(image, sampler)?)
    }

    /// Makes a texture of mipmap levels, each of half of the extents of the one before, as [`Device::texture_at`] makes one of an image.
    /// [`Sampler::mip`] says which levels are read; coordinates have to be normalized.
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
    /// As [`Device::texture_at`], and when the levels do not fit each other.
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

    /// Destroys a texture or surface of [`Device::texture_at`] or [`Device::surface_at`]; returns whether it existed. The image's memory stays.
    pub fn end_image(&self, handle: u64) -> bool {
        self.emulated().is_ok_and(|emulator| emulator.end_object(handle))
    }
}
