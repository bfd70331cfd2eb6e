//! Textures and surfaces: objects that name an image and how it is read.

use crate::api::{api, say};
use crate::array::{Array, Levels, texel};
use crate::handles::Handle;
use crate::lock::lock;
use crate::pointers::store;
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use lanework::sim::{AddressMode, Channel, Image, ImageShape, Sampler, Texel};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// `CUDA_RESOURCE_DESC`: the kind says which of the following fields there are.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Resource {
    /// 0 an array, 1 a mipmapped array, 2 linear memory, 3 rows of memory.
    kind: u32,
    padding: u32,
    /// The handle, or the address.
    place: u64,
    format: u32,
    channels: u32,
    /// Bytes of linear memory; texels of a row.
    width: usize,
    height: usize,
    pitch: usize,
    reserved: [u64; 11],
    flags: u64,
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Reading {
    address: [u32; 3],
    filter: u32,
    flags: u32,
    anisotropy: u32,
    level_filter: u32,
    level_bias: f32,
    least_level: f32,
    most_level: f32,
    border: [f32; 4],
    reserved: [i32; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct View {
    format: u32,
    width: usize,
    height: usize,
    depth: usize,
    first_level: u32,
    last_level: u32,
    first_layer: u32,
    last_layer: u32,
    reserved: [u32; 16],
}

/// Flags of a texture: integers stay integers, coordinates from 0 to 1, colours of sRGB.
const AS_INTEGERS: u32 = 1;
const NORMALIZED: u32 = 2;
const SRGB: u32 = 0x10;

/// What an object was made of, for those who ask.
#[derive(Clone, Copy)]
struct Made {
    resource: Resource,
    reading: Option<Reading>,
    view: Option<View>,
}

static MADE: Mutex<BTreeMap<u64, Made>> = Mutex::new(BTreeMap::new());

/// Refuses something that is valid in CUDA and that the emulator does not do.
fn refuse<T>(why: &str) -> Result<T> {
    say("a texture is not made", &why);
    Err(Status::NotSupported)
}

impl Resource {
    /// Its image, and whether its integers are always read as floats.
    fn image(&self, view: Option<&View>) -> Result<(Image, bool)> {
        let rows = |shape, texel: Texel, extent: [usize; 2], pitch: usize| -> Result<Image> {
            let [x, y] = extent.map(|extent| u32::try_from(extent).unwrap_or(u32::MAX));
            if self.place == 0 || x == 0 || y == 0 || pitch < x as usize * texel.bytes() as usize {
                return Err(Status::InvalidValue);
            }
            let (address, pitch) = (self.place, pitch as u64);
            Ok(Image { shape, texel, address, extent: [x, y, 1], layers: 0, pitch })
        };
        let of_array = |handle: Handle| {
            let array = table::<Array>().get(handle)?;
            Ok((array.image, texel(array.descriptor.format, array.descriptor.channels)?.1))
        };
        match self.kind {
            0 => of_array(self.place),
            1 => {
                let levels = table::<Levels>().get(self.place)?;
                let (first, last) = match view {
                    Some(view) => (view.first_level as usize, view.last_level as usize),
                    None => (0, levels.levels.len() - 1),
                };
                match levels.levels.get(first) {
                    Some(level) if first == last => of_array(*level),
                    Some(_) => refuse(
                        "it has several mipmap levels; make a texture of one level (firstMipmapLevel = lastMipmapLevel)",
                    ),
                    None => Err(Status::InvalidValue),
                }
            }
            2 => {
                let (texel, fraction) = texel(self.format, self.channels)?;
                let count = self.width / texel.bytes() as usize;
                Ok((rows(ImageShape::Linear, texel, [count, 1], self.width)?, fraction))
            }
            3 => {
                let (texel, fraction) = texel(self.format, self.channels)?;
                let extent = [self.width, self.height];
                Ok((rows(ImageShape::Plane, texel, extent, self.pitch)?, fraction))
            }
            _ => Err(Status::InvalidValue),
        }
    }
}

impl View {
    /// The part of an image that it shows, in its format.
    fn of(&self, image: Image) -> Result<Image> {
        let texel = match self.format {
            0 => image.texel,
            1..=24 => {
                let (kind, channels) = ((self.format - 1) / 3, 1u8 << ((self.format - 1) % 3));
                let (channel, bits) = [
                    (Channel::Unsigned, 8),
                    (Channel::Signed, 8),
                    (Channel::Unsigned, 16),
                    (Channel::Signed, 16),
                    (Channel::Unsigned, 32),
                    (Channel::Signed, 32),
                    (Channel::Float, 16),
                    (Channel::Float, 32),
                ][kind as usize];
                Texel { channel, bits, channels }
            }
            _ => return refuse("its view has a block-compressed format"),
        };
        if texel.bytes() != image.texel.bytes() {
            return Err(Status::InvalidValue);
        }
        if image.layers == 0 {
            return Ok(Image { texel, ..image });
        }
        let (first, last) = (self.first_layer, self.last_layer);
        if first > last || last >= image.layers {
            return Err(Status::InvalidValue);
        }
        let one = Image { layers: 1, ..image }.bytes();
        let address = image.address + u64::from(first) * one;
        Ok(Image { texel, address, layers: last - first + 1, ..image })
    }
}

impl Reading {
    /// How the texels of an image are read.
    fn sampler(&self, image: &Image, fraction: bool) -> Result<Sampler> {
        if self.flags & SRGB != 0 {
            return refuse("it converts from sRGB");
        }
        let integers = image.texel.channel != Channel::Float;
        let as_float =
            integers && (fraction || self.flags & AS_INTEGERS == 0) && image.texel.bits != 32;
        let linear = self.filter == 1;
        let normalized = self.flags & NORMALIZED != 0;
        if self.filter > 1 || linear && integers && !as_float {
            return Err(Status::InvalidValue);
        }
        if image.shape == ImageShape::Linear {
            return Ok(Sampler { as_float, ..Sampler::default() });
        }
        let mut address = [AddressMode::Clamp; 3];
        for (to, mode) in address.iter_mut().zip(self.address) {
            *to = match mode {
                // Only normalised coordinates repeat; others are clamped.
                0 if normalized => AddressMode::Wrap,
                2 if normalized => AddressMode::Mirror,
                0..=2 => AddressMode::Clamp,
                3 => AddressMode::Border,
                _ => return Err(Status::InvalidValue),
            };
        }
        let bordered = address.contains(&AddressMode::Border);
        if bordered && integers && !as_float && self.border != [0.0; 4] {
            return refuse("the border of integers has a colour");
        }
        Ok(Sampler { address, linear, normalized, as_float, border: self.border.map(f32::to_bits) })
    }
}

impl Driver {
    /// Makes a texture.
    fn make_texture(&self, made: Made) -> Result<u64> {
        self.finish_detached()?;
        self.context()?;
        let (image, fraction) = made.resource.image(made.view.as_ref())?;
        let image = made.view.map_or(Ok(image), |view| view.of(image))?;
        let reading = made.reading.ok_or(Status::InvalidValue)?;
        let sampler = reading.sampler(&image, fraction)?;
        self.object(self.device.texture_at(image, sampler), made)
    }

    /// Makes a surface.
    fn make_surface(&self, resource: Resource) -> Result<u64> {
        self.finish_detached()?;
        self.context()?;
        if resource.kind != 0 {
            return Err(Status::InvalidValue);
        }
        let (mut image, _) = resource.image(None)?;
        if image.shape == ImageShape::Cube {
            // Kernels take the faces of cubes for layers.
            (image.shape, image.layers) = (ImageShape::Plane, 6 * image.layers.max(1));
        }
        let made = Made { resource, reading: None, view: None };
        self.object(self.device.surface_at(image), made)
    }

    /// Remembers what an object was made of.
    fn object(&self, handle: lanework::Result<u64>, made: Made) -> Result<u64> {
        let handle = handle.map_err(|error| {
            say("a texture or surface is not made", &error);
            Status::InvalidValue
        })?;
        lock(&MADE).insert(handle, made);
        Ok(handle)
    }
}

fn end(object: u64) -> Result {
    let driver = driver()?;
    let known = lock(&MADE).remove(&object).is_some();
    if known && driver.device.end_image(object) { Ok(()) } else { Err(Status::InvalidValue) }
}

fn made(object: u64) -> Result<Made> {
    lock(&MADE).get(&object).copied().ok_or(Status::InvalidValue)
}

api! {
    fn cuTexObjectCreate(object: *mut u64, resource: *const Resource, reading: *const Reading, view: *const View) {
        // SAFETY: by the caller.
        let made = unsafe {
            Made {
                resource: *resource.as_ref().ok_or(Status::InvalidValue)?,
                reading: Some(*reading.as_ref().ok_or(Status::InvalidValue)?),
                view: view.as_ref().copied(),
            }
        };
        let handle = driver()?.make_texture(made)?;
        // SAFETY: by the caller.
        unsafe { store(object, handle) }
    }

    fn cuTexObjectDestroy(object: u64) {
        end(object)
    }

    fn cuTexObjectGetResourceDesc(resource: *mut Resource, object: u64) {
        // SAFETY: by the caller.
        unsafe { store(resource, made(object)?.resource) }
    }

    fn cuTexObjectGetTextureDesc(reading: *mut Reading, object: u64) {
        // SAFETY: by the caller.
        unsafe { store(reading, made(object)?.reading.ok_or(Status::InvalidValue)?) }
    }

    fn cuTexObjectGetResourceViewDesc(view: *mut View, object: u64) {
        // SAFETY: by the caller.
        unsafe { store(view, made(object)?.view.ok_or(Status::InvalidValue)?) }
    }

    fn cuSurfObjectCreate(object: *mut u64, resource: *const Resource) {
        // SAFETY: by the caller.
        let handle = driver()?.make_surface(*unsafe { resource.as_ref() }.ok_or(Status::InvalidValue)?)?;
        // SAFETY: by the caller.
        unsafe { store(object, handle) }
    }

    fn cuSurfObjectDestroy(object: u64) {
        end(object)
    }

    fn cuSurfObjectGetResourceDesc(resource: *mut Resource, object: u64) {
        // SAFETY: by the caller.
        unsafe { store(resource, made(object)?.resource) }
    }
}
