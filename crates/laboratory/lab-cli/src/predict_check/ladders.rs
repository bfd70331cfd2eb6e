//! The rungs of the measured ladders, predicted on the emulator.

use super::pair::MeasuredPair;
use crate::args::PredictCheckArgs;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Prediction, Protocol, predict};
use lanework::time::trace::KernelTrace;
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device};
use lanework_lab::{Case, ELEMENT_TYPES, PARAMETERS, Request, family, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::note;
use serde_json::Value;

/// Predicts the rungs of every stored ladder with each model.
///
/// # Errors
/// If the folder cannot be read.
pub fn compare(
    args: &PredictCheckArgs,
    models: &[(&str, GpuModel)],
    pairs: &mut [Vec<MeasuredPair>],
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
    pairs: &mut [Vec<MeasuredPair>],
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
        let traces = match traces(case.as_ref(), name, &device) {
            Ok(traces) if !traces.is_empty() => traces,
            Ok(_) => continue,
            Err(error) => {
                note(&format!("note: {ladder}/{name} is left out: {error}"));
                continue;
            }
        };
        for ((_, model), pairs) in models.iter().zip(pairs.iter_mut()) {
            pairs.push(pair(stored, rung, (ladder, name), &traces, model));
        }
    }
    Ok(())
}

fn traces(case: &dyn Case, rung: &str, device: &Device) -> lanework::Result<Vec<KernelTrace>> {
    if case.skips(rung, device).is_some() {
        return Ok(Vec::new());
    }
    let mut trial = case.trial(rung, device)?;
    let mut job = trial.job()?;
    job.time_traces(Effort::default())
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
    }
}
