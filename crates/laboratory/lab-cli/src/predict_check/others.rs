//! Blind predictions for GPUs that this project has not measured: `docs/results/time/others.json` has times that others
//! published, each with its source. No parameter of the model was fitted to them.

use super::page::MeasuredPair;
use super::traced::traces;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device};
use lanework_lab::{Gpu, PARAMETERS, Request, family, specs};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    /// GPUs that the table of GPU specifications lacks.
    gpus: Vec<Gpu>,
    rows: Vec<PublishedTime>,
}

/// A published time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedTime {
    gpu: String,
    /// The rung that computes in the same way, as `ladder/rung`.
    kernel: String,
    parameters: BTreeMap<String, u64>,
    measured_ns: f64,
    source: String,
}

/// The name of the suite.
pub const SUITE: &str = "other GPUs";

/// Predicts the kernels of a file whose names contain `only`.
///
/// # Errors
/// If the file cannot be read or names an unknown GPU, ladder or parameter.
pub fn compare(path: &Path, only: &str) -> Result<Vec<MeasuredPair>, Failure> {
    let place = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::input(format_args!("{place}: {error}"), "check the path"))?;
    let published: Published = serde_json::from_str(&text).map_err(|error| {
        Failure::input(format_args!("{place}: {error}"), "follow docs/results/time/others.json")
    })?;
    let mut pairs = Vec::new();
    for row in published.rows.iter().filter(|row| row.kernel.contains(only)) {
        let known = published.gpus.iter().find(|gpu| gpu.name == row.gpu);
        let gpu = known.or_else(|| specs().gpu(&row.gpu)).ok_or_else(|| {
            let what = format_args!("{place}: no GPU is called `{}`", row.gpu);
            Failure::input(what, "describe it under `gpus`")
        })?;
        if let Some(pair) = pair(row, gpu, &format!("{place}"))? {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

/// A published time with its prediction; `None` if the kernel cannot be traced here.
fn pair(row: &PublishedTime, gpu: &Gpu, place: &str) -> Result<Option<MeasuredPair>, Failure> {
    let unknown = |what: &str| {
        let what = format!("{place}: {what} of `{}`", row.source);
        Failure::input(what, "`lanework list` shows the ladders with their parameters")
    };
    let (ladder, rung) =
        row.kernel.split_once('/').ok_or_else(|| unknown("no ladder/rung in the row"))?;
    let family = family(ladder).ok_or_else(|| unknown("unknown ladder in the row"))?;
    let mut request = Request::new(Backend::Emulator);
    for (name, value) in &row.parameters {
        let known = PARAMETERS.iter().find(|known| known.name == name.as_str());
        let known = known.ok_or_else(|| unknown("unknown parameter in the row"))?;
        request = request.with(known.name, *value);
    }
    let device = Device::emulator();
    let case = family.case(&request)?;
    let model = GpuModel::new(gpu);
    let traces = match traces(case.as_ref(), rung, &device, Effort::for_model(&model)) {
        Ok(traces) if !traces.is_empty() => traces,
        Ok(_) => return Ok(None),
        Err(error) => {
            note(&format!("note: {} on {} is left out: {error}", row.kernel, row.gpu));
            return Ok(None);
        }
    };
    let protocol = |at: usize| if at == 0 { Protocol::Events } else { Protocol::Rotated };
    let found: Vec<_> =
        traces.iter().enumerate().map(|(at, trace)| predict(trace, &model, protocol(at))).collect();
    let sum = |end: usize| found.iter().map(|one| one.interval_ns[end]).sum();
    let work = case.work();
    let bytes = work.bytes as f64 / gpu.bandwidth_gb_s;
    let operations = work.flops as f64 / gpu.fp32_tflops / 1e3;
    let sizes: Vec<String> = row.parameters.values().map(u64::to_string).collect();
    Ok(Some(MeasuredPair {
        problem: format!("{} on {}", ladder, row.gpu),
        name: format!("{}: {} {}", row.gpu, row.kernel, sizes.join(" ")),
        suite: SUITE.to_owned(),
        measured_ns: row.measured_ns,
        predicted_ns: found.iter().map(|one| one.time_ns).sum(),
        interval_ns: [sum(0), sum(1)],
        limiter: found.first().map_or("", |one| one.limiter).to_owned(),
        roofline_ns: bytes.max(operations),
        without: BTreeMap::new(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_times_name_known_gpus_ladders_and_sources() {
        let text = include_str!("../../../../../docs/results/time/others.json");
        let published: Published = serde_json::from_str(text).expect("a valid file");
        for row in &published.rows {
            let known = published.gpus.iter().any(|gpu| gpu.name == row.gpu);
            assert!(known || specs().gpu(&row.gpu).is_some(), "{}", row.gpu);
            let ladder = row.kernel.split('/').next().unwrap_or_default();
            assert!(family(ladder).is_some(), "{}", row.kernel);
            assert!(row.source.len() > 10 && row.measured_ns > 1e3, "{}", row.source);
        }
    }

    #[test]
    fn an_unknown_gpu_is_an_error_that_names_it() {
        let path = std::env::temp_dir().join(format!("others-{}.json", std::process::id()));
        let row = r#"{"gpu": "X9", "kernel": "scan/x", "parameters": {}, "measured_ns": 1, "source": "s"}"#;
        std::fs::write(&path, format!(r#"{{"gpus": [], "rows": [{row}]}}"#)).expect("writable");
        let failure = compare(&path, "").err().map(|failure| format!("{failure:?}"));
        let _ = std::fs::remove_file(&path);
        assert!(failure.is_some_and(|text| text.contains("X9")));
    }
}
