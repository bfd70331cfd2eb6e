//! `lanework exec`: runs a program on the emulator and checks, profiles or traces every launch that it makes, through
//! this library or through CUDA's driver.

use crate::args::ExecArgs;
use crate::findings::checked::Checked;
use crate::findings::selection::Selection;
use crate::findings::sources;
#[cfg(feature = "report")]
use crate::gather;
use crate::program::{Ended, ProgramJson, model, run as run_program};
use crate::{program, tables};
#[cfg(feature = "report")]
use lanework::ptx::cpp_names;
use lanework::report::{self, By, Machine};
use lanework::tool::{Activity, Predicted, Process, Profiled, Profiles, Record};
use lanework::{Dim3, ReportKind};
use lanework_lab::{machine, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{check_writable, duration, print, print_json, write};
use lanework_terminal::table::{laid, listed, readable};
use serde::Serialize;
use serde_json::{Value, json as value};
use std::path::Path;

/// Runs the program and shows what the tool found.
///
/// # Errors
/// If there are findings, if the check is not complete, or if the program fails.
pub fn run(args: &ExecArgs) -> Outcome {
    args.files.check_writable()?;
    args.trace.iter().chain(&args.report).try_for_each(|path| check_writable(path))?;
    if let Some(path) = &args.trace {
        return trace(args, path);
    }
    if args.profile || args.report.is_some() {
        return profile(args);
    }
    if args.predict {
        return predict(args);
    }
    if args.plain {
        return run_program(&args.program, "", &[])?.own();
    }
    check(args)
}

/// A result and the program that it belongs to.
#[derive(Serialize)]
struct OfProgram<T: Serialize> {
    program: ProgramJson,
    #[serde(flatten)]
    found: T,
}

/// Profiles in JSON.
#[derive(Serialize)]
struct ProfilesJson {
    kernels: Vec<Value>,
}

fn check(args: &ExecArgs) -> Outcome {
    let selection = Selection::of(&args.only, &args.skip);
    let word = |on: bool, kind| (if on || selection.asks_for(kind) { "1" } else { "0" }).to_owned();
    let environment = [
        ("LANEWORK_TOOL_LEAKS", word(args.leaks, ReportKind::Leak)),
        ("LANEWORK_TOOL_PROXY_FENCES", word(args.proxy_fences, ReportKind::ProxyFence)),
    ];
    let ended = run_program(&args.program, "check", &environment)?;
    selection.check(&ended)?;
    let mut checked = Checked::of(&ended, &selection);
    if let Some((code, why)) = program::reason(&ended)
        && !(args.allow_empty && program::is_empty(code))
    {
        checked.incomplete(code, why);
    }
    checked.show(&args.files, args.program.json, Some(&ended))?;
    ended.own()
}

fn profile(args: &ExecArgs) -> Outcome {
    let gpu = model(&args.program)?;
    let modeled = gpu.or_else(|| specs().gpu("H200"));
    let modeled = modeled.expect("tested: every GPU of the table is found");
    let name = modeled.name.as_str();
    let asked = [("LANEWORK_TOOL_PREDICT", format!("{name}\tcold"))];
    let ended = run_program(&args.program, "profile", &asked)?;
    let machine = gpu.map_or_else(Machine::h200, machine);
    let mut profiles = Profiles::default();
    let mut kernels = Vec::new();
    #[cfg(feature = "report")]
    let mut pages = Vec::new();
    for process in &ended.processes {
        for record in process {
            if let Record::Profile(one) = record {
                profiles.add(Profiled::clone(one));
            }
        }
    }
    for (launches, one) in &profiles.0 {
        let counted = one.profile.counted();
        let mut record = report::record(&counted, one.extras(), By::Source, &machine);
        let predicted = prediction(&ended, one);
        let registers = predicted.as_ref().and_then(tables::predicted_registers);
        let predicts = |record: &mut report::ProfileRecord| {
            if let Some((registers, estimated)) = registers {
                machine.assign_registers(&mut record.resources, registers, estimated);
            }
        };
        predicts(&mut record);
        let text = ptx_of_module(&ended, one);
        let prints = !args.program.json && args.report.is_none();
        if prints {
            let title = Profiles::title(*launches, one);
            let sources = sources();
            text.iter().for_each(|text| sources.insert_ptx(text));
            print(&laid(&report::profile_blocks(&title, &record, &sources, readable())))?;
        }
        let mut kernel = value!({ "name": one.profile.kernel, "launches": launches });
        if let Some(found) = predicted {
            if prints {
                print(&tables::predicted_line(&one.profile.kernel, &found))?;
                print(&tables::limits::describe(&found, &record, modeled))?;
            }
            kernel["predicted"] = found;
        }
        #[cfg(feature = "report")]
        if args.report.is_some() {
            let mut by_ptx = report::record(&counted, one.extras(), By::Ptx, &machine);
            predicts(&mut by_ptx);
            let text = text.as_deref().unwrap_or_default();
            let name = cpp_names::readable(&one.profile.kernel);
            let page = gather::of_profile(&name, text, &record, &by_ptx)?;
            let predicted = kernel.get("predicted").cloned();
            pages.push(gather::with_prediction(page, predicted));
        }
        let record = serde_json::to_value(record).unwrap_or_default();
        if let (Some(to), Some(from)) = (kernel.as_object_mut(), record.as_object()) {
            to.extend(from.clone());
        }
        kernels.push(kernel);
    }
    #[cfg(feature = "report")]
    if let Some(page) = &args.report {
        if pages.is_empty() {
            ended.own()?;
            return Err(ended.without_kernel("no launch could be profiled"));
        }
        gather::write_own(page, pages, name)?;
        if args.open {
            gather::open(page)?;
        }
    }
    #[cfg(not(feature = "report"))]
    if args.report.is_some() {
        return Err(crate::args::built_without("report"));
    }
    if args.program.json {
        print_json(&OfProgram { program: ended.json(), found: ProfilesJson { kernels } })?;
    }
    ended.own()
}

/// The prediction for the first launch of a profiled kernel in its shape.
fn prediction(ended: &Ended, one: &Profiled) -> Option<Value> {
    let found = ended.records().find_map(|record| match record {
        Record::Predicted(found) => {
            let (launch, profile) = (&found.launch, &one.profile);
            let extents = |of: Dim3| [of.x, of.y, of.z];
            let same = (&launch.kernel, launch.grid, launch.block)
                == (&profile.kernel, extents(profile.grid), extents(profile.block));
            same.then_some(&found.json)
        }
        _ => None,
    });
    serde_json::from_str(found?).ok()
}

/// Predictions in JSON.
#[derive(Serialize)]
struct PredictionsJson {
    launches: Vec<Value>,
    total_ns: f64,
}

fn predict(args: &ExecArgs) -> Outcome {
    let gpu = model(&args.program)?.map_or("H200", |gpu| gpu.name.as_str());
    let protocol = if args.warm { "warm" } else { "cold" };
    let folder = args.traces.as_deref().map(std::path::absolute).transpose();
    let folder = folder.map_err(|error| Failure::input(error, "name a folder with --traces"))?;
    if let Some(folder) = &folder {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::input(format_args!("{}: {error}", folder.display()), "check the path")
        })?;
    }
    let folder = folder.unwrap_or_default();
    let asked = [("LANEWORK_TOOL_PREDICT", format!("{gpu}\t{protocol}\t{}", folder.display()))];
    let ended = run_program(&args.program, "predict", &asked)?;
    let shapes = PredictedShape::all(&ended);
    let total_ns: f64 = shapes.iter().map(PredictedShape::total_ns).sum();
    if args.program.json {
        let launches = shapes.iter().flat_map(|shape| shape.values()).collect();
        let found = PredictionsJson { launches, total_ns };
        print_json(&OfProgram { program: ended.json(), found })?;
        return ended.own();
    }
    for shape in &shapes {
        print(&shape.text())?;
    }
    let launches: u64 = shapes.iter().map(|shape| shape.launches).sum();
    if launches > 1 {
        print(&format!(
            "{launches} launches: predicted {} in all, one after another\n",
            duration(total_ns)
        ))?;
    }
    ended.own()
}

/// The predictions for the launches of a kernel in one shape: the first ones are predicted, and the last of these stands for
/// all that follow.
struct PredictedShape<'a> {
    found: Vec<(&'a Predicted, Value)>,
    launches: u64,
}

impl PredictedShape<'_> {
    /// Those of a program, in the order of their first launches.
    fn all(ended: &Ended) -> Vec<PredictedShape<'_>> {
        let mut shapes: Vec<PredictedShape<'_>> = Vec::new();
        for record in ended.records() {
            let Record::Predicted(one) = record else { continue };
            let found = (&**one, serde_json::from_str(&one.json).unwrap_or_default());
            match shapes.iter_mut().find(|shape| shape.found[0].0.launch == one.launch) {
                Some(shape) => shape.found.push(found),
                None => shapes.push(PredictedShape { found: vec![found], launches: 0 }),
            }
        }
        for launch in ended.launches() {
            if let Some(shape) = shapes.iter_mut().find(|shape| shape.found[0].0.launch == *launch)
            {
                shape.launches += 1;
            }
        }
        shapes
    }

    /// The number of launches that each prediction stands for.
    fn counts(&self) -> impl Iterator<Item = (&Predicted, &Value, u64)> {
        let last = self.found.len() - 1;
        self.found.iter().enumerate().map(move |(index, (one, found))| {
            let rest = self.launches.saturating_sub(last as u64).max(1);
            (*one, found, if index == last { rest } else { 1 })
        })
    }

    fn total_ns(&self) -> f64 {
        self.counts().map(|(_, found, count)| count as f64 * time_ns(found)).sum()
    }

    fn values(&self) -> impl Iterator<Item = Value> {
        self.counts().map(|(one, found, count)| {
            let mut launch = value!({
                "kernel": one.launch.kernel,
                "grid": one.launch.grid,
                "block": one.launch.block,
                "partial": one.partial,
                "launches": count,
            });
            if let (Some(to), Some(from)) = (launch.as_object_mut(), found.as_object()) {
                to.extend(from.clone());
            }
            launch
        })
    }

    /// A line for the launches, and one for their sum if there are several.
    fn text(&self) -> String {
        let (one, found) = &self.found[self.found.len() - 1];
        let line = tables::predicted_line(&one.launch.kernel, found);
        match self.launches {
            0 | 1 => line,
            launches => {
                line + &listed(
                    "  ",
                    &format!("{launches} launches: {} in all", duration(self.total_ns())),
                )
            }
        }
    }
}

fn time_ns(found: &Value) -> f64 {
    found["predicted_ns"].as_f64().unwrap_or_default()
}

/// The PTX of a kernel, if the program loaded text.
fn ptx_of_module(ended: &Ended, one: &Profiled) -> Option<String> {
    let of_process = |process: &Vec<Record>| {
        let same = |record: &Record| match record {
            Record::Profile(other) => {
                other.module == one.module && other.profile.kernel == one.profile.kernel
            }
            _ => false,
        };
        let found = process.iter().any(same);
        found.then(|| Ended::module(process, one.module)).flatten().map(str::to_owned)
    };
    ended.processes.iter().find_map(of_process)
}

/// Writes a timeline in the Trace Event Format of Chrome, which Perfetto reads, too.
fn trace(args: &ExecArgs, path: &Path) -> Outcome {
    let ended = run_program(&args.program, "trace", &[])?;
    let starts = ended.records().filter_map(|record| match record {
        Record::Activity(activity) => Some(activity.start_us),
        _ => None,
    });
    let first = starts.min().unwrap_or(0);
    let mut events: Vec<Value> = Vec::new();
    for process in &ended.processes {
        let mut id = 0;
        for record in process {
            match record {
                Record::Process(Process { id: number, command }) => {
                    id = *number;
                    events.push(value!({
                        "ph": "M", "name": "process_name", "pid": id, "tid": 0,
                        "args": { "name": command.join(" ") },
                    }));
                }
                Record::Activity(activity) => events.push(event(activity, id, first)),
                _ => {}
            }
        }
    }
    let count = events.iter().filter(|event| event["ph"] == "X").count();
    let log = value!({
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": { "times": "of the emulator on this host, which does not model a GPU's" },
    });
    write(path, &format!("{log}\n"))?;
    let launches = ended.launches().count();
    match args.program.json {
        true => print_json(&OfProgram {
            program: ended.json(),
            found: value!({ "trace": path, "events": count }),
        })?,
        false => print(&format!(
            "{} holds the timeline (launches: {launches}, copies: {}); open it at ui.perfetto.dev\n",
            path.display(),
            count - launches.min(count),
        ))?,
    }
    ended.own()
}

fn event(activity: &Activity, process: u32, first: u64) -> Value {
    let Activity { what, thread, start_us, took_us, bytes, launch } = activity;
    let (category, args) = match launch {
        Some((launch, counters)) => (
            "launch",
            value!({
                "grid": launch.grid,
                "block": launch.block,
                "warp_instructions": counters.warp_instructions,
                "global_sectors": counters.sectors(),
                "shared_wavefronts": counters.wavefronts(),
                "bank_conflicts": counters.bank_conflicts(),
                "divergent_branches": counters.divergent_branches,
            }),
        ),
        None => ("copy", value!({ "bytes": bytes })),
    };
    value!({
        "ph": "X", "name": what, "cat": category, "pid": process, "tid": thread,
        "ts": start_us - first, "dur": took_us, "args": args,
    })
}
