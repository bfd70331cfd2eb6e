//! `lanework climb`: a ladder from the bottom up.

use crate::args::{ClimbArgs, ClimbOptions};
use crate::problem::{
    check_rung, find_family, nothing_runs, read_arrays, request, with_parameters,
};
use crate::saving::{Plan, Point, RunKind, Saving};
use crate::tables;
use lanework::Device;
use lanework_lab::{ClimbRecord, ClimbSettings, DeviceRecord, Family, RungRecord, climb, families};
use lanework_ladders::RungInfo;
use lanework_terminal::arguments::check_time_limit;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use serde_json::json;
use std::time::Duration;

/// Climbs a ladder, or all of them, and shows the counts or times of each rung.
///
/// # Errors
/// Unknown names, shapes that do not fit, an unknown device, or a wrong result of a rung.
pub fn run(args: &ClimbArgs) -> Outcome {
    if let Some(count) = args.gpus {
        return Err(Failure::input(
            format_args!("--gpus {count} is for the ladder multi-gpu"),
            "remove --gpus, or climb multi-gpu",
        ));
    }
    let families = match &args.ladder {
        Some(name) => vec![find_family(name)?],
        None => families(),
    };
    let own = args.arrays.given().count() + args.problem.0.len() + args.options.rungs.len();
    if args.all && own + usize::from(args.options.numbers.element.is_some()) > 0 {
        return Err(Failure::input(
            "--all climbs every ladder on its default problem",
            "name a ladder to choose sizes, types, arrays and rungs",
        ));
    }
    families.iter().try_for_each(|family| check_rungs(family, &args.options.rungs))?;
    let device = Device::open(&args.options.on.device)?;
    check_time_limit(args.options.time_limit, device.backend())?;
    let mut request =
        with_parameters(request(&args.options.numbers, device.backend())?, &args.problem);
    let chosen: Vec<&str> = args.options.rungs.iter().map(String::as_str).collect();
    for family in &families {
        read_arrays(&mut request, &args.arrays, family)?;
        family.check_used(&chosen, &request)?;
    }
    let device_record = DeviceRecord::of(&device);
    let plan = Plan {
        kind: RunKind::Climb,
        request: json!({"ladder": args.ladder, "problem": request.in_words(), "rungs": args.options.rungs}),
        points: families.len(),
        device: &device_record,
    };
    let mut saving =
        args.options.save.open()?.map(|store| Saving::begin(store, &plan)).transpose()?;
    let mut records = Vec::new();
    for (position, family) in families.iter().enumerate() {
        let case = family.case(&request)?;
        let record = {
            let what = format!("climbing {}", (family.ladder)().name);
            let progress = Progress::of(&what, steps(family, &args.options.rungs));
            let mut next = |rung: &str| progress.next(rung);
            climb(family, case.as_ref(), &device, &settings(&args.options), &mut next)?
        };
        if let Some(saving) = &mut saving {
            saving.add(position, &Point::Climb(&record))?;
        }
        if !args.options.json {
            print(&tables::describe(&record, device.backend()))?;
        }
        records.push(record);
    }
    if let Some(saving) = saving {
        saving.finish(&args.options.save)?;
    }
    match (args.options.json, records.as_slice()) {
        (false, _) => {}
        (true, [record]) if !args.all => print_json(record)?,
        (true, records) => print_json(&records)?,
    }
    records.iter().try_for_each(|record| failures(record).and(ran(&[record])))
}

/// Steps of a climb: the host's, and each rung that was chosen.
pub fn steps(family: &Family, rungs: &[String]) -> u64 {
    let chosen = |rung: &&RungInfo| rungs.is_empty() || rungs.iter().any(|name| name == rung.name);
    1 + family.with_peer().rungs.iter().filter(chosen).count() as u64
}

/// Seconds of sampling of a rung by default.
const SAMPLING: f64 = 15.0;

/// The settings of a climb from its options.
pub fn settings(options: &ClimbOptions) -> ClimbSettings {
    ClimbSettings {
        rungs: options.rungs.clone(),
        seed: options.numbers.seed.unwrap_or(1),
        time_limit: Duration::from_secs_f64(options.time_limit.unwrap_or(SAMPLING)),
    }
}

/// Checks that the ladder of `family` has these rungs.
///
/// # Errors
/// If it has not, with the nearest names.
pub fn check_rungs(family: &Family, rungs: &[String]) -> Outcome {
    let ladder = family.with_peer();
    rungs.iter().try_for_each(|rung| check_rung(&ladder, rung))
}

/// Checks that some rung ran at one point at least.
///
/// # Errors
/// If all were skipped, with the reason of the first.
pub fn ran(points: &[&ClimbRecord]) -> Outcome {
    let skipped =
        |rung: &RungRecord| Some(format!("{} is skipped: {}", rung.name, rung.skipped.as_ref()?));
    if points.iter().flat_map(|point| &point.rungs).any(|rung| rung.skipped.is_none()) {
        return Ok(());
    }
    let of_rungs = points.iter().flat_map(|point| &point.rungs).find_map(skipped);
    let mut peers = points.iter().flat_map(|point| &point.skipped_peers);
    let of_peers = || peers.next().map(|(name, why)| format!("{name} is skipped: {why}"));
    of_rungs.or_else(of_peers).map_or(Ok(()), |why| Err(nothing_runs(&why)))
}

/// The failure of a climb in which a rung was not verified.
///
/// # Errors
/// The names of the rungs and their errors.
pub fn failures(record: &ClimbRecord) -> Outcome {
    let wrong = |rung: &RungRecord| Some(format!("  {}: {}", rung.name, rung.error.as_deref()?));
    let wrong: Vec<String> = record.rungs.iter().filter_map(wrong).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::Check(format!("{} rungs were not verified\n{}", wrong.len(), wrong.join("\n"))))
}
