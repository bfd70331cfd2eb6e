//! `lanework roofline`: a GPU's upper bounds, and how close kernels get.

use crate::args::RooflineArgs;
use crate::commands::devices::with_file;
use crate::problem::{find_family, rejected, request, with_parameters};
use lanework::{Backend, Device};
use lanework_lab::roofline::{
    Ceiling, CeilingRecord, PointRecord, RooflineRecord, counted_points, measure_ceilings, nominal,
    timed_points,
};
use lanework_lab::{ClimbSettings, DeviceRecord, Gpu};
use lanework_terminal::check_time_limit;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{duration, print, print_json, short_count};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{Column, Table, prose, shown};
use std::collections::BTreeMap;
use std::time::Duration;

/// Seconds of sampling of a ceiling or of a rung by default.
const SAMPLING: f64 = 5.0;

/// Measures ceilings on a GPU, or takes the nominal ones, and places the rungs of a ladder under them.
///
/// # Errors
/// Unknown names, shapes that do not fit; a result that is wrong.
pub fn run(args: &RooflineArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    check_time_limit(args.time_limit, device.backend())?;
    let given = args.problem.0.len() + usize::from(args.numbers.element.is_some());
    if args.ladder.is_none() && given > 0 {
        return Err(Failure::input(
            "sizes and types need a ladder, and none is named",
            "name one, such as `lanework roofline sgemm`; `lanework list` shows all",
        ));
    }
    let limit = Duration::from_secs_f64(args.time_limit.unwrap_or(SAMPLING));
    let progress = Progress::new("roofline");
    let mut say = |what: &str| progress.say(what);
    let mut record = match device.backend() {
        Backend::Cuda => measure_ceilings(&device, limit, &mut say)
            .map_err(|why| rejected("the result", &why))?,
        Backend::Emulator => bounds(&device, &gpu_of(args)?),
    };
    if let Some(ladder) = &args.ladder {
        let family = find_family(ladder)?;
        let request = with_parameters(request(&args.numbers, device.backend())?, &args.problem);
        let case = family.case(&request)?;
        record.points = match device.backend() {
            Backend::Cuda => {
                let settings =
                    ClimbSettings { rungs: Vec::new(), seed: request.seed, time_limit: limit };
                timed_points(&family, case.as_ref(), &device, &settings, &mut say)?
            }
            Backend::Emulator => {
                counted_points(&family, case.as_ref(), &device, &gpu_of(args)?, &mut say)
                    .map_err(|why| rejected("the result", &why))?
            }
        };
        record.ladder = Some(ladder.clone());
        let numbers = case.extents().into_iter().chain(case.settings());
        record.problem = numbers.map(|(name, n)| (name.to_owned(), n.to_string())).collect();
    }
    drop(progress);
    match args.json {
        true => print_json(&record),
        false => print(&describe(&record)),
    }
}

/// The GPU whose ceilings bound the counts.
///
/// # Errors
/// If the table has none of this name.
fn gpu_of(args: &RooflineArgs) -> Result<Gpu, Failure> {
    let specs = with_file(args.file.as_deref())?;
    specs.gpu(&args.gpu).cloned().ok_or_else(|| {
        Failure::input(
            format_args!("no GPU called `{}` is known", args.gpu),
            "`lanework gpus` lists those that are; --file adds others",
        )
    })
}

/// The nominal ceilings of a GPU.
fn bounds(device: &Device, gpu: &Gpu) -> RooflineRecord {
    let ceiling = |ceiling: Ceiling| CeilingRecord {
        ceiling,
        unit: ceiling.unit().to_owned(),
        nominal: nominal(ceiling, gpu),
        measured: None,
        skipped: None,
        timed: None,
    };
    RooflineRecord {
        kind: "bound".to_owned(),
        gpu: gpu.name.clone(),
        device: DeviceRecord::of(device),
        source: gpu.source.clone(),
        ceilings: Ceiling::ALL.map(ceiling).into(),
        ladder: None,
        problem: BTreeMap::new(),
        points: Vec::new(),
    }
}

/// The roofline as text.
fn describe(record: &RooflineRecord) -> String {
    let measured = record.kind == "measured";
    let mut ceilings = Table::new([
        Column::name("ceiling"),
        Column::label("unit"),
        Column::number("nominal"),
        Column::number("measured"),
        Column::number("part").rank(2),
    ]);
    for found in &record.ceilings {
        let number =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
        let part = found.measured.zip(found.nominal);
        ceilings.row([
            found.ceiling.words().to_owned(),
            found.unit.clone(),
            number(found.nominal),
            number(found.measured),
            part.map_or(String::new(), |(is, of)| format!("{:.0} %", 100.0 * is / of)),
        ]);
    }
    let mut text = format!("Ceilings of {}\n", record.gpu);
    text.push_str(&shown(&ceilings));
    text.push_str(&prose(&format!("Nominal: {}.", record.source)));
    for found in &record.ceilings {
        if let Some(why) = &found.skipped {
            text.push_str(&format!("{}: skipped: {why}\n", found.ceiling.words()));
        }
        if let Some(why) = found.timed.as_ref().and_then(|timed| timed.invalid.as_ref()) {
            text.push_str(&format!("{}: INVALID: {why}\n", found.ceiling.words()));
        }
    }
    if let Some(ladder) = &record.ladder {
        let rows = if measured { timed_rows(&record.points) } else { counted_rows(&record.points) };
        text.push_str(&format!("\n{ladder} under the roofline of {}\n", record.gpu));
        text.push_str(&rows);
    }
    if !measured {
        text.push_str(&prose(
            "The emulator does not model time: `least time` is a bound, which no run on this GPU can beat. `uncached` \
             is the time if every counted sector came from memory; caches make it less.",
        ));
    }
    text
}

/// Points by their times.
fn timed_rows(points: &[PointRecord]) -> String {
    let mut rows = Table::new([
        Column::name("rung"),
        Column::number("flop/byte").rank(2),
        Column::number("median"),
        Column::number("GFLOP/s"),
        Column::number("GB/s"),
        Column::number("least time").rank(1),
        Column::number("of it"),
        Column::label("by").rank(3),
    ]);
    for point in points {
        let number =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
        rows.row([
            point.name.clone(),
            format!("{:.2}", point.intensity),
            point.median_ns.map_or("-".to_owned(), duration),
            number(point.gigaflops_per_second),
            number(point.gigabytes_per_second),
            duration(point.bound_ns),
            point.of_bound.map_or("INVALID".to_owned(), |part| format!("{:.0} %", 100.0 * part)),
            point.bound_by.clone(),
        ]);
    }
    let note =
        "least time: by the nominal ceilings; of it: the least time divided by the measured time.";
    shown(&rows) + &prose(note)
}

/// Points by their counts.
fn counted_rows(points: &[PointRecord]) -> String {
    let mut rows = Table::new([
        Column::name("rung"),
        Column::number("flop/byte").rank(2),
        Column::number("flops").rank(1),
        Column::number("bytes").rank(1),
        Column::number("least time"),
        Column::label("by").rank(3),
        Column::number("uncached"),
    ]);
    for point in points {
        let count = |value: Option<u64>| value.map_or("-".to_owned(), |n| short_count(n as f64));
        rows.row([
            point.name.clone(),
            format!("{:.2}", point.intensity),
            count(point.flops),
            count(point.sector_bytes),
            duration(point.bound_ns),
            point.bound_by.clone(),
            point.uncached_ns.map_or("-".to_owned(), duration),
        ]);
    }
    shown(&rows)
}
