//! The rungs of the ladders as lessons: a learner changes the kernel of the rung before until it reaches the goal of the next.

use super::call::{called, checked, counted, goal_json, lesson_run, unknown};
use crate::compiled::{CompiledSource, compiled, refused};
use crate::request::{KernelCall, RequestFailure};
use crate::runs::kernel::{Prepared, prepared};
use lanework_exercises::{Ladder, Rung, ladders};
use serde_json::{Value, json};

/// Instruction limit of a launch.
const STUCK_AFTER: u64 = 200_000_000;

/// The GPU of the predictions.
const GPU: &str = "H200";

/// The rungs with their ideas, sources and launches.
pub fn list() -> Vec<Value> {
    let rungs = |ladder: &'static Ladder| {
        let lesson = move |(at, rung): (usize, &Rung)| {
            let KernelCall { grid, block, shared, arguments, .. } =
                called(&rung.launch(ladder.small));
            let [idea, chinese] = rung.idea();
            json!({
                "name": format!("{}/{}", ladder.name, rung.name),
                "ladder": { "name": ladder.name, "title": ladder.title[0], "zh": ladder.title[1] },
                "experiment": rung.experiment,
                "task": idea,
                "zh": chinese,
                "source": ladder.rungs[at.saturating_sub(1)].source(),
                "solution": rung.source(),
                "hints": [],
                "goals": rung.goals.iter().map(goal_json).collect::<Vec<_>>(),
                "most_us": rung.most_us,
                "gpu": GPU,
                "sizes": [ladder.small, ladder.large],
                "grid": grid,
                "block": block,
                "shared": shared,
                "arguments": arguments,
            })
        };
        ladder.rungs.iter().enumerate().map(lesson)
    };
    ladders().iter().flat_map(rungs).collect()
}

fn find(name: &str) -> Option<(&'static Ladder, &'static Rung)> {
    let (ladder, rung) = name.split_once('/')?;
    let ladder = ladders().iter().find(|one| one.name == ladder)?;
    Some((ladder, ladder.rungs.iter().find(|one| one.name == rung)?))
}

/// Checks a solution: first for findings, then its result, then the goals. `None` if the rung is unknown.
///
/// # Errors
/// If the call does not fit the kernel.
pub fn solve(name: &str, compiled: &CompiledSource) -> Option<Result<Value, RequestFailure>> {
    let (ladder, rung) = find(name)?;
    Some(solved(ladder, rung, compiled))
}

fn solved(
    ladder: &Ladder,
    rung: &Rung,
    compiled: &CompiledSource,
) -> Result<Value, RequestFailure> {
    let call = called(&rung.launch(ladder.small));
    let idea = rung.idea()[0];
    let miss = |why: String, help: &str| json!({ "solved": false, "why": why, "help": help });
    let (after, printed) = match checked(lesson_run(STUCK_AFTER), &call, compiled, idea)? {
        Ok(after) => after,
        Err(miss) => return Ok(miss),
    };
    if let Some(why) = wrong(rung, &call, &after, &printed) {
        return Ok(miss(why, idea));
    }
    let Some(found) = counted(lesson_run(STUCK_AFTER), &call, compiled)? else {
        return Ok(miss("the kernel stopped".to_owned(), idea));
    };
    if let Some(missed) = rung.missed(&found.counters) {
        return Ok(miss(missed.why, missed.help));
    }
    if rung.most_us.is_some() {
        let predicted = predicted(ladder, rung, compiled)?;
        let microseconds = predicted["predicted_ns"].as_f64().map_or(f64::INFINITY, |ns| ns / 1e3);
        if let Some(why) = rung.too_slow(microseconds) {
            return Ok(miss(why, idea));
        }
    }
    Ok(json!({ "solved": true }))
}

/// Predicts the time of a kernel at the ladder's large size.
fn predicted(
    ladder: &Ladder,
    rung: &Rung,
    compiled: &CompiledSource,
) -> Result<Value, RequestFailure> {
    let call = called(&rung.launch(ladder.large));
    prepared(&lesson_run(STUCK_AFTER), &call, compiled)?.predict(&call, &compiled.ptx, GPU)
}

/// Counts a kernel as a rung's launch of the small size, and predicts its time at the large size.
///
/// # Errors
/// If the rung is unknown, the source does not compile, the launch does not fit its kernel, or the kernel stops.
pub fn measured(name: &str, source: &str) -> Result<Value, RequestFailure> {
    let (ladder, rung) = find(name).ok_or_else(|| unknown(name))?;
    let compiled = compiled(source).map_err(|problems| refused(&problems))?;
    let call = called(&rung.launch(ladder.small));
    let Some(profile) = counted(lesson_run(STUCK_AFTER), &call, &compiled)? else {
        return Err(RequestFailure::new("the kernel stopped", "press Check: it names the reason"));
    };
    Ok(json!({ "profile": profile, "prediction": predicted(ladder, rung, &compiled)? }))
}

/// The first difference from the expected result.
fn wrong(rung: &Rung, call: &KernelCall, after: &Prepared, printed: &str) -> Option<String> {
    let buffers = || after.arguments.iter().filter_map(|ready| ready.memory.as_ref());
    let inputs: Vec<Vec<f64>> = buffers()
        .map(|buffer| buffer.values(buffer.before.as_deref().unwrap_or_default()))
        .collect();
    let result = buffers().next_back();
    let result = result.map_or(Vec::new(), |one| one.values(&one.bytes(&after.emulator)));
    let numbers = call.arguments.iter().filter_map(|text| text.parse().ok());
    let numbers: Vec<f64> = numbers.collect();
    rung.expected.differs((&inputs, &numbers), &result, printed)
}
