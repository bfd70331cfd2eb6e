//! The options of the commands on ladders and their rungs.

use super::kernel::{PictureOptions, PredictOptions, ProfileOptions, SanitizerOptions};
use super::stored::SaveOptions;
use super::values::{axis, extent};
use clap::Args;
use lanework_lab::PARAMETERS;
use lanework_terminal::{On, seconds};
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
    /// Number of devices of the ladder multi-gpu: GPUs if there are enough, else emulated ones [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub gpus: Option<u32>,
    /// Show one rung on the emulator: its idea, source and picture, and its counts next to those of the previous rung.
    #[arg(long, value_name = "RUNG", conflicts_with_all = ["all", "gpus", "json", "rungs", "save", "store"])]
    pub explain: Option<String>,
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
    /// Resume an interrupted sweep: skips the points that are in the store, and stores the others.
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
    /// Maximum time to sample one rung on a GPU, in seconds [default: 15].
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
    pub problem: ProblemOptions,
    /// Where to write the result as .npy.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
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
    pub problem: ProblemOptions,
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
pub struct PredictArgs {
    /// The kernel: a .ptx or .cu file, a ladder, or one rung of it as ladder/rung; `lanework list`
    /// shows the ladders.
    #[arg(value_name = "FILE|LADDER")]
    pub ladder: String,
    /// State which of two rungs is faster, this one or RUNG, and by how much.
    #[arg(long, value_name = "RUNG")]
    pub compare: Option<String>,
    #[command(flatten)]
    pub problem: ProblemOptions,
    /// Only these rungs, separated by commas.
    #[arg(long, visible_alias = "rung", value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    #[command(flatten)]
    pub options: PredictOptions,
    /// Print one JSON array.
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
    pub problem: ProblemOptions,
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
    pub problem: ProblemOptions,
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
    pub problem: ProblemOptions,
    #[command(flatten)]
    pub picture: PictureOptions,
    /// Print the accesses as one JSON object instead of drawing them.
    #[arg(long)]
    pub json: bool,
}

/// The problem of a rung.
#[derive(Debug, Args)]
pub struct ProblemOptions {
    #[command(flatten)]
    pub parameters: Problem<false>,
    #[command(flatten)]
    pub numbers: Numbers,
    #[command(flatten)]
    pub arrays: Arrays,
}

/// The parameters of the ladders, each an option that takes one value, or a list where `LISTS`.
#[derive(Clone, Debug, Default)]
pub struct Problem<const LISTS: bool>(pub Vec<(&'static str, Vec<u64>)>);

impl<const LISTS: bool> Args for Problem<LISTS> {
    fn augment_args(command: clap::Command) -> clap::Command {
        PARAMETERS.into_iter().fold(command, |command, parameter| {
            let about = if LISTS { "several, or ranges" } else { "where it applies" };
            let mut option = clap::Arg::new(parameter.name)
                .long(parameter.name)
                .help(format!("{}, {about}", parameter.help))
                .value_name("N")
                .help_heading("Problem");
            option = match LISTS {
                true => option
                    .value_name("LIST")
                    .value_parser(axis)
                    .value_delimiter(',')
                    .action(clap::ArgAction::Append),
                false => option.value_parser(extent),
            };
            command.arg(option)
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl<const LISTS: bool> clap::FromArgMatches for Problem<LISTS> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let values = |name: &str| -> Option<Vec<u64>> {
            match LISTS {
                true => Some(matches.get_many::<Vec<u64>>(name)?.flatten().copied().collect()),
                false => Some(matches.get_many(name)?.copied().collect()),
            }
        };
        let given = PARAMETERS.into_iter();
        let given = given.filter_map(|parameter| Some((parameter.name, values(parameter.name)?)));
        Ok(Problem(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = clap::FromArgMatches::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Element type, factors and seed of a problem.
#[derive(Clone, Debug, Args)]
pub struct Numbers {
    /// Element type, such as f32, bf16, u8 or i64; each ladder has its own default. A sweep takes several.
    #[arg(long = "type", value_name = "TYPE", help_heading = "Problem")]
    pub element: Option<String>,
    /// Factor of the product, for ladders that take alpha and beta.
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Problem")]
    pub alpha: Option<f64>,
    /// Factor of the old C, for ladders that take alpha and beta.
    #[arg(long, value_name = "X", allow_negative_numbers = true, help_heading = "Problem")]
    pub beta: Option<f64>,
    /// Seed of the random elements [default: 1].
    #[arg(long, value_name = "N", help_heading = "Problem")]
    pub seed: Option<u64>,
}

/// The user's own arrays, instead of random ones.
#[derive(Clone, Debug, Args)]
pub struct Arrays {
    /// The input of a ladder with one input: a .npy file.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub input: Option<PathBuf>,
    /// The matrix A, as .npy.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub a: Option<PathBuf>,
    /// The matrix B, as .npy.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub b: Option<PathBuf>,
    /// The matrix C that is added to, as .npy.
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub c: Option<PathBuf>,
}

impl Arrays {
    /// The files that were given, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let all = [("input", &self.input), ("a", &self.a), ("b", &self.b), ("c", &self.c)];
        all.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?)))
    }
}

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// The ladder; `lanework list` shows them.
    #[arg(required_unless_present = "list")]
    pub ladder: Option<String>,
    #[command(flatten)]
    pub problem: Problem<true>,
    #[command(flatten)]
    pub numbers: Numbers,
    /// Try only these rungs, separated by commas; the result is then shown but not stored.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    /// Tune for a warm cache (data left by the previous launch) instead of a cold one.
    #[arg(long)]
    pub hot: bool,
    /// Time limit for the first measurement of a candidate, in seconds [default: 1]; two interleaved candidates may
    /// take four times as long.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Measure even if a choice is already stored.
    #[arg(long)]
    pub again: bool,
    /// List the stored choices.
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
