//! Global state: the emulator, the emulated GPUs, and a table of handles per type of object ([`Handles`]).

use crate::api::warn;
use crate::devices::gpus::{Gpu, chosen};
use crate::status::{Result, Status};
use lanework::Device;
use lanework::emulator::{Limits, Options, Schedule};
use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// State after initialization.
pub struct Driver {
    /// The emulator, using host memory: device pointers are host pointers. All GPUs share it.
    pub device: Device,
    pub gpus: Vec<Gpu>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// Instruction limit of a warp, after which it counts as stuck. Takes minutes of emulation.
const STUCK_AFTER: u64 = 100_000_000_000;

/// Whether this process was forked from an initialized one. The emulator's threads exist only in the parent.
static FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Whether this process was forked from one that used CUDA.
pub fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Granularity of shared memory: a GPU does not detect accesses to the padding of a block's last unit.
const SHARED_UNIT: u32 = 128;

/// Writes the output of kernels as NVIDIA's driver does: to the C library's stream. So its order relative to the program's
/// own output is kept even if the stream is buffered, as in a pipe (seen on an H200 with driver 580).
#[cfg(target_os = "linux")]
fn print_by_c(text: &str) {
    unsafe extern "C" {
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the C library initializes its stream before the program starts, and the stream locks itself.
    unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
}

/// Initializes the driver, once.
pub fn start() -> Result<&'static Driver> {
    if is_forked() {
        return Err(Status::NotInitialized);
    }
    let model = chosen().map_err(|why| {
        warn("no GPU is emulated", &why);
        Status::NoDevice
    })?;
    Ok(DRIVER.get_or_init(|| {
        lanework::tool::set_machine(lanework_report::machine(model.gpu));
        #[cfg(target_os = "linux")]
        lanework::print_by(print_by_c);
        #[cfg(unix)]
        // SAFETY: the handler only stores an atomic flag, which is allowed after a fork.
        unsafe {
            libc::pthread_atfork(None, None, Some(forked));
        }
        let mut limits = Limits {
            shared: model.limits.shared_per_block,
            shared_unit: SHARED_UNIT,
            multiprocessors: model.gpu.multiprocessors,
            multiprocessor: lanework_report::multiprocessor(model.limits),
            ..Limits::default()
        };
        if model.named {
            limits.memory = model.memory_bytes();
        }
        let max_instructions = Some(STUCK_AFTER);
        let schedule = Schedule::Interleaved;
        // For the debugger, new memory has bytes that it recognizes as unwritten.
        let zeroed = std::env::var_os("LANEWORK_TOOL").is_none_or(|tool| tool != "save");
        let options = Options { limits, schedule, max_instructions, zeroed, ..Options::default() };
        let device = Device::emulator_on_host_memory(options);
        Driver { device, gpus: Gpu::all() }
    }))
}

/// The driver, if it is initialized.
pub fn driver() -> Result<&'static Driver> {
    DRIVER.get().filter(|_| !is_forked()).ok_or(Status::NotInitialized)
}

/// The objects of a type by handle; one table per process.
pub fn table<T: Send + Sync + 'static>() -> &'static Handles<T> {
    static TABLES: Mutex<Option<HashMap<TypeId, &'static (dyn Any + Send + Sync)>>> =
        Mutex::new(None);
    let mut tables = lock(&TABLES);
    let made = || -> &'static (dyn Any + Send + Sync) { Box::leak(Box::<Handles<T>>::default()) };
    let table = *tables.get_or_insert_default().entry(TypeId::of::<T>()).or_insert_with(made);
    match table.downcast_ref() {
        Some(table) => table,
        None => unreachable!("a table is found by the type that it was made for"),
    }
}

impl Driver {
    /// The GPU of an ordinal.
    pub fn gpu(&self, ordinal: i32) -> Result<&Gpu> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|ordinal| self.gpus.get(ordinal))
            .ok_or(Status::InvalidDevice)
    }
}

/// Locks a mutex. Ignores poisoning: the state is consistent between calls, and `api` turns panics into a status.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A handle as C passes it: an opaque pointer, never dereferenced. 0 is null.
pub type Handle = u64;

/// All objects of one type by handle. Each use of a handle looks up the object, so a stale handle is an error instead
/// of a dangling pointer.
pub struct Handles<T> {
    objects: Mutex<BTreeMap<Handle, Arc<T>>>,
}

impl<T> Default for Handles<T> {
    fn default() -> Self {
        Handles { objects: Mutex::default() }
    }
}

impl<T> Handles<T> {
    /// Adds an object, and returns its handle.
    pub fn add(&self, object: T) -> Handle {
        self.add_with(|_| object)
    }

    /// Like `add`, for an object that stores its own handle.
    pub fn add_with(&self, make: impl FnOnce(Handle) -> T) -> Handle {
        // Unique across all types, larger than the special streams 1 and 2, and spaced like pointers.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = 0x1000_0000 + 64 * NEXT.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(handle, Arc::new(make(handle)));
        handle
    }

    /// Adds an object under the handle of a previous object.
    pub fn add_again(&self, handle: Handle, object: T) {
        self.lock().insert(handle, Arc::new(object));
    }

    /// The object of a handle, or an error.
    pub fn get(&self, handle: Handle) -> Result<Arc<T>> {
        self.find(handle).ok_or(Status::InvalidHandle)
    }

    /// Like [`Self::get`], for object types whose null handle is an invalid value.
    pub fn some(&self, handle: Handle) -> Result<Arc<T>> {
        if handle == 0 { Err(Status::InvalidValue) } else { self.get(handle) }
    }

    /// Like [`Self::remove`], for object types whose null handle is an invalid value.
    pub fn remove_some(&self, handle: Handle) -> Result<Arc<T>> {
        if handle == 0 { Err(Status::InvalidValue) } else { self.remove(handle) }
    }

    /// The object of a handle, if it exists.
    pub fn find(&self, handle: Handle) -> Option<Arc<T>> {
        self.lock().get(&handle).cloned()
    }

    /// Invalidates a handle. The object stays alive while other references exist.
    pub fn remove(&self, handle: Handle) -> Result<Arc<T>> {
        self.lock().remove(&handle).ok_or(Status::InvalidHandle)
    }

    /// Invalidates the handles of all objects for which `keep` is false.
    pub fn retain(&self, keep: impl Fn(&T) -> bool) {
        self.lock().retain(|_, object| keep(object));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Handle, Arc<T>>> {
        lock(&self.objects)
    }
}
