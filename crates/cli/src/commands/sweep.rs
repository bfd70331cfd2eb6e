//! `lanework sweep`: a ladder at several sizes and blocks.

use super::climb::{check_rungs, check_time_limit, failures, how, ran, steps};
use crate::args::SweepArgs;
use crate::failure::Outcome;
use crate::output::{duration, print, print_json, table};
use crate::problem::{find_family, request};
use crate::progress::Progress;
use lanework::{Backend, Device};
use lanework_lab::{ClimbRecord, RungRecord, SweepRecord, points, sweep};

/// Climbs at every point and shows one table: a row per point, a column per rung.
///
/// # Errors
/// As a climb, at any point.
pub fn run(args: &SweepArgs) -> Outcome {
    let family = find_family(&args.ladder)?;
    check_rungs(&family, &args.how.rungs)?;
    let device = Device::open(&args.how.on.device)?;
    check_time_limit(args.how.time_limit, device.backend())?;
    let request = request(&args.how.numbers, device.backend())?;
    let given = &args.problem.0;
    let has = |name: &str| given.iter().any(|(had, _)| *had == name);
    // Where every extent was given, no size is left to vary; and what no chosen rung uses is not varied.
    let mut extents = ["rows", "cols", "m", "n", "k"].into_iter();
    let mut extents = extents.by_ref().filter(|name| family.parameters.contains(name)).peekable();
    let all_given = extents.peek().is_some() && extents.all(has);
    let chosen: Vec<&str> = args.how.rungs.iter().map(String::as_str).collect();
    let used = |name: &'static str| {
        !(all_given && name == "size")
            && family.check_used(&chosen, &request.clone().with(name, 1)).is_ok()
    };
    for (name, values) in given {
        for value in values {
            family.check_used(&chosen, &request.clone().with(name, *value))?;
        }
    }
    let silent = family.sweep.iter().filter(|(name, _)| !has(name) && used(name));
    let mut axes = given.clone();
    axes.extend(silent.map(|(name, values)| (*name, values.to_vec())));
    // Sizes innermost: the scaling of one shape of block reads down the table.
    axes.sort_by_key(|(name, _)| *name == "size");
    let points = points(&request, &axes);
    let record: SweepRecord = {
        let what = format!("sweeping {}", args.ladder);
        let climb = steps(&family, &args.how.rungs);
        let progress = Progress::of(&what, climb * points.len() as u64);
        sweep(&family, &points, &device, &how(&args.how), &mut |what| progress.next(what))?
    };
    if args.how.json {
        print_json(&record)?;
    } else {
        print(&describe(&record, device.backend()))?;
    }
    record.points.iter().try_for_each(failures)?;
    ran(&record.points.iter().collect::<Vec<_>>())
}

/// The sweep in words.
fn describe(record: &SweepRecord, backend: Backend) -> String {
    let Some(first) = record.points.first() else { return String::new() };
    let settings: Vec<&str> = first.settings.keys().copied().collect();
    let host = first.host.is_some();
    let mut header = settings.clone();
    header.push("size");
    header.extend(first.rungs.iter().map(|rung| rung.name));
    header.extend(host.then_some("host"));
    let mut rows = table(&header);
    for point in &record.points {
        let mut row: Vec<String> =
            settings.iter().map(|name| point.settings[name].to_string()).collect();
        row.push(point.size_in_words());
        row.extend(point.rungs.iter().map(|rung| cell(point, rung)));
        row.extend(point.host.as_ref().map(|host| duration(host.median_ns)));
        rows.add_row(row);
    }
    let unit = match backend {
        Backend::Cuda => {
            "Cells: median GPU event time (cold cache), GFLOP/s or GB/s, registers and occupancy;\n\
             host: serial, host clock."
        }
        Backend::Emulator => {
            "Cells: sectors loaded and stored per pair that is needed (optimal: 2.00), shared bank conflicts\n\
             per request, estimated registers (+ spilled bytes) and occupancy. The emulator does not model\n\
             time. `~` marks counts of a sample of blocks; every element was still verified.\n\
             host: serial, host clock."
        }
    };
    format!("{} on {}\n{rows}\n{unit}\n", record.ladder, record.device.name)
}

/// One rung at one point.
fn cell(point: &ClimbRecord, rung: &RungRecord) -> String {
    if let Some(why) = rung.skipped.as_ref() {
        return format!("-\n{why}");
    }
    let taken = match &rung.resources {
        Some(r) if r.spill_bytes > 0 => {
            format!("\n{} r +{} B {:.0}%", r.registers, r.spill_bytes, 100.0 * r.occupancy)
        }
        Some(r) => format!("\n{} r {:.0}%", r.registers, 100.0 * r.occupancy),
        None => String::new(),
    };
    if let Some(time) = &rung.time {
        let rate = match point.work.flops {
            0 => format!("{:.0} GB/s", time.gigabytes_per_second),
            _ => format!("{:.0} GFLOP/s", time.gigaflops_per_second),
        };
        return format!("{}\n{rate}{taken}", duration(time.median_ns));
    }
    let Some(counters) = &rung.counters else { return "NOT VERIFIED".to_owned() };
    let part = rung.sampled.map_or(1.0, |s| s.blocks_counted as f64 / s.blocks as f64);
    let sectors = (counters.global_load.sectors + counters.global_store.sectors) as f64;
    let ideal = point.work.bytes as f64 / 32.0 * part;
    let shared = [&counters.shared_load, &counters.shared_store];
    let requests: u64 = shared.iter().map(|kind| kind.requests).sum();
    let conflicts: u64 = shared.iter().map(|kind| kind.bank_conflicts).sum();
    let mark = if rung.sampled.is_some() { "~" } else { "" };
    let per_request = if requests == 0 { 0.0 } else { conflicts as f64 / requests as f64 };
    format!("{mark}{:.2}\n{per_request:.2}{taken}", 2.0 * sectors / ideal.max(1.0))
}
