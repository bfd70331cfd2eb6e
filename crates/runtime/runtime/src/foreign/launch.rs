//! Launches of a module's entries, once or repeatedly, on a GPU or the emulator; on the emulator also counted or
//! traced.

use super::{Code, PtxArg, PtxModule, PtxShape};
use crate::device::Engine;
use crate::tool::{Launching, Session};
use crate::{Dim3, Error, Profile, Resources, Result};
use lanework_cuda::LaunchShape;
use lanework_emulator::{
    Blocks, Emulator, Fault, LaunchConfig, Outcome, Program, Trace, TraceConfig,
};
use lanework_time::sass::start_assembling;
use lanework_time::trace::KernelTrace;
use lanework_time::trace::sample::{Effort, record};

/// A launch of a PTX kernel with its arguments, for any number of runs; made by [`PtxModule::prepare`].
pub struct PreparedPtx<'a> {
    module: &'a PtxModule,
    entry: String,
    shape: PtxShape,
    arguments: &'a [PtxArg<'a>],
}

/// Instruction counts of a launch on the emulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// Instructions, counted per warp.
    pub warp_instructions: u64,
    /// Instructions, counted per active lane.
    pub lane_instructions: u64,
}

impl PtxModule {
    /// Runs an entry and waits for it; the output of `printf` goes to standard output.
    ///
    /// # Errors
    /// If the module has no such entry, the arguments do not fit its parameters, the shape exceeds the
    /// device's limits, or the kernel faults.
    ///
    /// # Safety
    /// On a GPU the kernel can access any address that it computes; it must stay within the buffers
    /// of its arguments. On the emulator every access is checked.
    pub unsafe fn launch(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<Option<Executed>> {
        // SAFETY: on a GPU the kernel stays within the buffers of its arguments, as this function requires; they are
        // borrowed until `synchronize` below has waited for it.
        let executed = unsafe { self.queue(entry, shape, arguments) }?;
        self.device.synchronize()?;
        Ok(executed)
    }

    /// Prepares an entry with its arguments for repeated launches. On a GPU a launch is only queued.
    ///
    /// # Safety
    /// As [`PtxModule::launch`], in every run.
    pub unsafe fn prepare<'a>(
        &'a self,
        entry: &str,
        shape: PtxShape,
        arguments: &'a [PtxArg<'a>],
    ) -> PreparedPtx<'a> {
        PreparedPtx { module: self, entry: entry.to_owned(), shape, arguments }
    }

    /// Runs an entry; on a GPU, queues it.
    ///
    /// # Safety
    /// As [`PtxModule::launch`].
    unsafe fn queue(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<Option<Executed>> {
        // SAFETY: on a GPU the kernel stays within the buffers of its arguments, as this function requires.
        unsafe { self.run_or_queue(entry, shape, arguments) }.map_err(|error| self.named(error))
    }

    /// Adds the text's file to an error of its kernels.
    fn named(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => error.in_file(file),
            None => error,
        }
    }

    /// As [`PtxModule::queue`], without adding the file to errors.
    ///
    /// # Safety
    /// As [`PtxModule::launch`].
    unsafe fn run_or_queue(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
    ) -> Result<Option<Executed>> {
        let bytes: Vec<Vec<u8>> = arguments.iter().map(PtxArg::bytes).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let foreign =
            |arg: &PtxArg<'_>| matches!(arg, PtxArg::Map(map) if !map.is_for(&self.device));
        if arguments.iter().any(foreign) {
            return Err(Error::Launch {
                kernel: entry.to_owned(),
                why: "a tensor map belongs to another device".to_owned(),
                help: "create it from a buffer on the device of the launch".to_owned(),
            });
        }
        match (&self.code, &self.device.0.engine) {
            (Code::Emulator(program), Engine::Emulator(emulator)) => {
                let config = shape.config(entry, Blocks::All);
                if emulator.checks().is_some() {
                    if let Some(session) = Session::active() {
                        let (config, arguments, module) = (&config, &bytes[..], self.recorded);
                        session.checking(Launching {
                            emulator,
                            program,
                            config,
                            arguments,
                            module,
                        });
                    }
                    let checked = crate::tool::check(emulator, program, &config, &bytes)?;
                    crate::launch::prepared::pass_on(&checked.outcome.printed);
                    let Outcome { warp_instructions, lane_instructions, .. } = checked.outcome;
                    crate::launch::prepared::sanitized(
                        checked,
                        None,
                        &self.device,
                        (entry, self.recorded),
                    )?;
                    return Ok(Some(Executed { warp_instructions, lane_instructions }));
                }
                let module = self.recorded;
                let arguments = bytes.as_slice();
                let launching = Launching { emulator, program, config: &config, arguments, module };
                let outcome = crate::launch::prepared::run(launching)?;
                crate::launch::prepared::pass_on(&outcome.printed);
                Ok(Some(Executed {
                    warp_instructions: outcome.warp_instructions,
                    lane_instructions: outcome.lane_instructions,
                }))
            }
            (Code::Gpu(module), Engine::Gpu(gpu)) => {
                let function = module.function(entry)?;
                let PtxShape { grid, block, dynamic_shared, cluster, cooperative } = shape;
                let shape = LaunchShape::new(grid.to_array(), block.to_array());
                let mut shape = shape.dynamic_shared(dynamic_shared);
                (shape.cluster, shape.cooperative) = (cluster.map(Dim3::to_array), cooperative);
                // SAFETY: the kernel stays within the buffers of its arguments, as this function requires;
                // `launch_shaped` compares the arguments' sizes with the driver's. The shape was not changed.
                unsafe { gpu.raw().launch_shaped(&function, &shape, &bytes, None) }?;
                Ok(None)
            }
            _ => unreachable!("a module holds the code of its own device"),
        }
    }

    /// Runs all or some blocks of an entry on the emulator and counts events.
    ///
    /// # Errors
    /// As [`PtxModule::launch`]; [`Error::Unsupported`] on a GPU.
    pub fn profile(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
    ) -> Result<Profile> {
        let run =
            |emulator: &Emulator, program: &Program, config: &LaunchConfig<'_>, bytes: &[&[u8]]| {
                let counted = emulator.count(program, config, bytes)?;
                crate::launch::prepared::pass_on(&counted.0.printed);
                Ok(Profile::new(counted, program, config))
            };
        self.emulate(entry, shape, arguments, blocks, run)
    }

    /// Runs some blocks of an entry on the emulator and records a trace of their steps.
    ///
    /// # Errors
    /// As [`PtxModule::launch`]; [`Error::Unsupported`] on a GPU.
    pub fn trace(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
        wanted: TraceConfig,
    ) -> Result<Trace> {
        let run =
            |emulator: &Emulator, program: &Program, config: &LaunchConfig<'_>, bytes: &[&[u8]]| {
                Ok(emulator.trace(program, config, bytes, wanted)?.1)
            };
        self.emulate(entry, shape, arguments, blocks, run)
    }

    /// As [`PtxModule::trace`], but a fault ends the trace; returns whether one did.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on a GPU.
    #[doc(hidden)]
    pub fn trace_to_fault(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
        wanted: TraceConfig,
    ) -> Result<(Trace, bool)> {
        let run =
            |emulator: &Emulator, program: &Program, config: &LaunchConfig<'_>, bytes: &[&[u8]]| {
                let (trace, fault) = emulator.trace_to_fault(program, config, bytes, wanted);
                Ok((trace, fault.is_some()))
            };
        self.emulate(entry, shape, arguments, blocks, run)
    }

    /// Runs a few blocks of an entry on the emulator and records the trace from which [`crate::time`] predicts its
    /// time.
    ///
    /// # Errors
    /// As [`PtxModule::launch`]; [`Error::Unsupported`] on a GPU.
    #[doc(hidden)]
    pub fn time_trace(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        effort: Effort,
    ) -> Result<KernelTrace> {
        let run =
            |emulator: &Emulator, program: &Program, config: &LaunchConfig<'_>, bytes: &[&[u8]]| {
                // The listing of the machine code names lines of this text, as the trace does.
                let code = start_assembling(&self.text, config.entry, effort.capability);
                emulator.without_effect(|on| record(on, program, config, bytes, effort, code))
            };
        self.emulate(entry, shape, arguments, Blocks::All, run)
    }

    /// Calls `run` with the parts of a launch on the emulator: for tools, such as the debugger, that run it themselves.
    ///
    /// # Errors
    /// The error of `run`; [`Error::Unsupported`] on a GPU.
    #[doc(hidden)]
    pub fn on_emulator<T>(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        run: impl FnOnce(&Emulator, &Program, &LaunchConfig<'_>, &[&[u8]]) -> Result<T, Fault>,
    ) -> Result<T> {
        self.emulate(entry, shape, arguments, Blocks::All, run)
    }

    fn emulate<T>(
        &self,
        entry: &str,
        shape: PtxShape,
        arguments: &[PtxArg<'_>],
        blocks: Blocks,
        run: impl FnOnce(&Emulator, &Program, &LaunchConfig<'_>, &[&[u8]]) -> Result<T, Fault>,
    ) -> Result<T> {
        let (Code::Emulator(program), Engine::Emulator(emulator)) =
            (&self.code, &self.device.0.engine)
        else {
            return Err(Error::Unsupported {
                what: "counting a kernel",
                device: self.device.info().id,
                help: "profile it on `Device::emulator()`",
            });
        };
        let bytes: Vec<Vec<u8>> = arguments.iter().map(PtxArg::bytes).collect();
        let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let ran = run(emulator, program, &shape.config(entry, blocks), &bytes);
        ran.map_err(|fault| self.named(fault.into()))
    }
}

impl PreparedPtx<'_> {
    /// Runs the kernel once; on a GPU, queues it.
    ///
    /// # Errors
    /// As [`PtxModule::launch`].
    pub fn launch(&mut self) -> Result<()> {
        // SAFETY: `prepare` made the promise of `launch` for every run of these arguments, which
        // are borrowed as long as `self`.
        unsafe { self.module.queue(&self.entry, self.shape, self.arguments) }.map(drop)
    }

    /// Runs the kernel once on the emulator and counts events.
    ///
    /// # Errors
    /// As [`PtxModule::profile`].
    pub fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        self.module.profile(&self.entry, self.shape, self.arguments, blocks)
    }

    /// Runs a few blocks and records the trace from which [`crate::time`] predicts the time of the launch.
    ///
    /// # Errors
    /// As [`PtxModule::time_trace`].
    #[doc(hidden)]
    pub fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace> {
        self.module.time_trace(&self.entry, self.shape, self.arguments, effort)
    }

    /// The kernel's module.
    pub fn module(&self) -> &PtxModule {
        self.module
    }

    /// The estimated resource usage; `None` on a GPU.
    pub fn resources(&self) -> Option<Resources> {
        self.module.resources(&self.entry)
    }
}
