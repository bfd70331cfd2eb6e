//! Arrays, textures and surfaces.

use super::state::{cuda, failed_call, put, put_word, status, sticky};
use lanework_emulator::images::{ArrayLayout, ImageError, TextureReading, surface_image, texel};
use lanework_emulator::{Image, ImageShape, Texel};
use lanework_host::{External, Process, Stop, word};
use std::collections::{BTreeMap, BTreeSet};

/// The device's texture alignment in bytes.
const TEXTURE_ALIGNMENT: u64 = 512;
/// The maximum number of elements of a linear texture.
const LINEAR_WIDTH: u64 = 1 << 28;

/// `CUresourcetype`: array, mipmapped array, linear memory, pitched memory.
const ARRAY: u32 = 0;
const MIPMAP: u32 = 1;
const LINEAR: u32 = 2;
const ROWS: u32 = 3;

/// An array.
#[derive(Clone, Copy)]
struct Array {
    layout: ArrayLayout,
    image: Image,
    /// The level of a mipmapped array: only the whole is destroyed.
    is_level: bool,
}

/// The arrays, textures and surfaces of a program.
#[derive(Default)]
pub struct Textures {
    arrays: BTreeMap<u64, Array>,
    /// The levels of mipmapped arrays, and their memory.
    mipmaps: BTreeMap<u64, (Vec<u64>, u64)>,
    objects: BTreeSet<u64>,
}

impl Textures {
    /// The image of an array, for copies.
    pub fn image(&self, array: u64) -> Option<Image> {
        self.arrays.get(&array).map(|array| array.image)
    }
}

/// Words of a description in the program's memory.
struct Description(Vec<u8>);

impl Description {
    fn read(process: &mut Process, at: u64, bytes: u64) -> Result<Description, Stop> {
        Ok(Description(process.accessed(process.memory.read(at, bytes), "read")?))
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0.get(at..at + N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
    }

    fn long(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    fn int(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    fn float(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.bytes(at))
    }

    /// `CUDA_ARRAY3D_DESCRIPTOR`.
    fn layout(&self) -> ArrayLayout {
        ArrayLayout {
            width: self.long(0),
            height: self.long(8),
            depth: self.long(16),
            format: self.int(24),
            channels: self.int(28),
            flags: self.int(32),
        }
    }

    /// `CUDA_TEXTURE_DESC`.
    fn reading(&self) -> TextureReading {
        TextureReading {
            address: std::array::from_fn(|at| self.int(4 * at)),
            filter: self.int(12),
            flags: self.int(16),
            anisotropy: self.int(20),
            level_filter: self.int(24),
            level_bias: self.float(28),
            least_level: self.float(32),
            most_level: self.float(36),
            border: std::array::from_fn(|at| self.float(40 + 4 * at)),
        }
    }
}

/// Reports an array or a texture that there is not.
fn refused(process: &mut Process, what: &str, why: ImageError) -> Result<u64, Stop> {
    match why {
        ImageError::Invalid => failed_call(
            process,
            status::INVALID_VALUE,
            format!("the description of this {what} is not valid"),
            "compare its extents, its format and its modes with CUDA's programming guide: an element has 1, 2 or 4 numbers; linear filtering needs floats; mipmaps need normalized coordinates",
        ),
        ImageError::Unsupported(why) => failed_call(
            process,
            status::NOT_SUPPORTED,
            format!("this {what} cannot be created: {why}"),
            "choose another format or mode",
        ),
    }
}

fn unknown(process: &mut Process, what: &str) -> Result<u64, Stop> {
    let why = format!("this is not {what}, or it was destroyed");
    failed_call(process, status::INVALID_HANDLE, why, "pass the handle that its creation returned")
}

/// Creates arrays in one allocation. Returns their handles and the memory.
fn arrays(
    process: &mut Process,
    layouts: &[ArrayLayout],
    is_level: bool,
) -> Result<Result<(Vec<u64>, u64), u64>, Stop> {
    let (mut images, mut bytes) = (Vec::new(), 0u64);
    for layout in layouts {
        match layout.image(bytes) {
            Ok(image) => {
                bytes = bytes.saturating_add(image.bytes());
                images.push((*layout, image));
            }
            Err(why) => return refused(process, "array", why).map(Err),
        }
    }
    let state = cuda(process)?;
    let start = match state.emulator.allocate(bytes, "CUDA array") {
        Ok(start) => start,
        Err(why) => {
            let help = "allocate less; the settings of the page have a limit of device memory";
            return failed_call(process, status::OUT_OF_MEMORY, why.to_string(), help).map(Err);
        }
    };
    // A check does not follow the writes of surfaces, so it treats the memory as initialized.
    let _ = state.emulator.fill(start, 0, bytes);
    let handles = images.into_iter().map(|(layout, image)| {
        let image = Image { address: start + image.address, ..image };
        let handle = state.handle();
        state.textures.arrays.insert(handle, Array { layout, image, is_level });
        handle
    });
    Ok(Ok((handles.collect(), start)))
}

fn create_array(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let layout = Description::read(process, word(a, 1), 40)?.layout();
    match arrays(process, &[layout], false)? {
        Ok((handles, _)) => put_word(process, word(a, 0), handles[0]),
        Err(code) => Ok(code),
    }
}

fn destroy_array(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let state = cuda(process)?;
    match state.textures.arrays.get(&word(a, 0)).copied() {
        Some(array) if !array.is_level => {
            state.textures.arrays.remove(&word(a, 0));
            // The table knows the allocation.
            let _ = state.emulator.free(array.image.address);
            Ok(status::SUCCESS)
        }
        _ => unknown(process, "an array"),
    }
}

fn create_mipmap(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let layout = Description::read(process, word(a, 1), 40)?.layout();
    let levels = (word(a, 2) as u32).clamp(1, layout.most_levels());
    let layouts: Vec<ArrayLayout> = (0..levels).map(|level| layout.level(level)).collect();
    match arrays(process, &layouts, true)? {
        Ok(made) => {
            let state = cuda(process)?;
            let handle = state.handle();
            state.textures.mipmaps.insert(handle, made);
            put_word(process, word(a, 0), handle)
        }
        Err(code) => Ok(code),
    }
}

fn destroy_mipmap(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let state = cuda(process)?;
    let Some((levels, start)) = state.textures.mipmaps.remove(&word(a, 0)) else {
        return unknown(process, "a mipmapped array");
    };
    for level in levels {
        state.textures.arrays.remove(&level);
    }
    // The table knows the allocation.
    let _ = state.emulator.free(start);
    Ok(status::SUCCESS)
}

/// The images of a resource (`CUDA_RESOURCE_DESC`), and whether integers are always read as floats; or a status.
fn images(
    process: &mut Process,
    resource: &Description,
) -> Result<Result<(Vec<Image>, bool), u64>, Stop> {
    let (kind, place) = (resource.int(0), resource.long(8));
    let of_array = |array: &Array| {
        let fraction = texel(array.layout.format, array.layout.channels).is_ok_and(|(_, one)| one);
        (array.image, fraction)
    };
    let state = cuda(process)?;
    let textures = &state.textures;
    match kind {
        ARRAY => match textures.arrays.get(&place).map(of_array) {
            Some((image, fraction)) => Ok(Ok((vec![image], fraction))),
            None => unknown(process, "an array").map(Err),
        },
        MIPMAP => {
            let Some((levels, _)) = textures.mipmaps.get(&place) else {
                return unknown(process, "a mipmapped array").map(Err);
            };
            let found = levels.iter().filter_map(|level| textures.arrays.get(level)).map(of_array);
            let (images, fractions): (Vec<Image>, Vec<bool>) = found.unzip();
            Ok(Ok((images, fractions.contains(&true))))
        }
        LINEAR | ROWS => {
            let (texel, fraction) = match texel(resource.int(16), resource.int(20)) {
                Ok(found) => found,
                Err(why) => return refused(process, "texture", why).map(Err),
            };
            let room = state.emulator.memory().find(place).map(|(start, allocation)| {
                allocation.bytes.saturating_sub(place.saturating_sub(start))
            });
            memory_image(process, resource, texel, room)
                .map(|image| image.map(|image| (vec![image], fraction)))
        }
        _ => refused(process, "texture", ImageError::Invalid).map(Err),
    }
}

/// The image of linear or pitched memory, in an allocation with so much room behind its start.
fn memory_image(
    process: &mut Process,
    resource: &Description,
    texel: Texel,
    room: Option<u64>,
) -> Result<Result<Image, u64>, Stop> {
    let (kind, place) = (resource.int(0), resource.long(8));
    let (width, height, pitch) = (resource.long(24), resource.long(32), resource.long(40));
    let mut refuse =
        |why: String, help: &str| failed_call(process, status::INVALID_VALUE, why, help).map(Err);
    let Some(room) = room else {
        return refuse(
            format!("the memory of this texture, {place:#x}, is not allocated on the device"),
            "pass a pointer that `cudaMalloc` returned",
        );
    };
    if !place.is_multiple_of(TEXTURE_ALIGNMENT) {
        return refuse(
            format!(
                "a texture cannot start at {place:#x}, which is not a multiple of {TEXTURE_ALIGNMENT}"
            ),
            "start a texture at a multiple of the device's texture alignment, and add the rest to the index",
        );
    }
    let (shape, x, y, pitch) = match kind {
        // Elements behind the allocation read as zero, like those behind the texture.
        LINEAR => (ImageShape::Linear, width.min(room) / texel.bytes(), 1, width.min(room)),
        _ => (ImageShape::Plane, width, height, pitch),
    };
    let fits = x >= 1
        && y >= 1
        && x <= LINEAR_WIDTH
        && x.checked_mul(texel.bytes()).is_some_and(|row| row <= pitch)
        && pitch
            .checked_mul(y - 1)
            .and_then(|all| all.checked_add(x * texel.bytes()))
            .is_some_and(|all| all <= room);
    let extents = u32::try_from(x).ok().zip(u32::try_from(y).ok());
    let Some((x, y)) = extents.filter(|_| fits) else {
        return refuse(
            format!(
                "a texture of {x} x {y} elements with {pitch} bytes per row does not fit its {room} bytes of memory"
            ),
            "give the width in elements for pitched memory, in bytes for linear memory, and the pitch that `cudaMallocPitch` returned",
        );
    };
    Ok(Ok(Image { shape, texel, address: place, extent: [x, y, 1], layers: 0, pitch }))
}

/// Stores the handle of a new texture or surface.
fn object(
    process: &mut Process,
    to: u64,
    made: Result<u64, lanework_emulator::MemoryError>,
) -> Result<u64, Stop> {
    match made {
        Ok(handle) => {
            cuda(process)?.textures.objects.insert(handle);
            put_word(process, to, handle)
        }
        Err(why) => failed_call(
            process,
            status::INVALID_VALUE,
            why.to_string(),
            "describe memory that is allocated, and an image that fits it",
        ),
    }
}

fn create_texture(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    if word(a, 3) != 0 {
        return Err(process.fault(
            "views of a texture's resource are not supported in the page",
            "pass `nullptr` as the view, or run the program with the `lanework` command",
        ));
    }
    let resource = Description::read(process, word(a, 1), 144)?;
    let reading = Description::read(process, word(a, 2), 104)?.reading();
    let (images, fraction) = match images(process, &resource)? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let Some(first) = images.first() else { return unknown(process, "a mipmapped array") };
    match reading.sampler(resource.int(0) == MIPMAP, first, fraction) {
        Ok(sampler) => {
            let made = cuda(process)?.emulator.make_mipmap(&images, sampler);
            object(process, word(a, 0), made)
        }
        Err(why) => refused(process, "texture", why),
    }
}

fn create_surface(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let resource = Description::read(process, word(a, 1), 144)?;
    if resource.int(0) != ARRAY {
        let why = "a surface needs an array";
        let help =
            "describe the resource as `cudaResourceTypeArray`, with an array of `cudaMallocArray`";
        return failed_call(process, status::INVALID_VALUE, why, help);
    }
    match images(process, &resource)? {
        Ok((images, _)) => {
            let made = cuda(process)?.emulator.make_surface(surface_image(images[0]));
            object(process, word(a, 0), made)
        }
        Err(code) => Ok(code),
    }
}

/// Destroys a texture or a surface. Handle 0 is not an error, as with NVIDIA's driver.
fn destroy_object(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let (handle, state) = (word(a, 0), cuda(process)?);
    if handle == 0 || state.textures.objects.remove(&handle) && state.emulator.end_object(handle) {
        return Ok(status::SUCCESS);
    }
    unknown(process, "a texture or surface")
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuArray3DCreate_v2", create_array),
    ("cuArray3DGetDescriptor_v2", |process, a| {
        let Some(array) = cuda(process)?.textures.arrays.get(&word(a, 1)).copied() else {
            return unknown(process, "an array");
        };
        let ArrayLayout { width, height, depth, format, channels, flags } = array.layout;
        let longs = [width, height, depth].into_iter().flat_map(u64::to_le_bytes);
        let ints = [format, channels, flags, 0].into_iter().flat_map(u32::to_le_bytes);
        let bytes: Vec<u8> = longs.chain(ints).collect();
        put(process, word(a, 0), &bytes).map(|()| status::SUCCESS)
    }),
    ("cuArrayDestroy", destroy_array),
    ("cuMipmappedArrayCreate", create_mipmap),
    ("cuMipmappedArrayGetLevel", |process, a| {
        let textures = &cuda(process)?.textures;
        let levels = textures.mipmaps.get(&word(a, 1)).map(|(levels, _)| levels);
        match levels.and_then(|levels| levels.get(word(a, 2) as u32 as usize).copied()) {
            Some(level) => put_word(process, word(a, 0), level),
            None => unknown(process, "a level of a mipmapped array"),
        }
    }),
    ("cuMipmappedArrayDestroy", destroy_mipmap),
    ("cuTexObjectCreate", create_texture),
    ("cuTexObjectDestroy", destroy_object),
    ("cuSurfObjectCreate", create_surface),
    ("cuSurfObjectDestroy", destroy_object),
];
