//! Devices: the emulator and GPUs behind one type.

use crate::compiled::Compiled;
use crate::gpu::GpuBackend;
use crate::tool::Session;
use crate::{Backend, DeviceInfo, Error, Reports, Result};
use lanework_sim::sanitize::{Checks, Report, ReportKind};
use lanework_sim::{Emulator, Options};
use std::collections::HashMap;
use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// A GPU, or the emulator. Clones are cheap and refer to the same device.
///
/// ```
/// use lanework::{Backend, Device};
///
/// let device = Device::best(); // a GPU if there is one
/// println!("{}: {:?} bytes free", device.info().name, device.memory()?.0);
///
/// let emulator = Device::open("emulator")?;
/// assert_eq!(emulator.backend(), Backend::Emulator);
/// assert!(emulator.sanitized().is_sanitized());
/// assert!(Device::open("cdua:0").is_err());
/// match Device::gpus() {
///     Ok(gpus) => println!("{} GPUs", gpus.len()),
///     Err(why) => println!("no GPU: {why}"),
/// }
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone)]
pub struct Device(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    identity: u64,
    pub(crate) engine: Engine,
    pub(crate) compiled: Mutex<HashMap<(String, bool), Arc<Compiled>>>,
    /// Whether `LANEWORK_TOOL` checks launches here, and not the program itself.
    pub(crate) imposed: bool,
}

#[expect(clippy::large_enum_variant, reason = "a device holds one, behind an `Arc`")]
pub(crate) enum Engine {
    Emulator(Emulator),
    Gpu(GpuBackend),
}

impl Device {
    /// The first GPU, or the emulator where there is none, or where `LANEWORK_TOOL` is set ([`crate::tool`]).
    pub fn best() -> Device {
        if Session::active().is_some() {
            return Device::emulator();
        }
        Device::cuda(0).unwrap_or_else(|_| Device::emulator())
    }

    /// The emulator; every call returns the same one. Its memory is at most 16 GB, and at most half
    /// of what the host had available at the first call. A warp that has run 10^10 instructions is
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
    /// use lanework::sim::Options;
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

    /// A new emulator that checks every launch: bounds, alignment, use after free, uninitialised
    /// memory, races, barriers, warp-synchronous operations and asynchronous copies. A launch with
    /// findings runs to its end and then returns [`Error::Sanitizer`] with all of them:
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn shift(x: &mut [f32]) {
    ///     let i = thread_idx.x;
    ///     if i + 1 < x.len() as u32 {
    ///         x[i] = x[i + 1];
    ///     }
    /// }
    ///
    /// let device = Device::emulator().sanitized();
    /// let mut x = device.upload(&[1.0f32; 64])?;
    /// let found = shift(&mut x).grid(1).block(64).launch(&device).unwrap_err();
    /// assert!(found.to_string().contains("race in global memory"));
    /// # lanework::Result::<()>::Ok(())
    /// ```
    ///
    /// Buffers must be made on the device that this returns. Limits are those of this device, or of
    /// [`Device::emulator`] when this is a GPU. Blocks run on one core; those that wait for others stay resident.
    pub fn sanitized(&self) -> Device {
        self.sanitized_for(Checks::default())
    }

    /// As [`Device::sanitized`], with a selection of checks, which may include leaks.
    ///
    /// ```
    /// use lanework::{Checks, Device};
    ///
    /// let device = Device::emulator().sanitized_for(Checks::all());
    /// let x = device.zeros::<u32>(100)?;
    /// assert_eq!(device.leaks().len(), 1); // `x` is still alive
    /// drop(x);
    /// assert!(device.leaks().is_empty());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn sanitized_for(&self, checks: Checks) -> Device {
        let mut options = match &self.0.engine {
            Engine::Emulator(emulator) => emulator.options().clone(),
            Engine::Gpu(_) => match &Device::emulator().0.engine {
                Engine::Emulator(emulator) => emulator.options().clone(),
                Engine::Gpu(_) => Options::default(),
            },
        };
        options.checks = Some(checks);
        Device::emulator_with(options)
    }

    /// Whether launches on this device are checked.
    pub fn is_sanitized(&self) -> bool {
        matches!(&self.0.engine, Engine::Emulator(emulator) if emulator.checks().is_some())
    }

    /// The live buffers of a sanitized device, as leak reports; none on other devices.
    pub fn leaks(&self) -> Vec<Report> {
        match &self.0.engine {
            Engine::Emulator(emulator)
                if emulator.checks().is_some_and(|checks| checks.has(ReportKind::Leak)) =>
            {
                emulator.leaks()
            }
            _ => Vec::new(),
        }
    }

    /// GPU number `index`; the emulator where `LANEWORK_TOOL` is set ([`crate::tool`]), whose report says so.
    ///
    /// # Errors
    /// When there is no driver or no such GPU, in one line.
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
    /// When there is no such device; the message lists the valid names.
    pub fn open(id: &str) -> Result<Device> {
        match id.split_once(':') {
            None if id == "best" => Ok(Device::best()),
            None if id == "emulator" => Ok(Device::emulator()),
            None if id == "cuda" => Device::cuda(0),
            Some(("cuda", number)) if number.parse::<usize>().is_ok() => {
                Device::cuda(number.parse().unwrap_or_default())
            }
            _ => Err(Error::Device {
                name: id.to_owned(),
                why: "that is not a device name".to_owned(),
                help: "use `best`, `emulator` or `cuda:0`; `lanework devices` lists them"
                    .to_owned(),
            }),
        }
    }

    /// Every GPU, or the reason in one line why there is none.
    pub fn gpus() -> Result<Vec<DeviceInfo>> {
        crate::gpu::list()
    }

    /// The devices that a test suite should run on: the emulator, and the first GPU where there is
    /// one. Where there is none, writes to standard error, bypassing the capture of test output,
    /// that `suite` was skipped and why.
    ///
    /// Each call opens the GPU anew: the first wait on a device reports a failed bounds check, and
    /// concurrent tests must not receive each other's.
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
                // Nothing to do when even standard error is closed.
                let _ = writeln!(std::io::stderr(), "SKIPPED on a GPU: {suite}: {why}");
            }
            Err(_) => {}
        }
        devices
    }

    /// What this device is.
    pub fn info(&self) -> DeviceInfo {
        match &self.0.engine {
            Engine::Emulator(emulator) => emulator_info(emulator),
            Engine::Gpu(gpu) => gpu.info(),
        }
    }

    /// The kind of this device.
    pub fn backend(&self) -> Backend {
        match &self.0.engine {
            Engine::Emulator(_) => Backend::Emulator,
            Engine::Gpu(_) => Backend::Cuda,
        }
    }

    /// Waits for everything launched so far.
    ///
    /// # Errors
    /// The fault of any launch since the last call.
    pub fn synchronize(&self) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(_) => Ok(()),
            Engine::Gpu(gpu) => gpu.synchronize(),
        }
    }

    /// The monitor of this GPU: clocks, power, temperature, and why the clock is below its maximum.
    ///
    /// ```
    /// if let Ok(monitor) = lanework::Device::best().monitor() {
    ///     println!("{:?} MHz", monitor.read().sm_mhz);
    /// }
    /// ```
    ///
    /// # Errors
    /// In one line, on the emulator, and where the driver's monitoring library (NVML) is not.
    pub fn monitor(&self) -> std::result::Result<lanework_cuda::Monitor, String> {
        match &self.0.engine {
            Engine::Emulator(_) => Err("the emulator has no clocks".to_owned()),
            Engine::Gpu(gpu) => gpu.monitor(),
        }
    }

    /// For calls of other libraries: makes the GPU's context current on this thread and returns the stream, a `CUstream`, that
    /// launches go to now: the device's own, or the one that is being recorded. `None` on the emulator.
    ///
    /// ```
    /// # use lanework::{Backend, Device};
    /// let device = Device::best();
    /// assert_eq!(device.raw_stream()?.is_some(), device.backend() == Backend::Cuda);
    /// assert!(device.clone() == device);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the driver rejects the context.
    pub fn raw_stream(&self) -> Result<Option<u64>> {
        match &self.0.engine {
            Engine::Emulator(_) => Ok(None),
            Engine::Gpu(gpu) => Ok(Some(gpu.raw().raw_stream()?)),
        }
    }

    /// Free and total memory in bytes.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub fn memory(&self) -> Result<(u64, u64)> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                let total = emulator.memory_total();
                Ok((total.saturating_sub(emulator.memory_used()), total))
            }
            Engine::Gpu(gpu) => gpu.memory(),
        }
    }

    pub(crate) fn identity(&self) -> u64 {
        self.0.identity
    }

    pub(crate) fn allocate(&self, bytes: u64, name: &str) -> Result<u64> {
        let bytes = bytes.max(1);
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator.allocate(bytes, name)?),
            Engine::Gpu(gpu) => gpu.allocate(bytes),
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
                if let Some(report) = emulator.judge_read(address, bytes.len() as u64) {
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

    pub(crate) fn from_engine(engine: Engine) -> Device {
        Device::from_parts(engine, false)
    }

    pub(crate) fn from_parts(engine: Engine, imposed: bool) -> Device {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let device = Device(Arc::new(Inner {
            identity: NEXT.fetch_add(1, Ordering::Relaxed),
            engine,
            compiled: Mutex::default(),
            imposed,
        }));
        let mut open = OPEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        open.retain(|inner| inner.strong_count() > 0);
        open.push(Arc::downgrade(&device.0));
        device
    }

    /// The open device of this identity.
    pub(crate) fn of_identity(identity: u64) -> Option<Device> {
        let open = OPEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut live = open.iter().filter_map(Weak::upgrade);
        live.find(|inner| inner.identity == identity).map(Device)
    }
}

/// The devices that are open, for views, which know their device by its identity.
static OPEN: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

/// Whether both refer to the same device, opened once.
impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.info().id)
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

/// Says once, bypassing the capture of test output, that the emulator was compiled without optimisation.
fn warn_if_slow() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !lanework_sim::OPTIMISED && !SAID.swap(true, Ordering::Relaxed) {
        // Nothing to do when even standard error is closed.
        let _ = writeln!(std::io::stderr(), "{SLOW}");
    }
}

/// What is said of an emulator that was compiled without optimisation.
const SLOW: &str = "\
note: the emulator was compiled without optimisation, and is many times slower than it could be; add to Cargo.toml:

[profile.dev.package.lanework-engine]
opt-level = 3

[profile.dev.package.lanework-sanitizer]
opt-level = 3

[profile.dev.package.lanework-sim]
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

/// The compute capability that the emulator implements.
const EMULATED_CAPABILITY: (u32, u32) = (9, 0);

/// The emulator described as a device.
fn emulator_info(emulator: &Emulator) -> DeviceInfo {
    let limits = emulator.limits();
    DeviceInfo {
        id: "emulator".to_owned(),
        name: "Lanework emulator".to_owned(),
        backend: Backend::Emulator,
        compute_capability: EMULATED_CAPABILITY,
        memory_bytes: emulator.memory_total(),
        multiprocessors: limits.multiprocessors,
        max_threads_per_block: limits.threads_per_block,
        max_block: limits.block,
        max_grid: limits.grid,
        shared_per_block: (limits.static_shared, limits.shared),
        registers_per_multiprocessor: 65_536,
        l2_bytes: 0,
        clock_khz: 0,
        memory_bandwidth: 0,
        driver: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
