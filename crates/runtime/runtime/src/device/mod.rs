//! Devices: the emulator and GPUs behind one type, and emulators that check every launch.

pub(crate) mod gpu;
mod open;

pub(crate) use open::{STUCK_AFTER, host_memory};

use crate::device::gpu::GpuBackend;
use crate::{Backend, DeviceInfo, Result};
use gpu::Compiled;
use lanework_emulator::sanitize::{Checks, Report, ReportKind};
use lanework_emulator::{Emulator, Options};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

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
    /// Whether `LANEWORK_TOOL`, not the program itself, requested the checks.
    pub(crate) imposed: bool,
}

#[expect(clippy::large_enum_variant, reason = "a device holds one, behind an `Arc`")]
pub(crate) enum Engine {
    Emulator(Emulator),
    Gpu(GpuBackend),
}

impl Device {
    /// The name, kind and limits of this device.
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

    /// Waits for all launches so far.
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
    /// A one-line message on the emulator, or if the driver's monitoring library (NVML) is missing.
    pub fn monitor(&self) -> std::result::Result<lanework_cuda::Monitor, String> {
        match &self.0.engine {
            Engine::Emulator(_) => Err("the emulator has no clocks".to_owned()),
            Engine::Gpu(gpu) => gpu.monitor(),
        }
    }

    /// Makes the GPU's context current on this thread, for calls of other libraries, and returns the current stream of
    /// launches as a `CUstream`: the device's own, or the stream that is being recorded. `None` on the emulator.
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
    /// If the driver rejects the context.
    pub fn raw_stream(&self) -> Result<Option<u64>> {
        match &self.0.engine {
            Engine::Emulator(_) => Ok(None),
            Engine::Gpu(gpu) => Ok(Some(gpu.raw().raw_stream()?)),
        }
    }

    pub(crate) fn identity(&self) -> u64 {
        self.0.identity
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

    /// The open device with this identity.
    pub(crate) fn of_identity(identity: u64) -> Option<Device> {
        let open = OPEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut live = open.iter().filter_map(Weak::upgrade);
        live.find(|inner| inner.identity == identity).map(Device)
    }
}

/// The open devices. A view, which holds an identity, finds its device here.
static OPEN: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

/// Equal if both handles come from the same opening of a device.
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

/// The compute capability that the emulator implements.
const EMULATED_CAPABILITY: (u32, u32) = (9, 0);

/// The emulator's description as a device.
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

/// A time limit that no launch reaches. Only launches with a limit can be stopped.
pub(crate) const NO_LIMIT: Duration = Duration::from_secs(u32::MAX as u64);

impl Device {
    /// A new emulator that checks every launch: bounds, alignment, use after free, uninitialized
    /// memory, races, barriers, warp-synchronous operations and asynchronous copies. A launch with
    /// findings runs to its end and then returns [`Error::Sanitizer`](crate::Error::Sanitizer) with all of them:
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
    /// Create buffers on the returned device. It has the limits of this device, or of [`Device::emulator`] if this is a
    /// GPU. Its blocks run on one core; blocks that wait for others stay resident.
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
        options.time_limit.get_or_insert(NO_LIMIT);
        Device::emulator_with(options)
    }

    /// Whether launches on this device are checked.
    pub fn is_sanitized(&self) -> bool {
        matches!(&self.0.engine, Engine::Emulator(emulator) if emulator.checks().is_some())
    }

    /// Whether the device reports memory that is never freed.
    ///
    /// ```
    /// use lanework_runtime::{Checks, Device, ReportKind};
    ///
    /// let device = Device::open("emulator")?;
    /// assert!(device.sanitized_for(Checks::none().with(ReportKind::Leak)).checks_leaks());
    /// assert!(!device.checks_leaks());
    /// # Ok::<(), lanework_runtime::Error>(())
    /// ```
    pub fn checks_leaks(&self) -> bool {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                emulator.checks().is_some_and(|checks| checks.has(ReportKind::Leak))
            }
            Engine::Gpu(_) => false,
        }
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
}
