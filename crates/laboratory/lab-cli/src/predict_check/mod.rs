//! `lanework-lab predict-check`: compares predicted times with measured ones. It predicts the rungs of the ladders on
//! the emulator; `scripts/time_programs.py` has stored the predictions of programs. A scatter plot shows both.

mod others;
mod page;
mod replay;
mod traced;

use crate::args::PredictCheckArgs;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Prediction, Protocol, predict};
use lanework::time::trace::KernelTrace;
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device};
use lanework_lab::{ELEMENT_TYPES, PARAMETERS, Request, family, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{check_writable, note, print, print_json, write};
use page::MeasuredPair;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::Path;
use traced::traces;

/// Compares predictions with measurements, and prints or writes the result.
///
/// # Errors
/// If a stored result cannot be read, or the page cannot be written.
pub fn run(args: &PredictCheckArgs) -> Outcome {
    let gpu = specs().gpu(&args.gpu).ok_or_else(|| {
        Failure::input(
            format_args!("no GPU is called `{}`", args.gpu),
            "`lanework gpus` lists them",
        )
    })?;
    let model = GpuModel::new(gpu);
    let mut models = vec![("whole model", model.clone())];
    if args.ablation {
        models.extend(page::ablations(&model));
    }
    if let Some(folder) = &args.traces {
        return replay::run(folder, &models, !args.unlisted);
    }
    // Read and create everything that the page needs before predictions that take minutes.
    let page = args.output.as_deref().map(PageInputs::new).transpose()?;
    let mut all = Vec::new();
    match &args.rungs {
        Some(path) => all.extend(stored_pairs(
            path,
            &args.only,
            "write it with `lanework-lab predict-check --json`",
        )?),
        None => compare(args, &models, &mut all)?,
    }
    for path in &args.programs {
        all.extend(stored_pairs(path, &args.only, "write it with scripts/time_programs.py")?);
    }
    if let Some(path) = &args.others {
        all.extend(others::compare(path, &args.only)?);
    }
    if let (Some(folder), Some(page)) = (&args.output, &page) {
        write(&folder.join("time/scatter.svg"), &scatter(&all))?;
        let text = page::text(&args.gpu, &all, &page.notes, &page.causes);
        write(&folder.join("time.md"), &text)?;
    }
    match args.json {
        true => print_json(&all),
        false => print(&page::summary(&all)),
    }
}

/// Reads the predictions in a file whose names contain `only`.
///
/// # Errors
/// If the file is not an array of predictions.
fn stored_pairs(path: &Path, only: &str, help: &str) -> Result<Vec<MeasuredPair>, Failure> {
    let place = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::input(format_args!("{place}: {error}"), "check the path"))?;
    let stored: Vec<MeasuredPair> = serde_json::from_str(&text)
        .map_err(|error| Failure::input(format_args!("{place}: {error}"), help))?;
    Ok(stored.into_iter().filter(|pair| pair.name.contains(only)).collect())
}

/// The texts of the page that are written by hand.
struct PageInputs {
    notes: String,
    causes: HashMap<String, String>,
}

impl PageInputs {
    /// Reads the texts in a folder, and checks that the page and its plot can be written there.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    fn new(folder: &Path) -> Result<PageInputs, Failure> {
        let time = folder.join("time");
        std::fs::create_dir_all(&time).map_err(|error| {
            let what = format_args!("{}: {error}", time.display());
            Failure::input(what, "name a folder that can be written with --output")
        })?;
        check_writable(&folder.join("time.md"))?;
        check_writable(&time.join("scatter.svg"))?;
        Ok(PageInputs {
            notes: std::fs::read_to_string(time.join("notes.md")).unwrap_or_default(),
            causes: causes(&time.join("causes.json"))?,
        })
    }
}

/// The known causes of errors, by kernel; none without the file.
///
/// # Errors
/// If the file is not an object of texts.
fn causes(path: &Path) -> Result<HashMap<String, String>, Failure> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(HashMap::new()) };
    serde_json::from_str(&text).map_err(|error| {
        Failure::input(format_args!("{}: {error}", path.display()), "write an object of texts")
    })
}

/// Predicts the rungs of every stored ladder with each model.
///
/// # Errors
/// If the folder cannot be read.
pub fn compare(
    args: &PredictCheckArgs,
    models: &[(&str, GpuModel)],
    pairs: &mut Vec<MeasuredPair>,
) -> Outcome {
    let mut files: Vec<_> = std::fs::read_dir(&args.ladders)
        .map_err(|error| Failure::input(error, "name the folder with --ladders"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let Ok(stored) = serde_json::from_str::<Value>(&text) else { continue };
        if let (Some(ladder), Some(rungs)) = (stored["ladder"].as_str(), stored["rungs"].as_array())
        {
            compare_ladder(args, models, &stored, (ladder, rungs), pairs)?;
        }
    }
    Ok(())
}

/// The request for the problem that a ladder was measured on.
fn request(stored: &Value) -> Request {
    let mut request = Request::new(Backend::Emulator);
    let wanted = stored["element"].as_str().unwrap_or_default();
    request.element = ELEMENT_TYPES.into_iter().find(|element| element.name == wanted);
    let extents: Vec<&Value> = stored["extents"].as_array().into_iter().flatten().collect();
    let sizes = stored["size"].as_array().into_iter().flatten();
    for (extent, size) in extents.iter().zip(sizes) {
        let name = match (extents.len(), extent.as_str()) {
            (1, _) | (_, None) => "size",
            (_, Some(name)) => name,
        };
        let known = PARAMETERS.iter().find(|known| known.name == name);
        if let (Some(known), Some(size)) = (known, size.as_u64()) {
            request = request.with(known.name, size);
        }
    }
    match stored["block"].as_u64() {
        Some(block) => request.with("block", block),
        None => request,
    }
}

fn compare_ladder(
    args: &PredictCheckArgs,
    models: &[(&str, GpuModel)],
    stored: &Value,
    (ladder, rungs): (&str, &[Value]),
    pairs: &mut Vec<MeasuredPair>,
) -> Outcome {
    let Some(family) = family(ladder) else { return Ok(()) };
    let wanted: Vec<&Value> = rungs
        .iter()
        .filter(|rung| {
            let name = rung["name"].as_str().unwrap_or_default();
            rung["time"]["median_ns"].is_f64() && format!("{ladder}/{name}").contains(&args.only)
        })
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let device = Device::emulator();
    let case = family.case(&request(stored))?;
    for rung in wanted {
        let name = rung["name"].as_str().unwrap_or_default();
        let traces = match traces(case.as_ref(), name, &device, Effort::default()) {
            Ok(traces) if !traces.is_empty() => traces,
            Ok(_) => continue,
            Err(error) => {
                note(&format!("note: {ladder}/{name} is left out: {error}"));
                continue;
            }
        };
        let mut found = models
            .iter()
            .map(|(part, model)| (*part, pair(stored, rung, (ladder, name), &traces, model)));
        let Some((_, mut whole)) = found.next() else { continue };
        whole.without = found.map(|(part, pair)| (part.to_owned(), pair.predicted_ns)).collect();
        pairs.push(whole);
    }
    Ok(())
}

fn pair(
    stored: &Value,
    rung: &Value,
    (ladder, name): (&str, &str),
    traces: &[KernelTrace],
    model: &GpuModel,
) -> MeasuredPair {
    // Rungs below about 30 us were timed in graphs, the others between events.
    let first = match rung["time"]["timer"].as_str() {
        Some("events") => Protocol::Events,
        _ => Protocol::Rotated,
    };
    let protocol = |at: usize| if at == 0 { first } else { Protocol::Rotated };
    let found: Vec<Prediction> =
        traces.iter().enumerate().map(|(at, trace)| predict(trace, model, protocol(at))).collect();
    let sum = |value: &dyn Fn(&Prediction) -> f64| found.iter().map(value).sum::<f64>();
    let bytes = stored["bytes"].as_f64().unwrap_or_default();
    let operations = stored["flops"].as_f64().unwrap_or_default();
    let gpu = specs().gpu(&model.gpu.name).unwrap_or(&model.gpu);
    let rate = match stored["element"].as_str() {
        Some("bf16") => gpu.bf16_tflops.unwrap_or(gpu.fp32_tflops),
        Some("u8") => 2.0 * gpu.bf16_tflops.unwrap_or(gpu.fp32_tflops),
        _ => gpu.fp32_tflops,
    };
    MeasuredPair {
        problem: ladder.to_owned(),
        name: format!("{ladder}/{name}"),
        suite: "ladders".to_owned(),
        measured_ns: rung["time"]["median_ns"].as_f64().unwrap_or_default(),
        predicted_ns: sum(&|one| one.time_ns),
        interval_ns: [sum(&|one| one.interval_ns[0]), sum(&|one| one.interval_ns[1])],
        limiter: found.first().map_or("", |one| one.limiter).to_owned(),
        roofline_ns: (bytes / gpu.bandwidth_gb_s).max(operations / rate / 1e3),
        without: BTreeMap::new(),
    }
}

const SIZE: f64 = 640.0;
const MARGIN: f64 = 60.0;

/// Decades of nanoseconds, from 1 us to 10 s.
const DECADES: [i32; 2] = [3, 10];

/// The suites with their colors.
const SUITES: [(&str, &str); 5] = [
    ("ladders", "#1f77b4"),
    ("tuning", "#2ca02c"),
    ("test", "#d62728"),
    ("later", "#9467bd"),
    (others::SUITE, "#ff7f0e"),
];

fn place(ns: f64) -> f64 {
    let [low, high] = DECADES.map(f64::from);
    let part = (ns.max(1.0).log10() - low) / (high - low);
    MARGIN + part.clamp(0.0, 1.0) * (SIZE - 2.0 * MARGIN)
}

/// The plot.
pub fn scatter(pairs: &[MeasuredPair]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {SIZE}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"white\"/>\n"
    );
    let names = ["1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s"];
    let (near, far) = (MARGIN, SIZE - MARGIN);
    for (decade, name) in (DECADES[0]..=DECADES[1]).zip(names) {
        let at = place(10f64.powi(decade));
        let up = SIZE - at;
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {near}V{far}M{near} {up:.1}H{far}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>\
             <text x=\"{}\" y=\"{up:.1}\" text-anchor=\"end\">{name}</text>",
            far + 16.0,
            near - 6.0,
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{near} {far}L{far} {near}\" stroke=\"black\"/>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">measured</text>\
         <text x=\"14\" y=\"{}\" transform=\"rotate(-90 14 {})\" text-anchor=\"middle\">predicted</text>",
        SIZE / 2.0,
        SIZE - 16.0,
        SIZE / 2.0,
        SIZE / 2.0,
    );
    for (at, (suite, color)) in SUITES.iter().enumerate() {
        let y = near + 14.0 * at as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"{y}\" r=\"4\" fill=\"{color}\"/><text x=\"{}\" y=\"{}\">{suite}</text>",
            near + 12.0,
            near + 22.0,
            y + 4.0,
        );
        for pair in pairs.iter().filter(|pair| pair.suite == *suite) {
            let (x, y) = (place(pair.measured_ns), SIZE - place(pair.predicted_ns));
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\" fill-opacity=\"0.6\"><title>{}</title></circle>",
                pair.name
            );
        }
    }
    svg + "</svg>\n"
}
