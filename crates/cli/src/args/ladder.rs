//! The options of the commands on ladders and their rungs.

use super::history::SaveOptions;
use super::problem::{Arrays, Numbers, Problem};
use super::tool::{PictureOptions, ProfileOptions, SanitizerOptions};
use clap::Args;
use lanework_terminal::arguments::On;
use lanework_terminal::arguments::seconds;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ClimbArgs {
    /// The ladder; `lanework list` shows them.
    #[arg(required_unless_present = "all")]
    pub ladder: Option<String>,
    /// Climb every ladder, each on its default problem.
    #[arg(long, conflicts_with = "ladder")]
    pub all: bool,
    /// Devices of the ladder multi-gpu: GPUs where there are as many, else emulated ones [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub gpus: Option<u32>,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub arrays: Arrays,
    #[command(flatten)]
    pub options: ClimbOptions,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The ladder; `lanework list` shows them.
    pub ladder: String,
    #[command(flatten)]
    pub problem: Problem<true>,
    #[command(flatten)]
    pub options: ClimbOptions,
    /// Go on with the same sweep where it was interrupted: its points are in the store. Stores the others, too.
    #[arg(long)]
    pub resume: bool,
}

/// Options that climbs and sweeps share.
#[derive(Debug, Args)]
pub struct ClimbOptions {
    #[command(flatten)]
    pub numbers: Numbers,
    /// Only these rungs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    /// The longest time to sample one rung on a GPU, in seconds [default: 15].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub save: SaveOptions,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The kernel: a .ptx or .cu file, or a rung as ladder/rung; `lanework list` shows the rungs.
    #[arg(value_name = "FILE|RUNG")]
    pub rung: String,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Where to write the result as .npy.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The kernel: a .ptx or .cu file, a ladder, or one rung of it as ladder/rung; `lanework list`
    /// shows the ladders.
    #[arg(value_name = "FILE|LADDER")]
    pub ladder: String,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Only these rungs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    #[command(flatten)]
    pub sanitizer: SanitizerOptions,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// The kernel: a .ptx or .cu file, a ladder, or one rung of it as ladder/rung; `lanework list`
    /// shows the ladders.
    #[arg(value_name = "FILE|LADDER")]
    pub ladder: String,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Only these rungs, separated by commas.
    #[arg(long, visible_alias = "rung", value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    #[command(flatten)]
    pub options: ProfileOptions,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// A .ptx or .cu file, a ladder, or one rung of it as ladder/rung; `lanework list` shows the ladders.
    #[arg(value_name = "FILE|LADDER")]
    pub ladder: String,
    /// Only these rungs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", alias = "rung")]
    pub rungs: Vec<String>,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct LookArgs {
    /// The kernel: a .ptx or .cu file, or a rung as ladder/rung; `lanework list` shows the rungs.
    #[arg(value_name = "FILE|RUNG")]
    pub rung: String,
    #[command(flatten)]
    pub problem: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
    #[command(flatten)]
    pub picture: PictureOptions,
    /// Print the accesses as one JSON object instead of drawing them.
    #[arg(long)]
    pub json: bool,
}
