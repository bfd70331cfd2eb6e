//! Texture and surface objects, and their descriptions.

use crate::api::{api, warn};
use crate::devices::device_attribute;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::textures::arrays::{Array, MipmappedArray, refused, texel};
use lanework::emulator::images::{TextureReading, surface_image};
use lanework::emulator::{Channel, Image, ImageShape, Texel};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// `CUDA_RESOURCE_DESC`; `kind` says which fields are valid.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct ResourceDescription {
    pub kind: u32,
    pub padding: u32,
    /// Handle or address.
    pub place: u64,
    pub format: u32,
    pub channels: u32,
    /// Bytes of linear memory, or texels per row.
    pub width: usize,
    pub height: usize,
    pub pitch: usize,
    pub reserved: [u64; 11],
    pub flags: u64,
}

abi!(ResourceDescription = 144, 8 { kind: 0, padding: 4, place: 8, format: 16, channels: 20, width: 24, height: 32, pitch: 40, reserved: 48, flags: 136 });

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct TextureDescription {
    pub address: [u32; 3],
    pub filter: u32,
    pub flags: u32,
    pub anisotropy: u32,
    pub level_filter: u32,
    pub level_bias: f32,
    pub least_level: f32,
    pub most_level: f32,
    pub border: [f32; 4],
    pub reserved: [i32; 12],
}

abi!(TextureDescription = 104, 4 { address: 0, filter: 12, flags: 16, anisotropy: 20, level_filter: 24, level_bias: 28, least_level: 32, most_level: 36, border: 40, reserved: 56 });

/// `CUDA_RESOURCE_VIEW_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ResourceViewDescription {
    pub format: u32,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub first_level: u32,
    pub last_level: u32,
    pub first_layer: u32,
    pub last_layer: u32,
    pub reserved: [u32; 16],
}

abi!(ResourceViewDescription = 112, 8 { format: 0, width: 8, height: 16, depth: 24, first_level: 32, last_level: 36, first_layer: 40, last_layer: 44, reserved: 48 });

/// The device's texture alignment (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`), in bytes.
const TEXTURE_ALIGNMENT: u64 = 512;
/// `CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH`: the maximum number of texels of a linear texture.
const LINEAR_WIDTH: i32 = 69;

/// `CUresourcetype`: array, mipmapped array, linear memory, pitched memory.
pub const ARRAY: u32 = 0;
pub const MIPMAP: u32 = 1;
pub const LINEAR: u32 = 2;
pub const ROWS: u32 = 3;

/// Refuses a valid description that the emulator does not support.
fn refuse<T>(why: &str) -> Result<T> {
    warn("the texture cannot be created", &why);
    Err(Status::NotSupported)
}

impl ResourceDescription {
    /// Images, one per mipmap level of the view, and whether integers are always read as floats.
    pub fn images(&self, view: Option<&ResourceViewDescription>) -> Result<(Vec<Image>, bool)> {
        let (images, fraction) = self.whole(view)?;
        let shown =
            images.into_iter().map(|image| view.map_or(Ok(image), |view| view.apply(image)));
        Ok((shown.collect::<Result<_>>()?, fraction))
    }

    /// Checks that linear memory is aligned and starts in an allocation. A GPU's driver does not compare the end:
    /// NVIDIA's sample `convolutionFFT2D` names more bytes than it allocates.
    fn check_linear(&self, driver: &Driver) -> Result {
        if self.kind != LINEAR || self.place == 0 {
            return Ok(());
        }
        if !self.place.is_multiple_of(TEXTURE_ALIGNMENT) {
            return Err(crate::status::refuse(
                Status::InvalidValue,
                format!(
                    "a texture cannot start at {:#x}, which is not a multiple of {TEXTURE_ALIGNMENT}",
                    self.place
                ),
                "start a texture at a multiple of the device's texture alignment, and add the rest to the index",
            ));
        }
        driver.check_range(self.place, 1)
    }

    /// Images before the view is applied.
    fn whole(&self, view: Option<&ResourceViewDescription>) -> Result<(Vec<Image>, bool)> {
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
            let (_, fraction) = texel(array.descriptor.format, array.descriptor.channels)?;
            Ok((array.image, fraction))
        };
        match self.kind {
            ARRAY => of_array(self.place).map(|(image, fraction)| (vec![image], fraction)),
            MIPMAP => {
                let all = table::<MipmappedArray>().get(self.place)?;
                let last = all.levels.len() - 1;
                let (first, last) = match view {
                    Some(view) => (view.first_level as usize, view.last_level as usize),
                    None => (0, last),
                };
                let shown = all.levels.get(first..=last).filter(|shown| !shown.is_empty());
                let mut images = Vec::new();
                let mut fractions = false;
                for level in shown.ok_or(Status::InvalidValue)? {
                    let (image, fraction) = of_array(*level)?;
                    images.push(image);
                    fractions = fraction;
                }
                Ok((images, fractions))
            }
            LINEAR => {
                let (texel, fraction) = texel(self.format, self.channels)?;
                let driver = driver()?;
                let most = device_attribute(LINEAR_WIDTH, driver.gpu(0)?).unwrap_or(i32::MAX);
                if self.width / texel.bytes() as usize > most as usize {
                    return Err(Status::InvalidValue);
                }
                // Texels behind the allocation read as zero, like those behind the texture.
                let range = driver.range_at(self.place);
                let room = range
                    .map_or(usize::MAX, |(start, bytes)| (start + bytes - self.place) as usize);
                let width = self.width.min(room);
                let count = width / texel.bytes() as usize;
                Ok((vec![rows(ImageShape::Linear, texel, [count, 1], width)?], fraction))
            }
            ROWS => {
                let (texel, fraction) = texel(self.format, self.channels)?;
                let extent = [self.width, self.height];
                Ok((vec![rows(ImageShape::Plane, texel, extent, self.pitch)?], fraction))
            }
            _ => Err(Status::InvalidValue),
        }
    }
}

impl ResourceViewDescription {
    /// Applies the view to an image.
    fn apply(&self, image: Image) -> Result<Image> {
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

impl TextureDescription {
    fn reading(&self) -> TextureReading {
        TextureReading {
            address: self.address,
            filter: self.filter,
            flags: self.flags,
            anisotropy: self.anisotropy,
            level_filter: self.level_filter,
            level_bias: self.level_bias,
            least_level: self.least_level,
            most_level: self.most_level,
            border: self.border,
        }
    }
}

/// Description of an object, for queries.
#[derive(Clone, Copy)]
pub struct ObjectDescription {
    pub resource: ResourceDescription,
    pub reading: Option<TextureDescription>,
    pub view: Option<ResourceViewDescription>,
}

static MADE: Mutex<BTreeMap<u64, ObjectDescription>> = Mutex::new(BTreeMap::new());

impl Driver {
    /// Makes a texture.
    pub fn make_texture(&self, made: ObjectDescription) -> Result<u64> {
        self.finish_detached()?;
        self.context()?;
        made.resource.check_linear(self)?;
        let (images, fraction) = made.resource.images(made.view.as_ref())?;
        let reading = made.reading.ok_or(Status::InvalidValue)?;
        let mipmapped = made.resource.kind == MIPMAP;
        let sampler =
            reading.reading().sampler(mipmapped, &images[0], fraction).map_err(refused)?;
        self.object(self.device.mipmap_at(&images, sampler), made)
    }

    /// Makes a surface.
    pub fn make_surface(&self, resource: ResourceDescription) -> Result<u64> {
        self.finish_detached()?;
        self.context()?;
        if resource.kind != ARRAY {
            return Err(Status::InvalidValue);
        }
        let image = surface_image(resource.images(None)?.0[0]);
        let made = ObjectDescription { resource, reading: None, view: None };
        self.object(self.device.surface_at(image), made)
    }

    /// Stores the description of a new object.
    fn object(&self, handle: lanework::Result<u64>, made: ObjectDescription) -> Result<u64> {
        let handle = handle.map_err(|error| {
            warn("the texture or surface cannot be created", &error);
            Status::InvalidValue
        })?;
        lock(&MADE).insert(handle, made);
        Ok(handle)
    }
}

/// Destroys a texture or surface. Handle 0 is not an error, as with NVIDIA's driver: `volumeFiltering` of the CUDA samples destroys a surface that
/// it never created.
pub fn end(object: u64) -> Result {
    let driver = driver()?;
    if object == 0 {
        return Ok(());
    }
    let known = lock(&MADE).remove(&object).is_some();
    if known && driver.device.end_image(object) { Ok(()) } else { Err(Status::InvalidValue) }
}

fn made(object: u64) -> Result<ObjectDescription> {
    lock(&MADE).get(&object).copied().ok_or(Status::InvalidValue)
}

api! {
    fn cuTexObjectCreate(object: Out<'_, u64>, resource: In<'_, ResourceDescription>, reading: In<'_, TextureDescription>, view: In<'_, ResourceViewDescription>) {
        let made = ObjectDescription { resource: resource.get()?, reading: Some(reading.get()?), view: view.find() };
        let handle = driver()?.make_texture(made)?;
        object.store(handle)
    }

    fn cuTexObjectDestroy(object: u64) {
        end(object)
    }

    fn cuTexObjectGetResourceDesc(resource: Out<'_, ResourceDescription>, object: u64) {
        resource.store(made(object)?.resource)
    }

    fn cuTexObjectGetTextureDesc(reading: Out<'_, TextureDescription>, object: u64) {
        reading.store(made(object)?.reading.ok_or(Status::InvalidValue)?)
    }

    fn cuTexObjectGetResourceViewDesc(view: Out<'_, ResourceViewDescription>, object: u64) {
        view.store(made(object)?.view.ok_or(Status::InvalidValue)?)
    }

    fn cuSurfObjectCreate(object: Out<'_, u64>, resource: In<'_, ResourceDescription>) {
        let handle = driver()?.make_surface(resource.get()?)?;
        object.store(handle)
    }

    fn cuSurfObjectDestroy(object: u64) {
        end(object)
    }

    fn cuSurfObjectGetResourceDesc(resource: Out<'_, ResourceDescription>, object: u64) {
        resource.store(made(object)?.resource)
    }
}
