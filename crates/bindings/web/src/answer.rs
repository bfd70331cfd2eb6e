//! The requests of the page and their answers, as JSON.

use crate::request::{RequestFailure, RunRequest};
use crate::runs::{kernel, program};
use crate::{compiled, lessons};
use lanework_gpu_specs::specs;
use serde::Deserialize;
use serde_json::{Value, json};

/// A request.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Problems, kernels and PTX of a source.
    Compile { source: String },
    /// Runs a kernel or a program.
    Run(Box<RunRequest>),
    /// The GPUs of the table.
    Gpus,
    /// The lessons.
    Lessons,
    /// Checks the solution of a lesson.
    Solve { lesson: String, source: String },
    /// Counts a kernel as a rung of a ladder, and predicts its time.
    Rung { lesson: String, source: String },
}

/// Answers a request: a JSON object. A failure has `error` and `help`.
///
/// ```
/// let answer = lanework_web::answer(r#"{"do": "compile", "source": "__global__ void f(int *x) { *x = 1; }"}"#);
/// let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
/// assert_eq!(answer["kernels"][0]["parameters"][0]["declared"], "int*");
/// ```
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(request) => respond(request).unwrap_or_else(|failure| failure.json()),
        Err(why) => RequestFailure::new(
            format!("the request is not valid: {why}"),
            "reload the page: it may be older than the module",
        )
        .json(),
    };
    answer.to_string()
}

fn respond(request: Request) -> Result<Value, RequestFailure> {
    match request {
        Request::Compile { source } => Ok(compiled::describe(&source)),
        Request::Run(run) => match &run.kernel {
            Some(call) => kernel::run(&run, call),
            None => program::run(&run),
        },
        Request::Gpus => {
            let all = specs().gpus.iter().map(|gpu| {
                json!({
                    "name": gpu.name,
                    "full_name": gpu.full_name(),
                    "compute_capability": gpu.compute_capability,
                    "multiprocessors": gpu.multiprocessors,
                    "bandwidth_gb_s": gpu.bandwidth_gb_s,
                    "fp32_tflops": gpu.fp32_tflops,
                })
            });
            Ok(Value::Array(all.collect()))
        }
        Request::Lessons => Ok(lessons::list()),
        Request::Solve { lesson, source } => lessons::solve(&lesson, &source),
        Request::Rung { lesson, source } => lessons::measured(&lesson, &source),
    }
}
