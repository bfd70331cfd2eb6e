//! The emulated device: its memory, its programs and its launches.

use crate::engine::check;
use crate::engine::event::Observer;
use crate::engine::fault::{Fault, LoadError, MemoryError};
use crate::engine::launch::{LaunchConfig, Outcome};
use crate::engine::limits::{Limits, Options};
use crate::engine::memory::{Addresses, Memory};
use crate::engine::program::{Program, Watch};
use crate::engine::schedule::Job;
use crate::sanitizer::{Checked, Checks, Report};
use lanework_ptx::Module;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// One emulated device: limits, memory and a pool of workers. Share it between threads by reference.
pub struct Emulator {
    options: Options,
    memory: Arc<RwLock<Memory>>,
    pool: OnceLock<Option<rayon::ThreadPool>>,
    workers: usize,
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulator").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Emulator {
    /// A device with nothing in its memory.
    pub fn new(options: Options) -> Emulator {
        Emulator::with_addresses(options, Addresses::Own)
    }

    /// A device whose addresses are the host's own: kernels reach what is allocated here and, by
    /// their own pointers, the ranges that the host lends.
    pub fn on_host_memory(options: Options) -> Emulator {
        Emulator::with_addresses(options, Addresses::Host)
    }

    fn with_addresses(options: Options, addresses: Addresses) -> Emulator {
        let memory = Memory::new(options.limits.memory, addresses, options.checks.is_some());
        let memory = Arc::new(RwLock::new(memory));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = options.workers.unwrap_or(cores).clamp(1, cores);
        Emulator { options, memory, pool: OnceLock::new(), workers }
    }

    /// The options that it was made with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The device's limits.
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn reading(&self) -> RwLockReadGuard<'_, Memory> {
        self.memory.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn writing(&self) -> RwLockWriteGuard<'_, Memory> {
        self.memory.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `bytes` bytes at a multiple of 256 and returns their device address. The same calls
    /// in the same order give the same addresses. Fresh memory holds 0xCD bytes.
    ///
    /// # Errors
    /// When the device or the host has not enough memory.
    pub fn allocate(&self, bytes: u64, name: &str) -> Result<u64, MemoryError> {
        self.writing().allocate(bytes, name)
    }

    /// Frees an allocation; waits for running launches.
    ///
    /// # Errors
    /// When `address` is not what [`Emulator::allocate`] returned, or was freed already.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        self.writing().free(address)
    }

    /// Lends kernels `bytes` bytes of host memory at their own address; waits for running launches.
    /// Every other access still faults.
    ///
    /// # Errors
    /// When this is not a device on host memory, or the range overlaps another.
    ///
    /// # Safety
    /// Until [`Emulator::take_back`], the bytes must be there to be read and written; while a launch
    /// runs, nothing else may write them, nor read what the kernel writes.
    pub unsafe fn lend(&self, start: *mut u8, bytes: u64, name: &str) -> Result<(), MemoryError> {
        // SAFETY: by the caller.
        unsafe { self.writing().lend(start, bytes, name) }
    }

    /// Ends the loan of the range that starts at `start`; waits for running launches.
    ///
    /// # Errors
    /// When no range lent starts there.
    pub fn take_back(&self, start: *const u8) -> Result<(), MemoryError> {
        self.writing().take_back(start as u64)
    }

    /// Lets kernels use any host address for as long as nothing is lent; does nothing on a device
    /// with addresses of its own. An access to what is not there then ends the process.
    ///
    /// # Safety
    /// From now on every launch while nothing is lent must keep to memory that is there to be read
    /// and written, as if all of it were lent.
    pub unsafe fn trust_addresses(&self) {
        // SAFETY: by the caller.
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

    /// What is wrong with copying `bytes` bytes to the host, where checks look at that.
    pub fn judge_read(&self, address: u64, bytes: u64) -> Option<Report> {
        self.options.checks.filter(|checks| checks.has_host_reads())?;
        let near = self.reading().unwritten(address, bytes)?;
        let at = near.address.wrapping_add_signed(near.offset);
        Some(Report::host_read(bytes, near, at))
    }

    /// Sets `bytes` device bytes to `value`; waits for running launches.
    ///
    /// # Errors
    /// When the bytes are not inside one allocation.
    pub fn fill(&self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        self.writing().fill(address, value, bytes)
    }

    /// Bytes allocated.
    pub fn memory_used(&self) -> u64 {
        self.reading().used()
    }

    /// Bytes of device memory in all.
    pub fn memory_total(&self) -> u64 {
        self.reading().total()
    }

    /// Checks and prepares a module; its global and constant variables are allocated and initialised.
    /// An entry with something that the emulator does not know is refused when it is launched
    /// ([`Program::refused`] lists them); the others run.
    ///
    /// # Errors
    /// When no entry can run, or a variable cannot be placed, naming what the emulator does not know.
    pub fn load(&self, module: &Module) -> Result<Arc<Program>, LoadError> {
        Program::load(module, &self.memory, self.options.checks.is_some()).map(Arc::new)
    }

    /// Runs a kernel to its end. `arguments` are the bytes of each PTX parameter, little-endian.
    ///
    /// # Errors
    /// When the launch does not fit the device or the kernel, or the kernel faults. Memory then holds
    /// whatever had been written.
    pub fn launch<O: Observer>(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        observer: &mut O,
    ) -> Result<Outcome, Fault> {
        let kernel = check::kernel(program, launch.entry)?;
        check::limits(kernel, launch, self.limits())?;
        check::cluster(kernel, launch)?;
        let parameters = check::parameters(kernel, arguments)?;
        let all_varying = self.options.all_varying;
        let watch = match (O::ON, observer.counters()) {
            (false, _) => Watch::Nothing,
            (true, Some(_)) => Watch::Accesses,
            (true, None) => Watch::Events,
        };
        let assembled = program
            .assembled(launch.entry, launch.block, watch, all_varying)
            .ok_or_else(|| check::unknown(program, launch.entry))?;
        check::registers(kernel, launch, assembled.code.register_bytes)?;
        let memory = self.reading();
        let job = Job::new(&assembled, &memory, launch, &parameters, &self.options);
        let outcome = job.run(observer, self.workers, || self.pool());
        // What an unchecked kernel wrote was not followed.
        memory.live().filter_map(|(_, a)| a.written.as_ref()).for_each(|w| w.set(0, u64::MAX));
        outcome
    }

    /// What is looked for in checked launches; `None` where this emulator was not made for them.
    pub fn checks(&self) -> Option<Checks> {
        self.options.checks
    }

    /// Runs a kernel with every access judged, block after block; see [`crate::sanitizer`].
    ///
    /// # Errors
    /// When the launch does not fit the device or the kernel. What the kernel does wrong is in the
    /// reports.
    pub fn check(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<Checked, Fault> {
        let kernel = check::kernel(program, launch.entry)?;
        check::limits(kernel, launch, self.limits())?;
        check::cluster(kernel, launch)?;
        let parameters = check::parameters(kernel, arguments)?;
        let assembled = program
            .assembled(launch.entry, launch.block, Watch::Checks, self.options.all_varying)
            .ok_or_else(|| check::unknown(program, launch.entry))?;
        check::registers(kernel, launch, assembled.code.register_bytes)?;
        let memory = self.reading();
        let job = Job::new(&assembled, &memory, launch, &parameters, &self.options);
        Ok(job.check(self.options.checks.unwrap_or_default()))
    }

    /// What is still allocated, but for the variables of modules that live: a report for each.
    pub fn leaks(&self) -> Vec<Report> {
        let memory = self.reading();
        let host = memory.live().filter(|(_, a)| !a.of_module);
        let host = host.map(|(at, a)| Report::leak(at, a.bytes, &a.name));
        host.chain(crate::sanitizer::heap_leaks(&memory)).collect()
    }

    /// The pool of workers beside the caller's thread; made on first use.
    fn pool(&self) -> Option<&rayon::ThreadPool> {
        self.pool
            .get_or_init(|| {
                let builder = rayon::ThreadPoolBuilder::new().num_threads(self.workers - 1);
                builder.thread_name(|i| format!("lanework-sim-{i}")).build().ok()
            })
            .as_ref()
    }
}
