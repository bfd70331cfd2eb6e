//! Launches: a kernel with its arguments, a grid and a block.

use crate::compile::stage;
use crate::compiled::{Code, Compiled};
use crate::device::{Device, Engine};
use crate::error::{IndexFault, RECORD_WORDS, Reports};
use crate::lang::Definition;
use crate::tool::{Launching, Session};
use crate::{Arg, Dim3, Error, Profile, Resources, Result};
use lanework_cuda::LaunchShape;
use lanework_sim::sanitize::{Checked, Report};
use lanework_sim::{Blocks, Emulator, Fault, LaunchConfig, Outcome, Program, Trace, Wanted};
use std::sync::Arc;

/// A kernel with its arguments, without a shape and a device yet.
///
/// Made by calling a `#[kernel]` function.
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
/// double(&mut x).grid(1).block(64).launch(&device)?;
/// assert_eq!(x.download()?, [2.0; 64]);
///
/// // Each index is checked; an error names line, block, thread and index.
/// let launched = double(&mut x).grid(1).block(65).launch(&device).and_then(|()| x.download());
/// assert!(launched.unwrap_err().to_string().contains("index 64"));
///
/// // The PTX that a GPU's driver compiles.
/// let ptx = double(&mut x).module()?.to_string();
/// assert!(ptx.contains(".entry double("));
///
/// // SAFETY: 64 threads access the 64 elements.
/// unsafe { double(&mut x).grid(1).block(64).launch_unchecked(&device)? };
/// # Ok::<(), lanework::Error>(())
/// ```
#[must_use = "a launch does nothing until `.launch(&device)`"]
#[derive(Clone)]
pub struct Launch<'a> {
    definition: Definition,
    arguments: Vec<Arg<'a>>,
    grid: Option<Dim3>,
    block: Option<Dim3>,
    cluster: Option<Dim3>,
    dynamic_shared: u32,
    cooperative: bool,
    programmatic: bool,
}

/// A launch compiled for a device, to be run any number of times.
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
/// for _ in 0..10 {
///     kernel.launch()?;
/// }
/// drop(kernel);
/// assert_eq!(x.download()?, [1024.0; 64]);
///
/// // On the emulator, a prepared launch is counted and traced, too.
/// use lanework::sim::{Blocks, Wanted};
/// let emulator = Device::emulator();
/// let mut x = emulator.zeros::<f32>(64)?;
/// // SAFETY: 64 threads access 64 elements.
/// let mut kernel = unsafe { double(&mut x).grid(2).block(32).prepare_unchecked(&emulator)? };
/// assert_eq!(kernel.profile(Blocks::All)?.blocks_run, 2);
/// let wanted = Wanted { steps: true, most: 100, ..Wanted::default() };
/// assert!(!kernel.trace(Blocks::All, wanted)?.steps.is_empty());
/// assert_eq!(kernel.shape(), (2.into(), 32.into(), 0));
/// assert!(!kernel.blocks_may_wait() && kernel.resident_blocks()?.is_none());
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct Prepared<'a> {
    device: Device,
    compiled: Arc<Compiled>,
    kernel: &'static str,
    arguments: Vec<Arg<'a>>,
    grid: Dim3,
    block: Dim3,
    cluster: Option<Dim3>,
    dynamic_shared: u32,
    cooperative: bool,
    programmatic: bool,
    checked: bool,
    /// What the launches need besides their arguments.
    _kept: Option<Arc<dyn std::any::Any + Send + Sync>>,
}

impl<'a> Launch<'a> {
    /// A launch without a shape; the `#[kernel]` macro calls this.
    #[doc(hidden)]
    pub fn new(definition: Definition, arguments: Vec<Arg<'a>>) -> Self {
        Launch {
            definition,
            arguments,
            grid: None,
            block: None,
            cluster: None,
            dynamic_shared: 0,
            cooperative: false,
            programmatic: false,
        }
    }

    /// The number of blocks, as `4`, `(4, 2)` or `(4, 2, 1)`.
    pub fn grid(mut self, grid: impl Into<Dim3>) -> Self {
        self.grid = Some(grid.into());
        self
    }

    /// The number of threads per block, as `256`, `(32, 8)` or `(8, 8, 4)`.
    pub fn block(mut self, block: impl Into<Dim3>) -> Self {
        self.block = Some(block.into());
        self
    }

    /// The number of blocks per cluster (sm_90), as `2`, `(2, 2)` or `(2, 1, 1)`; a kernel with a
    /// `cluster` attribute declares its own.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn count(out: &mut [u32]) {
    ///     let tile = shared_slice::<u32>();
    ///     tile[0] = cluster_size();
    ///     wait_for_dependencies();
    ///     grid_sync();
    ///     out[block_idx.x] = tile[0];
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<u32>(4)?;
    /// let launch = count(&mut out).grid(4).block(1);
    /// launch.cluster(2).cooperative().programmatic().shared_bytes(4).launch(&device)?;
    /// assert_eq!(out.download()?, [2; 4]);
    ///
    /// // The events of a launch, on the emulator.
    /// let profile = count(&mut out).grid(4).block(1).cluster(2).cooperative().shared_bytes(4);
    /// assert_eq!(profile.profile(&device)?.blocks_run, 4);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn cluster(mut self, blocks: impl Into<Dim3>) -> Self {
        self.cluster = Some(blocks.into());
        self
    }

    /// As a cooperative launch: all blocks are on the device at once, so that they may wait for each other; a grid
    /// that does not fit is refused.
    pub fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }

    /// May start before the launch before it on the same stream has ended (programmatic dependent launch, sm_90): the kernel
    /// waits for that by `wait_for_dependencies()`, before it touches what an earlier launch writes. On the emulator, which
    /// runs one launch after the other, nothing changes.
    pub fn programmatic(mut self) -> Self {
        self.programmatic = true;
        self
    }

    /// Bytes of dynamic shared memory per block.
    pub fn shared_bytes(mut self, bytes: u32) -> Self {
        self.dynamic_shared = bytes;
        self
    }

    /// The PTX of the kernel with its constants, without bounds checks.
    ///
    /// # Errors
    /// When the kernel is not possible with these constants.
    pub fn module(&self) -> Result<lanework_ptx::Module> {
        Ok(stage(&self.definition, false)?.module)
    }

    /// Runs the kernel with every index checked.
    ///
    /// On a GPU this returns once the kernel is queued; a later fault is reported by the next call
    /// that waits for the device, such as [`crate::Buffer::download`].
    ///
    /// # Errors
    /// When the kernel does not compile, the shape exceeds the device's limits, a buffer lies on
    /// another device, or (at once on the emulator) an index is out of bounds.
    pub fn launch(self, device: &Device) -> Result<()> {
        self.prepare(device)?.launch()
    }

    /// Runs the kernel without bounds checks.
    ///
    /// # Errors
    /// As [`Launch::launch`]; on the emulator accesses outside any buffer are still reported.
    ///
    /// # Safety
    /// Every index the kernel uses must lie within its slice or tile.
    pub unsafe fn launch_unchecked(self, device: &Device) -> Result<()> {
        // SAFETY: the caller keeps the contract.
        unsafe { self.prepare_unchecked(device) }?.launch()
    }

    /// Runs the kernel on the emulator, with every index checked, and counts events.
    ///
    /// # Errors
    /// As [`Launch::launch`]; [`Error::Unsupported`] on a GPU.
    pub fn profile(self, device: &Device) -> Result<Profile> {
        self.prepare(device)?.profile(Blocks::All)
    }

    /// Compiles the kernel with bounds checks, to be run repeatedly.
    ///
    /// # Errors
    /// As [`Launch::launch`].
    pub fn prepare(self, device: &Device) -> Result<Prepared<'a>> {
        self.compile(device, true)
    }

    /// Compiles the kernel without bounds checks, to be run repeatedly.
    ///
    /// # Errors
    /// As [`Launch::launch`].
    ///
    /// # Safety
    /// Every index the kernel uses must lie within its slice or tile, in every run.
    pub unsafe fn prepare_unchecked(self, device: &Device) -> Result<Prepared<'a>> {
        self.compile(device, false)
    }

    fn compile(self, device: &Device, checked: bool) -> Result<Prepared<'a>> {
        let kernel = self.definition.name;
        let refuse = |why: &str, help: &str| invalid(kernel, why, help);
        let grid = self.grid.ok_or_else(|| {
            refuse("it has no grid", "set the number of blocks with `.grid(..)` before the launch")
        })?;
        let block = self.block.ok_or_else(|| {
            refuse(
                "it has no block",
                "set the number of threads with `.block(..)` before the launch",
            )
        })?;
        let elsewhere =
            |argument: &Arg| argument.device().is_some_and(|id| id != device.identity());
        if self.arguments.iter().any(elsewhere) {
            return Err(refuse(
                "a buffer or tensor map lies on another device",
                "download it and upload it to the device of the launch",
            ));
        }
        let compiled = device.compile(&self.definition, checked)?;
        for (argument, parameter) in self.arguments.iter().zip(&compiled.staged.parameters) {
            argument.fits(parameter).map_err(|(why, help)| invalid(kernel, &why, &help))?;
        }
        Ok(Prepared {
            compiled,
            device: device.clone(),
            kernel,
            arguments: self.arguments,
            grid,
            block,
            cluster: self.cluster,
            dynamic_shared: self.dynamic_shared,
            cooperative: self.cooperative,
            programmatic: self.programmatic,
            checked,
            _kept: None,
        })
    }
}

impl Prepared<'_> {
    /// Runs it once; on a GPU, queues it.
    ///
    /// # Errors
    /// As [`Launch::launch`].
    pub fn launch(&mut self) -> Result<()> {
        self.launch_on(None)
    }

    /// Runs it once; on a GPU, queues it on a stream.
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
                crate::printed::pass_on(&checked.outcome.printed);
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
                crate::printed::pass_on(&outcome.printed);
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
                // SAFETY: the arguments match the kernel's parameters, as the macro generates both;
                // the buffers are borrowed and live on this device; indices are checked by the
                // kernel, or guaranteed by the caller of `prepare_unchecked`.
                unsafe { gpu.launch(function, &shape, self.parameters(), sites, stream) }
            }
        }
    }

    /// Keeps `what`, such as a buffer of intermediate results, for as long as this.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     x[thread_idx.x] *= 2.0;
    /// }
    /// # let device = Device::emulator();
    /// let x = std::sync::Arc::new(device.zeros::<f32>(32)?);
    /// // SAFETY: the kernel keeps the buffer, which nobody else uses.
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

    /// The error for an invalid launch.
    pub(crate) fn invalid(&self, why: &str, help: &str) -> Error {
        invalid(self.kernel, why, help)
    }

    /// Runs it once on the emulator, all blocks or a sample, and counts events.
    ///
    /// # Errors
    /// As [`Launch::launch`]; [`Error::Unsupported`] on a GPU.
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
                crate::printed::pass_on(&counted.0.printed);
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
    /// As [`Launch::launch`]; [`Error::Unsupported`] on a GPU.
    pub fn trace(&mut self, blocks: Blocks, wanted: Wanted) -> Result<Trace> {
        let run = |emulator: &Emulator,
                   program: &Program,
                   config: &LaunchConfig<'_>,
                   arguments: &[&[u8]]| {
            emulator.trace(program, config, arguments, wanted)
        };
        Ok(self.emulate(blocks, run)?.1)
    }

    /// Blocks of the launch, threads of a block, and bytes of dynamic shared memory per block.
    pub fn shape(&self) -> (Dim3, Dim3, u32) {
        (self.grid, self.block, self.dynamic_shared)
    }

    /// Blocks that one multiprocessor holds at once, as the driver computes them; `None` on the
    /// emulator.
    ///
    /// # Errors
    /// When not even one block fits.
    pub fn resident_blocks(&self) -> Result<Option<u32>> {
        match &self.compiled.code {
            Code::Gpu(function) => {
                Ok(Some(function.occupancy(self.block.count() as u32, self.dynamic_shared)?))
            }
            Code::Emulator(_) => Ok(None),
        }
    }

    /// Whether its blocks may wait in a loop for what other blocks write; not known on a GPU.
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

    /// Runs it on the emulator by `run`, one of the emulator's functions that run a kernel.
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

/// Runs a kernel on the emulator, by the tool of this process if it has one.
pub(crate) fn run(launching: Launching<'_>) -> Result<Outcome, Fault> {
    let Launching { emulator, program, config, arguments, .. } = launching;
    match Session::active() {
        Some(session) => session.run(launching),
        None => emulator.run(program, config, arguments),
    }
}

/// The result of a sanitized launch of a kernel and, where it was text, its module. Where a tool checks a launch, its
/// findings are the tool's, and the program gets the error that it would get without the tool.
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

fn invalid(kernel: &str, why: &str, help: &str) -> Error {
    Error::Launch { kernel: kernel.to_owned(), why: why.to_owned(), help: help.to_owned() }
}
