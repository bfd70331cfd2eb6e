//! The work of a worker process: compiles an untrusted source, and launches an untrusted kernel on a GPU. The
//! expected results stay in the parent process.

use crate::task::Shape;
use crate::workers::order::{
    Answer, CompileOrder, Compiled, LaunchOrder, RunOrder, Slot, TimeOrder,
};
use lanework_lab::timing::{About, Plan, Reset, Timer, measure, reset};
use lanework_lab::{Cache, Verified, Work};
use lanework_runtime::{Buffer, Device, Job, NvrtcError, PtxArg, PtxModule};
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
            let compiled: CompileOrder = order;
            serde_json::to_string(&compile(&compiled)).ok()
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
