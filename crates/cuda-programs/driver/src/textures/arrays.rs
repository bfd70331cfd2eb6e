//! Arrays: making them, asking about them, and copies between them and memory by the byte.

use crate::api::api;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::memory::transfer::{Box3D, Side};
use crate::pointers::{Address, In, Out, abi};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::streams::stream::SYNCHRONOUS;
use crate::textures::array::{Array, Descriptor, Levels};

/// `CUDA_ARRAY_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Descriptor2D {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

abi!(Descriptor2D = 24, 8 { width: 0, height: 8, format: 16, channels: 20 });

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Requirements {
    bytes: usize,
    alignment: usize,
    reserved: [u32; 4],
}

abi!(Requirements = 32, 8 { bytes: 0, alignment: 8, reserved: 16 });

/// An end of a copy by the byte: a row of an array from some byte on, or memory.
enum End {
    Array(Handle, usize),
    Memory(Address),
}

impl End {
    fn side(self) -> Side {
        match self {
            End::Array(array, x_bytes) => {
                Side { memory: 3, array, x_bytes, ..Side::line(Address::NULL) }
            }
            End::Memory(address) => Side::line(address),
        }
    }
}

/// Copies a line, in the order of a stream.
fn copy(to: End, from: End, bytes: usize, stream: Handle) -> Result {
    let line = Box3D { from: from.side(), to: to.side(), width: bytes, height: 1, depth: 1 };
    driver()?.submit(stream, Work::Copy(line))
}

api! {
    fn cuArrayCreate_v2(array: Out<'_, Handle>, descriptor: In<'_, Descriptor2D>) {
        let Descriptor2D { width, height, format, channels } =
            descriptor.get()?;
        let made = driver()?.make_array(Descriptor { width, height, depth: 0, format, channels, flags: 0 })?;
        array.store(made)
    }

    fn cuArray3DCreate_v2(array: Out<'_, Handle>, descriptor: In<'_, Descriptor>) {
        let descriptor = descriptor.get()?;
        let made = driver()?.make_array(descriptor)?;
        array.store(made)
    }

    fn cuArrayGetDescriptor_v2(descriptor: Out<'_, Descriptor2D>, array: Handle) {
        let Descriptor { width, height, format, channels, .. } = table::<Array>().get(array)?.descriptor;
        descriptor.store(Descriptor2D { width, height, format, channels })
    }

    fn cuArray3DGetDescriptor_v2(descriptor: Out<'_, Descriptor>, array: Handle) {
        let found = table::<Array>().get(array)?.descriptor;
        descriptor.store(found)
    }

    fn cuArrayDestroy(array: Handle) {
        driver()?;
        table::<Array>().remove(array).map(drop)
    }

    fn cuArrayGetMemoryRequirements(to: Out<'_, Requirements>, array: Handle, _device: i32) {
        let bytes = table::<Array>().get(array)?.image.bytes() as usize;
        to.store(Requirements { bytes, alignment: 256, reserved: [0; 4] })
    }

    fn cuMipmappedArrayCreate(array: Out<'_, Handle>, descriptor: In<'_, Descriptor>, levels: u32) {
        let descriptor = descriptor.get()?;
        let made = driver()?.make_levels(descriptor, levels)?;
        array.store(made)
    }

    fn cuMipmappedArrayDestroy(array: Handle) {
        driver()?;
        for level in &table::<Levels>().remove(array)?.levels {
            table::<Array>().remove(*level)?;
        }
        Ok(())
    }

    fn cuMipmappedArrayGetLevel(level: Out<'_, Handle>, array: Handle, number: u32) {
        let found = table::<Levels>().get(array)?.levels.get(number as usize).copied();
        level.store(found.ok_or(Status::InvalidValue)?)
    }

    fn cuMipmappedArrayGetMemoryRequirements(to: Out<'_, Requirements>, array: Handle, _device: i32) {
        let mut bytes = 0;
        for level in &table::<Levels>().get(array)?.levels {
            bytes += table::<Array>().get(*level)?.image.bytes() as usize;
        }
        to.store(Requirements { bytes, alignment: 256, reserved: [0; 4] })
    }

    fn cuMemcpyAtoA_v2(to: Handle, to_byte: usize, from: Handle, from_byte: usize, bytes: usize) {
        copy(End::Array(to, to_byte), End::Array(from, from_byte), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyAtoD_v2(to: Address, from: Handle, byte: usize, bytes: usize) {
        copy(End::Memory(to), End::Array(from, byte), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyDtoA_v2(to: Handle, byte: usize, from: Address, bytes: usize) {
        copy(End::Array(to, byte), End::Memory(from), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyAtoH_v2(to: Address, from: Handle, byte: usize, bytes: usize) {
        copy(End::Memory(to), End::Array(from, byte), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyAtoHAsync_v2(to: Address, from: Handle, byte: usize, bytes: usize, stream: Handle) {
        copy(End::Memory(to), End::Array(from, byte), bytes, stream)
    }

    fn cuMemcpyHtoA_v2(to: Handle, byte: usize, from: Address, bytes: usize) {
        copy(End::Array(to, byte), End::Memory(from), bytes, SYNCHRONOUS)
    }

    fn cuMemcpyHtoAAsync_v2(to: Handle, byte: usize, from: Address, bytes: usize, stream: Handle) {
        copy(End::Array(to, byte), End::Memory(from), bytes, stream)
    }
}
