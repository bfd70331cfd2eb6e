//! `lanework sweep`: a ladder at several sizes and blocks (B8, B9).

use super::climb::{failures, request};
use crate::Outcome;
use crate::args::SweepArgs;
use crate::output::{Spinner, duration, print, print_json, table};
use lanework::{Backend, Device};
use lanework_lab::{ClimbRecord, Matrix, RungRecord, SweepRecord, SweepRequest, sweep_transpose};

/// Climbs at every point and shows one table: a row per block and size, a column per rung.
///
/// # Errors
/// As a climb, at any point.
pub fn run(args: &SweepArgs) -> Outcome {
    let anywhere = Matrix { rows: 1, cols: 1, block: 1 };
    let request = SweepRequest {
        sizes: args.size.clone(),
        blocks: args.block.clone(),
        climb: request(&args.ladder, anywhere, &args.how)?,
    };
    let device = Device::open(&args.how.on.device)?;
    let record: SweepRecord = {
        let spinner = Spinner::new("sweeping");
        sweep_transpose(&device, &request, &mut |what| spinner.say(what))?
    };
    if args.how.json {
        print_json(&record)?;
    } else {
        print(&describe(&record, device.backend()))?;
    }
    record.points.iter().try_for_each(failures)
}

/// The sweep in words.
fn describe(record: &SweepRecord, backend: Backend) -> String {
    let names: Vec<&str> =
        record.points.iter().take(1).flat_map(|p| &p.rungs).map(|r| r.name).collect();
    let mut header = vec!["block", "size"];
    header.extend(&names);
    header.push("host");
    let mut rows = table(&header);
    for point in &record.points {
        let mut row = vec![point.block.to_string(), point.size[0].to_string()];
        row.extend(point.rungs.iter().map(|rung| cell(point, rung)));
        row.push(duration(point.host.median_ns));
        rows.add_row(row);
    }
    let unit = match backend {
        Backend::Cuda => {
            "Cells: median GPU event time (cold cache) and GB/s; host: serial, host clock."
        }
        Backend::Emulator => {
            "Cells: sectors loaded and stored for each pair that is needed (2.00 is ideal), and shared\n\
             bank conflicts per request. The emulator has no time. `~` marks counts of a sample of\n\
             blocks; every element was verified all the same. host: serial, host clock."
        }
    };
    format!("{} on {}\n{rows}\n{unit}\n", record.ladder, record.device.name)
}

/// One rung at one point.
fn cell(point: &ClimbRecord, rung: &RungRecord) -> String {
    if let Some(time) = &rung.time {
        return format!("{}\n{:.0} GB/s", duration(time.median_ns), time.gigabytes_per_second);
    }
    let Some(counters) = &rung.counters else { return "NOT VERIFIED".to_owned() };
    let part = rung.sampled.map_or(1.0, |s| s.blocks_counted as f64 / s.blocks as f64);
    let sectors = (counters.global_load.sectors + counters.global_store.sectors) as f64;
    let ideal = point.bytes as f64 / 32.0 * part;
    let shared = [&counters.shared_load, &counters.shared_store];
    let requests: u64 = shared.iter().map(|kind| kind.requests).sum();
    let conflicts: u64 = shared.iter().map(|kind| kind.bank_conflicts).sum();
    let mark = if rung.sampled.is_some() { "~" } else { "" };
    let per_request = if requests == 0 { 0.0 } else { conflicts as f64 / requests as f64 };
    format!("{mark}{:.2}\n{per_request:.2}", 2.0 * sectors / ideal)
}
