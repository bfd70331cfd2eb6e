//! Arrays as the driver keeps them: images whose layout is the driver's own, behind textures and surfaces.

use crate::handles::Handle;
use crate::pointers::abi;
use crate::state::{Driver, table};
use crate::status::{Result, Status};
use lanework::Buffer;
use lanework::emulator::{Channel, Image, ImageShape, Texel};
use std::sync::Arc;

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Descriptor {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

abi!(Descriptor = 40, 8 { width: 0, height: 8, depth: 16, format: 24, channels: 28, flags: 32 });

/// Flags of an array: its depth counts layers, its planes are faces of cubes, and what it may be used for.
pub const LAYERED: u32 = 1;
pub const CUBE: u32 = 4;
/// Of the others, those that change nothing here: surfaces, gathers, depth, colour attachments.
const HARMLESS: u32 = 0x2 | 0x8 | 0x10 | 0x20;

/// Bytes to which rows are aligned.
const ROW: u64 = 32;

/// An array.
pub struct Array {
    pub context: Handle,
    pub descriptor: Descriptor,
    /// Where its texels lie.
    pub image: Image,
    /// Of all levels, where it is one of several.
    _memory: Arc<Buffer<u8>>,
}

/// A mipmapped array: its levels are arrays.
pub struct Levels {
    pub context: Handle,
    pub levels: Vec<Handle>,
}

/// A format (`CUarray_format`), and whether its integers are fractions, always read as floats.
pub fn texel(format: u32, channels: u32) -> Result<(Texel, bool)> {
    let (channel, bits, fixed, fraction) = match format {
        0x01 => (Channel::Unsigned, 8, None, false),
        0x02 => (Channel::Unsigned, 16, None, false),
        0x03 => (Channel::Unsigned, 32, None, false),
        0x08 => (Channel::Signed, 8, None, false),
        0x09 => (Channel::Signed, 16, None, false),
        0x0a => (Channel::Signed, 32, None, false),
        0x10 => (Channel::Float, 16, None, false),
        0x20 => (Channel::Float, 32, None, false),
        // Fractions: 1, 2 or 4 channels by the format itself.
        0xc0..=0xc2 => (Channel::Unsigned, 8, Some(1 << (format - 0xc0)), true),
        0xc3..=0xc5 => (Channel::Unsigned, 16, Some(1 << (format - 0xc3)), true),
        0xc6..=0xc8 => (Channel::Signed, 8, Some(1 << (format - 0xc6)), true),
        0xc9..=0xcb => (Channel::Signed, 16, Some(1 << (format - 0xc9)), true),
        // Block compression and video.
        0x91..=0x9f | 0xb0 => return Err(Status::NotSupported),
        _ => return Err(Status::InvalidValue),
    };
    if fixed.is_some_and(|fixed| fixed != channels) || !matches!(channels, 1 | 2 | 4) {
        return Err(Status::InvalidValue);
    }
    Ok((Texel { channel, bits, channels: channels as u8 }, fraction))
}

impl Descriptor {
    /// The image that it describes, at an address.
    pub fn image(&self, address: u64) -> Result<Image> {
        let (texel, _) = texel(self.format, self.channels)?;
        if self.flags & !(LAYERED | CUBE | HARMLESS) != 0 {
            return Err(Status::NotSupported);
        }
        let [width, height, depth] = [self.width, self.height, self.depth]
            .map(|extent| u32::try_from(extent).unwrap_or(u32::MAX));
        let (layered, cube) = (self.flags & LAYERED != 0, self.flags & CUBE != 0);
        // Most texels in each dimension, as the attributes of the device say.
        let (shape, extent, layers, most) = match (cube, layered) {
            (true, _) if width != height || !depth.is_multiple_of(6) => {
                return Err(Status::InvalidValue);
            }
            (true, true) if depth > 0 => {
                (ImageShape::Cube, [width, height, 1], depth / 6, [32_768, 32_768, 1])
            }
            (true, false) if depth == 6 => {
                (ImageShape::Cube, [width, height, 1], 0, [32_768, 32_768, 1])
            }
            (true, _) => return Err(Status::InvalidValue),
            (false, true) if depth == 0 => return Err(Status::InvalidValue),
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
            return Err(Status::InvalidValue);
        }
        let pitch = (u64::from(extent[0]) * texel.bytes()).next_multiple_of(ROW);
        Ok(Image { shape, texel, address, extent, layers, pitch })
    }

    /// The descriptor of a level of a mipmapped array.
    fn level(&self, level: u32) -> Descriptor {
        let half = |extent: usize| if extent == 0 { 0 } else { (extent >> level).max(1) };
        let planes = self.flags & (LAYERED | CUBE) != 0;
        Descriptor {
            width: half(self.width),
            height: half(self.height),
            depth: if planes { self.depth } else { half(self.depth) },
            ..*self
        }
    }

    /// Levels that a mipmapped array of this shape can have.
    fn most_levels(&self) -> u32 {
        let planes = self.flags & (LAYERED | CUBE) != 0;
        let depth = if planes { 0 } else { self.depth };
        self.width.max(self.height).max(depth).checked_ilog2().unwrap_or(0) + 1
    }
}

impl Driver {
    /// Makes arrays of these shapes in one piece of memory.
    fn make_arrays(&self, descriptors: &[Descriptor]) -> Result<Vec<Handle>> {
        let context = self.context()?.handle;
        let mut images = Vec::new();
        let mut bytes = 0u64;
        for descriptor in descriptors {
            let image = descriptor.image(bytes)?;
            bytes += image.bytes();
            images.push((*descriptor, image));
        }
        let mut memory = self
            .device
            .uninit_named::<u8>(bytes as usize, "cuArrayCreate")
            .map_err(|_| Status::OutOfMemory)?;
        if self.device.is_sanitized() {
            // Copies fill an array, and surfaces, whose accesses are not followed byte by byte.
            memory.fill_bytes(0).map_err(|_| Status::Unknown)?;
        }
        let memory = Arc::new(memory);
        let made = images.into_iter().map(|(descriptor, image)| {
            let image = Image { address: memory.address() + image.address, ..image };
            table::<Array>().add(Array { context, descriptor, image, _memory: memory.clone() })
        });
        Ok(made.collect())
    }

    /// Makes an array.
    pub fn make_array(&self, descriptor: Descriptor) -> Result<Handle> {
        Ok(self.make_arrays(&[descriptor])?[0])
    }

    /// Makes a mipmapped array.
    pub fn make_levels(&self, descriptor: Descriptor, levels: u32) -> Result<Handle> {
        let count = levels.clamp(1, descriptor.most_levels());
        let shapes: Vec<Descriptor> = (0..count).map(|level| descriptor.level(level)).collect();
        let levels = self.make_arrays(&shapes)?;
        Ok(table::<Levels>().add(Levels { context: self.context()?.handle, levels }))
    }
}
