//! The emulated GPUs: model, identity, and the calls that query them.
//!
//! The model is an H200 unless `LANEWORK_GPU` names another one. A named GPU rejects PTX for newer architectures, as
//! its driver does. Without a name the emulator also runs such PTX, because it knows instructions that an H200 does
//! not have.

use crate::api::api;
use crate::devices;
use crate::pointers::*;
use crate::state::{Handle, driver};
use crate::status::Status;
use lanework_gpu_specs::{Architecture, Gpu as GpuSpec, specs};
use std::ffi::c_char;
use std::sync::{Mutex, OnceLock};

/// The environment variable that names the GPU.
const NAME: &str = "LANEWORK_GPU";
/// Default GPU.
const DEFAULT: &str = "H200";

/// The GPU model that programs see. All emulated GPUs of a process have the same model.
#[derive(Debug)]
pub struct Model {
    pub gpu: &'static GpuSpec,
    pub limits: &'static Architecture,
    /// Whether the environment names the model; if so, it has only its own PTX features and memory.
    pub named: bool,
}

/// The emulated GPU model.
///
/// # Errors
/// A message if the environment names an unknown GPU.
pub fn chosen() -> Result<&'static Model, &'static str> {
    static MODEL: OnceLock<Result<Model, String>> = OnceLock::new();
    MODEL
        .get_or_init(|| Model::by_name(std::env::var(NAME).ok().as_deref()))
        .as_ref()
        .map_err(String::as_str)
}

/// As [`chosen`], for code that runs after the driver has started.
///
/// # Panics
/// If the environment names an unknown GPU. (The driver does not start then.)
pub fn model() -> &'static Model {
    chosen().expect("the driver started")
}

impl Model {
    /// Looks up a model by name.
    fn by_name(name: Option<&str>) -> Result<Model, String> {
        let asked = name.map(str::trim).filter(|name| !name.is_empty());
        let gpu = specs().gpu(asked.unwrap_or(DEFAULT)).ok_or_else(|| {
            let known: Vec<&str> = specs().gpus.iter().map(|gpu| gpu.name.as_str()).collect();
            let asked = asked.unwrap_or(DEFAULT);
            format!(
                "{NAME} names an unknown GPU, `{asked}`\n  = help: known GPUs: {}",
                known.join(", ")
            )
        })?;
        let limits = specs().architecture(gpu.capability());
        Ok(Model { gpu, limits, named: asked.is_some() })
    }

    /// Compute capability (major, minor).
    pub fn capability(&self) -> (i32, i32) {
        let (major, minor) = self.gpu.capability();
        (major as i32, minor as i32)
    }

    /// Compute capability as one number, such as 90.
    pub fn architecture(&self) -> u32 {
        let (major, minor) = self.gpu.capability();
        10 * major + minor
    }

    /// Number of multiprocessors.
    pub fn multiprocessors(&self) -> i32 {
        self.gpu.multiprocessors as i32
    }

    /// Whether the GPU supports thread block clusters.
    pub fn has_clusters(&self) -> bool {
        self.capability() >= (9, 0)
    }

    /// The name reported to programs.
    pub fn name(&self) -> String {
        format!("{} (emulated by Lanework)", self.gpu.full_name())
    }

    /// Bytes of device memory, limited by the host's memory.
    pub fn memory_bytes(&self) -> u64 {
        (u64::from(self.gpu.memory_gb) << 30).min(host_bytes())
    }
}

/// Bytes of host memory.
fn host_bytes() -> u64 {
    // SAFETY: `sysconf` only reads system parameters.
    let [pages, page] =
        unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
    match (u64::try_from(pages), u64::try_from(page)) {
        (Ok(pages), Ok(page)) => pages.saturating_mul(page),
        _ => u64::MAX,
    }
}

/// An emulated GPU.
pub struct Gpu {
    pub ordinal: i32,
    /// The primary context and its reference count.
    pub primary: Mutex<Primary>,
    /// The default pool and the current pool of asynchronous allocations, both created on first use.
    pub pools: Mutex<[Handle; 2]>,
}

/// The primary context of a GPU.
#[derive(Default)]
pub struct Primary {
    pub context: Handle,
    pub retained: u32,
    pub flags: u32,
}

/// The environment variable for the number of GPUs.
const COUNT: &str = "LANEWORK_GPUS";
/// Maximum number of emulated GPUs.
const MOST: usize = 64;

impl Gpu {
    /// All GPUs: as many as the environment specifies, one by default.
    pub fn all() -> Vec<Gpu> {
        let count =
            std::env::var(COUNT).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(1usize);
        (0..count.min(MOST) as i32)
            .map(|ordinal| Gpu { ordinal, primary: Mutex::default(), pools: Mutex::default() })
            .collect()
    }

    /// A stable 16-byte UUID.
    pub fn uuid(&self) -> [u8; 16] {
        let mut bytes = *b"lanework-gpu-000";
        bytes[15] = self.ordinal as u8;
        bytes
    }

    /// An invented PCI bus ID.
    pub fn bus(&self) -> String {
        format!("0000:{:02X}:00.0", self.ordinal + 1)
    }
}

/// Free and total bytes of device memory as reported to programs.
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
        let found = devices::device_attribute(attribute, driver()?.gpu(device)?);
        value.store(found.ok_or(Status::InvalidValue)?)
    }

    fn cuDeviceGetProperties(properties: Out<'_, [i32; 14]>, device: i32) {
        let gpu = driver()?.gpu(device)?;
        // Maximum threads per block, block and grid dimensions, shared and constant memory, warp size, pitch, registers, clock, texture alignment.
        let all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
        properties.store(all.map(|attribute| devices::device_attribute(attribute, gpu).unwrap_or(0)))
    }

    fn cuDeviceComputeCapability(major: Out<'_, i32>, minor: Out<'_, i32>, device: i32) {
        driver()?.gpu(device)?;
        let (of_major, of_minor) = model().capability();
        major.store(of_major)?;
        minor.store(of_minor)
    }

    fn cuDeviceGetPCIBusId(text: *mut c_char, length: i32, device: i32) {
        let bus = driver()?.gpu(device)?.bus();
        if length < 13 {
            return Err(Status::InvalidValue);
        }
        // SAFETY: `length` is the size of the buffer that the caller passed.
        unsafe { write_text(text, length.max(0) as usize, &bus) }
    }

    fn cuDeviceGetByPCIBusId(device: Out<'_, i32>, text: Text<'_>) {
        let asked = text.get()?.to_uppercase();
        if !asked.contains(':') {
            return Err(Status::InvalidValue);
        }
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
        // Performance rank, access, native atomics, arrays.
        let found = match attribute {
            1 => 0,
            2..=4 => 1,
            _ => return Err(Status::InvalidValue),
        };
        value.store(found)
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(width: Out<'_, usize>, format: i32, channels: u32, device: i32) {
        driver()?.gpu(device)?;
        let bytes = match format {
            0x01 | 0x08 => 1,
            0x02 | 0x09 | 0x10 => 2,
            0x03 | 0x0a | 0x20 => 4,
            _ => return Err(Status::InvalidValue),
        };
        if !matches!(channels, 1 | 2 | 4) {
            return Err(Status::InvalidValue);
        }
        width.store((1 << 32) / (bytes * channels as usize))
    }

    fn cuDeviceGetExecAffinitySupport(value: Out<'_, i32>, _kind: i32, device: i32) {
        driver()?.gpu(device)?;
        value.store(0)
    }

    fn cuProfilerInitialize(_config: Text<'_>, _output: Text<'_>, _mode: i32) {
        driver()?;
        // Obsolete; current drivers return this, too.
        Err(Status::NotSupported)
    }

    fn cuProfilerStart() {
        driver()?.context().map(drop)
    }

    fn cuProfilerStop() {
        driver()?.context().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_gpu_name_is_refused_with_the_known_ones() {
        let default = Model::by_name(None).expect("known");
        assert_eq!((default.capability(), default.named), ((9, 0), false));
        let named = Model::by_name(Some("rtx-4090")).expect("known");
        assert_eq!((named.architecture(), named.has_clusters()), (89, false));
        assert_eq!(named.name(), "NVIDIA GeForce RTX 4090 (emulated by Lanework)");
        assert!(named.memory_bytes() <= 24 << 30);
        let why = Model::by_name(Some("h2000")).expect_err("unknown");
        assert!(why.contains("`h2000`") && why.contains("L20"), "{why}");
    }
}
