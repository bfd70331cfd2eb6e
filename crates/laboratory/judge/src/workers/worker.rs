//! A worker process: its start with its own folder, a restricted environment and limits; its work; and the messages to
//! and from it.
//!
//! It compiles an untrusted source, and launches an untrusted kernel on a GPU. The expected results stay in the parent
//! process.
//!
//! An arena is one allocation with all arrays of a problem and canaries around each. The judge draws its bytes and
//! compares them afterward; the worker only copies them to and from the device and knows no expected results.

use crate::candidates::candidate::Submission;
use crate::problems::prepared::{CompiledCandidate, Unjudged};
use crate::task::{Shape, Task};
use crate::workers::{Bounds, Ended, run};
use lanework_confine::Reach;
use lanework_cuda_cpp::{CompileFailure, CompileOptions, NoFiles};
use lanework_lab::timing::{About, Plan, Reset, Timer, measure, reset};
use lanework_lab::{Cache, TimedRecord, Verified, Work};
use lanework_runtime::ptx::Module;
use lanework_runtime::{Buffer, Device, Dim3, Job, NvrtcError, PtxArg, PtxModule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Targets to try, in order.
const TARGETS: [&str; 2] = ["80", "90a"];

/// Executes the request named by the first argument: reads the order from standard input and writes the answer to
/// standard output. Returns whether that succeeded.
pub fn serve(arguments: &[String]) -> bool {
    let mut order = String::new();
    if std::io::stdin().read_to_string(&mut order).is_err() {
        return false;
    }
    let answer = match arguments.first().map(String::as_str) {
        Some("compile") => serde_json::from_str(&order).ok().and_then(|order| {
            let order: CompileOrder = order;
            // A compiler reads the files that an `#include` names. Without Landlock, only the check of the source
            // refuses them.
            let here = std::env::current_dir().ok()?;
            let compiled = match Reach::of_system().writing(here).confine() {
                Ok(_) => compile(&order),
                Err(why) => Compiled::Missing(format!("its compiler cannot be confined: {why}")),
            };
            serde_json::to_string(&compiled).ok()
        }),
        Some("launch") => serde_json::from_str(&order).ok().and_then(|order| {
            let launches: LaunchOrder = order;
            serde_json::to_string(&launch(&launches, Path::new(""))).ok()
        }),
        _ => None,
    };
    answer.is_some_and(|text| std::io::stdout().write_all(text.as_bytes()).is_ok())
}

fn compile(order: &CompileOrder) -> Compiled {
    let mut first = None;
    for target in TARGETS {
        let architecture = format!("--gpu-architecture=compute_{target}");
        let options = [architecture.as_str(), "-lineinfo", "-default-device"];
        match lanework_runtime::compile_cuda(&order.source, &order.name, &options) {
            Ok(ptx) => return Compiled::Ptx(CompiledCandidate { ptx, by: "NVRTC".to_owned() }),
            Err(NvrtcError::Missing(why)) => return own(order, &why),
            Err(NvrtcError::Compile(why) | NvrtcError::Library(why)) => {
                first.get_or_insert(why);
            }
        }
    }
    Compiled::Refused(first.unwrap_or_default())
}

/// Compiles with Lanework's own compiler, which reads no file; `why` says why NVRTC does not compile.
fn own(order: &CompileOrder, why: &str) -> Compiled {
    let mut first: Option<CompileFailure> = None;
    for (architecture, specific) in [(80, false), (90, true)] {
        let options = CompileOptions { architecture, specific, ..CompileOptions::default() };
        match lanework_cuda_cpp::compile(&order.source, &order.name, &options, &mut NoFiles) {
            // The compiler does not check inline PTX, which may need the next target.
            Ok(made) if !specific && !is_valid(&made.text) => {}
            Ok(made) => {
                return Compiled::Ptx(CompiledCandidate {
                    ptx: made.text,
                    by: "Lanework".to_owned(),
                });
            }
            Err(failure) => first = first.or(Some(failure)),
        }
    }
    match first {
        Some(failure) if failure.unsupported => Compiled::Missing(format!(
            "it uses a construct that Lanework's own compiler does not support, and {why}:\n{}",
            failure.text.trim_end()
        )),
        failure => Compiled::Refused(failure.map(|failure| failure.text).unwrap_or_default()),
    }
}

fn is_valid(ptx: &str) -> bool {
    Module::parse(ptx).and_then(|module| module.validate()).is_ok()
}

/// Makes the launches; the arenas are in `folder`.
pub fn launch(order: &LaunchOrder, folder: &Path) -> Answer {
    let mut answer = Answer { runs: 0, copies: 0, time: None, failed: None };
    if let Err(why) = launches(order, folder, &mut answer) {
        answer.failed = Some(why);
    }
    answer
}

fn launches(order: &LaunchOrder, folder: &Path, answer: &mut Answer) -> Result<(), String> {
    let said = |error: lanework_runtime::Error| error.to_string();
    let device = Device::open(&order.device).map_err(said)?;
    let module = device.load_ptx(&order.ptx).map_err(said)?;
    for (number, run) in order.runs.iter().enumerate() {
        let arena = upload(&device, folder, number)?;
        let arguments = arguments(run, &arena);
        // SAFETY: on the emulator every access is checked. On a GPU the kernel has passed those checks on these
        // very problems or on smaller ones; if it reaches other memory anyway, that is memory of this process,
        // which holds only the kernel's own inputs.
        let ran = unsafe { module.launch(&order.entry, Shape::from(run.shape), &arguments) };
        ran.map_err(said)?;
        write(&folder.join(format!("{number}.after")), &arena)?;
        drop(arena);
        answer.runs += 1;
        if let Some(timed) = order.timed.as_ref().filter(|timed| timed.run == number) {
            time(&device, &module, order, timed, folder, answer)?;
        }
    }
    Ok(())
}

fn upload(device: &Device, folder: &Path, number: usize) -> Result<Buffer<u8>, String> {
    let file = folder.join(format!("{number}.before"));
    let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    device.upload(&bytes).map_err(|error| error.to_string())
}

fn write(file: &Path, arena: &Buffer<u8>) -> Result<(), String> {
    let bytes = arena.download().map_err(|error| error.to_string())?;
    std::fs::write(file, bytes).map_err(|error| format!("{}: {error}", file.display()))
}

fn arguments<'a>(run: &RunOrder, arena: &Buffer<u8>) -> Vec<PtxArg<'a>> {
    let argument = |slot: &Slot| match slot {
        Slot::Offset(offset) => PtxArg::Bytes((arena.address() + offset).to_le_bytes().to_vec()),
        Slot::Bytes(bytes) => PtxArg::Bytes(bytes.clone()),
    };
    run.arguments.iter().map(argument).collect()
}

fn time(
    device: &Device,
    module: &PtxModule,
    order: &LaunchOrder,
    timed: &TimeOrder,
    folder: &Path,
    answer: &mut Answer,
) -> Result<(), String> {
    let said = |error: lanework_runtime::Error| error.to_string();
    let run = &order.runs[timed.run];
    let reset = reset(Cache::Cold, timed.touched, device);
    let arenas: Vec<Buffer<u8>> = (0..reset.copies().max(1))
        .map(|_| upload(device, folder, timed.run))
        .collect::<Result<_, _>>()?;
    let arguments: Vec<Vec<PtxArg<'_>>> =
        arenas.iter().map(|arena| arguments(run, arena)).collect();
    let shape = Shape::from(run.shape);
    let mut jobs = Vec::new();
    for arguments in &arguments {
        // SAFETY: `launches` has run this entry on these arguments with its accesses checked by the emulator, or in a
        // process that holds nothing but what the kernel was given; see there.
        jobs.push(Job::from(unsafe { module.prepare(&order.entry, shape, arguments) }));
    }
    let mut about = About::kernel(&order.entry);
    (about.cache, about.reset, about.verified) = (Cache::Cold, reset, Verified::Reference);
    if let Some((bytes, flops)) = timed.work {
        about.work = Work { bytes, flops };
    }
    about.element_bytes = timed.element_bytes;
    about.problem.clone_from(&timed.problem);
    let plan = Plan::within(Duration::from_secs(timed.seconds));
    let time = measure(device, jobs, &about, &plan, &mut |_, _| {}).map_err(said)?;
    // A graph launches every copy. With events each sample uses the next copy, and few samples do not reach all
    // copies.
    let launched = match (time.timer, time.reset) {
        (_, Reset::Flush { .. }) => 1,
        (Timer::Events, _) => time.samples.len(),
        (Timer::Graph(_), _) => arenas.len(),
    };
    answer.time = Some(time);
    for (number, arena) in arenas.iter().enumerate().take(launched) {
        write(&folder.join(format!("{number}.timed")), arena)?;
        answer.copies += 1;
    }
    Ok(())
}

/// A source to compile.
#[derive(Debug, Serialize, Deserialize)]
pub struct CompileOrder {
    /// Its name in messages.
    pub name: String,
    /// CUDA C++.
    pub source: String,
}

/// The outcome of a compilation.
#[derive(Debug, Serialize, Deserialize)]
pub enum Compiled {
    /// PTX.
    Ptx(CompiledCandidate),
    /// The compiler's log.
    Refused(String),
    /// No available compiler can compile it.
    Missing(String),
}

/// Launches of a kernel on a device.
#[derive(Debug, Serialize, Deserialize)]
pub struct LaunchOrder {
    /// The device, as accepted by `Device::open`.
    pub device: String,
    /// The PTX.
    pub ptx: String,
    /// The kernel.
    pub entry: String,
    /// Launches, each on its own arena. The arena after run `i` is written to `i.after`.
    pub runs: Vec<RunOrder>,
    /// The run to time, on copies of its arena, and its position among the runs.
    pub timed: Option<TimeOrder>,
}

/// One launch.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunOrder {
    /// Its grid, block and shared memory.
    pub shape: ShapeOrder,
    /// The kernel's arguments, in order.
    pub arguments: Vec<Slot>,
}

/// An argument.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Slot {
    /// An array, by its offset in the arena.
    Offset(u64),
    /// The bytes of a number.
    Bytes(Vec<u8>),
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ShapeOrder {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cluster: Option<[u32; 3]>,
    cooperative: bool,
}

/// A timing request.
#[derive(Debug, Serialize, Deserialize)]
pub struct TimeOrder {
    /// The run whose arena is copied; the runs up to and including it launch before timing, the others after.
    pub run: usize,
    /// Bytes and operations of the work, if the task states them.
    pub work: Option<(u64, u64)>,
    /// Bytes that a launch touches.
    pub touched: u64,
    /// Bytes per element.
    pub element_bytes: Option<usize>,
    /// The problem by name, for the record.
    pub problem: BTreeMap<String, String>,
    /// Maximum seconds of sampling.
    pub seconds: u64,
}

/// The results of the launches.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// Number of completed runs.
    pub runs: usize,
    /// Copies of the timed arena, each written to `i.timed`.
    pub copies: usize,
    /// The measured time.
    pub time: Option<TimedRecord>,
    /// Why it ended early.
    pub failed: Option<String>,
}

impl From<Shape> for ShapeOrder {
    fn from(shape: Shape) -> Self {
        ShapeOrder {
            grid: shape.grid.to_array(),
            block: shape.block.to_array(),
            shared: shape.dynamic_shared,
            cluster: shape.cluster.map(Dim3::to_array),
            cooperative: shape.cooperative,
        }
    }
}

impl From<ShapeOrder> for Shape {
    fn from(order: ShapeOrder) -> Self {
        let mut shape = Shape::new(order.grid, order.block).shared_bytes(order.shared);
        if let Some(cluster) = order.cluster {
            shape = shape.cluster(cluster);
        }
        if order.cooperative { shape.cooperative() } else { shape }
    }
}

/// How to start a worker: a program that passes the arguments after these to [`crate::serve`].
#[derive(Clone, Debug)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// Arguments before the worker's own.
    pub arguments: Vec<OsString>,
}

/// Memory limit of a compiler, and the limit of its output.
const COMPILER_MEMORY: u64 = 4 << 30;
const COMPILER_OUTPUT: u64 = 64 << 20;

/// Memory limit of a process with a GPU: the driver maps much memory.
const GPU_MEMORY: u64 = 64 << 30;
const GPU_OUTPUT: u64 = 64 << 20;

/// The environment variables that workers see.
const PASSED: [&str; 7] = [
    "LD_LIBRARY_PATH",
    "LANEWORK_NVRTC",
    "LANEWORK_CUDA_INCLUDE",
    "CUDA_VISIBLE_DEVICES",
    "PATH",
    "HOME",
    "SystemRoot",
];

impl Worker {
    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(what).env_clear();
        for name in PASSED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }

    fn start(
        &self,
        what: &str,
        folder: &Path,
        order: &impl serde::Serialize,
        bounds: Bounds,
    ) -> Result<Ended, Unjudged> {
        let failed = |why: String| {
            let help = "check the installation, and that there is room for temporary files";
            Unjudged::Failed(
                format!("the worker process cannot be started: {why}"),
                help.to_owned(),
            )
        };
        let order = serde_json::to_vec(order).map_err(|error| failed(error.to_string()))?;
        run(&mut self.command(what), folder, order, bounds)
            .map_err(|error| failed(error.to_string()))
    }

    /// Compiles a source in its own process and folder; a failed compilation returns the log.
    ///
    /// # Errors
    /// If there is no compiler, or no process can be started.
    pub fn compile(
        &self,
        submission: &Submission,
        task: &Task,
    ) -> Result<Result<CompiledCandidate, String>, Unjudged> {
        let folder = temporary()?;
        let source = submission.source.clone().unwrap_or_default();
        let name =
            Path::new(&submission.name).file_name().map(|name| name.to_string_lossy().into_owned());
        let order =
            CompileOrder { name: name.unwrap_or_else(|| "candidate.cu".to_owned()), source };
        let time = task.limits.compile;
        let bounds = Bounds { time, memory: COMPILER_MEMORY, output: COMPILER_OUTPUT };
        Ok(match self.start("compile", folder.path(), &order, bounds)? {
            Ended::TooLong => Err(format!("the compiler ran for more than {} s", time.as_secs())),
            Ended::TooLarge => {
                Err(format!("the compiler used more than {COMPILER_MEMORY} bytes of memory"))
            }
            Ended::Itself(_, answer, said) => match serde_json::from_slice(&answer) {
                Ok(Compiled::Ptx(compiled)) => Ok(compiled),
                Ok(Compiled::Refused(log)) => Err(log.trim_end().to_owned()),
                Ok(Compiled::Missing(why)) => {
                    let help = "install NVRTC (pip install nvidia-cuda-nvrtc), or compile the candidate to PTX elsewhere and give that";
                    return Err(Unjudged::Failed(
                        format!("the candidate is CUDA C++, and {why}"),
                        help.to_owned(),
                    ));
                }
                Err(_) => Err(format!("the compiler crashed: {}", said.trim_end())),
            },
        })
    }

    /// Makes launches in a separate process whose folder holds the arenas. A process that hangs or ends without an
    /// answer yields the reason.
    ///
    /// # Errors
    /// If no process can be started.
    pub fn launch(
        &self,
        order: &LaunchOrder,
        folder: &Path,
        time: Duration,
    ) -> Result<Result<Answer, String>, Unjudged> {
        let bounds = Bounds { time, memory: GPU_MEMORY, output: GPU_OUTPUT };
        Ok(match self.start("launch", folder, order, bounds)? {
            Ended::TooLong => Err(format!("its launches did not end within {} s", time.as_secs())),
            Ended::TooLarge => Err("its process used too much memory".to_owned()),
            Ended::Itself(_, answer, said) => serde_json::from_slice(&answer)
                .map_err(|_| format!("its process ended without an answer: {}", said.trim_end())),
        })
    }
}

/// A folder that is removed when it is dropped.
///
/// # Errors
/// If no folder can be created.
pub fn temporary() -> Result<tempfile::TempDir, Unjudged> {
    tempfile::tempdir().map_err(|error| {
        let help = "set TMPDIR to a folder with room";
        Unjudged::Failed(format!("no temporary folder: {error}"), help.to_owned())
    })
}
