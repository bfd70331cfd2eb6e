//! `lanework-lab predict-check`: compares predicted times with the measured ladders of a GPU.

use crate::args::PredictCheckArgs;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework::{Backend, Device};
use lanework_lab::{ELEMENT_TYPES, PARAMETERS, Request, family, specs};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::print;
use serde_json::Value;
use std::time::Instant;

/// Compares.
///
/// # Errors
/// If a stored result cannot be read.
pub fn run(args: &PredictCheckArgs) -> Outcome {
    let gpu = specs().gpu(&args.gpu).ok_or_else(|| {
        Failure::input(format_args!("unknown GPU {}", args.gpu), "`lanework gpus` lists them")
    })?;
    let model = GpuModel::new(gpu);
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
            check_ladder(args, &model, ladder, &stored, rungs)?;
        }
    }
    Ok(())
}

fn check_ladder(
    args: &PredictCheckArgs,
    model: &GpuModel,
    ladder: &str,
    stored: &Value,
    rungs: &[Value],
) -> Outcome {
    let Some(family) = family(ladder) else { return Ok(()) };
    let name = |rung: &Value| format!("{ladder}/{}", rung["name"].as_str().unwrap_or_default());
    if !rungs.iter().any(|rung| name(rung).contains(&args.only)) {
        return Ok(());
    }
    let mut request = Request::new(Backend::Emulator);
    let wanted = stored["element"].as_str().unwrap_or_default();
    request.element = ELEMENT_TYPES.into_iter().find(|element| element.name == wanted);
    let extents = stored["extents"].as_array().into_iter().flatten();
    let sizes = stored["size"].as_array().into_iter().flatten();
    let one = stored["extents"].as_array().is_some_and(|extents| extents.len() == 1);
    let pairs: Vec<(&'static str, u64)> = extents
        .zip(sizes)
        .filter_map(|(extent, size)| {
            let known = |name: &str| PARAMETERS.iter().find(|known| known.name == name);
            let extent = extent.as_str()?;
            let name = if one { "size" } else { extent };
            Some((known(name).or_else(|| known("size"))?.name, size.as_u64()?))
        })
        .collect();
    for (extent, size) in pairs {
        request = request.with(extent, size);
    }
    if let Some(block) = stored["block"].as_u64() {
        request = request.with("block", block);
    }
    let device = Device::emulator();
    let case = family.case(&request)?;
    for rung in rungs.iter().filter(|rung| name(rung).contains(&args.only)) {
        let Some(measured) = rung["time"]["median_ns"].as_f64() else { continue };
        let of_rung = rung["name"].as_str().unwrap_or_default();
        if case.skips(of_rung, &device).is_some() {
            continue;
        }
        let protocol = match rung["time"]["timer"].as_str() {
            Some("events") => Protocol::Events,
            _ => Protocol::Rotated,
        };
        let Ok(mut trial) = case.trial(of_rung, &device) else { continue };
        let started = Instant::now();
        let traces = trial.job().and_then(|mut job| job.time_traces(Effort::default()));
        let traced = started.elapsed();
        let traces = match traces {
            Ok(traces) => traces,
            Err(error) => {
                print(&format!("{}: {error}\n", name(rung)))?;
                continue;
            }
        };
        let found: Vec<_> = traces.iter().map(|trace| predict(trace, model, protocol)).collect();
        let all = started.elapsed();
        let time: f64 = found.iter().map(|one| one.time_ns).sum();
        let Some(first) = found.first() else { continue };
        print(&format!(
            "{:40} {:12.2} {:12.2} {:6.3} {:20} {:5.2} reg {} {} res {} waves {:.1} mb {:.1} {:.1} {:.2}+{:.2}s {}\n",
            name(rung),
            measured / 1e3,
            time / 1e3,
            time / measured,
            first.limiter,
            first.use_of_limiter,
            rung["resources"]["registers"],
            traces[0].registers,
            first.resident.0,
            first.waves,
            first.memory_bytes[0] / 1e6,
            first.memory_bytes[1] / 1e6,
            traced.as_secs_f64(),
            (all - traced).as_secs_f64(),
            found.len(),
        ))?;
    }
    Ok(())
}
