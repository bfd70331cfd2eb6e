//! `lanework bench`: the time of a rung or of a kernel of a file.

use crate::args::{BenchArgs, BenchKernelArgs, KernelArgs, SaveOptions};
use crate::kernel_file::source::{Ptx, linked_ptx};
use crate::kernel_file::timing::{self, Loaded, expected};
use crate::kernel_file::{
    FileKernel, arguments, check_arguments, find_entry, given, maps, shape, signature, upload,
};
use crate::problem::{check_no_path, check_rung, find_family, rejected, request_of};
use crate::saving::{Plan, Point, RunKind, Saving, Store};
use crate::tables;
use lanework::emulator::Blocks;
use lanework::{Backend, Device};
use lanework_lab::{ClimbSettings, DeviceRecord, RungOf, TimedRecord, Timing, bench_rung, climb};
use lanework_terminal::check_time_limit;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use serde_json::json;
use std::time::Duration;

/// Seconds of sampling by default.
const SAMPLING: f64 = 15.0;

/// Verifies a rung and times it; on the emulator, counts it.
///
/// # Errors
/// Unknown names, shapes that do not fit; a result that is wrong.
pub fn run(args: &BenchArgs) -> Outcome {
    let (ladder, rung) = rung_of(&args.rung)?;
    let family = find_family(ladder)?;
    check_rung(&family.with_peer(), rung)?;
    let device = Device::open(&args.on.device)?;
    check_time_limit(args.time_limit, device.backend())?;
    let request = request_of(&args.problem, &family, device.backend())?;
    family.check_used(&[rung], &request)?;
    let case = family.case(&request)?;
    if let Some(why) = case.skips(rung, &device) {
        return Err(Failure::input(why, "time another rung; `lanework list` shows all"));
    }
    let limit = Duration::from_secs_f64(args.time_limit.unwrap_or(SAMPLING));
    let store = args.save.open()?;
    let progress = Progress::new("timing");
    let mut say = |what: &str| progress.say(what);
    if device.backend() == Backend::Emulator {
        let settings =
            ClimbSettings { rungs: vec![rung.to_owned()], seed: request.seed, time_limit: limit };
        let record = climb(&family, case.as_ref(), &device, &settings, &mut say)?;
        drop(progress);
        let plan = Plan::of_timed(RunKind::Bench, 1, &record.device);
        Saving::whole(store, &args.save, &plan, &[Point::Climb(&record)])?;
        return match args.json {
            true => print_json(&record),
            false => print(&format!("{NO_TIME}\n{}", tables::describe(&record, device.backend()))),
        };
    }
    let of = RungOf { family: &family, rung, case: case.as_ref() };
    let mut records = Vec::new();
    for &cache in args.cache.states() {
        let timing = Timing { cache, limit, seed: request.seed };
        let timed = bench_rung(of, &device, &timing, &mut say);
        records.push(timed.map_err(|why| rejected(&format!("the result of {}", args.rung), &why))?);
    }
    drop(progress);
    save(store, &args.save, &records)?;
    show(&records, args.json)
}

/// Stores the timed kernels, if there is a `store`.
///
/// # Errors
/// If the store cannot be written.
fn save(store: Option<Store>, options: &SaveOptions, records: &[TimedRecord]) -> Outcome {
    let Some(first) = records.first() else { return Ok(()) };
    let plan = Plan::of_timed(RunKind::Bench, records.len(), &first.device);
    let points: Vec<Point<'_>> = records.iter().map(Point::Timed).collect();
    Saving::whole(store, options, &plan, &points)
}

/// The line above counts that are printed instead of a time.
const NO_TIME: &str = "The emulator does not model time: counts of one launch.";

/// The ladder and the rung of `ladder/rung`.
///
/// # Errors
/// If it is neither that nor a file.
pub fn rung_of(name: &str) -> Result<(&str, &str), Failure> {
    check_no_path(name)?;
    name.split_once('/').ok_or_else(|| {
        Failure::input(
            format_args!("`{name}` is neither a .ptx or .cu file nor a rung"),
            "give a file, or ladder/rung, such as transpose/padded; `lanework list` shows all",
        )
    })
}

/// Verifies a kernel of a file and times it; on the emulator, counts it.
///
/// # Errors
/// Invalid PTX, arguments that do not match; a wrong result, a kernel that faults.
pub fn run_kernel(args: &BenchKernelArgs) -> Outcome {
    check_options(&args.kernel)?;
    let ptx = linked_ptx(args.kernel.files(), &args.kernel.source)?;
    let device = Device::open(&args.kernel.on.device)?;
    check_time_limit(args.kernel.time_limit, device.backend())?;
    let store = args.timing.save.open()?;
    if device.backend() == Backend::Emulator {
        return count(args, &device, &ptx, store);
    }
    let progress = Progress::new("timing");
    let kernel = Loaded::new(&device, &args.kernel.names(), ptx, args.kernel.entry.as_deref())?;
    let signature = kernel.signature(&args.kernel);
    let (ready, _) = arguments(&args.kernel, &signature)?;
    let shape = kernel.shape(&args.kernel, &ready)?;
    let kernel = kernel.shaped(shape, &signature, &ready)?;
    let expected = expected(&args.kernel, &args.timing, (&kernel, &signature), &ready, &progress)?;
    let mut records = Vec::new();
    for &cache in args.timing.cache.states() {
        let on = timing::On { device: &device, ready: &ready, expected: &expected };
        records.push(timing::bench(args, cache, &kernel, &on, &progress)?);
    }
    drop(progress);
    save(store, &args.timing.save, &records)?;
    show(&records, args.kernel.json)
}

/// Refuses options that only `run` has.
///
/// # Errors
/// If one was given.
pub fn check_options(args: &KernelArgs) -> Outcome {
    let given = [
        ("--compare", args.compare.is_some()),
        ("--fidelity", args.fidelity),
        ("--max-instructions", args.max_instructions.is_some()),
        ("--memory-limit", args.memory_limit.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::input(
            format_args!("{option} does not apply when kernels are timed"),
            format_args!("remove {option}; `lanework run` with the same arguments takes it"),
        )),
        None => Ok(()),
    }
}

/// Counts one launch on the emulator.
fn count(args: &BenchKernelArgs, device: &Device, ptx: &Ptx, store: Option<Store>) -> Outcome {
    let module = ptx.load(device)?;
    let entry = find_entry(&module, args.kernel.entry.as_deref())?;
    let signature = signature(&module, &entry, &args.kernel);
    let (ready, _) = arguments(&args.kernel, &signature)?;
    check_arguments(&module, &signature, &ready)?;
    let buffers = upload(device, &ready)?;
    let maps = maps(&ready, &buffers)?;
    let given = given(&ready, &buffers, &maps);
    let kernel =
        FileKernel { args: &args.kernel, ptx, module: &module, entry: &entry, ready: &ready };
    let shape = shape(&kernel)?;
    let profile = module.profile(&entry, shape, &given, Blocks::All)?;
    let counts = json!({
        "kind": "counts",
        "kernel": entry,
        "device": device.info().id,
        "warp_instructions": profile.counters.warp_instructions,
        "lane_instructions": profile.counters.lane_instructions,
    });
    let record = DeviceRecord::of(device);
    let plan = Plan::of_timed(RunKind::Bench, 1, &record);
    let files = args.kernel.names();
    let point = Point::Counts { entry: &entry, files: &files, counters: &counts };
    Saving::whole(store, &args.timing.save, &plan, &[point])?;
    match args.kernel.json {
        true => print_json(&counts),
        false => print(&format!("{NO_TIME}\n{profile}")),
    }
}

/// Prints records.
fn show(records: &[TimedRecord], json: bool) -> Outcome {
    if json {
        print_json(&records)?;
    } else {
        records.iter().try_for_each(|record| print(&record.to_string()))?;
    }
    let invalid = records.iter().find_map(|record| record.invalid.as_ref());
    invalid.map_or(Ok(()), |why| Err(Failure::Check(format!("INVALID: {why}"))))
}
