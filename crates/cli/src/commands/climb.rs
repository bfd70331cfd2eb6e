//! `lanework climb`: a ladder from the bottom up.

use crate::Outcome;
use crate::args::{ClimbArgs, Climbing};
use crate::failure::Failure;
use crate::output::{Spinner, duration, print, print_json, table, thousands};
use crate::suggest::{check_rung, find_element, find_ladder};
use lanework::{Backend, Device};
use lanework_lab::{ClimbRecord, ClimbRequest, Matrix, RungRecord, climb_transpose};
use std::time::Duration;

/// Climbs a ladder and shows what each rung does.
///
/// # Errors
/// Unknown names, shapes that do not fit, a device that is not there; and when a rung was wrong.
pub fn run(args: &ClimbArgs) -> Outcome {
    let size = args.size.unwrap_or(1024);
    let matrix = Matrix {
        rows: args.rows.unwrap_or(size),
        cols: args.cols.unwrap_or(size),
        block: args.block,
    };
    let request = request(&args.ladder, matrix, &args.how)?;
    let device = Device::open(&args.how.on.device)?;
    let record = {
        let spinner = Spinner::new("climbing");
        climb_transpose(&device, &request, &mut |what| spinner.say(what))?
    };
    if args.how.json {
        print_json(&record)?;
    } else {
        print(&describe(&record, device.backend()))?;
    }
    failures(&record)
}

/// The request that the options make, once the names in them are known to exist.
///
/// # Errors
/// Unknown ladders, rungs and element types, with the nearest names.
pub fn request(ladder: &str, matrix: Matrix, how: &Climbing) -> Result<ClimbRequest, Failure> {
    let ladder = find_ladder(ladder)?;
    how.rungs.iter().try_for_each(|rung| check_rung(&ladder, rung))?;
    Ok(ClimbRequest {
        matrix,
        element: find_element(&how.element)?,
        seed: how.seed,
        rungs: how.rungs.clone(),
        time_limit: Duration::from_secs_f64(how.time_limit),
    })
}

/// The failure of a climb in which a rung was not verified.
///
/// # Errors
/// The names of the rungs and what was wrong.
pub fn failures(record: &ClimbRecord) -> Outcome {
    let wrong = |rung: &RungRecord| Some(format!("  {}: {}", rung.name, rung.error.as_deref()?));
    let wrong: Vec<String> = record.rungs.iter().filter_map(wrong).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("{} rungs were not verified\n{}", wrong.len(), wrong.join("\n"))))
}

/// The climb in words.
fn describe(record: &ClimbRecord, backend: Backend) -> String {
    let [rows, cols] = record.size;
    let mut text = format!(
        "{} of {rows}x{cols} {} on {} (driver {}), blocks of {block}x{block}, seed {}\n",
        record.ladder,
        record.element,
        record.device.name,
        record.device.driver,
        record.seed,
        block = record.block,
    );
    text.push_str(&match backend {
        Backend::Emulator => counted(record),
        Backend::Cuda => timed(record),
    });
    text.push_str(&format!(
        "\nhost (B7): {} serially, median of {}, host clock\n",
        duration(record.host.median_ns),
        record.host.samples
    ));
    text
}

/// The table of counts.
fn counted(record: &ClimbRecord) -> String {
    let mut rows = table(&[
        "rung",
        "exp.",
        "verified",
        "sectors/load",
        "sectors/store",
        "bank conflicts",
        "warp instructions",
    ]);
    for rung in &record.rungs {
        let Some(counters) = &rung.counters else {
            rows.add_row([rung.name, rung.experiment, "NO"]);
            continue;
        };
        rows.add_row([
            rung.name.to_owned(),
            rung.experiment.to_owned(),
            "bit-exact".to_owned(),
            format!("{:.2}", counters.global_load.sectors_per_request()),
            format!("{:.2}", counters.global_store.sectors_per_request()),
            thousands(counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts),
            thousands(counters.warp_instructions),
        ]);
    }
    let mut text = format!("{rows}\n");
    if let Some(sample) = record.rungs.iter().find_map(|rung| rung.sampled) {
        text.push_str(&format!(
            "Counts are of a sample of blocks ({} of {} for the first such rung); every element was verified.\n",
            thousands(sample.blocks_counted),
            thousands(sample.blocks)
        ));
    }
    text.push_str(
        "Counts by the emulator, which has no time. sectors/load, sectors/store: 32-byte sectors per\n\
         warp request to global memory; bank conflicts: extra passes through shared memory.\n",
    );
    for rung in &record.rungs {
        if let Some(reason) = &rung.reason {
            text.push_str(&format!("  {:<11} {reason}\n", rung.name));
        }
    }
    text
}

/// The table of times.
fn timed(record: &ClimbRecord) -> String {
    let mut rows =
        table(&["rung", "exp.", "verified", "median", "95 % interval", "GB/s", "vs rung before"]);
    for rung in &record.rungs {
        let Some(time) = &rung.time else {
            rows.add_row([rung.name, rung.experiment, "NO"]);
            continue;
        };
        let speed = match &time.invalid {
            Some(_) => "INVALID".to_owned(),
            None => format!("{:.0}", time.gigabytes_per_second),
        };
        rows.add_row([
            rung.name.to_owned(),
            rung.experiment.to_owned(),
            "bit-exact".to_owned(),
            duration(time.median_ns),
            format!("{} .. {}", duration(time.interval_ns[0]), duration(time.interval_ns[1])),
            speed,
            rung.speedup.map_or(String::new(), |ratio| format!("{ratio:.2}x")),
        ]);
    }
    let mut text = format!("{rows}\n");
    for rung in &record.rungs {
        if let Some(why) = rung.time.as_ref().and_then(|time| time.invalid.as_ref()) {
            text.push_str(&format!("{}: INVALID: {why}\n", rung.name));
        }
    }
    text.push_str(
        "GPU event time, cold cache; GB/s counts each element read once and written once.\n",
    );
    text
}
