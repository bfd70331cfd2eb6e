//! The emulated GPUs and what programs ask about them.

use crate::api::api;
use crate::attributes;
use crate::handles::Handle;
use crate::pointers::{store, write_text};
use crate::state::driver;
use crate::status::Status;
use std::ffi::c_char;
use std::sync::Mutex;

/// An emulated GPU.
pub struct Gpu {
    pub ordinal: i32,
    /// Its primary context, and how often it was retained.
    pub primary: Mutex<Primary>,
    /// The default pool, and the one that asynchronous allocations take; made when asked for.
    pub pools: Mutex<[Handle; 2]>,
}

/// The primary context of a GPU.
#[derive(Default)]
pub struct Primary {
    pub context: Handle,
    pub retained: u32,
    pub flags: u32,
}

/// The environment variable that says how many GPUs there are.
const COUNT: &str = "LANEWORK_GPUS";
/// Emulated GPUs at most.
const MOST: usize = 64;

impl Gpu {
    /// As many as the environment asks for; one unless told.
    pub fn all() -> Vec<Gpu> {
        let count =
            std::env::var(COUNT).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(1usize);
        (0..count.min(MOST) as i32)
            .map(|ordinal| Gpu { ordinal, primary: Mutex::default(), pools: Mutex::default() })
            .collect()
    }

    /// Sixteen bytes that identify it, the same in every run.
    pub fn uuid(&self) -> [u8; 16] {
        let mut bytes = *b"lanework-gpu-000";
        bytes[15] = self.ordinal as u8;
        bytes
    }

    /// Its place on an imagined PCI bus.
    fn bus(&self) -> String {
        format!("0000:{:02X}:00.0", self.ordinal + 1)
    }
}

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
        unsafe { write_text(name, length.max(0) as usize, attributes::name()) }
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

    fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, device: i32) {
        driver()?.gpu(device)?;
        let (of_major, of_minor) = attributes::CAPABILITY;
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
