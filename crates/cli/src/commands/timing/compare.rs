//! `lanework compare`: two rungs or two kernels of files, interleaved on a GPU.

mod asked;
#[cfg(feature = "history")]
mod runs;

use super::bench::{check_options, rung_of};
use crate::args::{CompareArgs, CompareKernelArgs, ProblemOptions, SaveOptions};
use crate::kernel_file::arguments;
use crate::kernel_file::source::ptx_of;
use crate::kernel_file::timing::{self, Loaded, On, expected};
use crate::problem::{check_rung, find_family, read_arrays, rejected, request, with_parameters};
use crate::saving::{Plan, Point, RunKind, Saving, Store};
use asked::stored;
use lanework::{Backend, Device};
use lanework_lab::{ComparisonRecord, RungOf, Timing, Verdict, compare_rungs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use std::time::Duration;

/// Seconds of sampling by default.
const SAMPLING: f64 = 15.0;

/// Compares two rungs on one problem.
///
/// # Errors
/// Unknown names, shapes that do not fit, the emulator; a wrong result; a second rung that is slower.
pub fn run(args: &CompareArgs) -> Outcome {
    if let Some(asked) = stored(args)? {
        return compare_stored(args, &asked);
    }
    let (Some(first), Some(second)) = (&args.first, &args.second) else {
        return Err(Failure::input(
            "`lanework compare` needs two kernels",
            "name both, as ladder/rung",
        ));
    };
    let (a, b) = (rung_of(first)?, rung_of(second)?);
    let device = gpu(&args.on.device)?;
    let store = args.save.open()?;
    let mut families = Vec::new();
    for (ladder, rung) in [a, b] {
        let family = find_family(ladder)?;
        check_rung(&family.with_peer(), rung)?;
        families.push(family);
    }
    let ProblemOptions { parameters, numbers, arrays } = &args.problem;
    let asked = with_parameters(request(numbers, device.backend())?, parameters);
    let mut cases = Vec::new();
    for (family, (_, rung)) in families.iter().zip([a, b]) {
        let mut request = asked.clone();
        read_arrays(&mut request, arrays, family)?;
        family.check_used(&[rung], &request)?;
        let case = family.case(&request)?;
        if let Some(why) = case.skips(rung, &device) {
            return Err(Failure::input(why, "compare other rungs; `lanework list` shows all"));
        }
        cases.push(case);
    }
    let of =
        |index: usize, rung| RungOf { family: &families[index], rung, case: cases[index].as_ref() };
    let limit = Duration::from_secs_f64(args.time_limit.unwrap_or(SAMPLING));
    let progress = Progress::new("comparing");
    let mut compared = Vec::new();
    for &cache in args.cache.states() {
        let timing = Timing { cache, limit, seed: asked.seed };
        let mut say = |what: &str| progress.say(what);
        let record = compare_rungs(of(0, a.1), of(1, b.1), &device, &timing, &mut say);
        compared.push(record.map_err(|why| rejected("a result", &why))?);
    }
    drop(progress);
    save(store, &args.save, &compared)?;
    show(&compared, args.json)
}

#[cfg(feature = "history")]
use runs::run as compare_stored;

#[cfg(not(feature = "history"))]
fn compare_stored(_: &CompareArgs, _: &asked::Stored) -> Outcome {
    Err(crate::args::built_without("history"))
}

/// Stores comparisons with both sides, if there is a `store`.
///
/// # Errors
/// If the store cannot be written.
fn save(store: Option<Store>, options: &SaveOptions, compared: &[ComparisonRecord]) -> Outcome {
    let Some(first) = compared.first() else { return Ok(()) };
    let plan = Plan::of_timed(RunKind::Compare, compared.len(), &first.a.device);
    let points: Vec<Point<'_>> = compared.iter().map(Point::Compared).collect();
    Saving::whole(store, options, &plan, &points)
}

/// Compares two kernels of files on the same arguments.
///
/// # Errors
/// Invalid PTX, arguments that do not match, the emulator; a wrong result; a second kernel that is slower.
pub fn run_kernel(args: &CompareKernelArgs) -> Outcome {
    check_options(&args.kernel)?;
    let [first, second] = args.kernel.files() else {
        return Err(Failure::input(
            format_args!("{} is not two files", args.kernel.names()),
            "give two .ptx or .cu files, or two rungs as ladder/rung",
        ));
    };
    let device = gpu(&args.kernel.on.device)?;
    let store = args.timing.save.open()?;
    let progress = Progress::new("comparing");
    let entry = args.kernel.entry.as_deref();
    let load = |file: &std::path::Path, source, entry| {
        Loaded::new(&device, &file.display().to_string(), ptx_of(file, source)?, entry)
    };
    let of_b = args.second.of(&args.kernel, &second.display().to_string())?;
    let a = load(first, &args.kernel.source, entry)?;
    let b = load(second, &of_b.source, of_b.entry.as_deref())?;
    let signature = a.signature(&args.kernel);
    let (ready, _) = arguments(&args.kernel, &signature)?;
    let shape = a.shape(&args.kernel, &ready)?;
    let a = a.shaped(shape, &signature, &ready)?;
    let shape_b = b.shape(&of_b, &ready)?;
    let b = b.shaped(shape_b, &signature, &ready)?;
    let expected = expected(&args.kernel, &args.timing, (&a, &signature), &ready, &progress)?;
    let on = On { device: &device, ready: &ready, expected: &expected };
    let mut compared = Vec::new();
    for &cache in args.timing.cache.states() {
        compared.push(timing::compare(args, cache, [&a, &b], &on, &progress)?);
    }
    drop(progress);
    save(store, &args.timing.save, &compared)?;
    show(&compared, args.kernel.json)
}

/// The GPU of this name.
///
/// # Errors
/// If it is not a GPU: the emulator has no times to compare.
fn gpu(name: &str) -> Result<Device, Failure> {
    let device = Device::open(name)?;
    match device.backend() {
        Backend::Cuda => Ok(device),
        Backend::Emulator => Err(Failure::input(
            "kernels cannot be compared on the emulator, which does not model time",
            "run on a GPU with --device cuda:0; or compare predicted times: `lanework predict A --compare B`; or compare counts: `lanework profile A --against B`",
        )),
    }
}

/// Prints comparisons; their worst verdict is the outcome.
///
/// # Errors
/// A comparison that is invalid; a second that is slower.
pub fn show(compared: &[ComparisonRecord], json: bool) -> Outcome {
    if json {
        print_json(&compared)?;
    } else {
        compared.iter().try_for_each(|record| print(&record.to_string()))?;
    }
    let with = |verdict: Verdict| compared.iter().find(|record| record.verdict == verdict);
    if let Some(invalid) = with(Verdict::Invalid) {
        return Err(Failure::Check(format!("INVALID: {}", invalid.why)));
    }
    match with(Verdict::Slow) {
        Some(slow) => Err(Failure::Regression(format!(
            "{} is slower than {}: {}",
            slow.b.subject.title(),
            slow.a.subject.title(),
            slow.why
        ))),
        None => Ok(()),
    }
}
