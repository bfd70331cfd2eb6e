//! Requests for runs, and failures of requests.

use serde::Deserialize;
use serde_json::{Value, json};

/// A run of one kernel, or of a whole program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRequest {
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
    pub look: Option<LookRequest>,
    /// Maximum number of warp instructions of a launch.
    #[serde(default = "most_instructions")]
    pub instructions: u64,
    /// Device memory in MiB.
    #[serde(default = "memory_mib")]
    pub memory_mib: u64,
    /// Maximum number of threads that run blocks. A module without threads uses one.
    #[serde(default = "one_worker")]
    pub workers: usize,
}

/// A launch of a kernel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelCall {
    /// The entry or the kernel's name; if empty, the first kernel.
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

/// The line, block and warp to show, in one launch.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LookRequest {
    /// The launch, from 1.
    #[serde(default = "first")]
    pub launch: u64,
    /// The line; by default, the line with the highest cost.
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

fn one_worker() -> usize {
    1
}

/// The failure of a request.
#[derive(Debug)]
pub struct RequestFailure {
    /// The reason, in one line.
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
    /// Problems of the source; null if it has no problems.
    pub diagnostics: Value,
}

impl RequestFailure {
    /// A failure with a remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> RequestFailure {
        RequestFailure { message: message.into(), help: help.into(), diagnostics: Value::Null }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        json!({ "error": self.message, "help": self.help, "diagnostics": self.diagnostics })
    }
}
