//! Textures and surfaces.

use super::arrays::{Description, refused, unknown};
use super::state::{CudaArray, cuda, failed_call, put_word, status, sticky};
use lanework_emulator::images::{ImageError, TextureReading, surface_image, texel};
use lanework_emulator::{Image, ImageShape, Texel};
use lanework_host::{External, Process, Stop, word};

/// The device's texture alignment in bytes.
const TEXTURE_ALIGNMENT: u64 = 512;
/// The maximum number of elements of a linear texture.
const LINEAR_WIDTH: u64 = 1 << 28;

/// `CUresourcetype`: array, mipmapped array, linear memory, pitched memory.
const ARRAY: u32 = 0;
const MIPMAP: u32 = 1;
const LINEAR: u32 = 2;
const ROWS: u32 = 3;

/// `CUDA_TEXTURE_DESC`.
fn reading(words: &Description) -> TextureReading {
    TextureReading {
        address: std::array::from_fn(|at| words.int(4 * at)),
        filter: words.int(12),
        flags: words.int(16),
        anisotropy: words.int(20),
        level_filter: words.int(24),
        level_bias: words.float(28),
        least_level: words.float(32),
        most_level: words.float(36),
        border: std::array::from_fn(|at| words.float(40 + 4 * at)),
    }
}

/// The images of a resource (`CUDA_RESOURCE_DESC`), and whether integers are always read as floats; or a status.
fn images(
    process: &mut Process,
    resource: &Description,
) -> Result<Result<(Vec<Image>, bool), u64>, Stop> {
    let (kind, place) = (resource.int(0), resource.long(8));
    let of_array = |array: &CudaArray| {
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
    let how = reading(&Description::read(process, word(a, 2), 104)?);
    let (images, fraction) = match images(process, &resource)? {
        Ok(found) => found,
        Err(code) => return Ok(code),
    };
    let Some(first) = images.first() else { return unknown(process, "a mipmapped array") };
    match how.sampler(resource.int(0) == MIPMAP, first, fraction) {
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
    ("cuTexObjectCreate", create_texture),
    ("cuTexObjectDestroy", destroy_object),
    ("cuSurfObjectCreate", create_surface),
    ("cuSurfObjectDestroy", destroy_object),
];
