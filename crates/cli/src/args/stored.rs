//! The options of the commands on stored results: `--save`, `lanework history` and `lanework report`.

use super::kernel::{FORMS_OF_ARGUMENTS, KernelArgs};
use super::values::run_number;
use clap::{Args, Parser, ValueEnum};
use lanework_terminal::{On, seconds};
use std::path::PathBuf;

/// Whether and where a command stores its results.
#[derive(Debug, Args)]
pub struct SaveOptions {
    /// Store the results with every sample; `lanework history` shows them.
    #[arg(long, help_heading = "History")]
    pub save: bool,
    /// The store's file, instead of LANEWORK_STORE or the one in your data folder; implies --save.
    #[arg(long, value_name = "FILE", help_heading = "History")]
    pub store: Option<PathBuf>,
}

/// The actions of `lanework history`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryAction {
    /// List the runs.
    List,
    /// Show one run in full.
    Show,
    /// Write runs as CSV, JSON or Markdown.
    Export,
    /// Delete runs.
    Delete,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A line per kernel at a point.
    Csv,
    /// A line per raw sample, as CSV.
    Samples,
    /// Everything, every sample too.
    Json,
    /// A table per run.
    Markdown,
}

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// The action: list, show, export or delete.
    #[arg(default_value = "list", hide_default_value = true, hide_possible_values = true)]
    pub action: HistoryAction,
    /// Numbers of runs, for show, export and delete.
    #[arg(value_name = "RUN", value_parser = run_number)]
    pub runs: Vec<i64>,
    /// The format of an export: csv, samples (a line each), json, markdown.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "csv",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub format: ExportFormat,
    /// Write an export to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
    /// The store's file, instead of LANEWORK_STORE or the one in your data folder.
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub filters: Filters,
}

/// Filters of the listed or exported runs; a run must pass all of them.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Runs with this ladder.
    #[arg(long, value_name = "NAME")]
    pub ladder: Option<String>,
    /// Runs with this rung, or ladder/rung.
    #[arg(long, value_name = "NAME")]
    pub rung: Option<String>,
    /// Runs with this kernel of a file, by its name or its file.
    #[arg(long, value_name = "NAME|FILE")]
    pub kernel: Option<String>,
    /// Runs on a device whose name contains this.
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
    /// Runs since a date (2026-11-22), a time (2026-11-22T16:00:00Z), or within a period (7d, 12h, 30m).
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Runs whose checkout's revision begins with this.
    #[arg(long, value_name = "HASH")]
    pub revision: Option<String>,
    /// Runs with one of these verdicts: verified, unverified, wrong, lower-precision, failed, skipped, invalid, fast,
    /// slow, ambiguous.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub verdict: Vec<String>,
    /// Runs of these commands: climb, sweep, bench, compare, tune.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub command: Vec<String>,
    /// The newest runs only.
    #[arg(long, value_name = "COUNT")]
    pub last: Option<usize>,
}

/// Adapts the options of `run` to a report, which writes a page instead of arrays.
fn of_report(argument: clap::Arg) -> clap::Arg {
    match argument.get_id().as_str() {
        "compare" | "device" | "fidelity" | "json" => argument.hide(true),
        "outputs" => argument
            .value_name("FILE")
            .help("Where to write the HTML file [default: lanework-report.html]"),
        _ => argument,
    }
}

/// `lanework report FILE`: the report on an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework report", max_term_width = 100)]
#[command(mut_args(of_report))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\
    The page has counts and a predicted time. It compares no result with a reference.\n\n\
    Example:\n  \
    lanework report saxpy.cu --block 256 2.0 rand:1000 zeros:1000 1000 -o saxpy.html"
))]
pub struct ReportKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    /// The GPU whose occupancy, caches and time are modeled; `lanework gpus` lists them.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// Open the report in the browser.
    #[arg(long)]
    pub open: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The ladders [default: all]; or a .ptx or .cu file and its kernel's arguments.
    #[arg(value_name = "LADDERS|FILE", conflicts_with = "from")]
    pub ladders: Vec<String>,
    /// Where to write the HTML file.
    #[arg(short, long, value_name = "FILE", default_value = "lanework-report.html")]
    pub output: PathBuf,
    /// Open the report in the browser.
    #[arg(long)]
    pub open: bool,
    /// Show the contents of these JSON files instead of running ladders: climbs, sweeps, profiles, timed kernels,
    /// reports.
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub from: Vec<PathBuf>,
    /// Show these runs of the history instead of climbing; `lanework history` lists their numbers.
    #[arg(long, value_name = "RUNS", value_parser = run_number, value_delimiter = ',', conflicts_with = "ladders")]
    pub runs: Vec<i64>,
    /// The history's file, instead of LANEWORK_STORE or the one in your data folder; all its runs without --runs.
    #[arg(long, value_name = "FILE", conflicts_with = "ladders")]
    pub store: Option<PathBuf>,
    /// Omit the pages of the kernels, which need profiles on the emulator.
    #[arg(long)]
    pub no_kernels: bool,
    /// Also write all that the report shows to this file, as JSON that --from takes.
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// The GPU whose occupancy, caches and bounds are modeled; `lanework gpus` lists them.
    #[arg(long, value_name = "NAME", default_value = "H200")]
    pub gpu: String,
    /// Maximum time to sample one rung on a GPU, in seconds [default: 15].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    #[command(flatten)]
    pub on: On,
}
