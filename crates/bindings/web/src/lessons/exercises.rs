//! The exercises as lessons of the page, with checks of solutions.

use super::call::{called, checked, counted, goal_json, lesson_run};
use crate::compiled::CompiledSource;
use crate::request::{KernelCall, RequestFailure};
use crate::runs::kernel::Prepared;
use lanework_exercises::{Exercise, all};
use serde_json::{Value, json};

/// Instruction limit: a solution that exceeds it counts as an endless loop.
const STUCK_AFTER: u64 = 20_000_000;

/// The exercises with their sources and launches.
pub fn list() -> Vec<Value> {
    let lesson = |one: &Exercise| {
        let KernelCall { grid, block, shared, arguments, .. } = called(one.launch);
        json!({
            "name": one.title,
            "task": one.task,
            "source": one.source,
            "hints": one.hints,
            "goals": one.goal.iter().map(goal_json).collect::<Vec<_>>(),
            "grid": grid,
            "block": block,
            "shared": shared,
            "arguments": arguments,
        })
    };
    all().iter().map(lesson).collect()
}

/// Checks a solution: first for findings, then its result, then the goal. `None` if the exercise is unknown.
///
/// # Errors
/// If the call does not fit the kernel.
pub fn solve(name: &str, compiled: &CompiledSource) -> Option<Result<Value, RequestFailure>> {
    let exercises = all();
    let exercise = exercises.iter().find(|one| one.title == name)?;
    Some(solved(exercise, compiled))
}

fn solved(exercise: &Exercise, compiled: &CompiledSource) -> Result<Value, RequestFailure> {
    let call = called(exercise.launch);
    let miss = |why: String, help: &str| json!({ "solved": false, "why": why, "help": help });
    let run = lesson_run(STUCK_AFTER);
    let after = match checked(run, &call, compiled, exercise.hints[0])? {
        Ok((after, _)) => after,
        Err(miss) => return Ok(miss),
    };
    if let Some(why) = wrong(exercise, &after) {
        // The hints are about the original kernel's flaw, but this kernel computes a different result.
        return Ok(miss(why, exercise.task));
    }
    if exercise.goal.is_some() || !exercise.lesson.is_empty() {
        let Some(found) = counted(lesson_run(STUCK_AFTER), &call, compiled)? else {
            return Ok(miss("the kernel stopped".to_owned(), exercise.hints[0]));
        };
        if let Some(missed) = exercise.missed(&found.counters) {
            return Ok(miss(missed.why, missed.help));
        }
    }
    Ok(json!({ "solved": true }))
}

/// The first wrong element of the result.
fn wrong(exercise: &Exercise, after: &Prepared) -> Option<String> {
    let buffers = || after.arguments.iter().filter_map(|ready| ready.memory.as_ref());
    let floats = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
    let inputs: Vec<Vec<f32>> = buffers()
        .map(|buffer| floats(buffer.values(buffer.before.as_deref().unwrap_or_default())))
        .collect();
    let result = buffers().next_back()?;
    let got: Vec<f32> = floats(result.values(&result.bytes(&after.emulator)));
    let want = (exercise.expected)(&inputs);
    let differs =
        |(got, want): (&f32, &f32)| (got - want).abs() > 1e-4 * want.abs().max(1.0) || got.is_nan();
    let index = got.iter().zip(&want).position(differs)?;
    Some(format!("element {index} of the result is {}, should be {}", got[index], want[index]))
}
