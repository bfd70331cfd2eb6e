//! The options of `report`.

use super::values::run_number;
use clap::Args;
use lanework_terminal::arguments::{On, seconds};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The ladders [default: all].
    #[arg(value_name = "LADDERS", conflicts_with = "from")]
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
    /// Show these runs of the history instead of climbing; `lanework history` numbers them.
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
    /// The longest time to sample one rung on a GPU, in seconds [default: 15].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    #[command(flatten)]
    pub on: On,
}
