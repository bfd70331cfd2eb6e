//! Arrays and textures as CUDA describes them (`CUDA_ARRAY3D_DESCRIPTOR`, `CUDA_TEXTURE_DESC`), as the emulator's images and
//! samplers. Both drivers, the one for programs and the one of the page, use this.

use crate::{AddressMode, Channel, Image, ImageShape, Mip, Sampler, Texel};

/// The reason why there is no such image or sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// CUDA refuses the description as invalid.
    Invalid,
    /// The emulator does not support it, for this reason.
    Unsupported(&'static str),
}

/// Array flags: layered (depth counts layers), cubemap.
const LAYERED: u32 = 1;
const CUBE: u32 = 4;
/// Flags without an effect here: surface access, gather, depth, color attachment.
const HARMLESS: u32 = 0x2 | 0x8 | 0x10 | 0x20;

/// Texture flags: read integers as such, normalized coordinates, sRGB.
const AS_INTEGERS: u32 = 1;
const NORMALIZED: u32 = 2;
const SRGB: u32 = 0x10;

/// Row alignment of arrays in bytes.
const ROW: u64 = 32;

/// Decodes a `CUarray_format`, and whether its integers are always read as normalized floats.
///
/// # Errors
/// If CUDA or the emulator does not have the format.
pub fn texel(format: u32, channels: u32) -> Result<(Texel, bool), ImageError> {
    let (channel, bits, fixed, fraction) = match format {
        0x01 => (Channel::Unsigned, 8, None, false),
        0x02 => (Channel::Unsigned, 16, None, false),
        0x03 => (Channel::Unsigned, 32, None, false),
        0x08 => (Channel::Signed, 8, None, false),
        0x09 => (Channel::Signed, 16, None, false),
        0x0a => (Channel::Signed, 32, None, false),
        0x10 => (Channel::Float, 16, None, false),
        0x20 => (Channel::Float, 32, None, false),
        // Normalized formats, which imply the number of channels (1, 2 or 4).
        0xc0..=0xc2 => (Channel::Unsigned, 8, Some(1 << (format - 0xc0)), true),
        0xc3..=0xc5 => (Channel::Unsigned, 16, Some(1 << (format - 0xc3)), true),
        0xc6..=0xc8 => (Channel::Signed, 8, Some(1 << (format - 0xc6)), true),
        0xc9..=0xcb => (Channel::Signed, 16, Some(1 << (format - 0xc9)), true),
        0x91..=0x9f => return Err(ImageError::Unsupported("its format is block-compressed")),
        0xb0 => return Err(ImageError::Unsupported("its format is one of video")),
        _ => return Err(ImageError::Invalid),
    };
    if fixed.is_some_and(|fixed| fixed != channels) || !matches!(channels, 1 | 2 | 4) {
        return Err(ImageError::Invalid);
    }
    Ok((Texel { channel, bits, channels: channels as u8 }, fraction))
}

/// An array: its extents (0 for a dimension that it does not have), the format of its elements, its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Elements in a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Planes, layers or faces.
    pub depth: u64,
    /// `CUarray_format`.
    pub format: u32,
    /// Numbers in an element.
    pub channels: u32,
    /// `CUDA_ARRAY3D_...`.
    pub flags: u32,
}

impl ArrayLayout {
    /// The described image, at an address.
    ///
    /// # Errors
    /// If CUDA or the emulator does not have such an array.
    pub fn image(&self, address: u64) -> Result<Image, ImageError> {
        let (texel, _) = texel(self.format, self.channels)?;
        if self.flags & !(LAYERED | CUBE | HARMLESS) != 0 {
            return Err(ImageError::Unsupported("it has a flag of sparse or video arrays"));
        }
        let [width, height, depth] = [self.width, self.height, self.depth]
            .map(|extent| u32::try_from(extent).unwrap_or(u32::MAX));
        let (layered, cube) = (self.flags & LAYERED != 0, self.flags & CUBE != 0);
        // Maximum extents, as the device attributes report.
        let (shape, extent, layers, most) = match (cube, layered) {
            (true, _) if width != height || !depth.is_multiple_of(6) => {
                return Err(ImageError::Invalid);
            }
            (true, true) if depth > 0 => {
                (ImageShape::Cube, [width, height, 1], depth / 6, [32_768, 32_768, 1])
            }
            (true, false) if depth == 6 => {
                (ImageShape::Cube, [width, height, 1], 0, [32_768, 32_768, 1])
            }
            (true, _) => return Err(ImageError::Invalid),
            (false, true) if depth == 0 => return Err(ImageError::Invalid),
            (false, true) if height == 0 => {
                (ImageShape::Line, [width, 1, 1], depth, [32_768, 1, 1])
            }
            (false, true) => (ImageShape::Plane, [width, height, 1], depth, [32_768, 32_768, 1]),
            (false, false) if depth > 0 => {
                (ImageShape::Volume, [width, height, depth], 0, [16_384; 3])
            }
            (false, false) if height > 0 => {
                (ImageShape::Plane, [width, height, 1], 0, [131_072, 65_536, 1])
            }
            (false, false) => (ImageShape::Line, [width, 1, 1], 0, [131_072, 1, 1]),
        };
        let fits = extent.iter().zip(most).all(|(extent, most)| (1..=most).contains(extent));
        if !fits || layers > 2048 {
            return Err(ImageError::Invalid);
        }
        let pitch = (u64::from(extent[0]) * texel.bytes()).next_multiple_of(ROW);
        Ok(Image { shape, texel, address, extent, layers, pitch })
    }

    /// The array of a mipmap level.
    pub fn level(&self, level: u32) -> ArrayLayout {
        let half = |extent: u64| if extent == 0 { 0 } else { (extent >> level).max(1) };
        let planes = self.flags & (LAYERED | CUBE) != 0;
        ArrayLayout {
            width: half(self.width),
            height: half(self.height),
            depth: if planes { self.depth } else { half(self.depth) },
            ..*self
        }
    }

    /// Maximum number of mipmap levels.
    pub fn most_levels(&self) -> u32 {
        let planes = self.flags & (LAYERED | CUBE) != 0;
        let depth = if planes { 0 } else { self.depth };
        self.width.max(self.height).max(depth).checked_ilog2().unwrap_or(0) + 1
    }
}

/// An image as surfaces see it: they address the faces of a cube as layers.
pub fn surface_image(image: Image) -> Image {
    match image.shape {
        ImageShape::Cube => {
            Image { shape: ImageShape::Plane, layers: 6 * image.layers.max(1), ..image }
        }
        _ => image,
    }
}

/// How a texture is read (`CUDA_TEXTURE_DESC`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureReading {
    /// `CUaddress_mode` of each dimension.
    pub address: [u32; 3],
    /// Whether elements are interpolated (0 or 1).
    pub filter: u32,
    /// `CU_TRSF_...`.
    pub flags: u32,
    /// Maximum anisotropy.
    pub anisotropy: u32,
    /// Whether mipmap levels are interpolated (0 or 1).
    pub level_filter: u32,
    /// Added to the level.
    pub level_bias: f32,
    /// The least level.
    pub least_level: f32,
    /// The largest level.
    pub most_level: f32,
    /// The color outside of the image.
    pub border: [f32; 4],
}

impl TextureReading {
    /// The sampler of an image or of mipmap levels. `fraction` says whether the format is always read as normalized floats.
    ///
    /// # Errors
    /// If CUDA or the emulator cannot read this image so.
    pub fn sampler(
        &self,
        mipmapped: bool,
        image: &Image,
        fraction: bool,
    ) -> Result<Sampler, ImageError> {
        let integers = image.texel.channel != Channel::Float;
        let as_float =
            integers && (fraction || self.flags & AS_INTEGERS == 0) && image.texel.bits != 32;
        let linear = self.filter == 1;
        let normalized = self.flags & NORMALIZED != 0;
        let mip = self.mip();
        let filters = linear || mipmapped && mip.linear;
        if self.filter > 1 || self.level_filter > 1 || filters && integers && !as_float {
            return Err(ImageError::Invalid);
        }
        // Mipmapped arrays require normalized coordinates.
        if mipmapped && !normalized {
            return Err(ImageError::Invalid);
        }
        let srgb = self.flags & SRGB != 0;
        let bytes = image.texel.channel == Channel::Unsigned && image.texel.bits == 8;
        if srgb && !(bytes && as_float) {
            return Err(ImageError::Unsupported(
                "it converts from sRGB, but its elements are not unsigned bytes that are read as floats",
            ));
        }
        if image.shape == ImageShape::Linear {
            return Ok(Sampler { as_float, srgb, ..Sampler::default() });
        }
        let mut address = [AddressMode::Clamp; 3];
        for (to, mode) in address.iter_mut().zip(self.address) {
            *to = match mode {
                // Wrap and mirror need normalized coordinates; without them, they clamp.
                0 if normalized => AddressMode::Wrap,
                2 if normalized => AddressMode::Mirror,
                0..=2 => AddressMode::Clamp,
                3 => AddressMode::Border,
                _ => return Err(ImageError::Invalid),
            };
        }
        let bordered = address.contains(&AddressMode::Border);
        if bordered && integers && !as_float && self.border != [0.0; 4] {
            return Err(ImageError::Unsupported(
                "it has a border color other than 0, but its elements are read as integers",
            ));
        }
        let border = self.border.map(f32::to_bits);
        Ok(Sampler { address, linear, normalized, as_float, srgb, mip, border })
    }

    /// Mipmap filtering.
    fn mip(&self) -> Mip {
        Mip {
            linear: self.level_filter == 1,
            bias: self.level_bias,
            least: self.least_level,
            most: self.most_level,
            anisotropy: self.anisotropy,
        }
    }
}
