//! The requests of the page and their answers, as JSON.

use crate::{compiled, kernel, lessons, program};
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
    Run(Box<Run>),
    /// The GPUs of the table.
    Gpus,
    /// The lessons.
    Lessons,
    /// Checks the solution of a lesson.
    Solve { lesson: String, source: String },
}

/// A run of one kernel, or of a whole program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// CUDA C++.
    pub source: String,
    /// The kernel to launch; without it, the program's `main` runs.
    #[serde(default)]
    pub kernel: Option<KernelCall>,
    /// Arguments of the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Checks every access of kernels.
    #[serde(default)]
    pub check: bool,
    /// Counts the work of kernels, by line.
    #[serde(default)]
    pub profile: bool,
    /// GPUs for which to predict times.
    #[serde(default)]
    pub predict: Vec<String>,
    /// The accesses and steps to show.
    #[serde(default)]
    pub look: Option<Look>,
    /// Maximum number of warp instructions of a launch.
    #[serde(default = "most_instructions")]
    pub instructions: u64,
    /// Device memory in MiB.
    #[serde(default = "memory_mib")]
    pub memory_mib: u64,
}

/// A launch of a kernel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCall {
    /// The entry or its name; the first kernel if it is empty.
    #[serde(default)]
    pub entry: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub shared: u32,
    /// The arguments, such as `rand:1000` or `5`.
    pub arguments: Vec<String>,
}

/// A line of a launch, and a block and a warp.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The launch, from 1.
    #[serde(default = "first")]
    pub launch: u64,
    /// The line; without it, the one that costs most.
    #[serde(default)]
    pub line: Option<u32>,
    /// The block.
    #[serde(default)]
    pub block: u64,
    /// The warp.
    #[serde(default)]
    pub warp: u32,
}

fn first() -> u64 {
    1
}

fn most_instructions() -> u64 {
    2_000_000_000
}

fn memory_mib() -> u64 {
    1024
}

/// Why a request has no answer.
#[derive(Debug)]
pub struct Failure {
    /// The reason, in one line.
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
    /// Problems of the source; null if there are none.
    pub diagnostics: Value,
}

impl Failure {
    /// A failure with a remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: help.into(), diagnostics: Value::Null }
    }

    fn json(&self) -> Value {
        json!({ "error": self.message, "help": self.help, "diagnostics": self.diagnostics })
    }
}

/// Answers a request: a JSON object. A failure has `error` and `help`.
///
/// ```
/// let answer = lanework_web::answer(r#"{"do": "compile", "source": "__global__ void f(int *x) { *x = 1; }"}"#);
/// let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
/// assert_eq!(answer["kernels"][0]["parameters"][0]["declared"], "int *");
/// ```
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(request) => respond(request).unwrap_or_else(|failure| failure.json()),
        Err(why) => Failure::new(
            format!("the request is not valid: {why}"),
            "reload the page: it may be older than the module",
        )
        .json(),
    };
    answer.to_string()
}

fn respond(request: Request) -> Result<Value, Failure> {
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
    }
}
