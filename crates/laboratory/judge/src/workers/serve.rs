//! The work of a worker process, and the messages to and from it.
//!
//! It compiles an untrusted source, and launches an untrusted kernel on a GPU. The expected results stay in the parent
//! process.
//!
//! An arena is one allocation with all arrays of a problem and canaries around each. The judge draws its bytes and
//! compares them afterwards; the worker only copies them to and from the device and knows no expected results.

use crate::task::Shape;
use lanework_confine::Reach;
use lanework_lab::timing::{About, Plan, Reset, Timer, measure, reset};
use lanework_lab::{Cache, TimedRecord, Verified, Work};
use lanework_runtime::{Buffer, Device, Dim3, Job, NvrtcError, PtxArg, PtxModule};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
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
            // A compiler reads the files that an `#include` names. Without Landlock, only the check of the source refuses them.
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
            Ok(ptx) => return Compiled::Ptx(ptx),
            Err(NvrtcError::Missing(why)) => return Compiled::Missing(why),
            Err(NvrtcError::Compile(why) | NvrtcError::Library(why)) => {
                first.get_or_insert(why);
            }
        }
    }
    Compiled::Refused(first.unwrap_or_default())
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
    Ptx(String),
    /// The compiler's log.
    Refused(String),
    /// No compiler is available.
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
    /// Its grid, block and the rest.
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
