//! The options of the verdict on a stranger's kernel.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// The task: what a kernel has to compute, on which problems, and how closely.
    #[arg(value_name = "TASK.toml")]
    pub task: PathBuf,
    /// The candidate: PTX, or CUDA C++, which is compiled in a process of its own.
    #[arg(value_name = "CANDIDATE", required_unless_present = "kinds")]
    pub candidate: Option<PathBuf>,
    /// What all problems are drawn from [default: drawn anew, and shown].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where right candidates are timed: best, emulator (not timed) or cuda:N.
    #[arg(long, value_name = "DEVICE", default_value = "best")]
    pub device: String,
    /// Longest time of sampling in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "15")]
    pub time_limit: u64,
    /// Accept candidates without the timed problem, where it is too large for the emulator and there is no GPU.
    #[arg(long)]
    pub no_timed_problem: bool,
    /// Only read the task file, and list the kinds of reasons that a verdict may have.
    #[arg(long)]
    pub kinds: bool,
    /// Print the verdict as one JSON object.
    #[arg(long)]
    pub json: bool,
}
