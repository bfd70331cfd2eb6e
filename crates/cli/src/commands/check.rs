//! `lanework check`: runs kernels under the sanitizer and reports its findings.

use crate::args::{CheckArgs, CheckKernelArgs, SanitizerOptions};
use crate::failure::{Failure, Outcome};
use crate::findings::{Finding, describe, fold, json};
use crate::kernel_file::{arguments, check_arguments, emulator, find_entry, launch, no_fidelity};
use crate::output::{Spinner, print, print_json, write};
use crate::problem::{
    check_seed, find_family, ladder_and_rungs, read_arrays, request, runnable, with_parameters,
};
use crate::sarif::sarif;
use crate::source::linked_ptx;
use crate::stopped::ErrorJson;
use crate::suggest::check_rung;
use lanework::{Backend, Checks, Device, Error, Level, Report, ReportKind};

/// The outcome of a check.
#[derive(Default)]
struct Checked {
    /// The kernels, as the user names them.
    names: Vec<String>,
    findings: Vec<Finding>,
    /// Kernels that could not be checked to their end, and why.
    stopped: Vec<String>,
    /// The first of these reasons.
    error: Option<ErrorJson>,
}

/// Checks the rungs of a ladder.
///
/// # Errors
/// Unknown names and shapes that do not fit; and when there are findings.
pub fn run(args: &CheckArgs) -> Outcome {
    let (ladder, wanted) = ladder_and_rungs(&args.ladder, &args.rungs)?;
    let family = find_family(ladder)?;
    let known = family.with_peer();
    wanted.iter().try_for_each(|rung| check_rung(&known, rung))?;
    let device = Device::emulator().sanitized_for(checks(&args.sanitizer)?);
    let mut request = with_parameters(request(&args.numbers, Backend::Emulator)?, &args.problem);
    read_arrays(&mut request, &args.arrays, &family)?;
    check_seed(&args.numbers, &request, &family)?;
    family.check_used(&wanted, &request)?;
    let case = family.case(&request)?;
    case.check_fits(&device)?;
    let mut checked = Checked::default();
    {
        let spinner = Spinner::new("checking");
        for rung in runnable(&known.rungs, &wanted, case.as_ref(), &device)? {
            let name = format!("{ladder}/{}", rung.name);
            spinner.say(&name);
            let result = case
                .trial(rung.name, &device)
                .and_then(|mut trial| trial.job().and_then(|mut job| job.launch()));
            record(&mut checked, &name, result, None)?;
        }
    }
    leaks(&mut checked, &device);
    show(checked, &args.sanitizer, args.json)
}

/// Checks an entry of a file.
///
/// # Errors
/// Invalid PTX and arguments that do not match; and when there are findings.
pub fn run_kernel(args: &CheckKernelArgs) -> Outcome {
    let kernel = &args.kernel;
    if kernel.compare.is_some() || !matches!(kernel.on.device.as_str(), "best" | "emulator") {
        return Err(Failure::input(
            "the sanitizer runs on the emulator only",
            "remove --device and --compare; on a GPU, use compute-sanitizer",
        ));
    }
    if kernel.json {
        lanework::print_on_stderr();
    }
    no_fidelity(kernel)?;
    let (ready, _) = arguments(kernel)?;
    let text = linked_ptx(&kernel.files)?;
    let device = emulator(kernel, Some(STUCK_AFTER)).sanitized_for(checks(&args.sanitizer)?);
    let mut checked = Checked::default();
    {
        let _spinner = Spinner::new("checking");
        let module = device.load_ptx(&text)?;
        let entry = find_entry(&module, kernel.entry.as_deref())?;
        check_arguments(&module, &entry, &ready)?;
        let result = launch(&device, &module, &entry, kernel.shape(), &ready).map(drop);
        let file = kernel.names();
        record(&mut checked, &entry, result, Some((&file, &text)))?;
        // The heap of the kernels' `malloc` is freed with the module.
        leaks(&mut checked, &device);
    }
    show(checked, &args.sanitizer, kernel.json)
}

/// Instructions of one warp after which a checked kernel counts as an endless loop.
const STUCK_AFTER: u64 = 200_000_000;

/// Adds the outcome of one kernel; `text` is the name and the text of its PTX file.
///
/// # Errors
/// Errors that are neither a finding nor a fault of the kernel.
fn record(
    checked: &mut Checked,
    name: &str,
    result: Result<(), Error>,
    text: Option<(&str, &str)>,
) -> Outcome {
    checked.names.push(name.to_owned());
    match result {
        Ok(()) => {}
        Err(Error::Sanitizer(reports)) => {
            let found = reports.iter().map(|report| Finding::new(report.clone(), name, text));
            checked.findings.extend(found);
            if let Some(fault) = &reports.stopped {
                checked.stopped.push(format!("{name}: {fault}"));
                checked.error.get_or_insert_with(|| ErrorJson::of_fault(fault));
            }
        }
        Err(error) if error.is_kernel_fault() => {
            checked.stopped.push(format!("{name}: {error}"));
            checked.error.get_or_insert_with(|| ErrorJson::of(&error));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Adds the memory that is still allocated at the end.
fn leaks(checked: &mut Checked, device: &Device) {
    let leaks = device.leaks().into_iter();
    checked.findings.extend(leaks.map(|report: Report| Finding::new(report, "", None)));
}

/// The kinds to report.
fn checks(options: &SanitizerOptions) -> Result<Checks, Failure> {
    let kinds = |names: &[String]| -> Result<Vec<ReportKind>, Failure> {
        let kind = |name: &String| {
            ReportKind::named(name).ok_or_else(|| {
                let known = ReportKind::ALL.map(ReportKind::name).join(", ");
                Failure::input(
                    format_args!("`{name}` is not a kind of error"),
                    format_args!("there are: {known}"),
                )
            })
        };
        names.iter().map(kind).collect()
    };
    let only = kinds(&options.only)?;
    let mut checks = match only.is_empty() {
        true => Checks::default(),
        false => only.into_iter().fold(Checks::none(), Checks::with),
    };
    checks = kinds(&options.skip)?.into_iter().fold(checks, Checks::without);
    if options.leaks {
        checks = checks.with(ReportKind::Leak);
    }
    match ReportKind::ALL.into_iter().any(|kind| checks.has(kind)) {
        true => Ok(checks),
        false => Err(Failure::input(
            "--only and --skip leave no kind of error to look for",
            "leave out --skip, or some of it",
        )),
    }
}

/// Shows the findings.
///
/// # Errors
/// When there are any.
fn show(checked: Checked, options: &SanitizerOptions, as_json: bool) -> Outcome {
    let findings = fold(checked.findings);
    if let Some(path) = &options.sarif {
        let text = serde_json::to_string_pretty(&sarif(&findings)).map_err(|error| {
            Failure::Check(format!("the findings cannot be written as JSON: {error}"))
        })?;
        write(path, &(text + "\n"))?;
    }
    if as_json {
        print_json(&json(&findings, &checked.names, &checked.stopped, checked.error.as_ref()))?;
    } else {
        for finding in &findings {
            print(&describe(finding))?;
        }
    }
    let kernels = match checked.names.as_slice() {
        [only] => only.clone(),
        names => format!("{} kernels", names.len()),
    };
    let count = |level: Level| {
        let of_level = findings.iter().filter(|f| f.report.kind.info().level == level);
        of_level.fold((0, 0), |(all, times), f| (all + 1, times + f.report.count))
    };
    let words = |name: &str, (all, times): (u64, u64)| match all {
        0 => String::new(),
        1 => format!("1 {name} in {kernels}, {times} times"),
        many => format!("{many} {name}s in {kernels}, {times} times in all"),
    };
    let mut summary = words("error", count(Level::Error));
    let warnings = words("warning", count(Level::Warning));
    for stopped in &checked.stopped {
        let between = if summary.is_empty() { "" } else { "\n" };
        summary.push_str(&format!("{between}check incomplete: {stopped}"));
    }
    if !summary.is_empty() {
        return Err(Failure::Check(summary));
    }
    match (as_json, warnings.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => print(&format!("{kernels}: nothing to report\n")),
        (false, false) => print(&format!("{warnings}\n")),
    }
}
