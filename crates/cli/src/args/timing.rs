//! The options of the commands that time kernels.

use super::kernel::{KernelArgs, SecondKernel};
use super::ladder::{Numbers, Problem, ProblemOptions};
use super::stored::SaveOptions;
use super::values::extent;
use clap::{Args, Parser, ValueEnum};
use lanework_lab::Cache;
use lanework_terminal::{On, seconds};
use std::path::PathBuf;

/// State of the cache when a timed kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CacheChoice {
    /// No useful data: launches rotate over buffers of twice the cache size, or the cache is overwritten.
    Cold,
    /// Data of the previous launch.
    Hot,
    /// One figure for each.
    Both,
}

impl CacheChoice {
    /// The states to time in.
    pub fn states(self) -> &'static [Cache] {
        match self {
            CacheChoice::Cold => &[Cache::Cold],
            CacheChoice::Hot => &[Cache::Hot],
            CacheChoice::Both => &[Cache::Cold, Cache::Hot],
        }
    }
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// The kernel: a .ptx or .cu file, or a rung as ladder/rung; `lanework list` shows the rungs.
    #[arg(value_name = "FILE|RUNG")]
    pub rung: String,
    #[command(flatten)]
    pub problem: ProblemOptions,
    /// State of the cache when the kernel starts.
    #[arg(long, value_enum, default_value = "cold", value_name = "STATE")]
    pub cache: CacheChoice,
    /// Maximum sampling time, in seconds [default: 15].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Print one JSON array of records, with every sample.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub save: SaveOptions,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The first: a .ptx or .cu file, a rung as ladder/rung, or the number of a stored run.
    #[arg(value_name = "A", required_unless_present_any = ["revision", "last"])]
    pub first: Option<String>,
    /// The second kernel; the verdict says whether it is slower than the first.
    #[arg(value_name = "B", required_unless_present_any = ["revision", "last"])]
    pub second: Option<String>,
    /// Compare the stored results of two revisions of your checkout, the newest of each kernel; A may name a ladder or
    /// rung.
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["second", "last"], help_heading = "History")]
    pub revision: Vec<String>,
    /// Compare the last stored run with the one before it that timed the same kernel; A may name a ladder or rung.
    #[arg(long, conflicts_with = "second", help_heading = "History")]
    pub last: bool,
    #[command(flatten)]
    pub problem: ProblemOptions,
    /// State of the cache when a kernel starts.
    #[arg(long, value_enum, default_value = "cold", value_name = "STATE")]
    pub cache: CacheChoice,
    /// Maximum sampling time, in seconds [default: 15].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Print one JSON array of comparisons, with every sample.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub save: SaveOptions,
    #[command(flatten)]
    pub on: On,
}

/// The expected result of a timed kernel of a file, and its work.
#[derive(Debug, Args)]
pub struct KernelTiming {
    /// State of the cache when the kernel starts.
    #[arg(long, value_enum, default_value = "cold", value_name = "STATE")]
    pub cache: CacheChoice,
    /// Expected value of an argument after a launch: NAME=FILE.npy, or FILE.npy for the only argument that is written to
    /// a file. Without it the result is compared with the emulator's.
    #[arg(long, value_name = "[NAME=]FILE")]
    pub expect: Vec<String>,
    /// Largest difference from --expect, relative to each element [default: none, every bit is compared].
    #[arg(long, value_name = "X", requires = "expect")]
    pub tolerance: Option<f64>,
    /// Time it without checking its result; the record says so.
    #[arg(long, conflicts_with = "expect")]
    pub unverified: bool,
    /// Bytes that any solution must move, for GB/s and the gate.
    #[arg(long, value_name = "N", value_parser = extent)]
    pub bytes: Option<u64>,
    /// Operations that any solution must make, for GFLOP/s and the gate; a fused multiply-add is two.
    #[arg(long, value_name = "N", value_parser = extent)]
    pub flops: Option<u64>,
    #[command(flatten)]
    pub save: SaveOptions,
}

/// Adapts the options of `run` to the timing of kernels.
fn of_timing(argument: clap::Arg) -> clap::Arg {
    match argument.get_id().as_str() {
        "compare" | "fidelity" | "max_instructions" | "memory_limit" => argument.hide(true),
        "time_limit" => argument.help("Maximum sampling time, in seconds [default: 15]"),
        _ => argument,
    }
}

/// `lanework bench FILE`: time an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework bench", max_term_width = 100)]
#[command(mut_args(of_timing))]
#[command(
    after_help = "An argument is one of the forms that `lanework run k.ptx --help` lists. Files of -o, out: and inout: are not written.\n\n\
    Example:\n  \
    lanework bench saxpy.cu --block 256 2.0 rand:2^20 rand:2^20:2 2^20 \\\n      \
    --bytes 12582912 --flops 2097152"
)]
pub struct BenchKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub timing: KernelTiming,
}

/// `lanework compare FILE FILE`: two kernels of files on the same arguments, interleaved.
#[derive(Debug, Parser)]
#[command(name = "lanework compare", max_term_width = 100)]
#[command(mut_args(of_timing))]
#[command(
    after_help = "Both kernels get the same arguments, in the forms that `lanework run k.ptx --help` lists.\n\
    Exit codes: 3 if the second is slower, 0 if it is not or the verdict is ambiguous.\n\n\
    Example:\n  \
    lanework compare before.ptx after.ptx --grid 4096 --block 256 --block-b 512 --grid-b 2048 \\\n      \
    rand:f32:2^20 zeros:f32:2^20"
)]
pub struct CompareKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub second: SecondKernel,
    #[command(flatten)]
    pub timing: KernelTiming,
}

#[derive(Debug, Args)]
pub struct RooflineArgs {
    /// Place the rungs of this ladder under the roofline.
    pub ladder: Option<String>,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    /// On the emulator: the GPU whose nominal ceilings bound the counts; `lanework gpus` lists them.
    #[arg(long, default_value = "H200", value_name = "NAME")]
    pub gpu: String,
    /// A JSON file of more GPUs, in the schema of `lanework gpus --json`.
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Maximum time to sample one ceiling or rung on a GPU, in seconds [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}
