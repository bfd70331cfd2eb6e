//! Arrays (images with a layout of the driver's choice): creation, queries, and copies to and from memory.

use crate::api::{api, warn};
use crate::graphs::work::Work;
use crate::memory::transfer::{Copy3D, CopySide};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, table};
use crate::status::{Result, Status};
use crate::streams::stream::SYNCHRONOUS;
use lanework::Buffer;
use lanework::emulator::images::{self, ArrayLayout, ImageError};
use lanework::emulator::{Image, Texel};
use std::sync::Arc;

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ArrayDescriptor {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub format: u32,
    pub channels: u32,
    pub flags: u32,
}

abi!(ArrayDescriptor = 40, 8 { width: 0, height: 8, depth: 16, format: 24, channels: 28, flags: 32 });

/// An array.
pub struct Array {
    pub context: Handle,
    pub descriptor: ArrayDescriptor,
    /// Location of its texels.
    pub image: Image,
    /// Shared by all mipmap levels.
    _memory: Arc<Buffer<u8>>,
}

/// A mipmapped array; its levels are arrays.
pub struct MipmappedArray {
    pub context: Handle,
    pub levels: Vec<Handle>,
}

/// Decodes a `CUarray_format`, and whether its integers are always read as normalized floats.
pub fn texel(format: u32, channels: u32) -> Result<(Texel, bool)> {
    images::texel(format, channels).map_err(refused)
}

/// The status for an image or a sampler that there is not.
pub fn refused(why: ImageError) -> Status {
    match why {
        ImageError::Invalid => Status::InvalidValue,
        ImageError::Unsupported(why) => {
            warn("the array or texture cannot be created", &why);
            Status::NotSupported
        }
    }
}

impl ArrayDescriptor {
    fn layout(&self) -> ArrayLayout {
        let ArrayDescriptor { width, height, depth, format, channels, flags } = *self;
        let [width, height, depth] = [width, height, depth].map(|extent| extent as u64);
        ArrayLayout { width, height, depth, format, channels, flags }
    }

    /// Descriptor of a mipmap level.
    fn level(&self, level: u32) -> ArrayDescriptor {
        let ArrayLayout { width, height, depth, .. } = self.layout().level(level);
        let [width, height, depth] = [width, height, depth].map(|extent| extent as usize);
        ArrayDescriptor { width, height, depth, ..*self }
    }
}

impl Driver {
    /// Creates arrays in one allocation.
    fn make_arrays(&self, descriptors: &[ArrayDescriptor]) -> Result<Vec<Handle>> {
        let context = self.context()?.handle;
        let mut images = Vec::new();
        let mut bytes = 0u64;
        for descriptor in descriptors {
            let image = descriptor.layout().image(bytes).map_err(refused)?;
            bytes += image.bytes();
            images.push((*descriptor, image));
        }
        let mut memory = self
            .device
            .uninit_named::<u8>(bytes as usize, "cuArrayCreate")
            .map_err(|_| Status::OutOfMemory)?;
        if self.device.is_sanitized() {
            // The memory counts as initialized: the sanitizer does not track surface writes per byte.
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
    fn make_array(&self, descriptor: ArrayDescriptor) -> Result<Handle> {
        Ok(self.make_arrays(&[descriptor])?[0])
    }

    /// Makes a mipmapped array.
    fn make_levels(&self, descriptor: ArrayDescriptor, levels: u32) -> Result<Handle> {
        let count = levels.clamp(1, descriptor.layout().most_levels());
        let shapes: Vec<ArrayDescriptor> =
            (0..count).map(|level| descriptor.level(level)).collect();
        let levels = self.make_arrays(&shapes)?;
        Ok(table::<MipmappedArray>()
            .add(MipmappedArray { context: self.context()?.handle, levels }))
    }
}

/// `CUDA_ARRAY_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ArrayDescriptor2D {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

abi!(ArrayDescriptor2D = 24, 8 { width: 0, height: 8, format: 16, channels: 20 });

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemoryRequirements {
    bytes: usize,
    alignment: usize,
    reserved: [u32; 4],
}

abi!(MemoryRequirements = 32, 8 { bytes: 0, alignment: 8, reserved: 16 });

/// One end of a linear copy: an offset in an array's row, or memory.
enum CopyEnd {
    Array(Handle, usize),
    Memory(Address),
}

impl CopyEnd {
    fn side(self) -> CopySide {
        match self {
            CopyEnd::Array(array, x_bytes) => {
                CopySide { memory: 3, array, x_bytes, ..CopySide::line(Address::NULL) }
            }
            CopyEnd::Memory(address) => CopySide::line(address),
        }
    }
}

/// Queues a linear copy.
fn copy(to: CopyEnd, from: CopyEnd, bytes: usize, stream: Handle) -> Result {
    let line = Copy3D { from: from.side(), to: to.side(), width: bytes, height: 1, depth: 1 };
    driver()?.submit(stream, Work::Copy(line))
}

api! {
    fn cuArrayCreate_v2(array: Out<'_, Handle>, descriptor: In<'_, ArrayDescriptor2D>) {
        let ArrayDescriptor2D { width, height, format, channels } =
            descriptor.get()?;
        let made = driver()?.make_array(ArrayDescriptor { width, height, depth: 0, format, channels, flags: 0 })?;
        array.store(made)
    }

    fn cuArray3DCreate_v2(array: Out<'_, Handle>, descriptor: In<'_, ArrayDescriptor>) {
        let descriptor = descriptor.get()?;
        let made = driver()?.make_array(descriptor)?;
        array.store(made)
    }

    fn cuArrayGetDescriptor_v2(descriptor: Out<'_, ArrayDescriptor2D>, array: Handle) {
        let ArrayDescriptor { width, height, format, channels, .. } = table::<Array>().get(array)?.descriptor;
        descriptor.store(ArrayDescriptor2D { width, height, format, channels })
    }

    fn cuArray3DGetDescriptor_v2(descriptor: Out<'_, ArrayDescriptor>, array: Handle) {
        let found = table::<Array>().get(array)?.descriptor;
        descriptor.store(found)
    }

    fn cuArrayDestroy(array: Handle) {
        driver()?;
        table::<Array>().remove(array).map(drop)
    }

    fn cuArrayGetMemoryRequirements(to: Out<'_, MemoryRequirements>, array: Handle, _device: i32) {
        let bytes = table::<Array>().get(array)?.image.bytes() as usize;
        to.store(MemoryRequirements { bytes, alignment: 256, reserved: [0; 4] })
    }

    fn cuMipmappedArrayCreate(array: Out<'_, Handle>, descriptor: In<'_, ArrayDescriptor>, levels: u32) {
        let descriptor = descriptor.get()?;
        let made = driver()?.make_levels(descriptor, levels)?;
        array.store(made)
    }

    fn cuMipmappedArrayDestroy(array: Handle) {
        driver()?;
        for level in &table::<MipmappedArray>().remove(array)?.levels {
            table::<Array>().remove(*level)?;
        }
        Ok(())
    }

    fn cuMipmappedArrayGetLevel(level: Out<'_, Handle>, array: Handle, number: u32) {
        let found = table::<MipmappedArray>().get(array)?.levels.get(number as usize).copied();
        level.store(found.ok_or(Status::InvalidValue)?)
    }

    fn cuMipmappedArrayGetMemoryRequirements(to: Out<'_, MemoryRequirements>, array: Handle, _device: i32) {
        let mut bytes = 0;
        for level in &table::<MipmappedArray>().get(array)?.levels {
            bytes += table::<Array>().get(*level)?.image.bytes() as usize;
        }
        to.store(MemoryRequirements { bytes, alignment: 256, reserved: [0; 4] })
    }

    fn cuMemcpyAtoA_v2(to: Handle, to_byte: usize, from: Handle, from_byte: usize, bytes: usize) {
        copy(CopyEnd::Array(to, to_byte), CopyEnd::Array(from, from_byte), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyAtoD_v2(to: Address, from: Handle, byte: usize, bytes: usize) {
        copy(CopyEnd::Memory(to), CopyEnd::Array(from, byte), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyDtoA_v2(to: Handle, byte: usize, from: Address, bytes: usize) {
        copy(CopyEnd::Array(to, byte), CopyEnd::Memory(from), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyAtoH_v2(to: Address, from: Handle, byte: usize, bytes: usize) {
        copy(CopyEnd::Memory(to), CopyEnd::Array(from, byte), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyAtoHAsync_v2(to: Address, from: Handle, byte: usize, bytes: usize, stream: Handle) {
        copy(CopyEnd::Memory(to), CopyEnd::Array(from, byte), bytes, stream)
    }

    fn cuMemcpyHtoA_v2(to: Handle, byte: usize, from: Address, bytes: usize) {
        copy(CopyEnd::Array(to, byte), CopyEnd::Memory(from), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyHtoAAsync_v2(to: Handle, byte: usize, from: Address, bytes: usize, stream: Handle) {
        copy(CopyEnd::Array(to, byte), CopyEnd::Memory(from), bytes, stream)
    }
}
