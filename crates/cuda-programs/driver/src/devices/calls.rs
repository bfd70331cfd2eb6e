//! The emulated GPUs and what programs ask about them.

use crate::api::api;
use crate::devices::attributes;
use crate::devices::model::model;
use crate::pointers::{store, write_text};
use crate::state::driver;
use crate::status::Status;
use std::ffi::c_char;

/// Bytes of memory that programs are told of: no more than the emulator has.
pub fn memory_bytes() -> crate::status::Result<(u64, u64)> {
    driver()?.device.memory().map_err(|_| Status::Unknown)
}

api! {
    fn cuDeviceGetCount(count: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(count, driver()?.gpus.len() as i32) }
    }

    fn cuDeviceGet(device: *mut i32, ordinal: i32) {
        driver()?.gpu(ordinal)?;
        // SAFETY: by the caller.
        unsafe { store(device, ordinal) }
    }

    fn cuDeviceGetName(name: *mut c_char, length: i32, device: i32) {
        driver()?.gpu(device)?;
        // SAFETY: by the caller.
        unsafe { write_text(name, length.max(0) as usize, &model().name()) }
    }

    fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: i32) {
        let bytes = driver()?.gpu(device)?.uuid();
        // SAFETY: by the caller.
        unsafe { store(uuid, bytes) }
    }

    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: i32) {
        let bytes = driver()?.gpu(device)?.uuid();
        // SAFETY: by the caller.
        unsafe { store(uuid, bytes) }
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) {
        driver()?.gpu(device)?;
        // SAFETY: by the caller.
        unsafe { store(bytes, memory_bytes()?.1 as usize) }
    }

    fn cuDeviceGetAttribute(value: *mut i32, attribute: i32, device: i32) {
        let found = attributes::of(attribute, driver()?.gpu(device)?);
        // SAFETY: by the caller.
        unsafe { store(value, found.ok_or(Status::InvalidValue)?) }
    }

    fn cuDeviceGetProperties(properties: *mut [i32; 14], device: i32) {
        let gpu = driver()?.gpu(device)?;
        // Threads of a block, its and the grid's axes, shared and constant memory, warp, pitch, registers, clock, alignment of textures.
        let all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
        // SAFETY: by the caller.
        unsafe { store(properties, all.map(|attribute| attributes::of(attribute, gpu).unwrap_or(0))) }
    }

    fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, device: i32) {
        driver()?.gpu(device)?;
        let (of_major, of_minor) = model().capability();
        // SAFETY: by the caller.
        unsafe {
            store(major, of_major)?;
            store(minor, of_minor)
        }
    }

    fn cuDeviceGetPCIBusId(text: *mut c_char, length: i32, device: i32) {
        let bus = driver()?.gpu(device)?.bus();
        // SAFETY: by the caller.
        unsafe { write_text(text, length.max(0) as usize, &bus) }
    }

    fn cuDeviceGetByPCIBusId(device: *mut i32, text: *const c_char) {
        // SAFETY: by the caller.
        let asked = unsafe { crate::pointers::text(text) }?.to_uppercase();
        let found = driver()?.gpus.iter().find(|gpu| gpu.bus() == asked || gpu.bus()[5..] == asked);
        // SAFETY: by the caller.
        unsafe { store(device, found.ok_or(Status::InvalidDevice)?.ordinal) }
    }

    fn cuDeviceCanAccessPeer(can: *mut i32, device: i32, peer: i32) {
        driver()?.gpu(device)?;
        driver()?.gpu(peer)?;
        // SAFETY: by the caller.
        unsafe { store(can, i32::from(device != peer)) }
    }

    fn cuDeviceGetP2PAttribute(value: *mut i32, attribute: i32, from: i32, to: i32) {
        driver()?.gpu(from)?;
        driver()?.gpu(to)?;
        if from == to {
            return Err(Status::InvalidDevice);
        }
        // Rank, access, native atomics, arrays.
        let found = match attribute {
            1 => 0,
            2..=4 => 1,
            _ => return Err(Status::InvalidValue),
        };
        // SAFETY: by the caller.
        unsafe { store(value, found) }
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, _format: i32, _channels: u32, device: i32) {
        driver()?.gpu(device)?;
        // SAFETY: by the caller.
        unsafe { store(width, 1 << 28) }
    }

    fn cuDeviceGetExecAffinitySupport(value: *mut i32, _kind: i32, device: i32) {
        driver()?.gpu(device)?;
        // SAFETY: by the caller.
        unsafe { store(value, 0) }
    }
}
