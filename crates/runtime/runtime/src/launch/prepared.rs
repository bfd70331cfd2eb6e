//! Launches that are compiled for a device and run any number of times. On the emulator they run under the process's
//! tool if it has one. This file also handles findings, errors and `printf` output.

use crate::device::gpu::{Code, Compiled};
use crate::device::{Device, Engine};
use crate::error::{IndexFault, RECORD_WORDS, Reports};
use crate::tool::{Launching, Session};
use crate::{Arg, Dim3, Error, Profile, Resources, Result};
use lanework_cuda::LaunchShape;
use lanework_emulator::sanitize::{Checked, Report};
use lanework_emulator::{
    Blocks, Emulator, Fault, LaunchConfig, Outcome, Program, Trace, TraceConfig,
};
use lanework_time::sass::start_assembling;
use lanework_time::trace::KernelTrace;
use lanework_time::trace::sample::{Effort, record};
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

/// A launch compiled for a device, which can run any number of times.
///
/// ```
/// use lanework::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     x[thread_idx.x] = 2.0 * x[thread_idx.x];
/// }
///
/// let device = Device::best();
/// let mut x = device.upload(&[1.0f32; 64])?;
/// let mut kernel = double(&mut x).grid(1).block(64).prepare(&device)?;
/// println!("{} registers", kernel.resources().registers);
/// assert_eq!(kernel.module().entries().count(), 1);
/// for _ in 0..10 {
///     kernel.launch()?;
/// }
/// drop(kernel);
/// assert_eq!(x.download()?, [1024.0; 64]);
///
/// // On the emulator, a prepared launch is counted and traced, too.
/// use lanework::emulator::{Blocks, TraceConfig};
/// let emulator = Device::emulator();
/// let mut x = emulator.zeros::<f32>(64)?;
/// // SAFETY: 64 threads access 64 elements.
/// let mut kernel = unsafe { double(&mut x).grid(2).block(32).prepare_unchecked(&emulator)? };
/// assert_eq!(kernel.profile(Blocks::All)?.blocks_run, 2);
/// let wanted = TraceConfig { steps: true, most: 100, ..TraceConfig::default() };
/// assert!(!kernel.trace(Blocks::All, wanted)?.steps.is_empty());
/// assert_eq!(kernel.shape(), (2.into(), 32.into(), 0));
/// assert!(!kernel.blocks_may_wait() && kernel.resident_blocks()?.is_none());
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct Prepared<'a> {
    pub(crate) device: Device,
    pub(crate) compiled: Arc<Compiled>,
    pub(crate) kernel: &'static str,
    pub(crate) arguments: Vec<Arg<'a>>,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) cluster: Option<Dim3>,
    pub(crate) dynamic_shared: u32,
    pub(crate) cooperative: bool,
    pub(crate) programmatic: bool,
    pub(crate) checked: bool,
    /// Keeps memory alive that the launches use besides their arguments.
    pub(crate) _kept: Option<Arc<dyn std::any::Any + Send + Sync>>,
}

impl Prepared<'_> {
    /// Runs it once; on a GPU, queues it.
    ///
    /// # Errors
    /// As [`Launch::launch`](crate::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        self.launch_on(None)
    }

    /// Runs the kernel once; on a GPU, queues it on a stream.
    pub(crate) fn launch_on(&mut self, stream: Option<&lanework_cuda::Stream>) -> Result<()> {
        match &self.device.0.engine {
            Engine::Emulator(emulator) if emulator.checks().is_some() => {
                let module = self.compiled.module;
                let run = |emulator: &Emulator,
                           program: &Program,
                           config: &LaunchConfig<'_>,
                           arguments: &[&[u8]]| {
                    if let Some(session) = Session::active() {
                        session.checking(Launching {
                            emulator,
                            program,
                            config,
                            arguments,
                            module,
                        });
                    }
                    emulator.check(program, config, arguments)
                };
                let (checked, index) = self.emulate_through(Blocks::All, run)?;
                pass_on(&checked.outcome.printed);
                sanitized(checked, index, &self.device, (&self.compiled.staged.entry, None))
            }
            Engine::Emulator(_) => {
                let module = self.compiled.module;
                let run = |emulator: &Emulator,
                           program: &Program,
                           config: &LaunchConfig<'_>,
                           arguments: &[&[u8]]| {
                    run(Launching { emulator, program, config, arguments, module })
                };
                let outcome = self.emulate(Blocks::All, run)?;
                pass_on(&outcome.printed);
                Ok(())
            }
            Engine::Gpu(gpu) => {
                let Code::Gpu(function) = &self.compiled.code else {
                    unreachable!("compiled here")
                };
                let sites = self.checked.then_some((self.kernel, &self.compiled));
                let mut shape = LaunchShape::new(self.grid.to_array(), self.block.to_array());
                shape.dynamic_shared = self.dynamic_shared;
                shape.cluster = self.cluster.map(Dim3::to_array);
                shape.cooperative = self.cooperative;
                shape.programmatic = self.programmatic;
                // SAFETY: the arguments match the kernel's parameters, as `Launch::new` requires. `self` borrows their
                // memory, which `Launch::compile` found to be on this device. The kernel checks its indices, or
                // `prepare_unchecked` required that they are in bounds in every run.
                unsafe { gpu.launch(function, &shape, self.parameters(), sites, stream) }
            }
        }
    }

    /// Keeps `what`, such as a buffer of intermediate results, alive as long as this launch.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     x[thread_idx.x] *= 2.0;
    /// }
    /// # let device = Device::emulator();
    /// let x = std::sync::Arc::new(device.zeros::<f32>(32)?);
    /// // SAFETY: the kernel keeps the buffer alive and is its only user.
    /// let view = unsafe { x.view_shared(..).unbound() };
    /// let mut kernel = double(view).grid(1).block(32).prepare(&device)?.keeping(x);
    /// kernel.launch()?;
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[must_use]
    pub fn keeping(mut self, what: Arc<dyn std::any::Any + Send + Sync>) -> Self {
        self._kept = Some(what);
        self
    }

    /// The PTX of the kernel.
    pub fn module(&self) -> &lanework_ptx::Module {
        &self.compiled.staged.module
    }

    /// Whether the kernel checks its indices.
    pub(crate) fn is_checked(&self) -> bool {
        self.checked
    }

    /// Runs all blocks or a sample once on the emulator, and counts events.
    ///
    /// # Errors
    /// As [`Launch::launch`](crate::Launch::launch); [`Error::Unsupported`] on a GPU.
    pub fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        let (imposed, judged) = (self.device.0.imposed, std::cell::Cell::new(false));
        let run = |emulator: &Emulator,
                   program: &Program,
                   config: &LaunchConfig<'_>,
                   arguments: &[&[u8]]| {
            let twin = imposed.then(|| emulator.copy()).flatten();
            judged.set(twin.is_some());
            let counted = twin.as_ref().unwrap_or(emulator).count(program, config, arguments)?;
            if twin.is_none() {
                pass_on(&counted.0.printed);
            }
            Ok(Profile::new(counted, program, config))
        };
        let profile = self.emulate(blocks, run)?;
        if let Some(session) = Session::active() {
            session.counted(self.compiled.module, &profile);
        }
        // A launch that a tool checks is counted on a copy of the memory.
        if judged.get() {
            self.launch()?;
        }
        Ok(profile)
    }

    /// Runs some blocks on the emulator and records a trace of their steps.
    ///
    /// # Errors
    /// As [`Launch::launch`](crate::Launch::launch); [`Error::Unsupported`] on a GPU.
    pub fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace> {
        let run = |emulator: &Emulator,
                   program: &Program,
                   config: &LaunchConfig<'_>,
                   arguments: &[&[u8]]| {
            emulator.trace(program, config, arguments, wanted)
        };
        Ok(self.emulate(blocks, run)?.1)
    }

    /// Runs a few blocks on the emulator and records the trace from which [`crate::time`] predicts the time of the
    /// launch.
    ///
    /// # Errors
    /// As [`Launch::launch`](crate::Launch::launch); [`Error::Unsupported`] on a GPU.
    #[doc(hidden)]
    pub fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace> {
        self.time_trace_with(effort, false)
    }

    /// As [`Prepared::time_trace`]. With `lasting`, the effects of the traced blocks on memory stay: undoing them takes a
    /// copy of all memory, which can take longer than the trace.
    pub(crate) fn time_trace_with(&mut self, effort: Effort, lasting: bool) -> Result<KernelTrace> {
        let text = self.module().to_string();
        let run = |emulator: &Emulator,
                   program: &Program,
                   config: &LaunchConfig<'_>,
                   arguments: &[&[u8]]| {
            let code = start_assembling(&text, config.entry, effort.capability);
            if lasting {
                return record(emulator, program, config, arguments, effort, code);
            }
            emulator.without_effect(|on| record(on, program, config, arguments, effort, code))
        };
        self.emulate(Blocks::All, run)
    }

    /// Blocks of the launch, threads of a block, and bytes of dynamic shared memory per block.
    pub fn shape(&self) -> (Dim3, Dim3, u32) {
        (self.grid, self.block, self.dynamic_shared)
    }

    /// Number of blocks that one multiprocessor can hold, according to the driver; `None` on the emulator.
    ///
    /// # Errors
    /// If not even one block fits.
    pub fn resident_blocks(&self) -> Result<Option<u32>> {
        match &self.compiled.code {
            Code::Gpu(function) => {
                Ok(Some(function.occupancy(self.block.count() as u32, self.dynamic_shared)?))
            }
            Code::Emulator(_) => Ok(None),
        }
    }

    /// Whether blocks may wait in a loop for data from other blocks. Always false on a GPU.
    pub fn blocks_may_wait(&self) -> bool {
        match &self.compiled.code {
            Code::Emulator(program) => {
                self.cooperative || program.polls(&self.compiled.staged.entry)
            }
            Code::Gpu(_) => false,
        }
    }

    /// Registers, local memory and shared memory of the compiled kernel.
    pub fn resources(&self) -> Resources {
        self.compiled.resources()
    }

    /// Runs the kernel on the emulator through `run`, one of the emulator's entry points.
    fn emulate<T>(
        &mut self,
        blocks: Blocks,
        run: impl FnOnce(&Emulator, &Program, &LaunchConfig<'_>, &[&[u8]]) -> Result<T, Fault>,
    ) -> Result<T> {
        match self.emulate_through(blocks, run)? {
            (_, Some(fault)) => Err(Error::Index(Box::new(fault))),
            (outcome, None) => Ok(outcome),
        }
    }

    /// The same; returns a failed bounds check together with the result of the run.
    fn emulate_through<T>(
        &mut self,
        blocks: Blocks,
        run: impl FnOnce(&Emulator, &Program, &LaunchConfig<'_>, &[&[u8]]) -> Result<T, Fault>,
    ) -> Result<(T, Option<IndexFault>)> {
        let (Engine::Emulator(emulator), Code::Emulator(program)) =
            (&self.device.0.engine, &self.compiled.code)
        else {
            return Err(Error::Unsupported {
                what: "counting a kernel",
                device: self.device.info().id,
                help: "profile it on `Device::emulator()`",
            });
        };
        let mut parameters = self.parameters();
        let record = if self.checked {
            let bytes = (RECORD_WORDS * 4) as u64;
            let address = emulator.allocate(bytes, "fault record")?;
            emulator.fill(address, 0, bytes)?;
            parameters.push(address.to_le_bytes().to_vec());
            Some(address)
        } else {
            None
        };
        let arguments: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
        let config = LaunchConfig {
            entry: &self.compiled.staged.entry,
            grid: self.grid.to_array(),
            block: self.block.to_array(),
            dynamic_shared: self.dynamic_shared,
            blocks,
            cluster: self.cluster.map(Dim3::to_array),
            cooperative: self.cooperative,
        };
        let outcome = run(emulator, program, &config, &arguments);
        let mut words = [0u32; RECORD_WORDS];
        if let Some(address) = record {
            emulator.read(address, bytemuck::cast_slice_mut(&mut words))?;
            emulator.free(address)?;
        }
        let fault = IndexFault::decode(self.kernel, &self.compiled.staged.sites, &words);
        match (outcome, fault) {
            (Ok(outcome), fault) => Ok((outcome, fault)),
            (Err(_), Some(fault)) => Err(Error::Index(Box::new(fault))),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// The bytes of each PTX parameter.
    fn parameters(&self) -> Vec<Vec<u8>> {
        self.arguments.iter().flat_map(Arg::parameters).collect()
    }
}

/// Runs a kernel on the emulator, under the process's tool if it has one.
pub(crate) fn run(launching: Launching<'_>) -> Result<Outcome, Fault> {
    let Launching { emulator, program, config, arguments, .. } = launching;
    match Session::active() {
        Some(session) => session.run(launching),
        None => emulator.run(program, config, arguments),
    }
}

/// Converts the outcome of a sanitized launch; `module` is the number of the kernel's module, if it was text. If a tool
/// checks the launch, the tool keeps the findings, and the program gets the error that it would get without the tool.
///
/// # Errors
/// [`Error::Sanitizer`] with the findings; else the fault that ended the launch.
pub(crate) fn sanitized(
    checked: Checked,
    index: Option<IndexFault>,
    device: &Device,
    (kernel, module): (&str, Option<u64>),
) -> Result<()> {
    let first = index.clone().map(Report::from);
    let reports: Vec<Report> = first.into_iter().chain(checked.reports).collect();
    if let Some(session) = Session::active() {
        session.findings(kernel, module, &reports, checked.fault.as_ref());
        if device.0.imposed {
            return match (index, checked.fault) {
                (Some(fault), _) => Err(Error::Index(Box::new(fault))),
                (None, Some(fault)) => Err(fault.into()),
                (None, None) => Ok(()),
            };
        }
    }
    match (reports.is_empty(), checked.fault) {
        (false, fault) => {
            Err(Error::Sanitizer(Reports { found: reports, stopped: fault.map(Box::new) }))
        }
        (true, Some(fault)) => Err(fault.into()),
        (true, None) => Ok(()),
    }
}

/// The error of an invalid launch.
pub(crate) fn invalid(kernel: &str, why: &str, help: &str) -> Error {
    Error::Launch { kernel: kernel.to_owned(), why: why.to_owned(), help: help.to_owned() }
}

/// Whether `printf` output goes to standard error.
static ON_STDERR: AtomicBool = AtomicBool::new(false);

/// Redirects the `printf` output of kernels on the emulator to standard error, so that standard
/// output holds only the program's own output, such as JSON.
///
/// ```
/// lanework::print_on_stderr();
/// ```
pub fn print_on_stderr() {
    ON_STDERR.store(true, Relaxed);
}

/// The destination of `printf` output, if it is not Rust's standard output.
static PRINTER: OnceLock<fn(&str)> = OnceLock::new();

/// Sets the function that writes the `printf` output of kernels; the first call counts.
#[doc(hidden)]
pub fn print_by(printer: fn(&str)) {
    let _ = PRINTER.set(printer);
}

/// Writes a kernel's output to its destination. As on a GPU, text that cannot be written, such as to a full disk, is lost.
pub(crate) fn pass_on(text: &str) {
    let _ = match (ON_STDERR.load(Relaxed), PRINTER.get()) {
        (true, _) => std::io::stderr().write_all(text.as_bytes()),
        (false, Some(printer)) => return printer(text),
        (false, None) => std::io::stdout().write_all(text.as_bytes()),
    };
}
