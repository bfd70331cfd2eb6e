//! The device: its memory, its programs and its launches, under any instrument.

pub(crate) mod check;
pub mod launch;
pub mod saved;
pub(crate) mod schedule;
pub mod stall;
pub mod workspace;

use crate::device::launch::{Limits, Options};
use crate::device::schedule::{Job, LaunchResult};
use crate::device::workspace::Workspace;
use crate::fault::{Fault, LoadError, MemoryError};
use crate::instructions::texture::object::{Image, Object, Sampler};
use crate::instrument::Instrument;
use crate::instrument::event::Wants;
use crate::instrument::observer::Instrumentation;
use crate::memory::host_bytes::Fresh;
use crate::memory::pools::PoolRegions;
use crate::memory::saved::SavedAllocation;
use crate::memory::{Addresses, Memory, MemoryLock, POISON, device_range};
use crate::program::Program;
use lanework_ptx::Module;
use launch::{LaunchConfig, Outcome, Schedule};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLockReadGuard, RwLockWriteGuard};

/// One device: limits, memory and a pool of workers. Share it between threads by reference.
pub struct Device {
    options: Options,
    memory: Arc<MemoryLock>,
    /// Copies share it.
    pool: Arc<OnceLock<Option<rayon_core::ThreadPool>>>,
    workers: usize,
    /// Workspaces that no launch uses now.
    workspaces: Mutex<Vec<u64>>,
}

/// Lends the memory of one device to another (`alone`). Dropping this returns the memory, even during a panic.
struct Borrowing<'a> {
    memory: RwLockWriteGuard<'a, Memory>,
    alone: Device,
    saved: Vec<(u64, Vec<u8>)>,
}

impl Drop for Borrowing<'_> {
    fn drop(&mut self) {
        std::mem::swap(&mut *self.memory, &mut *self.alone.writing());
        self.memory.restore(&self.saved);
        let workspaces = self.alone.workspaces.get_mut().unwrap_or_else(PoisonError::into_inner);
        for workspace in workspaces.drain(..) {
            // `alone` allocated it in this memory, and it is still live.
            let _ = self.memory.free(workspace);
        }
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Device {
    /// A device with empty memory.
    pub fn new(options: Options) -> Device {
        Device::with_addresses(options, Addresses::Own)
    }

    /// A device whose addresses are host addresses: kernels can access memory allocated here and, by host pointers, the
    /// ranges that the host registers.
    pub fn on_host_memory(options: Options) -> Device {
        Device::with_addresses(options, Addresses::Host)
    }

    fn with_addresses(options: Options, addresses: Addresses) -> Device {
        let fresh = match options.zeroed && !options.gaps {
            true => Fresh::Zeros,
            false => Fresh::Byte(POISON),
        };
        let memory = Memory::new(options.limits.memory, addresses, options.gaps, fresh);
        let memory = Arc::new(MemoryLock::new(memory));
        let workers = match std::thread::available_parallelism().map(usize::from) {
            Ok(cores) => options.workers.unwrap_or(cores).clamp(1, cores),
            // WebAssembly does not know the number of cores; the page does.
            Err(_) => options.workers.unwrap_or(1).max(1),
        };
        Device { options, memory, pool: Arc::default(), workers, workspaces: Mutex::default() }
    }

    /// Whether an address is in the range in which devices on host memory allocate, in use or not: no program has memory of
    /// its own there.
    pub fn is_of_device(&self, address: u64) -> bool {
        device_range::holds(address)
    }

    /// The options that it was made with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The device's limits.
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// Whether its addresses are the host's own.
    pub fn is_on_host_memory(&self) -> bool {
        self.memory().addresses() == Addresses::Host
    }

    /// Its global memory, for reading. Launches may run at the same time.
    pub fn memory(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.shared()
    }

    fn writing(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.alone()
    }

    /// A device with a copy of this one's memory. It can run this one's programs, without effect on
    /// the original. Waits for running launches. `None` if addresses are the host's, or if there is
    /// not enough memory.
    pub fn copy(&self) -> Option<Device> {
        let memory = self.writing().copy()?;
        Some(Device {
            options: self.options.clone(),
            memory: Arc::new(MemoryLock::new(memory)),
            pool: self.pool.clone(),
            workers: self.workers,
            workspaces: Mutex::default(),
        })
    }

    /// Lends this device's memory to a temporary device, calls `run` with it, and then restores the
    /// memory; writes to registered host memory stay. Waits for running launches; other threads'
    /// launches, copies and allocations wait until it returns.
    pub fn undone<R>(&self, run: impl FnOnce(&Device) -> R) -> R {
        let mut memory = self.writing();
        let saved = memory.save();
        let alone = Device::with_addresses(self.options.clone(), memory.addresses());
        std::mem::swap(&mut *memory, &mut *alone.writing());
        run(&Borrowing { memory, alone, saved }.alone)
    }

    /// Allocates `bytes` bytes at a multiple of 256 and returns their device address. The same calls in the same order
    /// give the same addresses. Fresh memory holds 0xCD bytes, or zeros with [`Options::zeroed`].
    ///
    /// # Errors
    /// If the device or the host does not have enough memory.
    pub fn allocate(&self, bytes: u64, name: &str) -> Result<u64, MemoryError> {
        self.writing().allocate(bytes, name)
    }

    /// Allocates memory like a saved allocation, at an address, on a device with its own addresses.
    ///
    /// # Errors
    /// If the memory does not suffice, or the range is not free.
    pub(crate) fn allocate_at(
        &self,
        address: u64,
        bytes: u64,
        like: &SavedAllocation,
    ) -> Result<(), MemoryError> {
        self.writing().allocate_at(address, bytes, like)
    }

    /// Allocates `bytes` borrowed bytes at their own address, until [`Device::free`]; only on a device on host memory.
    /// They are filled like fresh memory. `lender` is dropped when they are freed.
    ///
    /// # Errors
    /// If this is not a device on host memory, its memory does not suffice, or the range overlaps another.
    ///
    /// # Safety
    /// Until `lender` is dropped, the bytes are readable and writable, and no other code uses them while a launch runs.
    pub unsafe fn allocate_in(
        &self,
        start: *mut u8,
        bytes: u64,
        name: &str,
        lender: Arc<dyn Any + Send + Sync>,
    ) -> Result<(), MemoryError> {
        // SAFETY: the bytes stay usable and unused by others until `lender` is dropped, as this function requires.
        unsafe { self.writing().allocate_in(start, bytes, name, lender) }
    }

    /// Frees an allocation; waits for running launches.
    ///
    /// # Errors
    /// When `address` is not what [`Device::allocate`] returned, or was freed already.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        self.writing().free(address)
    }

    /// Makes `bytes` bytes of host memory accessible to kernels at their own address; waits for
    /// running launches. An access to any other host memory still faults.
    ///
    /// # Errors
    /// When this is not a device on host memory, or the range overlaps another.
    ///
    /// # Safety
    /// Until [`Device::unregister_host_memory`], the bytes must be valid for reads and writes; while a launch runs, no
    /// other code may write them, or read bytes that the kernel writes.
    pub unsafe fn register_host_memory(
        &self,
        start: *mut u8,
        bytes: u64,
        name: &str,
    ) -> Result<(), MemoryError> {
        // SAFETY: the bytes stay usable until they are unregistered, as this function requires.
        unsafe { self.writing().register_host_memory(start, bytes, name) }
    }

    /// Unregisters the range that starts at `start`; waits for running launches.
    ///
    /// # Errors
    /// When no registered range starts there.
    pub fn unregister_host_memory(&self, start: *const u8) -> Result<(), MemoryError> {
        self.writing().unregister_host_memory(start as u64)
    }

    /// Changes the pools of the program's own allocators, whose parts the sanitizer checks.
    pub fn with_pools<T>(&self, change: impl FnOnce(&mut PoolRegions) -> T) -> T {
        let memory = self.memory();
        let mut pools = memory.pools.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut pools)
    }

    /// Marks a range within one allocation as unwritten.
    pub fn forget_contents(&self, address: u64, bytes: u64) {
        let memory = self.memory();
        if let Some((start, allocation)) = memory.find(address)
            && let Some(written) = &allocation.written
        {
            written.unset(address - start, bytes.min(allocation.bytes - (address - start)));
        }
    }

    /// Lets kernels use any host address while nothing is registered; no effect on a device with its own addresses. An
    /// access to an unmapped address then ends the process.
    ///
    /// # Safety
    /// From now on, every launch while nothing is registered must access only memory that is valid for reads and
    /// writes.
    pub unsafe fn trust_addresses(&self) {
        // SAFETY: launches keep to memory that can be accessed, as this function requires.
        unsafe { self.writing().trust() }
    }

    /// Gives the allocation that starts at `address` another name in messages.
    ///
    /// # Errors
    /// When no live allocation starts there.
    pub fn rename(&self, address: u64, name: &str) -> Result<(), MemoryError> {
        self.writing().rename(address, name)
    }

    /// Copies host bytes to the device; waits for running launches.
    ///
    /// # Errors
    /// When the bytes are not inside one allocation.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        self.writing().write(address, bytes)
    }

    /// Copies device bytes to the host; waits for running launches.
    ///
    /// # Errors
    /// When the bytes are not inside one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        self.writing().read(address, bytes)
    }

    /// Sets `bytes` device bytes to `value`; waits for running launches.
    ///
    /// # Errors
    /// When the bytes are not inside one allocation.
    pub fn fill(&self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        self.writing().fill(address, value, bytes)
    }

    /// Makes a texture of an image in allocated memory, and returns its handle, which a kernel takes as a `.u64`
    /// parameter or finds in the eight bytes of a `.texref` variable.
    ///
    /// # Errors
    /// When the image or the sampler breaks a rule.
    pub fn make_texture(&self, image: Image, sampler: Sampler) -> Result<u64, MemoryError> {
        self.make_mipmap(&[image], sampler)
    }

    /// Like [`Device::make_texture`], for mipmap levels, each with half the extents of the previous one.
    ///
    /// # Errors
    /// When an image or the sampler breaks a rule.
    pub fn make_mipmap(&self, levels: &[Image], sampler: Sampler) -> Result<u64, MemoryError> {
        self.writing().objects.make(Object::Texture(levels.to_vec(), sampler))
    }

    /// Makes a surface of an image in allocated memory, and returns its handle.
    ///
    /// # Errors
    /// When the image breaks a rule.
    pub fn make_surface(&self, image: Image) -> Result<u64, MemoryError> {
        self.writing().objects.make(Object::Surface(image))
    }

    /// Destroys a texture, surface or sampler; returns whether the handle existed. The image's memory stays.
    pub fn end_object(&self, handle: u64) -> bool {
        self.writing().objects.end(handle)
    }

    /// Bytes allocated.
    pub fn memory_used(&self) -> u64 {
        self.memory().used()
    }

    /// Bytes of device memory in all.
    pub fn memory_total(&self) -> u64 {
        self.memory().total()
    }

    /// Checks and prepares a module; its global and constant variables are allocated and initialized. An entry with an
    /// unsupported construct is refused when it is launched ([`Program::refused`] lists them); the others run.
    ///
    /// # Errors
    /// If no entry can run, with the first unsupported construct, or if a variable cannot be allocated.
    pub fn load(&self, module: &Module) -> Result<Arc<Program>, LoadError> {
        Program::load(module, &self.memory, self.options.gaps, self.options.verify).map(Arc::new)
    }

    /// As [`Device::load`], but these variables, by their keys ([`Program::variables`]), are in memory already: at
    /// addresses of restored memory ([`crate::memory::saved`]).
    ///
    /// # Errors
    /// As [`Device::load`].
    pub fn load_restored(
        &self,
        module: &Module,
        variables: &HashMap<String, u64>,
    ) -> Result<Arc<Program>, LoadError> {
        let Options { gaps, verify, .. } = self.options;
        Program::load_restored(module, &self.memory, (gaps, verify), variables).map(Arc::new)
    }

    /// As [`Device::load`], but each kernel is decoded on first use; launching an unsupported one returns the reason.
    ///
    /// # Errors
    /// When a variable cannot be placed.
    pub fn load_on_demand(&self, module: &Arc<Module>) -> Result<Arc<Program>, LoadError> {
        let Options { gaps, verify, .. } = self.options;
        Program::load_on_demand(module, &self.memory, gaps, verify).map(Arc::new)
    }
}

impl Device {
    /// Runs a kernel to its end, or to a fault. `arguments` are the bytes of each PTX parameter,
    /// little-endian.
    ///
    /// # Errors
    /// When the launch does not fit the device or the kernel.
    pub fn run_with<I: Instrument>(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        instrument: &mut I,
    ) -> Result<LaunchResult, Fault> {
        self.run_in_order(program, launch, arguments, (self.options.schedule, instrument))
    }

    /// Like [`Device::run_with`], with another order of time slices than the device's.
    ///
    /// # Errors
    /// As [`Device::run_with`].
    pub fn run_in_order<I: Instrument>(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        (schedule, instrument): (Schedule, &mut I),
    ) -> Result<LaunchResult, Fault> {
        let kernel = check::kernel(program, launch.entry)?;
        check::limits(kernel, launch, self.limits())?;
        check::cluster(kernel, launch)?;
        let parameters = check::parameters(kernel, arguments)?;
        let instrumentation = Instrumentation::new(instrument);
        let assembled = program
            .assembled(launch.entry, launch.block, &instrumentation, self.options.all_varying)
            .ok_or_else(|| check::unknown(program, launch.entry))?;
        check::registers(kernel, launch, assembled.code.register_bytes)?;
        let workspace = match launch.cooperative {
            true => {
                check::cooperative(&assembled, launch, self.limits())?;
                Some(Workspace::new(&self.memory, &self.workspaces, launch.entry)?)
            }
            false => None,
        };
        let address = workspace.as_ref().map_or(0, |workspace| workspace.address);
        let memory = self.memory();
        let options = Options { schedule, ..self.options.clone() };
        let job = Job::new(&assembled, &memory, launch, (&parameters, address), &options);
        let ran = job.run(instrument, self.workers, || self.pool());
        if !instrumentation.wants.any(Wants::INITIALIZED) {
            memory.take_as_written();
        }
        // The workspace is freed under the lock.
        drop(memory);
        Ok(ran)
    }

    /// Runs a kernel to its end. `arguments` are the bytes of each PTX parameter, little-endian.
    ///
    /// # Errors
    /// When the launch does not fit the device or the kernel, or the kernel faults. Memory then holds everything
    /// written so far.
    pub fn launch<I: Instrument>(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        instrument: &mut I,
    ) -> Result<Outcome, Fault> {
        let ran = self.run_with(program, launch, arguments, instrument)?;
        ran.fault.map_or(Ok(ran.outcome), Err)
    }

    /// The pool of workers in addition to the caller's thread; made on first use.
    fn pool(&self) -> Option<&rayon_core::ThreadPool> {
        self.pool
            .get_or_init(|| {
                let builder = rayon_core::ThreadPoolBuilder::new().num_threads(self.workers - 1);
                builder.thread_name(|i| format!("lanework-sim-{i}")).build().ok()
            })
            .as_ref()
    }
}
