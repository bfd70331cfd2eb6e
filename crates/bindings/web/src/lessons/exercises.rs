//! The exercises as lessons of the page, with checks of solutions.

use crate::compiled::{compiled, refused};
use crate::request::{KernelCall, RequestFailure, RunRequest};
use crate::runs::kernel::{Prepared, prepared};
use crate::watch::findings::{fault_json, report_json};
use crate::watch::measure::Measuring;
use lanework_exercises::{Exercise, all};
use serde_json::{Value, json};

/// Instruction limit: a solution that exceeds it counts as an endless loop.
const STUCK_AFTER: u64 = 20_000_000;

/// The lessons with their sources and launches.
pub fn list() -> Value {
    let lesson = |one: &Exercise| {
        let call = call(one);
        json!({
            "name": one.title,
            "task": one.task,
            "source": one.source,
            "hints": one.hints,
            "goal": one.goal.map(|goal| json!({ "name": goal.name, "most": goal.most })),
            "grid": call.grid,
            "block": call.block,
            "arguments": call.arguments,
        })
    };
    Value::Array(all().iter().map(lesson).collect())
}

/// Parses extents such as `2x8`.
fn extents(text: &str) -> [u32; 3] {
    let mut found = [1; 3];
    for (to, text) in found.iter_mut().zip(text.split('x')) {
        *to = text.parse().unwrap_or(1);
    }
    found
}

/// The launch of an exercise.
fn call(exercise: &Exercise) -> KernelCall {
    let mut call = KernelCall {
        entry: String::new(),
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        arguments: Vec::new(),
    };
    let mut words = exercise.launch.split(' ');
    while let Some(word) = words.next() {
        match word {
            "--grid" => call.grid = extents(words.next().unwrap_or_default()),
            "--block" => call.block = extents(words.next().unwrap_or_default()),
            argument => call.arguments.push(argument.to_owned()),
        }
    }
    call
}

/// Checks a solution: first for findings, then its result, then the goal.
///
/// # Errors
/// If the lesson is unknown, or the source does not compile.
pub fn solve(name: &str, source: &str) -> Result<Value, RequestFailure> {
    let exercises = all();
    let Some(exercise) = exercises.iter().find(|one| one.title == name) else {
        let names: Vec<&str> = exercises.iter().map(|one| one.title).collect();
        return Err(RequestFailure::new(format!("there is no lesson `{name}`"), names.join(", ")));
    };
    let compiled = compiled(source).map_err(|problems| refused(&problems))?;
    let call = call(exercise);
    let mut run = RunRequest {
        source: String::new(),
        kernel: None,
        arguments: Vec::new(),
        check: true,
        profile: false,
        predict: Vec::new(),
        look: None,
        instructions: STUCK_AFTER,
        memory_mib: 256,
    };
    let checked = prepared(&run, &call, &compiled)?;
    let mut measuring = Measuring::new(&run, &compiled.ptx);
    checked.launch(&call, &mut measuring);
    let miss = |why: String, help: &str| json!({ "solved": false, "why": why, "help": help });
    if let Some(finding) =
        measuring.findings().iter().find(|one| one.kind.info().level.name() == "error")
    {
        let mut answer = miss(finding.message.clone(), exercise.hints[0]);
        answer["findings"] = measuring.findings().iter().map(report_json).collect();
        return Ok(answer);
    }
    if let Some(fault) = measuring.fault() {
        let mut answer = miss(fault.message.clone(), exercise.hints[0]);
        answer["fault"] = fault_json(fault);
        return Ok(answer);
    }
    if let Some(why) = wrong(exercise, &checked) {
        // The hints are about the original kernel's flaw, but this kernel computes a different result.
        return Ok(miss(why, exercise.task));
    }
    if exercise.goal.is_some() || !exercise.lesson.is_empty() {
        (run.check, run.profile) = (false, true);
        let counted = prepared(&run, &call, &compiled)?;
        let mut measuring = Measuring::new(&run, &compiled.ptx);
        counted.launch(&call, &mut measuring);
        let Some(found) = measuring.first_profile() else {
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
