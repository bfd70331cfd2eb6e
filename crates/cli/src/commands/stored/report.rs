//! `lanework report`: everything about kernels in one HTML file.

use crate::args::{KernelArgs, PAGE, ReportArgs, ReportKernelArgs};
use crate::commands::ladders::climb::{failures, steps};
use crate::gather::{self, open, with_prediction, write_own};
use crate::problem::subject::{FileLaunch, file_entry};
use crate::problem::{find_family, find_gpu, rejected};
use crate::saving::failed;
use lanework::ptx::cpp_names::readable;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device};
use lanework_lab::roofline::measure_ceilings;
use lanework_lab::timing::utc_now;
use lanework_lab::{
    ClimbRecord, ClimbSettings, Family, Request, Subject, climb, families, family, machine, specs,
};
use lanework_pages::Report;
use lanework_pages::record::Kernel;
use lanework_store::{Exported, Filter, RunId, Store, place};
use lanework_terminal::check_time_limit;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{check_writable, print, read_text, write};
use lanework_terminal::progress::Progress;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seconds of sampling of a rung by default.
const SAMPLING: f64 = 15.0;

/// Maximum seconds of sampling for a ceiling.
const OF_CEILING: f64 = 5.0;

/// Climbs ladders, or reads what earlier climbs wrote, and writes the report.
///
/// # Errors
/// Unknown names, files without records, an unknown device, or a wrong result of a rung, after the report
/// has been written.
pub fn run(args: &ReportArgs) -> Outcome {
    find_gpu(&args.gpu)?;
    check_writable(&args.output)?;
    args.records.as_deref().map_or(Ok(()), check_writable)?;
    let mut report = Report {
        taken: utc_now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        chinese: lanework_terminal::words::are_chinese(),
        ..Report::default()
    };
    let stored = args.store.is_some() || !args.runs.is_empty();
    let climbed = match args.from.is_empty() && !stored {
        true => climbs(args, &mut report)?,
        false => {
            args.from.iter().try_for_each(|file| read(file, &mut report))?;
            if stored {
                history(args, &mut report)?;
            }
            Vec::new()
        }
    };
    let shown: Vec<Family> = report.climbs.iter().map(|climb| climb.ladder.clone()).fold(
        Vec::new(),
        |mut shown: Vec<Family>, name| {
            let known = shown.iter().any(|one| (one.ladder)().name == name);
            shown.extend(family(&name).filter(|_| !known));
            shown
        },
    );
    report.stories.extend(shown.iter().map(|family| gather::story(&(family.ladder)())));
    if !args.no_kernels {
        kernels(&shown, &args.gpu, &mut report)?;
    }
    let mut devices: Vec<String> =
        report.climbs.iter().map(|climb| climb.device.name.clone()).collect();
    devices.push(args.gpu.clone());
    for device in devices {
        if report.ceilings.iter().all(|known| known.gpu != device) {
            report.ceilings.extend(gather::ceilings(specs(), &device));
        }
    }
    let html = report.html();
    write(&args.output, &html)?;
    if let Some(path) = &args.records {
        let text = serde_json::to_string(&report)
            .map_err(|error| Failure::Check(format!("the records cannot be written: {error}")))?;
        write(path, &text)?;
    }
    print(&format!(
        "the report is in {}: {} kB, no network needed\n",
        args.output.display(),
        html.len().div_ceil(1000)
    ))?;
    if args.open {
        open(&args.output)?;
    }
    climbed.iter().try_for_each(failures)
}

/// Profiles an entry of a file and writes the report on it.
///
/// # Errors
/// Invalid PTX, arguments that do not match, a kernel that faults.
pub fn run_kernel(args: &ReportKernelArgs) -> Outcome {
    let of_arguments = |text: &&String| text.contains('=');
    let page = args.kernel.outputs.iter().rfind(|text| !of_arguments(text));
    let page = page.map_or_else(|| PathBuf::from(PAGE), PathBuf::from);
    let outputs = args.kernel.outputs.iter().filter(of_arguments).cloned().collect();
    let asked = KernelArgs { outputs, ..args.kernel.clone() };
    check_writable(&page)?;
    let gpu = find_gpu(&args.gpu)?;
    let (machine, model) = (machine(gpu), GpuModel::new(gpu));
    let mut found = Vec::new();
    file_entry(&asked, &mut |name: &str, launch: &mut FileLaunch| {
        let progress = Progress::new("profiling");
        progress.say(name);
        let text = launch.ptx_text().to_owned();
        let entry = readable(name.split(" of ").next().unwrap_or(name));
        let trace = launch.time_trace(Effort::for_model(&model));
        let predicted = trace.ok().map(|trace| predict(&trace, &model, Protocol::Flushed).value());
        let kernel = gather::of_subject(launch, &entry, &text, &machine, predicted.as_ref())?;
        found.push(with_prediction(kernel, predicted));
        Ok(())
    })?;
    write_own(&page, found, &args.gpu)?;
    if args.open { open(&page) } else { Ok(()) }
}

/// Reads records from a file.
fn read(file: &Path, report: &mut Report) -> Outcome {
    let help =
        "give what climb, sweep or profile printed with --json, or report wrote with --records";
    let text = read_text(file, help)?;
    report.add_json(&text).map_err(|why| {
        Failure::input(format_args!("{} cannot be reported: {why}", file.display()), help)
    })
}

/// Reads runs of the history.
fn history(args: &ReportArgs, report: &mut Report) -> Outcome {
    let store = Store::read(&place(args.store.as_deref()).map_err(failed)?).map_err(failed)?;
    let runs: Vec<RunId> = match args.runs.is_empty() {
        true => store.runs(&Filter::default()).map_err(failed)?.iter().map(|run| run.id).collect(),
        false => args.runs.iter().map(|run| RunId(*run)).collect(),
    };
    if runs.is_empty() {
        return Err(Failure::input(
            format_args!("{} holds no run", store.path().display()),
            "store some with --save, such as lanework climb transpose --save",
        ));
    }
    for run in runs {
        let (points, entries) =
            (store.points(run).map_err(failed)?, store.entries(run).map_err(failed)?);
        add(report, &Exported { run: store.run(run).map_err(failed)?, points, entries })?;
    }
    Ok(())
}

/// Adds a record of another crate to the report, by its JSON.
fn add(report: &mut Report, record: &impl Serialize) -> Outcome {
    let value = serde_json::to_value(record).map_err(|error| error.to_string());
    value.and_then(|value| report.add(value)).map_err(Failure::Check)
}

/// Climbs the ladders: on a GPU for times, and always on the emulator for counts.
fn climbs(args: &ReportArgs, report: &mut Report) -> Result<Vec<ClimbRecord>, Failure> {
    let families = match args.ladders.as_slice() {
        [] => families(),
        names => names.iter().map(|name| find_family(name)).collect::<Result<Vec<_>, _>>()?,
    };
    let device = Device::open(&args.on.device)?;
    check_time_limit(args.time_limit, device.backend())?;
    let mut devices = vec![device];
    if devices[0].backend() == Backend::Cuda {
        let progress = Progress::new("ceilings");
        let limit = Duration::from_secs_f64(args.time_limit.unwrap_or(OF_CEILING).min(OF_CEILING));
        let ceilings = measure_ceilings(&devices[0], limit, &mut |what: &str| progress.say(what));
        add(report, &ceilings.map_err(|why| rejected("the result", &why))?)?;
        drop(progress);
        devices.push(Device::emulator());
    }
    let mut records = Vec::new();
    for device in &devices {
        for family in &families {
            let request = Request::new(device.backend());
            let settings = ClimbSettings {
                rungs: Vec::new(),
                seed: request.seed,
                time_limit: Duration::from_secs_f64(args.time_limit.unwrap_or(SAMPLING)),
            };
            let case = family.case(&request)?;
            let what = format!("climbing {}", (family.ladder)().name);
            let progress = Progress::of(&what, steps(family, &[]));
            let mut next = |rung: &str| progress.next(rung);
            let record = climb(family, case.as_ref(), device, &settings, &mut next)?;
            add(report, &record)?;
            let samples = record.rungs.iter().filter_map(|rung| rung.timed.as_ref());
            samples.into_iter().try_for_each(|timed| add(report, timed))?;
            records.push(record);
        }
    }
    Ok(records)
}

/// Profiles the rungs on the emulator for their pages. Pages from files are generated again, because files
/// contain no drawings.
fn kernels(families: &[Family], gpu: &str, report: &mut Report) -> Outcome {
    let device = Device::emulator();
    let machine = machine(find_gpu(gpu)?);
    let rungs: usize = families.iter().map(|family| (family.ladder)().rungs.len()).sum();
    let progress = Progress::of("profiling", rungs as u64);
    for family in families {
        let ladder = (family.ladder)();
        let case = family.case(&Request::new(Backend::Emulator))?;
        for rung in &ladder.rungs {
            progress.next(&format!("{}/{}", ladder.name, rung.name));
            let found = gather::kernel(ladder.name, rung, case.as_ref(), &device, &machine)?;
            let Some(mut found) = found else { continue };
            let same = |known: &Kernel| known.ladder == found.ladder && known.name == found.name;
            if let Some(at) = report.kernels.iter().position(same) {
                // Machine code from a file is kept.
                let known = report.kernels.remove(at);
                if found.sass.text.is_none() && known.sass.text.is_some() {
                    found.sass = known.sass;
                }
            }
            report.kernels.push(found);
        }
    }
    Ok(())
}
