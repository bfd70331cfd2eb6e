//! The launches of lessons: parses, checks and counts them.

use crate::compiled::CompiledSource;
use crate::request::{KernelCall, RequestFailure, RunRequest};
use crate::runs::kernel::{Prepared, prepared};
use crate::watch::findings::{fault_json, report_json};
use crate::watch::measure::Measuring;
use lanework_exercises::Goal;
use lanework_report::ProfileRecord;
use serde_json::{Value, json};

/// Parses extents such as `2x8`.
fn extents(text: &str) -> [u32; 3] {
    let mut found = [1; 3];
    for (to, text) in found.iter_mut().zip(text.split('x')) {
        *to = text.parse().unwrap_or(1);
    }
    found
}

/// The launch of a lesson.
pub fn called(launch: &str) -> KernelCall {
    let mut call = KernelCall {
        entry: String::new(),
        grid: [1; 3],
        block: [1; 3],
        shared: 0,
        arguments: Vec::new(),
    };
    let mut words = launch.split(' ');
    while let Some(word) = words.next() {
        match word {
            "--grid" => call.grid = extents(words.next().unwrap_or_default()),
            "--block" => call.block = extents(words.next().unwrap_or_default()),
            "--shared" => {
                call.shared = words.next().and_then(|text| text.parse().ok()).unwrap_or(0);
            }
            argument => call.arguments.push(argument.to_owned()),
        }
    }
    call
}

/// The run of a lesson's kernel.
pub fn lesson_run(instructions: u64) -> RunRequest {
    RunRequest {
        source: String::new(),
        kernel: None,
        arguments: Vec::new(),
        check: false,
        profile: false,
        predict: Vec::new(),
        look: None,
        instructions,
        memory_mib: 256,
        workers: 1,
    }
}

/// A goal as JSON.
pub fn goal_json(goal: &Goal) -> Value {
    // JSON has no larger numbers.
    let most = Some(goal.most).filter(|most| *most < f64::MAX);
    json!({ "name": goal.name, "least": goal.least, "most": most })
}

/// Runs and checks a kernel: the memory after it and its output, or the answer about its first error.
///
/// # Errors
/// If the call does not fit the kernel.
pub fn checked(
    run: RunRequest,
    call: &KernelCall,
    compiled: &CompiledSource,
    hint: &str,
) -> Result<Result<(Prepared, String), Value>, RequestFailure> {
    let run = RunRequest { check: true, ..run };
    let after = prepared(&run, call, compiled)?;
    let mut measuring = Measuring::new(&run, &compiled.ptx);
    after.launch(call, &mut measuring);
    let miss = |why: &str| json!({ "solved": false, "why": why, "help": hint });
    let mut errors =
        measuring.findings().iter().filter(|one| one.kind.info().level.name() == "error");
    if let Some(finding) = errors.next() {
        let mut answer = miss(&finding.message);
        answer["findings"] = measuring.findings().iter().map(report_json).collect();
        return Ok(Err(answer));
    }
    if let Some(fault) = measuring.fault() {
        let mut answer = miss(&fault.message);
        answer["fault"] = fault_json(fault);
        return Ok(Err(answer));
    }
    Ok(Ok((after, measuring.printed)))
}

/// Counts a kernel's work; `None` if it stops.
///
/// # Errors
/// If the call does not fit the kernel.
pub fn counted(
    run: RunRequest,
    call: &KernelCall,
    compiled: &CompiledSource,
) -> Result<Option<ProfileRecord>, RequestFailure> {
    Ok(prepared(&run, call, compiled)?.profile(call, &compiled.ptx))
}

/// The failure of a request for a lesson that does not exist.
pub fn unknown(name: &str) -> RequestFailure {
    RequestFailure::new(
        format!("there is no lesson `{name}`"),
        "the request `lessons` lists them; reload the page if a link is older than the page",
    )
}
