//! The options of the commands on programs, candidates, projects and devices.

use super::kernel::{FindingsFiles, PictureOptions, SourceOptions};
use super::values::{extent, positive, threads, up_to_32};
use clap::{Args, Parser};
use lanework::Dim3;
use lanework_terminal::On;
use std::ffi::OsString;
use std::path::PathBuf;

/// A program with its arguments.
#[derive(Clone, Debug, Args)]
pub struct Program {
    /// The program and its arguments, after `--`; `exec` takes them without it, too.
    #[arg(value_name = "PROGRAM", required = true, last = true)]
    pub command: Vec<OsString>,
    /// Print one JSON object; the program's output goes to standard error.
    #[arg(long)]
    pub json: bool,
    /// Emulated GPUs that a CUDA program finds [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub gpus: Option<u32>,
    /// The GPU that a CUDA program sees, one of `lanework gpus`: sets attributes, limits and memory; PTX for newer GPUs
    /// is refused [default: an H200, which also accepts newer PTX].
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    #[command(flatten)]
    pub source: SourceOptions,
}

#[derive(Debug, Args)]
pub struct NewArgs {
    /// The folder of the project; it must not exist yet, or be empty.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The name of the package [default: the name of the folder].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Depend on the checkout in this folder [default: the one that this command was built in, if it exists].
    #[arg(long, value_name = "FOLDER")]
    pub path: Option<PathBuf>,
    /// Depend on the published version.
    #[arg(long, conflicts_with = "path")]
    pub published: bool,
}

#[derive(Debug, Args)]
pub struct ExecArgs {
    /// Check every launch as `lanework check` does (the default).
    #[arg(long)]
    pub check: bool,
    /// With --check, also report memory that is still allocated when the program ends.
    #[arg(long, conflicts_with_all = ["profile", "trace", "plain"])]
    pub leaks: bool,
    /// With --check, also warn of copies into shared memory that threads have read without a later proxy fence.
    #[arg(long, conflicts_with_all = ["profile", "trace", "plain"])]
    pub proxy_fences: bool,
    /// With --check, report only these kinds of errors, or only errors of these kernels, separated by commas. In the name of
    /// a kernel, `*` stands for any text.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", conflicts_with_all = ["profile", "trace", "plain", "predict", "report"])]
    pub only: Vec<String>,
    /// With --check, omit these kinds of errors, or the errors of these kernels.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", conflicts_with_all = ["profile", "trace", "plain", "predict", "report"])]
    pub skip: Vec<String>,
    /// With --check, end with the program's exit code even if nothing was checked.
    #[arg(long, conflicts_with_all = ["profile", "trace", "plain"])]
    pub allow_empty: bool,
    /// Profile every launch as `lanework profile` does; launches of one kernel with the same shape are summed.
    #[arg(long, conflicts_with_all = ["check", "sarif", "junit", "github"])]
    pub profile: bool,
    /// Profile every launch, and write a page with the counters of every line to this file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "trace", "predict", "plain", "sarif", "junit", "github"])]
    pub report: Option<PathBuf>,
    /// With --report, open the page in the browser.
    #[arg(long, requires = "report")]
    pub open: bool,
    /// Write a timeline of launches and copies to this file, for ui.perfetto.dev or chrome://tracing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "profile", "sarif", "junit", "github"])]
    pub trace: Option<PathBuf>,
    /// Predict the time of every launch on a GPU; launches that take long on the emulator run in part, so the program's
    /// results may be wrong.
    #[arg(long, conflicts_with_all = ["check", "profile", "trace", "sarif", "junit", "github"])]
    pub predict: bool,
    /// With --predict, for launches back to back instead of after a flush of all caches.
    #[arg(long, requires = "predict")]
    pub warm: bool,
    /// With --predict, store the traces of the predicted launches in this folder, for `lanework-lab predict-check --traces`.
    #[arg(long, value_name = "FOLDER", requires = "predict")]
    pub traces: Option<PathBuf>,
    /// Only run the program, on the emulator.
    #[arg(long, conflicts_with_all = ["check", "profile", "trace", "sarif", "junit", "github", "predict"])]
    pub plain: bool,
    #[command(flatten)]
    pub files: FindingsFiles,
    #[command(flatten)]
    pub program: Program,
}

/// `lanework look -- PROGRAM`: draw an access of a kernel that a program launches.
#[derive(Debug, Parser)]
#[command(name = "lanework look", max_term_width = 100)]
#[command(after_help = "Examples:\n  \
    lanework look -- cargo run\n  \
    lanework look --kernel saxpy --launch 2 --warp 3 -- cargo run --release")]
pub struct LookProgramArgs {
    /// The kernel [default: the first that is launched].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub kernel: String,
    /// Its launch, counted from 1 in each process.
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    pub launch: u64,
    #[command(flatten)]
    pub picture: PictureOptions,
    #[command(flatten)]
    pub program: Program,
}

/// `lanework inspect -- PROGRAM`: show the PTX of the kernels that a program launches.
#[derive(Debug, Parser)]
#[command(name = "lanework inspect", max_term_width = 100)]
#[command(after_help = "Examples:\n  \
    lanework inspect -- cargo run\n  \
    lanework inspect --kernel saxpy -- cargo run")]
pub struct InspectProgramArgs {
    /// The kernel [default: every one].
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub program: Program,
}

#[derive(Debug, Args)]
#[cfg_attr(not(feature = "judge"), allow(dead_code))]
pub struct JudgeArgs {
    /// The task: the expected results, the problems, and the tolerance.
    #[arg(value_name = "TASK.toml")]
    pub task: PathBuf,
    /// The candidate: PTX, or CUDA C++, which is compiled in a separate process.
    #[arg(value_name = "CANDIDATE", required_unless_present = "kinds")]
    pub candidate: Option<PathBuf>,
    /// Seed of all problems [default: random, and shown].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where right candidates are timed: best, emulator (not timed) or cuda:N.
    #[arg(long, value_name = "DEVICE", default_value = "best")]
    pub device: String,
    /// Maximum sampling time, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "15")]
    pub time_limit: u64,
    /// Accept candidates without the timed problem if it is too large for the emulator and there is no GPU.
    #[arg(long)]
    pub no_timed_problem: bool,
    /// Only read the task file, and list the kinds of reasons that a verdict may have.
    #[arg(long)]
    pub kinds: bool,
    /// Print the verdict as one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ExerciseArgs {
    /// The number of the exercise, a ladder, or a rung of a ladder [default: list all].
    #[arg(value_name = "N|LADDER/RUNG")]
    pub name: Option<String>,
    /// Show all hints; for a rung, a kernel that reaches the goal.
    #[arg(long)]
    pub hint: bool,
    /// Write the kernel of the exercise again, over the edited one.
    #[arg(long, conflicts_with = "hint")]
    pub again: bool,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The name [default: list all].
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[cfg_attr(not(feature = "mcp"), allow(dead_code))]
pub struct McpArgs {
    /// The folder whose files the tools can read.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
    /// Maximum time of one call, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..))]
    pub time_limit: u64,
}

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct GpusArgs {
    /// A JSON file of more GPUs, in the schema of `lanework gpus --json`.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct HelloArgs {
    /// Blocks, 1 to 32.
    #[arg(long, default_value = "5", value_parser = up_to_32, value_name = "N")]
    pub blocks: u32,
    /// Threads of a block, X by Y, each 1 to 32.
    #[arg(long, default_value = "2x2", value_parser = threads, value_name = "XxY")]
    pub threads: Dim3,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct StreamsArgs {
    /// Elements of 4 bytes [default: 2^26 on a GPU, 2^16 on the emulator].
    #[arg(long, value_name = "N", value_parser = extent)]
    pub size: Option<u64>,
    /// Chunks that the elements are divided into.
    #[arg(long, value_name = "N", default_value = "8", value_parser = positive)]
    pub chunks: u64,
    /// Streams that the chunks are distributed over.
    #[arg(long, value_name = "N", default_value = "3", value_parser = positive)]
    pub streams: u64,
    /// Multiply-adds on each element [default: 2000 on a GPU, 20 on the emulator].
    #[arg(long, value_name = "N")]
    pub steps: Option<u32>,
    /// Seed of the random elements.
    #[arg(long, default_value = "1", value_name = "N")]
    pub seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}
