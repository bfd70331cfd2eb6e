//! NVML's values: codes, structs as C lays them out, handles, and what an emulated GPU answers.

use crate::attributes;
use crate::devices::memory_bytes;
use crate::gpu::Gpu;
use crate::pointers::{store, write_text};
use crate::state::driver;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering};

/// How often NVML was initialised and not shut down.
pub static USERS: AtomicI32 = AtomicI32::new(0);

/// `nvmlReturn_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    Uninitialized = 1,
    InvalidArgument = 2,
    NotSupported = 3,
    NotFound = 6,
    InsufficientSize = 7,
    Unknown = 999,
}

/// What a function of NVML gives.
pub type Result<T = ()> = std::result::Result<T, Code>;

/// What messages say of a code.
pub fn words(code: i32) -> &'static std::ffi::CStr {
    match code {
        0 => c"Success",
        1 => c"Uninitialized",
        2 => c"Invalid Argument",
        3 => c"Not Supported",
        6 => c"Not Found",
        7 => c"Insufficient Size",
        _ => c"Unknown Error",
    }
}

/// A function of NVML, as C sees it.
pub fn call(name: &str, body: impl FnOnce() -> Result) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code as i32,
        Err(_) => Code::Unknown as i32,
    };
    if crate::api::traces() {
        crate::api::line(&format_args!("{name} = {code}"));
    }
    code
}

/// A device, as C passes it: its ordinal and 1.
pub type Device = usize;

/// The GPU of a handle.
pub fn gpu(device: Device) -> Result<&'static Gpu> {
    if USERS.load(Ordering::Acquire) <= 0 {
        return Err(Code::Uninitialized);
    }
    let driver = driver().map_err(|_| Code::Uninitialized)?;
    driver.gpus.get(device.wrapping_sub(1)).ok_or(Code::InvalidArgument)
}

/// All GPUs.
pub fn gpus() -> Result<&'static [Gpu]> {
    if USERS.load(Ordering::Acquire) <= 0 {
        return Err(Code::Uninitialized);
    }
    Ok(&driver().map_err(|_| Code::Uninitialized)?.gpus)
}

/// Stores a number or a struct.
///
/// # Safety
/// As [`store`].
pub unsafe fn give<T>(to: *mut T, value: T) -> Result {
    // SAFETY: by the caller.
    unsafe { store(to, value) }.map_err(|_| Code::InvalidArgument)
}

/// Stores a text in a buffer, which must hold it.
///
/// # Safety
/// As [`write_text`].
pub unsafe fn give_text(to: *mut c_char, length: u32, value: &str) -> Result {
    if (length as usize) <= value.len() {
        return Err(Code::InsufficientSize);
    }
    // SAFETY: by the caller.
    unsafe { write_text(to, length as usize, value) }.map_err(|_| Code::InvalidArgument)
}

/// The identifier of a GPU as text.
pub fn uuid(gpu: &Gpu) -> String {
    let digits: String = gpu.uuid().iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("GPU-{}", parts.join("-"))
}

/// The handle of the first GPU that is meant.
pub fn find(is: impl Fn(&Gpu) -> bool) -> Result<Device> {
    gpus()?.iter().position(is).map(|found| found + 1).ok_or(Code::NotFound)
}

/// `nvmlMemory_t`.
#[repr(C)]
pub struct Memory {
    pub total: u64,
    pub free: u64,
    pub used: u64,
}

/// `nvmlMemory_v2_t`.
#[repr(C)]
pub struct Memory2 {
    pub version: u32,
    pub total: u64,
    pub reserved: u64,
    pub free: u64,
    pub used: u64,
}

/// `nvmlPciInfo_t`.
#[repr(C)]
pub struct Pci {
    short: [u8; 16],
    domain: u32,
    bus: u32,
    device: u32,
    id: u32,
    subsystem: u32,
    text: [u8; 32],
}

/// An H200's device and vendor on the PCI bus.
const PCI_ID: u32 = 0x2335_10de;

/// Where a GPU stands on the PCI bus.
pub fn pci(gpu: &Gpu) -> Pci {
    let text = gpu.bus();
    let (mut short, mut long) = ([0; 16], [0; 32]);
    short[..text.len()].copy_from_slice(text.as_bytes());
    // The long form has eight digits of the domain.
    long[..text.len() + 4].copy_from_slice(format!("0000{text}").as_bytes());
    Pci {
        short,
        domain: 0,
        bus: gpu.ordinal as u32 + 1,
        device: 0,
        id: PCI_ID,
        subsystem: 0,
        text: long,
    }
}

/// An attribute of the emulated GPU.
pub fn attribute(gpu: &Gpu, number: i32) -> Result<u32> {
    attributes::of(number, gpu).map(|value| value as u32).ok_or(Code::NotSupported)
}

/// The highest clock in MHz: 0 graphics, 1 multiprocessors, 2 memory, 3 video.
pub fn clock(gpu: &Gpu, kind: i32) -> Result<u32> {
    match kind {
        0 | 1 => Ok(attribute(gpu, 13)? / 1000),
        2 => Ok(attribute(gpu, 36)? / 1000),
        3 => Err(Code::NotSupported),
        _ => Err(Code::InvalidArgument),
    }
}

/// Bytes of memory: free, and in all.
pub fn memory() -> Result<(u64, u64)> {
    memory_bytes().map_err(|_| Code::Unknown)
}

/// The version of NVIDIA's driver whose answers the emulated GPUs give.
pub const DRIVER: &str = "580.159.04";
