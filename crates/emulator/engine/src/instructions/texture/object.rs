//! Images, samplers, and their handles.
//!
//! On a GPU the driver makes handles in its own layout; here they count up from a number that no address
//! has. An image is previously allocated memory, stored row by row.

use crate::fault::MemoryError;
use std::collections::BTreeMap;

/// The high bits of every handle; no address has them.
const MARK: u64 = 0x7EC5_0000_0000_0000;
/// Maximum number of texels in one dimension, over all layers and faces.
const MOST: u64 = 1 << 31;

/// The type of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Unsigned integers of 8, 16 or 32 bits.
    Unsigned,
    /// Signed integers of 8, 16 or 32 bits.
    Signed,
    /// Floats of 16 or 32 bits.
    Float,
}

/// The format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texel {
    /// The type of its channels.
    pub channel: Channel,
    /// Bits of a channel.
    pub bits: u8,
    /// 1, 2 or 4 channels.
    pub channels: u8,
}

impl Texel {
    /// Bytes of a texel.
    pub fn bytes(self) -> u64 {
        u64::from(self.bits / 8) * u64::from(self.channels)
    }
}

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageShape {
    /// Linear memory, fetched by an integer index; outside it reads as 0.
    Linear,
    /// One dimension.
    Line,
    /// Two dimensions.
    Plane,
    /// Three dimensions.
    Volume,
    /// Six square faces: +x, -x, +y, -y, +z, -z.
    Cube,
}

/// An image in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its shape.
    pub shape: ImageShape,
    /// The format of its texels.
    pub texel: Texel,
    /// The address of the first texel.
    pub address: u64,
    /// Texels in x, y and z; 1 for dimensions that the shape lacks.
    pub extent: [u32; 3],
    /// Layers of an array of images; 0 if it is not an array.
    pub layers: u32,
    /// Bytes from one row to the next.
    pub pitch: u64,
}

impl Image {
    /// Planes in all: the slices of a volume, or the faces of each layer.
    pub fn planes(&self) -> u64 {
        let faces = if self.shape == ImageShape::Cube { 6 } else { 1 };
        u64::from(self.extent[2]) * faces * u64::from(self.layers.max(1))
    }

    /// Bytes of all rows, including the padding of the last one.
    pub fn bytes(&self) -> u64 {
        self.pitch * u64::from(self.extent[1]) * self.planes()
    }

    /// Bytes from the first texel to the end of the last one.
    pub fn span(&self) -> u64 {
        self.bytes() - self.pitch + self.row_bytes()
    }

    /// Bytes of a row that are texels.
    pub fn row_bytes(&self) -> u64 {
        u64::from(self.extent[0]) * self.texel.bytes()
    }

    /// The address of byte `x` of row `y` of plane `z`.
    pub fn at(&self, x: u64, y: u64, z: u64) -> u64 {
        self.address + (z * u64::from(self.extent[1]) + y) * self.pitch + x
    }

    fn check(&self) -> Result<(), String> {
        let Texel { channel, bits, channels } = self.texel;
        let known = match channel {
            Channel::Float => matches!(bits, 16 | 32),
            _ => matches!(bits, 8 | 16 | 32),
        };
        if !known || !matches!(channels, 1 | 2 | 4) {
            return Err(format!(
                "no format of {channels} channels of {bits} bits; 1, 2 or 4 of 8, 16 or 32 bits, floats of 16 or 32, are possible"
            ));
        }
        let [width, height, depth] = self.extent;
        if width == 0 || height == 0 || depth == 0 {
            return Err("an extent of 0".to_owned());
        }
        let fits = match self.shape {
            ImageShape::Linear => height == 1 && depth == 1 && self.layers == 0,
            ImageShape::Line => height == 1 && depth == 1,
            ImageShape::Plane => depth == 1,
            ImageShape::Volume => self.layers == 0,
            ImageShape::Cube => width == height && depth == 1,
        };
        if !fits {
            return Err(format!(
                "extents {:?} and {} layers do not fit this shape",
                self.extent, self.layers
            ));
        }
        if self.pitch < self.row_bytes() {
            return Err(format!(
                "rows of {} bytes are only {} bytes apart",
                self.row_bytes(),
                self.pitch
            ));
        }
        let small = [u64::from(width), u64::from(height), self.planes()].iter().all(|n| *n < MOST);
        if !small || self.pitch.checked_mul(u64::from(height) * self.planes()).is_none() {
            return Err("more texels than an image can have".to_owned());
        }
        let size = self.texel.bytes().min(16);
        if !self.address.is_multiple_of(size) || !self.pitch.is_multiple_of(size) {
            return Err(format!(
                "its address or pitch is not a multiple of a texel's {size} bytes"
            ));
        }
        Ok(())
    }
}

/// How a coordinate outside the image is mapped (address mode).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The nearest texel inside.
    #[default]
    Clamp,
    /// The image repeats; only with normalized coordinates.
    Wrap,
    /// The image repeats, every other time mirrored; only with normalized coordinates.
    Mirror,
    /// The border's color.
    Border,
}

/// Selection of mipmap levels. The default is always level 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mip {
    /// The weighted mean of the two nearest levels, instead of the nearest one.
    pub linear: bool,
    /// The bias added to every level.
    pub bias: f32,
    /// The lowest level that is read.
    pub least: f32,
    /// The highest level that is read.
    pub most: f32,
    /// Maximum samples along the longer gradient; only 0 and 1 are supported for gradients.
    pub anisotropy: u32,
}

/// The sampler of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampler {
    /// The addressing mode for coordinates outside, in each dimension.
    pub address: [AddressMode; 3],
    /// The weighted mean of the nearest texels, instead of the nearest one.
    pub linear: bool,
    /// Coordinates go from 0 to 1 over the image.
    pub normalized: bool,
    /// Integers are read as floats from 0 or -1 to 1.
    pub as_float: bool,
    /// Whether colors are stored as sRGB, and read as linear values.
    pub srgb: bool,
    /// How mipmap levels are chosen.
    pub mip: Mip,
    /// The channels of the border's color as registers hold them: bits of floats, or integers.
    pub border: [u32; 4],
}

impl Sampler {
    /// From the fields of a `.samplerref` variable; `None` if one is unknown.
    pub fn of_fields(fields: &[(String, String)]) -> Option<Sampler> {
        let mut sampler = Sampler { normalized: true, ..Sampler::default() };
        for (name, value) in fields {
            let mode = match value.as_str() {
                "wrap" => Some(AddressMode::Wrap),
                "mirror" => Some(AddressMode::Mirror),
                "clamp_ogl" | "clamp_to_edge" => Some(AddressMode::Clamp),
                "clamp_to_border" => Some(AddressMode::Border),
                _ => None,
            };
            match name.as_str() {
                "addr_mode_0" => sampler.address[0] = mode?,
                "addr_mode_1" => sampler.address[1] = mode?,
                "addr_mode_2" => sampler.address[2] = mode?,
                "filter_mode" => {
                    sampler.linear = match value.as_str() {
                        "linear" => true,
                        "nearest" => false,
                        _ => return None,
                    }
                }
                "force_unnormalized_coords" => sampler.normalized = value == "0",
                _ => return None,
            }
        }
        Some(sampler)
    }

    fn check(&self, images: &[Image]) -> Result<(), String> {
        let image = &images[0];
        let integers = image.texel.channel != Channel::Float;
        let levels = images.len() > 1;
        if (self.linear || levels && self.mip.linear) && integers && !self.as_float {
            return Err("integers are filtered only if they are read as floats".to_owned());
        }
        let bytes = image.texel.channel == Channel::Unsigned && image.texel.bits == 8;
        if self.srgb && !(bytes && self.as_float) {
            return Err("sRGB needs unsigned channels of 8 bits that are read as floats".to_owned());
        }
        if levels && !self.normalized {
            return Err("several mipmap levels are read only by normalized coordinates".to_owned());
        }
        if self.as_float && integers && image.texel.bits == 32 {
            return Err("integers of 32 bits are not read as floats".to_owned());
        }
        let repeats = |mode: &AddressMode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
        if !self.normalized && self.address.iter().any(repeats) {
            return Err("the image repeats only if coordinates are normalized".to_owned());
        }
        if image.shape == ImageShape::Linear && (self.linear || self.normalized) {
            return Err("linear memory has neither a filter nor normalized coordinates".to_owned());
        }
        Ok(())
    }
}

/// Checks that images are the mipmap levels of one texture: each has half the extents of the one before.
fn check_levels(images: &[Image]) -> Result<(), String> {
    let Some(first) = images.first() else { return Err("no image".to_owned()) };
    for (level, image) in images.iter().enumerate() {
        image.check()?;
        let alike = (image.shape, image.texel, image.layers)
            == (first.shape, first.texel, first.layers)
            && (level == 0 || first.shape != ImageShape::Linear);
        let half = |extent: u32| extent.checked_shr(level as u32).unwrap_or(0).max(1);
        if !alike || image.extent != first.extent.map(half) {
            return Err(format!(
                "mipmap level {level} does not have half the extents of the level before, or is of another kind"
            ));
        }
    }
    Ok(())
}

/// The object of a handle.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A texture of one or more mipmap levels, with its own sampler.
    Texture(Vec<Image>, Sampler),
    /// Only a sampler.
    Sampler(Sampler),
    /// A surface.
    Surface(Image),
}

/// The objects of a device by their handles.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    all: BTreeMap<u64, Object>,
    made: u64,
}

impl Objects {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Makes a handle of an object.
    ///
    /// # Errors
    /// The broken rule, as a message.
    pub fn make(&mut self, object: Object) -> Result<u64, MemoryError> {
        let checked = match &object {
            Object::Texture(levels, sampler) => {
                check_levels(levels).and_then(|()| sampler.check(levels))
            }
            Object::Surface(image) => image.check(),
            Object::Sampler(_) => Ok(()),
        };
        checked.map_err(|why| MemoryError::BadImage { why })?;
        self.made += 1;
        let handle = MARK | self.made;
        self.all.insert(handle, object);
        Ok(handle)
    }

    /// Destroys an object; returns whether it existed.
    pub fn end(&mut self, handle: u64) -> bool {
        self.all.remove(&handle).is_some()
    }

    /// The object of a handle.
    pub fn get(&self, handle: u64) -> Option<&Object> {
        self.all.get(&handle)
    }
}
