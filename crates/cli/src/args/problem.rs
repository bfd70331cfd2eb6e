//! The options that describe a problem of a ladder: its sizes, its numbers and its arrays.

use super::values::{axis, extent};
use clap::Args;
use lanework_lab::PARAMETERS;
use std::path::PathBuf;

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
#[derive(Debug, Args)]
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
#[derive(Debug, Args)]
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
