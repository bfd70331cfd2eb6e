//! A warp-accurate emulator of a CUDA device: it loads PTX modules and runs their kernels on the host, 32 lanes
//! in lockstep, with barriers, shared memory, atomics and faults as on a GPU.
//!
//! This crate combines the parts: [`Emulator`] runs a kernel plainly, or with its accesses counted, traced or checked.
//! The instruments are compiled here once, not in every crate that launches.
//!
//! `lanework_ptx_ir` lowers a [`lanework_ptx::Module`] to the intermediate form and analyzes it; `lanework_engine`
//! assembles that into operations and schedules them. Every observer of a run is an [`Instrument`]: the sanitizer and
//! the livelock probe (`lanework_sanitizer`), the counters and the tracer (`lanework_counters`).

pub use lanework_counters::counters::{Bulk, Counter, Counters, Distributed, Global, Row, Shared};
pub use lanework_counters::instruments::{
    CountingObserver, Keep, SectorAccess, Trace, TraceConfig, TracedAccess, Tracer,
};
pub use lanework_engine::device::Device;
pub use lanework_engine::event::{
    Access, AccessKind, Asynchronous, Phase, Place, Space, Span, Wants,
};
pub use lanework_engine::fault::{
    Fault, FaultKind, LoadError, MemoryError, NearAllocation, SourceLocation,
};
pub use lanework_engine::held::PinnedBytes;
pub use lanework_engine::instrument::{Instrument, Launch};
pub use lanework_engine::launch::{
    Blocks, LaunchConfig, Limits, Multiprocessor, Outcome, STOPPED, Schedule, interrupt,
};
pub use lanework_engine::memory::pools::PoolRegions;
pub use lanework_engine::observer::{NullObserver, Observer};
pub use lanework_engine::program::Program;
pub use lanework_engine::tensor_map::{Im2col, TensorElement, TensorMap};
pub use lanework_engine::texture::object::{
    AddressMode, Channel, Image, ImageShape, Mip, Sampler, Texel,
};
pub use lanework_engine::{OPTIMIZED, stall, workspace};
pub use lanework_ptx::Swizzle;
pub use lanework_ptx_ir::analysis::{MOST_REGISTERS, RegisterPressure};
pub use lanework_ptx_ir::kernel::Origin;
pub use lanework_ptx_ir::module::function_at;
pub use lanework_sanitizer as sanitize;

/// Arrays and textures as CUDA describes them.
pub mod images;

/// Launches and memory as plain data.
pub mod saved {
    pub use lanework_engine::device::saved::SavedLaunch;
    pub use lanework_engine::memory::saved::{MemorySaver, SavedAllocation, SavedMemory};
}

/// Counters as text.
pub use lanework_counters::words;

use lanework_engine::launch;
use lanework_sanitizer::{Checked, Checks, Report, Sanitizer};
use std::ops::Deref;

/// One emulated device: limits, memory and a pool of workers. Share it between threads by reference.
/// [`Device`] documents the unchecked operations.
#[derive(Debug)]
pub struct Emulator {
    device: Device,
    options: Options,
}

impl Deref for Emulator {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.device
    }
}

impl Emulator {
    /// Creates a device without allocations.
    pub fn new(options: Options) -> Emulator {
        Emulator { device: Device::new(options.device()), options }
    }

    /// Creates a device whose addresses are host addresses. Kernels can access its allocations, and
    /// host memory that is registered with it.
    pub fn on_host_memory(options: Options) -> Emulator {
        Emulator { device: Device::on_host_memory(options.device()), options }
    }

    /// Creates an emulator with a copy of this one's memory. This one's programs also run on the copy,
    /// without effect on the original; see [`Device::copy`].
    pub fn copy(&self) -> Option<Emulator> {
        Some(Emulator { device: self.device.copy()?, options: self.options.clone() })
    }

    /// Calls `run` with a copy of this device, so that it has no effect here. If the device cannot
    /// be copied, because its addresses are the host's, `run` gets this device's memory while other
    /// threads wait, and its writes are then undone.
    ///
    /// ```
    /// use lanework_emulator::{Emulator, Options};
    ///
    /// let emulator = Emulator::new(Options::default());
    /// let x = emulator.allocate(1, "x")?;
    /// emulator.write(x, &[1])?;
    /// emulator.without_effect(|copy| copy.write(x, &[2]))?;
    /// let mut found = [0];
    /// emulator.read(x, &mut found)?;
    /// assert_eq!(found, [1]);
    ///
    /// // The same with host addresses. A concurrent write by another thread takes effect afterward, and stays.
    /// let emulator = Emulator::on_host_memory(Options::default());
    /// let x = emulator.allocate(1, "x")?;
    /// std::thread::scope(|scope| {
    ///     let writing = emulator.without_effect(|alone| {
    ///         let writing = scope.spawn(|| emulator.write(x, &[3]));
    ///         alone.write(x, &[2]).map(|()| writing)
    ///     });
    ///     writing?.join().expect("no panic")
    /// })?;
    /// emulator.read(x, &mut found)?;
    /// assert_eq!(found, [3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_effect<R>(&self, run: impl FnOnce(&Device) -> R) -> R {
        match self.device.copy() {
            Some(copy) => run(&copy),
            None => self.device.undone(run),
        }
    }

    /// The options of this emulator.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Runs a kernel without an observer.
    ///
    /// # Errors
    /// As [`Device::launch`].
    pub fn run(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<Outcome, Fault> {
        self.launch(program, launch, arguments, &mut NullObserver)
    }

    /// Runs a kernel and counts its work.
    ///
    /// # Errors
    /// As [`Device::launch`].
    pub fn count(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<(Outcome, CountingObserver), Fault> {
        let mut counting = CountingObserver::default();
        let outcome = self.launch(program, launch, arguments, &mut counting)?;
        Ok((outcome, counting))
    }

    /// Runs a kernel and records its steps and accesses.
    ///
    /// # Errors
    /// As [`Device::launch`].
    pub fn trace(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        wanted: TraceConfig,
    ) -> Result<(Outcome, Trace), Fault> {
        let mut tracer = Tracer::new(wanted);
        let outcome = self.launch(program, launch, arguments, &mut tracer)?;
        Ok((outcome, tracer.trace))
    }

    /// The same; returns the trace up to a fault, too.
    pub fn trace_to_fault(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        wanted: TraceConfig,
    ) -> (Trace, Option<Fault>) {
        let mut tracer = Tracer::new(wanted);
        let outcome = self.launch(program, launch, arguments, &mut tracer);
        (tracer.trace, outcome.err())
    }

    /// Runs a kernel and checks every access; see [`crate::sanitize`]. Blocks run one after another.
    ///
    /// # Errors
    /// If the launch does not fit the device or the kernel. The kernel's errors are in the reports.
    pub fn check(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<Checked, Fault> {
        self.check_for(program, launch, arguments, self.options.checks.unwrap_or_default())
    }

    /// Like [`Emulator::check`], with these checks instead of the emulator's.
    ///
    /// # Errors
    /// As [`Emulator::check`].
    pub fn check_for(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        checks: Checks,
    ) -> Result<Checked, Fault> {
        let mut sanitizer = Sanitizer::new(checks);
        let ran = self.run_with(program, launch, arguments, &mut sanitizer)?;
        let Sanitizer { reports, shadow, .. } = sanitizer;
        Ok(Checked { outcome: ran.outcome, reports, fault: ran.fault, shadow })
    }

    /// As [`Emulator::check_for`], in an order of time slices that is the same each time.
    ///
    /// # Errors
    /// As [`Emulator::check_for`].
    pub fn check_in_order(
        &self,
        program: &Program,
        launch: &LaunchConfig<'_>,
        arguments: &[&[u8]],
        (checks, schedule): (Checks, Schedule),
    ) -> Result<Checked, Fault> {
        let mut sanitizer = Sanitizer::new(checks);
        let ran = self.run_in_order(program, launch, arguments, (schedule, &mut sanitizer))?;
        let Sanitizer { reports, shadow, .. } = sanitizer;
        Ok(Checked { outcome: ran.outcome, reports, fault: ran.fault, shadow })
    }

    /// The checks of checked launches; `None` if the options have none.
    pub fn checks(&self) -> Option<Checks> {
        self.options.checks
    }

    /// Checks a copy of `bytes` bytes to the host; returns a finding, if checks cover host reads.
    pub fn check_host_read(&self, address: u64, bytes: u64) -> Option<Report> {
        self.options.checks.filter(|checks| checks.has_host_reads())?;
        let near = self.memory().unwritten(address, bytes)?;
        let at = near.address.wrapping_add_signed(near.offset);
        Some(Report::host_read(bytes, near, at))
    }

    /// Reports each live allocation, except the variables of loaded modules.
    pub fn leaks(&self) -> Vec<Report> {
        let memory = self.memory();
        let host = memory.live().filter(|(_, a)| !a.of_module);
        let host = host.map(|(at, a)| Report::leak(at, a.bytes, &a.name));
        host.chain(lanework_sanitizer::heap_leaks(&memory)).collect()
    }
}

/// Options of an [`Emulator`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Limits of the device.
    pub limits: Limits,
    /// Number of host threads that run blocks, at most one per core; `None` for one per core.
    pub workers: Option<usize>,
    /// The order of time slices.
    pub schedule: Schedule,
    /// Number of instructions after which a warp counts as stuck; `None` for no limit.
    pub max_instructions: Option<u64>,
    /// Total number of warp instructions after which a launch is stopped; `None` for no limit.
    pub total_instructions: Option<u64>,
    /// Time after which a launch is stopped; `None` for no limit.
    pub time_limit: Option<std::time::Duration>,
    /// Whether to execute every register as 32 separate lanes, without the analysis of uniform and affine
    /// values. This slow mode is the reference for tests of the fast engine.
    pub all_varying: bool,
    /// Checks of every access while kernels run; see [`crate::sanitize`].
    pub checks: Option<Checks>,
    /// Whether new global memory holds zeros, as it often does on a GPU that no other program has used. If not, which is
    /// the default, or if accesses are checked, it holds 0xCD bytes.
    pub zeroed: bool,
    /// Whether to verify assembled code before it runs, to catch errors of the emulator itself. This adds about a
    /// tenth to the time of assembly; the default is on in debug builds and off in release builds.
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            limits: Limits::default(),
            workers: None,
            schedule: Schedule::default(),
            max_instructions: None,
            total_instructions: None,
            time_limit: None,
            all_varying: false,
            checks: None,
            zeroed: false,
            verify: cfg!(debug_assertions),
        }
    }
}

impl Options {
    /// The device's options.
    pub(crate) fn device(&self) -> launch::Options {
        launch::Options {
            limits: self.limits.clone(),
            workers: self.workers,
            schedule: self.schedule,
            max_instructions: self.max_instructions,
            total_instructions: self.total_instructions,
            time_limit: self.time_limit,
            all_varying: self.all_varying,
            gaps: self.checks.is_some(),
            zeroed: self.zeroed,
            verify: self.verify,
        }
    }
}

#[cfg(doctest)]
mod soundness {
    //! Programs without unsafe code must not reach code that the engine trusts. Each pair below differs in the line that
    //! must not compile.
    //!
    //! An instrument, which supplies pointers or handlers, is an unsafe trait; an observer is a safe trait:
    //!
    //! ```
    //! #![forbid(unsafe_code)]
    //! use lanework_emulator::{Access, Observer};
    //! struct Watches;
    //! impl Observer for Watches {
    //!     fn fork(&self) -> Self { Watches }
    //!     fn merge(&mut self, _: Self) {}
    //!     fn access(&mut self, _: &Access<'_>) {}
    //! }
    //! ```
    //! ```compile_fail,E0200
    //! #![forbid(unsafe_code)]
    //! use lanework_emulator::{Access, Instrument};
    //! struct Watches;
    //! impl Instrument for Watches {
    //!     fn fork(&self) -> Self { Watches }
    //!     fn merge(&mut self, _: Self) {}
    //!     fn access(&mut self, _: &Access<'_>) {}
    //! }
    //! ```
    //!
    //! An observer cannot excuse an invalid access or supply handlers:
    //!
    //! ```compile_fail,E0407
    //! #![forbid(unsafe_code)]
    //! use lanework_emulator::Observer;
    //! use lanework_engine::fault::RawFault;
    //! use lanework_engine::instrument::ScratchBytes;
    //! struct Excuses;
    //! impl Observer for Excuses {
    //!     fn fork(&self) -> Self { Excuses }
    //!     fn merge(&mut self, _: Self) {}
    //!     fn invalid_access(&mut self, _: u32, _: u32, fault: RawFault) -> Result<ScratchBytes, RawFault> { Err(fault) }
    //! }
    //! ```
    //! ```compile_fail,E0407
    //! #![forbid(unsafe_code)]
    //! use lanework_emulator::Observer;
    //! use lanework_engine::context::Tiers;
    //! struct Jumps;
    //! impl Observer for Jumps {
    //!     fn fork(&self) -> Self { Jumps }
    //!     fn merge(&mut self, _: Self) {}
    //!     fn access_operation() -> Tiers { unreachable!() }
    //! }
    //! ```
    //!
    //! Only unsafe code can make scratch bytes from a pointer:
    //!
    //! ```compile_fail,E0133
    //! use lanework_engine::instrument::ScratchBytes;
    //! let _ = ScratchBytes::new(0xdead_0000 as *mut u8);
    //! ```
    //!
    //! Only unsafe code can make handlers, and not from plain functions:
    //!
    //! ```compile_fail,E0423
    //! use lanework_engine::context::Tiers;
    //! use lanework_engine::machine::{Op, Warp};
    //! fn evil(_: &Op, _: &mut Warp) -> *const Op { 0xdead_0000 as *const Op }
    //! let _ = Tiers([evil as _; 3]);
    //! ```
    //! ```compile_fail,E0200
    //! use lanework_engine::context::Body;
    //! use lanework_engine::machine::{Op, Warp};
    //! struct Evil;
    //! impl Body for Evil {
    //!     unsafe fn run(_: &Op, _: &mut Warp) -> *const Op { 0xdead_0000 as *const Op }
    //! }
    //! ```
    //!
    //! Only the scheduler makes warps:
    //!
    //! ```compile_fail,E0624
    //! let _ = lanework_engine::machine::Warp::new(0);
    //! ```
}
