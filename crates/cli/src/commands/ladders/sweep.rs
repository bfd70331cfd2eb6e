//! `lanework sweep`: a ladder at every combination of sizes, blocks, tiles and element types.

use super::climb::{check_rungs, settings, steps};
use crate::args::SweepArgs;
use crate::problem::{elements, find_family, nothing_runs, untyped_request};
use crate::saving::{Missing, Plan, Point, RunKind, Saving, json_of};
use crate::tables::points::{Climb, Without, describe};
use lanework::{Backend, Device};
use lanework_lab::{
    Attempt, DeviceRecord, Family, Request, attempt, impossible, points, with_elements,
};
use lanework_terminal::check_time_limit;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{note, print, print_json};
use lanework_terminal::progress::Progress;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Climbs at every point that is possible and shows one table: a row per kernel and point.
///
/// # Errors
/// If no point is possible, the store fails, or a rung at some point was not verified.
pub fn run(args: &SweepArgs) -> Outcome {
    let family = find_family(&args.ladder)?;
    check_rungs(&family, &args.options.rungs)?;
    let device = Device::open(&args.options.on.device)?;
    check_time_limit(args.options.time_limit, device.backend())?;
    let points = all_points(args, &family, device.backend())?;
    let refused = points.iter().map(|point| impossible(&family, point, &device));
    let refused: Vec<Option<lanework::Error>> = refused.collect();
    if refused.iter().all(Option::is_some) {
        return refused.into_iter().flatten().next().map_or(Ok(()), |why| Err(why.into()));
    }
    let record = DeviceRecord::of(&device);
    let plan = Plan {
        kind: RunKind::Sweep,
        request: identity(args, &points),
        points: points.len(),
        device: &record,
    };
    let (mut saving, mut found) = open(args, &plan)?;
    {
        let left =
            |(position, why): &(usize, &Option<_>)| why.is_none() && !found.contains_key(position);
        let left = refused.iter().enumerate().filter(left).count() as u64;
        let what = format!("sweeping {}", args.ladder);
        let progress = Progress::of(&what, left * steps(&family, &args.options.rungs));
        for (position, point) in points.iter().enumerate() {
            if found.contains_key(&position) {
                continue;
            }
            let mut say = |what: &str| progress.next(what);
            let became = attempt(&family, point, &device, &settings(&args.options), &mut say);
            let without =
                |reason, why: lanework::Error| (reason, why.to_string(), point.in_words());
            let (reason, why, problem) = match became {
                Attempt::Done(climb) => {
                    if let Some(saving) = &mut saving {
                        saving.add(position, &Point::Climb(&climb))?;
                    }
                    found.insert(position, PointResult::Climb(json_of(&climb)?));
                    continue;
                }
                Attempt::Impossible(why) => without(Missing::Skipped, why),
                Attempt::Failed(why) => without(Missing::Failed, why),
            };
            if let Some(saving) = &mut saving {
                let point = Point::Missing { reason, why: &why, problem: &problem };
                saving.add(position, &point)?;
            }
            found.insert(
                position,
                PointResult::Without(SkippedJson { problem, outcome: reason.name(), why }),
            );
        }
    }
    let run = saving.as_ref().map(|saving| saving.run());
    if let Some(saving) = saving {
        saving.finish(&args.options.save)?;
    }
    show(args, record, run, found.into_values().collect())
}

/// The outcome of a point.
enum PointResult {
    Climb(Value),
    Without(SkippedJson),
}

/// A point without a result, in JSON.
#[derive(Serialize)]
struct SkippedJson {
    problem: BTreeMap<String, String>,
    outcome: &'static str,
    why: String,
}

/// Prints the results.
///
/// # Errors
/// If rungs were not verified, a point failed, or every rung was skipped.
fn show(
    args: &SweepArgs,
    device: DeviceRecord,
    run: Option<i64>,
    found: Vec<PointResult>,
) -> Outcome {
    #[derive(Serialize)]
    struct SweepJson<'a> {
        ladder: &'a str,
        device: &'a DeviceRecord,
        /// The number in the store.
        run: Option<i64>,
        points: Vec<Value>,
        skipped: Vec<SkippedJson>,
    }
    let (mut points, mut skipped) = (Vec::new(), Vec::new());
    for found in found {
        match found {
            PointResult::Climb(record) => points.push(record),
            PointResult::Without(point) => skipped.push(point),
        }
    }
    let climbs: Vec<Climb> = points.iter().filter_map(Climb::of).collect();
    let failed: Vec<String> = skipped
        .iter()
        .filter(|point| point.outcome == "failed")
        .map(|point| point.why.clone())
        .collect();
    if args.options.json {
        print_json(&SweepJson { ladder: &args.ladder, device: &device, run, points, skipped })?;
    } else {
        let of = |SkippedJson { problem, outcome, why }| Without { problem, outcome, why };
        let without: Vec<Without> = skipped.into_iter().map(of).collect();
        print(&format!("{} on {}\n{}", args.ladder, device.name, describe(&climbs, &without)))?;
    }
    let wrong: Vec<String> = climbs.iter().flat_map(Climb::wrong).collect();
    if !wrong.is_empty() {
        let text = format!("{} rungs were not verified\n{}", wrong.len(), wrong.join("\n"));
        return Err(Failure::Check(text));
    }
    if !failed.is_empty() {
        return Err(Failure::Check(format!(
            "{} points failed\n  {}",
            failed.len(),
            failed.join("\n  ")
        )));
    }
    match climbs.iter().any(Climb::ran) {
        true => Ok(()),
        false => climbs
            .iter()
            .flat_map(Climb::skips)
            .next()
            .map_or(Ok(()), |why| Err(nothing_runs(&why))),
    }
}

/// All points: the given axes, and the ladder's default axes for the others.
///
/// # Errors
/// Unknown element types; axes that no chosen rung uses.
fn all_points(
    args: &SweepArgs,
    family: &Family,
    backend: Backend,
) -> Result<Vec<Request>, Failure> {
    let elements = elements(&args.options.numbers)?;
    let request = untyped_request(&args.options.numbers, backend);
    let given = &args.problem.0;
    let has = |name: &str| given.iter().any(|(had, _)| *had == name);
    // If every extent is given, the size does not vary; axes that no chosen rung uses do not vary
    // either.
    let mut extents = ["rows", "cols", "m", "n", "k"].into_iter();
    let mut extents = extents.by_ref().filter(|name| family.parameters.contains(name)).peekable();
    let all_given = extents.peek().is_some() && extents.all(has);
    let chosen: Vec<&str> = args.options.rungs.iter().map(String::as_str).collect();
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
    Ok(with_elements(points(&request, &axes), &elements))
}

/// Everything that determines the results of a sweep.
fn identity(args: &SweepArgs, points: &[Request]) -> Value {
    let points: Vec<_> = points.iter().map(Request::in_words).collect();
    json!({
        "ladder": args.ladder, "points": points, "rungs": args.options.rungs, "time_limit": args.options.time_limit,
    })
}

/// The run that is stored, with the points that it has already.
///
/// # Errors
/// If the store fails, or nothing can be resumed.
fn open(
    args: &SweepArgs,
    plan: &Plan<'_>,
) -> Result<(Option<Saving>, BTreeMap<usize, PointResult>), Failure> {
    let mut found = BTreeMap::new();
    let save = args.options.save.with(args.resume);
    let Some(store) = save.open()? else { return Ok((None, found)) };
    let saving = match (Saving::resume(store, plan)?, args.resume) {
        (Ok((saving, points)), true) => {
            for point in points {
                let without = |why| {
                    PointResult::Without(SkippedJson {
                        problem: point.problem,
                        outcome: point.outcome,
                        why,
                    })
                };
                found.insert(
                    point.position,
                    match point.why {
                        Some(why) => without(why),
                        None => PointResult::Climb(point.record),
                    },
                );
            }
            let (run, done, all) = (saving.run(), found.len(), plan.points);
            note(&format!("note: resuming run {run}: {done} of {all} points done"));
            saving
        }
        (Ok((saving, points)), false) => {
            let (run, done, all) = (saving.run(), points.len(), plan.points);
            note(&format!(
                "note: run {run} of the same sweep is incomplete, {done} of {all} points done: --resume continues it"
            ));
            Saving::begin(saving.into_store(), plan)?
        }
        (Err(store), false) => Saving::begin(store, plan)?,
        (Err(store), true) => {
            return Err(Failure::input(
                format_args!("no interrupted run of this sweep in {}", store.path().display()),
                "use --save instead of --resume to start a run; a run resumes only with the same points, rungs, device and version",
            ));
        }
    };
    Ok((Some(saving), found))
}

#[cfg(test)]
mod tests {
    use lanework_lab::PARAMETERS;

    #[test]
    fn every_axis_that_is_swept_silently_is_a_parameter() {
        for family in lanework_lab::families() {
            for (name, values) in family.sweep {
                assert!(PARAMETERS.iter().any(|parameter| parameter.name == *name), "{name}");
                assert!(!values.is_empty(), "{name}");
            }
        }
    }
}
