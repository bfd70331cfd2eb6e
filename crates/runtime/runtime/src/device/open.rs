//! Opening devices (the emulator with limits, GPUs, and either by name), and allocating their memory.

use super::{Device, Engine};
use crate::device::gpu::GpuBackend;
use crate::tool::Session;
use crate::{DeviceInfo, Error, Reports, Result};
use lanework_emulator::{Emulator, Options};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

impl Device {
    /// The first GPU; the emulator if there is no GPU, or under `LANEWORK_TOOL` ([`crate::tool`]).
    pub fn best() -> Device {
        if Session::active().is_some() {
            return Device::emulator();
        }
        Device::cuda(0).unwrap_or_else(|_| Device::emulator())
    }

    /// The emulator; every call returns the same one. Its memory is at most 16 GB, and at most half of the
    /// memory that the host had available at the first call. A warp that has run 10^10 instructions is
    /// stopped; [`Device::emulator_with`] takes other limits.
    pub fn emulator() -> Device {
        static SHARED: OnceLock<Device> = OnceLock::new();
        SHARED.get_or_init(|| Device::emulator_limited(Some(STUCK_AFTER))).clone()
    }

    /// An emulator that stops a warp as stuck after `max_instructions` instructions.
    pub fn emulator_limited(max_instructions: Option<u64>) -> Device {
        Device::emulator_within(Options { max_instructions, ..Options::default() })
    }

    /// An emulator for untrusted kernels: `options` with at most half of the host's available
    /// memory.
    pub fn emulator_within(mut options: Options) -> Device {
        options.limits.memory = options.limits.memory.min(host_memory() / 2);
        Device::emulator_with(options)
    }

    /// A new emulator with the given limits, workers and schedule.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// A kernel that does not end.
    /// #[kernel]
    /// fn spin(x: &mut [u32]) {
    ///     while x[0] == 0 {
    ///         x[1] += 1;
    ///     }
    /// }
    /// use lanework::emulator::Options;
    ///
    /// // One worker, and a warp is stopped after 10 000 instructions.
    /// let options = Options { workers: Some(1), max_instructions: Some(10_000), ..Options::default() };
    /// for device in [Device::emulator_with(options.clone()), Device::emulator_within(options)] {
    ///     let mut x = device.zeros::<u32>(2)?;
    ///     assert!(spin(&mut x).grid(1).block(1).launch(&device).is_err());
    /// }
    /// assert!(Device::emulator_limited(None).synchronize().is_ok());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn emulator_with(options: Options) -> Device {
        warn_if_slow();
        let (options, imposed) = Session::options(options);
        Device::from_parts(Engine::Emulator(Emulator::new(options)), imposed)
    }

    /// GPU number `index`. If `LANEWORK_TOOL` is set ([`crate::tool`]), the emulator; the tool's report says so.
    ///
    /// # Errors
    /// One line if the driver is missing or has no GPU of this number.
    pub fn cuda(index: usize) -> Result<Device> {
        if let Some(session) = Session::active() {
            session.note(format!("the program asked for cuda:{index} and ran on the emulator"));
            return Ok(Device::emulator());
        }
        static OPENED: Mutex<Vec<(usize, Device)>> = Mutex::new(Vec::new());
        let mut opened = OPENED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((_, device)) = opened.iter().find(|(number, _)| *number == index) {
            return Ok(device.clone());
        }
        let device = Device::from_engine(Engine::Gpu(GpuBackend::open(index)?));
        opened.push((index, device.clone()));
        Ok(device)
    }

    /// The device called `id`: `best`, `emulator`, `cuda` or `cuda:1`.
    ///
    /// # Errors
    /// If no device has this name; the message lists the valid names.
    pub fn open(id: &str) -> Result<Device> {
        match (id, id.strip_prefix("cuda:").map(str::parse)) {
            ("best", _) => Ok(Device::best()),
            ("emulator", _) => Ok(Device::emulator()),
            ("cuda", _) => Device::cuda(0),
            (_, Some(Ok(number))) => Device::cuda(number),
            _ => Err(Error::Device {
                name: id.to_owned(),
                why: "that is not a device name".to_owned(),
                help: "use `best`, `emulator` or `cuda:0`; `lanework devices` lists them"
                    .to_owned(),
            }),
        }
    }

    /// Every GPU.
    ///
    /// # Errors
    /// One line if no GPU is usable.
    pub fn gpus() -> Result<Vec<DeviceInfo>> {
        crate::device::gpu::list()
    }

    /// The devices that a test suite should run on: the emulator, and the first GPU where there is
    /// one. Without a GPU, writes to standard error, bypassing the capture of test output,
    /// that `suite` was skipped and why.
    ///
    /// Each call opens the GPU anew, because the first wait on a device reports a failed bounds check, and
    /// concurrent tests must not receive each other's faults.
    pub fn for_tests(suite: &str) -> Vec<Device> {
        let mut devices = vec![Device::emulator()];
        if Session::active().is_some() {
            return devices;
        }
        // The cached device keeps the context alive; without it, each test would create the context
        // again.
        match Device::cuda(0).and_then(|_| GpuBackend::open(0)) {
            Ok(gpu) => devices.push(Device::from_engine(Engine::Gpu(gpu))),
            Err(why) if first_mention(suite) => {
                let why = why.to_string();
                let why = why.lines().next().unwrap_or_default();
                // Ignore a closed standard error.
                let _ = writeln!(std::io::stderr(), "SKIPPED on a GPU: {suite}: {why}");
            }
            Err(_) => {}
        }
        devices
    }
}

/// Whether this is the first call for a test suite in this process.
fn first_mention(suite: &str) -> bool {
    static NAMED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut named = NAMED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let first = !named.iter().any(|known| known == suite);
    named.push(suite.to_owned());
    first
}

/// Warns once, bypassing the capture of test output, that the emulator was compiled without optimization.
fn warn_if_slow() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !lanework_emulator::OPTIMIZED && !SAID.swap(true, Ordering::Relaxed) {
        // Ignore a closed standard error.
        let _ = writeln!(std::io::stderr(), "{SLOW}");
    }
}

/// Printed once by an emulator that was compiled without optimization.
const SLOW: &str = "\
note: the emulator was compiled without optimization, and is many times slower than it could be; add to Cargo.toml:

[profile.dev.package.lanework-engine]
opt-level = 3

[profile.dev.package.lanework-sanitizer]
opt-level = 3

[profile.dev.package.lanework-emulator]
opt-level = 3
";

/// Instructions after which a warp is stopped as stuck: minutes of emulation.
pub(crate) const STUCK_AFTER: u64 = 10_000_000_000;

/// Bytes of memory available on the host without swapping; `u64::MAX` where unknown.
pub(crate) fn host_memory() -> u64 {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let available = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = available.and_then(|text| text.trim().strip_suffix("kB")?.trim().parse().ok());
    kilobytes.map_or(u64::MAX, |kilobytes: u64| kilobytes * 1024)
}

impl Device {
    /// Free and total memory in bytes.
    ///
    /// # Errors
    /// If the driver does not answer.
    pub fn memory(&self) -> Result<(u64, u64)> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                let total = emulator.memory_total();
                Ok((total.saturating_sub(emulator.memory_used()), total))
            }
            Engine::Gpu(gpu) => gpu.memory(),
        }
    }

    pub(crate) fn allocate(&self, bytes: u64, name: &str) -> Result<u64> {
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator.allocate(bytes, name)?),
            // The driver rejects allocations of 0 bytes.
            Engine::Gpu(gpu) => gpu.allocate(bytes.max(1)),
        }
    }

    pub(crate) fn free(&self, address: u64) {
        match &self.0.engine {
            Engine::Emulator(emulator) => drop(emulator.free(address)),
            Engine::Gpu(gpu) => gpu.free(address),
        }
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                let copy = || Ok(emulator.write(address, bytes)?);
                match Session::active() {
                    Some(session) => session.copied("upload", bytes.len(), copy),
                    None => copy(),
                }
            }
            Engine::Gpu(gpu) => gpu.write(address, bytes),
        }
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                if let Some(report) = emulator.check_host_read(address, bytes.len() as u64) {
                    return Err(Error::Sanitizer(Reports { found: vec![report], stopped: None }));
                }
                let length = bytes.len();
                let mut copy = || Ok(emulator.read(address, bytes)?);
                match Session::active() {
                    Some(session) => session.copied("download", length, copy),
                    None => copy(),
                }
            }
            Engine::Gpu(gpu) => gpu.read(address, bytes),
        }
    }

    pub(crate) fn fill(&self, address: u64, byte: u8, bytes: u64) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator.fill(address, byte, bytes)?),
            Engine::Gpu(gpu) => gpu.fill(address, byte, bytes),
        }
    }
}
