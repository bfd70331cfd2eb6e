//! The kernels that `profile` and `look` work on: rungs of a ladder, or an entry of a file.

use crate::args::{KernelArgs, ProblemOptions};
use crate::findings::sources;
use crate::kernel_file::source::{Ptx, linked_ptx};
use crate::kernel_file::{
    FileKernel, Ready, arguments, check_arguments, emulator, find_entry, given, maps, no_fidelity,
    shape, signature, upload,
};
use crate::problem::{check_rung, find_family, ladder_and_rungs, rejected, request_of, runnable};
use lanework::emulator::{Blocks, FaultKind, Trace, TraceConfig};
use lanework::ptx::cpp_names::readable;
use lanework::ptx::{StateSpace, Variable};
use lanework::report::Sources;
use lanework::time::trace::KernelTrace;
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device, Dim3, Error, Job, Profile, PtxModule, PtxShape};
use lanework_lab::{PtxLaunch, Subject, Trial};
use lanework_terminal::failure::{Failure, Outcome};

/// A visitor of kernels: it gets the name, the kernel, and the source lines.
pub type Each<'a> = &'a mut dyn FnMut(&str, &mut dyn Subject, &Sources) -> Outcome;

/// The rungs and the problem of a command on a ladder.
pub struct RungSelection<'a> {
    /// The ladder, or one rung of it as ladder/rung.
    pub target: &'a str,
    /// Other rungs.
    pub rungs: &'a [String],
    /// The problem.
    pub problem: &'a ProblemOptions,
}

/// Verifies each rung on its problem, then calls `each` with its kernels.
///
/// # Errors
/// Unknown names, problems that do not fit, a rung whose result is wrong, and the errors of `each`.
pub fn each_rung(asked: &RungSelection<'_>, each: Each<'_>) -> Outcome {
    each_trial(asked, &mut |name, trial| {
        trial.job()?.launch()?;
        trial.check().map_err(|why| rejected(name, &why))?;
        trial.poison()?;
        match trial.job()? {
            Job::Kernel(mut kernel) => each(name, &mut kernel, &sources()),
            Job::Kernels(kernels) => {
                let several = kernels.len() > 1;
                kernels.into_iter().try_for_each(|mut kernel| {
                    let entry = kernel.module().entries().next().map_or("", |entry| &entry.name);
                    let of_rung = format!("{name}: {entry}");
                    each(if several { &of_rung } else { name }, &mut kernel, &sources())
                })
            }
            Job::Ptx(_) | Job::Vendor(_) => Ok(()),
        }
    })
}

/// A visitor of rungs: it gets the name, and the rung on its problem.
type EachTrial<'a> = &'a mut dyn FnMut(&str, &mut dyn Trial) -> Outcome;

/// Calls `each` with each rung, set up on the emulator with its problem.
///
/// # Errors
/// Unknown names, problems that do not fit, and the errors of `each`.
pub fn each_trial(asked: &RungSelection<'_>, each: EachTrial<'_>) -> Outcome {
    let (ladder, wanted) = ladder_and_rungs(asked.target, asked.rungs)?;
    let family = find_family(ladder)?;
    let known = (family.ladder)();
    wanted.iter().try_for_each(|rung| check_rung(&known, rung))?;
    let device = Device::emulator();
    let request = request_of(asked.problem, &family, Backend::Emulator)?;
    family.check_used(&wanted, &request)?;
    let case = family.case(&request)?;
    case.check_fits(&device)?;
    for info in runnable(&known.rungs, &wanted, case.as_ref(), &device)? {
        let name = format!("{ladder}/{}", info.name);
        each(&name, &mut *case.trial(info.name, &device)?)?;
    }
    Ok(())
}

/// Instructions of one warp after which a kernel counts as an endless loop: minutes of emulation.
const STUCK_AFTER: u64 = 10_000_000_000;
/// The limit when only some blocks run: a block that waits for one that does not run never ends.
const PARTIAL_STUCK_AFTER: u64 = 300_000_000;

/// The failure of a run of some blocks only, with a note that says so.
pub fn partial_run(error: Error) -> Failure {
    match error {
        Error::Fault(mut fault) if fault.kind == FaultKind::InstructionLimit => {
            fault.help.push_str(
                "\n   = note: only some of the blocks ran; a block that waits for one that did not run never ends",
            );
            Error::Fault(fault).into()
        }
        error => error.into(),
    }
}

/// The outcome of the second kernel of a comparison, with a note on a fault that says so.
pub fn of_second(file: &str, outcome: Outcome) -> Outcome {
    outcome.map_err(|failure| match failure {
        Failure::Library(error) => match *error {
            Error::Fault(mut fault) => {
                fault.help.push_str(&format!(
                    "\n   = note: this is the second kernel, of {file}; --entry-b, --grid-b, --block-b, --shared-b and --define-b are its own options"
                ));
                Error::Fault(fault).into()
            }
            error => error.into(),
        },
        failure => failure,
    })
}

/// Calls `each` with an entry of a file; with `some`, only some of its blocks will run.
///
/// # Errors
/// Invalid PTX, arguments that do not match, and the errors of `each`.
pub fn entry_of_file(asked: &KernelArgs, some: bool, each: Each<'_>) -> Outcome {
    let mut of_launch = |name: &str, launch: &mut FileLaunch| {
        let sources = sources();
        sources.insert_ptx(launch.ptx_text());
        each(name, launch, &sources)
    };
    with_launch(asked, some, &mut of_launch)
}

/// Calls `each` with an entry of a file.
///
/// # Errors
/// Invalid PTX, arguments that do not match, and the errors of `each`.
#[cfg(feature = "report")]
pub fn file_entry(
    asked: &KernelArgs,
    each: &mut dyn FnMut(&str, &mut FileLaunch) -> Outcome,
) -> Outcome {
    with_launch(asked, false, each)
}

fn with_launch(
    asked: &KernelArgs,
    some: bool,
    each: &mut dyn FnMut(&str, &mut FileLaunch) -> Outcome,
) -> Outcome {
    if asked.compare.is_some() || !matches!(asked.on.device.as_str(), "best" | "emulator") {
        return Err(Failure::input(
            "profiles and pictures are made on the emulator only",
            "remove --device and --compare; on a GPU, use Nsight Compute",
        ));
    }
    no_fidelity(asked)?;
    let ptx = linked_ptx(asked.files(), &asked.source)?;
    let device = emulator(asked, Some(if some { PARTIAL_STUCK_AFTER } else { STUCK_AFTER }));
    let module = ptx.load(&device)?;
    let entry = find_entry(&module, asked.entry.as_deref())?;
    let signature = signature(&module, &entry, asked);
    let (ready, _) = arguments(asked, &signature)?;
    check_arguments(&module, &signature, &ready)?;
    let kernel =
        FileKernel { args: asked, ptx: &ptx, module: &module, entry: &entry, ready: &ready };
    let shape = shape(&kernel)?;
    let name = format!("{} of {}", readable(&entry), asked.names());
    let mut launch = FileLaunch { device, ptx, module, entry, shape, ready, ran: false };
    each(&name, &mut launch)
}

/// An entry of a file. Every run starts with the same contents of memory.
pub struct FileLaunch {
    device: Device,
    ptx: Ptx,
    module: PtxModule,
    entry: String,
    shape: PtxShape,
    ready: Vec<Ready>,
    ran: bool,
}

impl FileLaunch {
    /// The PTX of the file.
    pub fn ptx_text(&self) -> &str {
        &self.ptx.text
    }

    /// Runs it with fresh memory and, if it has variables that kernels may write, a fresh module.
    fn fresh<T>(
        &mut self,
        run: impl FnOnce(&mut PtxLaunch<'_>) -> lanework::Result<T>,
    ) -> lanework::Result<T> {
        let of_kernels = |variable: &Variable| variable.space == StateSpace::Global;
        let written = self.module.module().variables().any(of_kernels);
        if std::mem::replace(&mut self.ran, true) && written {
            self.module = self.ptx.load(&self.device)?;
        }
        let buffers = upload(&self.device, &self.ready)?;
        let maps = maps(&self.ready, &buffers)?;
        let arguments = given(&self.ready, &buffers, &maps);
        let (module, entry, shape) = (&self.module, self.entry.clone(), self.shape);
        run(&mut PtxLaunch { module, entry, shape, arguments: &arguments })
    }
}

impl Subject for FileLaunch {
    fn shape(&self) -> (Dim3, Dim3, u32) {
        (self.shape.grid, self.shape.block, self.shape.dynamic_shared)
    }
    fn waits(&self) -> bool {
        self.shape.cooperative || self.module.blocks_may_wait(&self.entry)
    }
    fn profile(&mut self, blocks: Blocks) -> lanework::Result<Profile> {
        self.fresh(|launch| launch.profile(blocks))
    }
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> lanework::Result<Trace> {
        self.fresh(|launch| launch.trace(blocks, wanted))
    }
    fn time_trace(&mut self, effort: Effort) -> lanework::Result<KernelTrace> {
        self.fresh(|launch| launch.time_trace(effort))
    }
}
