//! Arrays and mipmapped arrays.

use super::state::{CudaArray, cuda, failed_call, put, put_word, status, sticky};
use lanework_emulator::Image;
use lanework_emulator::images::{ArrayLayout, ImageError};
use lanework_host::{External, Process, Stop, word};

/// Words of a description in the program's memory.
pub struct Description(Vec<u8>);

impl Description {
    pub fn read(process: &mut Process, at: u64, bytes: u64) -> Result<Description, Stop> {
        Ok(Description(process.accessed(process.memory.read(at, bytes), "read")?))
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0.get(at..at + N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
    }

    pub fn long(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes(at))
    }

    pub fn int(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes(at))
    }

    pub fn float(&self, at: usize) -> f32 {
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
}

/// Reports an array or a texture that there is not.
pub fn refused(process: &mut Process, what: &str, why: ImageError) -> Result<u64, Stop> {
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

pub fn unknown(process: &mut Process, what: &str) -> Result<u64, Stop> {
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
        state.textures.arrays.insert(handle, CudaArray { layout, image, is_level });
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
];
