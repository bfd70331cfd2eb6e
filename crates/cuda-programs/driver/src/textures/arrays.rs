//! Arrays: making them, asking about them, and copies between them and memory by the byte.

use crate::api::api;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::memory::transfer::{Box3D, Side};
use crate::pointers::store;
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::streams::stream::SYNCHRONOUS;
use crate::textures::array::{Array, Descriptor, Levels};
use std::ffi::c_void;

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
pub struct Descriptor2D {
    pub width: usize,
    pub height: usize,
    pub format: u32,
    pub channels: u32,
}

/// `CUDA_ARRAY_MEMORY_REQUIREMENTS`.
#[repr(C)]
pub struct Requirements {
    bytes: usize,
    alignment: usize,
    reserved: [u32; 4],
}

/// An end of a copy by the byte: a row of an array from some byte on, or memory.
enum End {
    Array(Handle, usize),
    Memory(u64),
}

impl End {
    fn side(self) -> Side {
        match self {
            End::Array(array, x_bytes) => Side { memory: 3, array, x_bytes, ..Side::line(0) },
            End::Memory(address) => Side::line(address),
        }
    }
}

/// Copies a line, in the order of a stream.
///
/// # Safety
/// What is memory is as C's callers promise.
unsafe fn copy(to: End, from: End, bytes: usize, stream: Handle) -> Result {
    let line = Box3D { from: from.side(), to: to.side(), width: bytes, height: 1, depth: 1 };
    // SAFETY: by the caller.
    unsafe { driver()?.submit(stream, Work::Copy(line)) }
}

api! {
    fn cuArrayCreate_v2(array: *mut Handle, descriptor: *const Descriptor2D) {
        // SAFETY: by the caller.
        let Descriptor2D { width, height, format, channels } =
            *unsafe { descriptor.as_ref() }.ok_or(Status::InvalidValue)?;
        let made = driver()?.make_array(Descriptor { width, height, depth: 0, format, channels, flags: 0 })?;
        // SAFETY: by the caller.
        unsafe { store(array, made) }
    }

    fn cuArray3DCreate_v2(array: *mut Handle, descriptor: *const Descriptor) {
        // SAFETY: by the caller.
        let descriptor = *unsafe { descriptor.as_ref() }.ok_or(Status::InvalidValue)?;
        let made = driver()?.make_array(descriptor)?;
        // SAFETY: by the caller.
        unsafe { store(array, made) }
    }

    fn cuArrayGetDescriptor_v2(descriptor: *mut Descriptor2D, array: Handle) {
        let Descriptor { width, height, format, channels, .. } = table::<Array>().get(array)?.descriptor;
        // SAFETY: by the caller.
        unsafe { store(descriptor, Descriptor2D { width, height, format, channels }) }
    }

    fn cuArray3DGetDescriptor_v2(descriptor: *mut Descriptor, array: Handle) {
        let found = table::<Array>().get(array)?.descriptor;
        // SAFETY: by the caller.
        unsafe { store(descriptor, found) }
    }

    fn cuArrayDestroy(array: Handle) {
        driver()?;
        table::<Array>().remove(array).map(drop)
    }

    fn cuArrayGetMemoryRequirements(to: *mut Requirements, array: Handle, _device: i32) {
        let bytes = table::<Array>().get(array)?.image.bytes() as usize;
        // SAFETY: by the caller.
        unsafe { store(to, Requirements { bytes, alignment: 256, reserved: [0; 4] }) }
    }

    fn cuMipmappedArrayCreate(array: *mut Handle, descriptor: *const Descriptor, levels: u32) {
        // SAFETY: by the caller.
        let descriptor = *unsafe { descriptor.as_ref() }.ok_or(Status::InvalidValue)?;
        let made = driver()?.make_levels(descriptor, levels)?;
        // SAFETY: by the caller.
        unsafe { store(array, made) }
    }

    fn cuMipmappedArrayDestroy(array: Handle) {
        driver()?;
        for level in &table::<Levels>().remove(array)?.levels {
            table::<Array>().remove(*level)?;
        }
        Ok(())
    }

    fn cuMipmappedArrayGetLevel(level: *mut Handle, array: Handle, number: u32) {
        let found = table::<Levels>().get(array)?.levels.get(number as usize).copied();
        // SAFETY: by the caller.
        unsafe { store(level, found.ok_or(Status::InvalidValue)?) }
    }

    fn cuMipmappedArrayGetMemoryRequirements(to: *mut Requirements, array: Handle, _device: i32) {
        let mut bytes = 0;
        for level in &table::<Levels>().get(array)?.levels {
            bytes += table::<Array>().get(*level)?.image.bytes() as usize;
        }
        // SAFETY: by the caller.
        unsafe { store(to, Requirements { bytes, alignment: 256, reserved: [0; 4] }) }
    }

    fn cuMemcpyAtoA_v2(to: Handle, to_byte: usize, from: Handle, from_byte: usize, bytes: usize) {
        // SAFETY: both are arrays.
        unsafe { copy(End::Array(to, to_byte), End::Array(from, from_byte), bytes, SYNCHRONOUS) }
    }

    fn cuMemcpyAtoD_v2(to: u64, from: Handle, byte: usize, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { copy(End::Memory(to), End::Array(from, byte), bytes, SYNCHRONOUS) }
    }

    fn cuMemcpyDtoA_v2(to: Handle, byte: usize, from: u64, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { copy(End::Array(to, byte), End::Memory(from), bytes, SYNCHRONOUS) }
    }

    fn cuMemcpyAtoH_v2(to: *mut c_void, from: Handle, byte: usize, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { copy(End::Memory(to as u64), End::Array(from, byte), bytes, SYNCHRONOUS) }
    }

    fn cuMemcpyAtoHAsync_v2(to: *mut c_void, from: Handle, byte: usize, bytes: usize, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy(End::Memory(to as u64), End::Array(from, byte), bytes, stream) }
    }

    fn cuMemcpyHtoA_v2(to: Handle, byte: usize, from: *const c_void, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { copy(End::Array(to, byte), End::Memory(from as u64), bytes, SYNCHRONOUS) }
    }

    fn cuMemcpyHtoAAsync_v2(to: Handle, byte: usize, from: *const c_void, bytes: usize, stream: Handle) {
        // SAFETY: by the caller.
        unsafe { copy(End::Array(to, byte), End::Memory(from as u64), bytes, stream) }
    }
}
