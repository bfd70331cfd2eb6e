//! The options of `lanework tune`.

use super::history::SaveOptions;
use super::problem::{Numbers, Problem};
use clap::Args;
use lanework_terminal::arguments::On;
use lanework_terminal::arguments::seconds;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// The ladder; `lanework list` shows them.
    #[arg(required_unless_present = "list")]
    pub ladder: Option<String>,
    #[command(flatten)]
    pub problem: Problem<true>,
    #[command(flatten)]
    pub numbers: Numbers,
    /// Try these rungs only, separated by commas; what is found then is shown, not kept.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    /// Tune for a cache that holds what the launch before left, instead of nothing of use.
    #[arg(long)]
    pub hot: bool,
    /// The longest first look at a candidate, in seconds [default: 1]; two in turns may take four times as long.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Measure also where a choice is known.
    #[arg(long)]
    pub again: bool,
    /// List the known choices.
    #[arg(long, conflicts_with_all = ["ladder", "again"])]
    pub list: bool,
    /// The file of choices, instead of LANEWORK_TUNED or the one in your data folder.
    #[arg(long, value_name = "FILE")]
    pub tuned: Option<PathBuf>,
    /// Print one JSON value.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub save: SaveOptions,
    #[command(flatten)]
    pub on: On,
}
