//! The command line: every command, option, default and example.

use clap::{Args, Parser, Subcommand};
use lanework_terminal::{On, seconds};
use std::path::PathBuf;

/// Compare the emulator with a GPU, run the experiments, and write the generated pages of the documentation.
#[derive(Debug, Parser)]
#[command(name = "lanework-lab", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "`lanework-lab COMMAND --help` shows a command's options with examples.\n\
    Exit codes: 0 success, 1 a check failed, 2 bad input or usage.")]
pub struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the experiments that the ladders reproduce, with their commands, or run them all.
    #[command(after_help = "Examples:\n  \
        lanework-lab experiments\n  \
        lanework-lab experiments --run --device emulator")]
    Experiments(ExperimentsArgs),
    /// List the PTX instructions, with the emulator's fidelity for each.
    #[command(
        after_help = "Examples:\n  lanework-lab coverage\n  lanework-lab coverage --opcode cvt"
    )]
    Coverage(CoverageArgs),
    /// Compare the emulator with a GPU's results for every form of every instruction.
    #[command(after_help = "Examples:\n  \
        lanework-lab conform\n  \
        lanework-lab conform --only cvt.rn\n  \
        lanework-lab conform --device cuda:0 --live --tuples 65536\n  \
        lanework-lab conform --exhaustive --only tanh\n  \
        lanework-lab conform --device cuda:0 --exhaustive --live\n  \
        lanework-lab conform --device cuda:0 --record crates/laboratory/lab/data/h200/conformance.vectors")]
    Conform(ConformArgs),
    /// Compare the emulator's counts with a GPU's hardware counters.
    #[command(after_help = "Examples:\n  \
        lanework-lab fidelity\n  \
        lanework-lab fidelity --only transpose --json\n\n\
        scripts/fidelity.sh records the GPU's counts with Nsight Compute.")]
    Fidelity(FidelityArgs),
    /// Measure the latencies of instructions on a GPU, for the time model.
    #[command(after_help = "Example:\n  lanework-lab latencies --device cuda:0 --json")]
    Latencies(LatenciesArgs),
    /// Compare predicted times with measured ones.
    #[command(after_help = "Examples:\n  \
        lanework-lab predict-check\n  \
        lanework-lab predict-check --only sgemm")]
    PredictCheck(PredictCheckArgs),
    /// Write the documentation pages generated from the kernels and the stored results.
    #[command(after_help = "Example, in the repository:\n  lanework-lab book && scripts/book.sh")]
    Book(BookArgs),
}

#[derive(Debug, Args)]
pub struct ExperimentsArgs {
    /// Run every command, and show what it verified and measured.
    #[arg(long)]
    pub run: bool,
    /// Write the results so far, and the JSON of every climb, to this folder.
    #[arg(long, value_name = "FOLDER", requires = "run")]
    pub output: Option<PathBuf>,
    /// Maximum time to sample one rung on a GPU, in seconds [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "run")]
    pub time_limit: Option<f64>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct ConformArgs {
    /// Only forms whose names start with this, such as `add.rn`.
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// The stored results of a GPU [default: the built-in results of an H200].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "live", "ptx"])]
    pub vectors: Option<PathBuf>,
    /// Run on a GPU, and store its results in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "ptx")]
    pub record: Option<PathBuf>,
    /// Compare with a GPU now instead of with stored vectors.
    #[arg(long, conflicts_with = "ptx")]
    pub live: bool,
    /// Operand tuples of each form [default: 384 with --record, 16384 with --live].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub tuples: Option<u32>,
    /// Run every input, not samples: all approximate forms, or the forms of one or two operands that --only
    /// names. Without --live, results are compared with the fingerprints of an H200's.
    #[arg(long, conflicts_with_all = ["vectors", "tuples", "ptx"])]
    pub exhaustive: bool,
    /// Only print the PTX that runs the forms.
    #[arg(long, conflicts_with_all = ["tuples", "json"])]
    pub ptx: bool,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// List only the forms of this instruction.
    #[arg(long, value_name = "NAME")]
    pub opcode: Option<String>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct FidelityArgs {
    /// Folder of the compiler-generated PTX [default: the built-in PTX].
    #[arg(long, value_name = "FOLDER")]
    pub data: Option<PathBuf>,
    /// Only launches whose names contain this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub only: String,
    /// With --launch, omit launches whose names contain this.
    #[arg(long, value_name = "TEXT", requires = "launch")]
    pub skip: Option<String>,
    /// Launch everything once on this GPU, under a hardware profiler, and list the launches.
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["results", "json", "metrics"])]
    pub launch: Option<String>,
    /// Read the script's output from this folder, and write the GPU's counts to the file of --results.
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["launch", "data", "only", "json", "metrics"]
    )]
    pub ncu: Option<PathBuf>,
    /// The file of the GPU's counts [default: the built-in counts of an H200; with --ncu:
    /// crates/laboratory/lab/data/h200/fidelity.json].
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
    /// Only print the Nsight Compute metrics that are compared, one per line.
    #[arg(long, conflicts_with_all = ["results", "data", "only", "json"])]
    pub metrics: bool,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct LatenciesArgs {
    /// The GPU.
    #[arg(long, value_name = "DEVICE", default_value = "cuda:0")]
    pub device: String,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct PredictCheckArgs {
    /// Folder of the measured ladders.
    #[arg(long, value_name = "FOLDER", default_value = "docs/results/h200")]
    pub ladders: PathBuf,
    /// Only ladders and rungs whose names contain this.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub only: String,
    /// File of the rungs' measured and predicted times, as --json has printed them, instead of new predictions.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traces", "ablation"])]
    pub rungs: Option<PathBuf>,
    /// Files of the programs' measured and predicted times.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub programs: Vec<PathBuf>,
    /// File of published times of rungs on other GPUs.
    #[arg(long, value_name = "FILE")]
    pub others: Option<PathBuf>,
    /// Predict stored traces again, those that `lanework exec --predict --traces` has written to subfolders of this folder, and
    /// print one JSON line per launch; --programs, --others, --output and the ladders do not count.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["programs", "others", "output"])]
    pub traces: Option<PathBuf>,
    /// With --traces, do without ptxas and nvdisasm.
    #[arg(long, requires = "traces")]
    pub unlisted: bool,
    /// Also predict with each part of the model switched off.
    #[arg(long)]
    pub ablation: bool,
    /// Write time.md and the plot to this folder.
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// The GPU that was measured.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BookArgs {
    /// Folder of the book's sources.
    #[arg(long, value_name = "FOLDER", default_value = "docs/src")]
    pub output: PathBuf,
    /// Folder of the stored results.
    #[arg(long, value_name = "FOLDER", default_value = "docs/results")]
    pub results: PathBuf,
    /// Write nothing; fail when a page is not up to date.
    #[arg(long)]
    pub check: bool,
}
