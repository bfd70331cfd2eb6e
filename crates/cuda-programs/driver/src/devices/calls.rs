//! The emulated GPUs and what programs ask about them.

use crate::api::api;
use crate::devices::attributes;
use crate::devices::model::model;
use crate::pointers::{Out, Text, write_text};
use crate::state::driver;
use crate::status::Status;
use std::ffi::c_char;

/// Bytes of memory that programs are told of: no more than the emulator has.
pub fn memory_bytes() -> crate::status::Result<(u64, u64)> {
    driver()?.device.memory().map_err(|_| Status::Unknown)
}

api! {
    fn cuDeviceGetCount(count: Out<'_, i32>) {
        count.store(driver()?.gpus.len() as i32)
    }

    fn cuDeviceGet(device: Out<'_, i32>, ordinal: i32) {
        driver()?.gpu(ordinal)?;
        device.store(ordinal)
    }

    fn cuDeviceGetName(name: *mut c_char, length: i32, device: i32) {
        driver()?.gpu(device)?;
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { write_text(name, length.max(0) as usize, &model().name()) }
    }

    fn cuDeviceGetUuid(uuid: Out<'_, [u8; 16]>, device: i32) {
        let bytes = driver()?.gpu(device)?.uuid();
        uuid.store(bytes)
    }

    fn cuDeviceGetUuid_v2(uuid: Out<'_, [u8; 16]>, device: i32) {
        let bytes = driver()?.gpu(device)?.uuid();
        uuid.store(bytes)
    }

    fn cuDeviceTotalMem_v2(bytes: Out<'_, usize>, device: i32) {
        driver()?.gpu(device)?;
        bytes.store(memory_bytes()?.1 as usize)
    }

    fn cuDeviceGetAttribute(value: Out<'_, i32>, attribute: i32, device: i32) {
        let found = attributes::of(attribute, driver()?.gpu(device)?);
        value.store(found.ok_or(Status::InvalidValue)?)
    }

    fn cuDeviceGetProperties(properties: Out<'_, [i32; 14]>, device: i32) {
        let gpu = driver()?.gpu(device)?;
        // Threads of a block, its and the grid's axes, shared and constant memory, warp, pitch, registers, clock, alignment of textures.
        let all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
        properties.store(all.map(|attribute| attributes::of(attribute, gpu).unwrap_or(0)))
    }

    fn cuDeviceComputeCapability(major: Out<'_, i32>, minor: Out<'_, i32>, device: i32) {
        driver()?.gpu(device)?;
        let (of_major, of_minor) = model().capability();
        major.store(of_major)?;
        minor.store(of_minor)
    }

    fn cuDeviceGetPCIBusId(text: *mut c_char, length: i32, device: i32) {
        let bus = driver()?.gpu(device)?.bus();
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { write_text(text, length.max(0) as usize, &bus) }
    }

    fn cuDeviceGetByPCIBusId(device: Out<'_, i32>, text: Text<'_>) {
        let asked = text.get()?.to_uppercase();
        let found = driver()?.gpus.iter().find(|gpu| gpu.bus() == asked || gpu.bus()[5..] == asked);
        device.store(found.ok_or(Status::InvalidDevice)?.ordinal)
    }

    fn cuDeviceCanAccessPeer(can: Out<'_, i32>, device: i32, peer: i32) {
        driver()?.gpu(device)?;
        driver()?.gpu(peer)?;
        can.store(i32::from(device != peer))
    }

    fn cuDeviceGetP2PAttribute(value: Out<'_, i32>, attribute: i32, from: i32, to: i32) {
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
        value.store(found)
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(width: Out<'_, usize>, _format: i32, _channels: u32, device: i32) {
        driver()?.gpu(device)?;
        width.store(1 << 28)
    }

    fn cuDeviceGetExecAffinitySupport(value: Out<'_, i32>, _kind: i32, device: i32) {
        driver()?.gpu(device)?;
        value.store(0)
    }
}
