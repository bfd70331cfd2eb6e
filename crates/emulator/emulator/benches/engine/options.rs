//! The command line of the benchmark.

use crate::measure::{Effort, Engine};
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
cargo bench -p lanework-emulator --bench engine -- [--quick] [--plain | --checked] [--json] [NAME...]

  NAME       run only the kernels whose names contain one of these
  --quick    few rounds: a first look, not a figure to quote
  --plain    only the emulator without an observer, on one worker: for a profiler
  --checked  only the emulator with every access checked, likewise
  --json     one JSON object on stdout instead of the table, with every sample";

/// The command-line options.
#[derive(Default)]
pub struct Options {
    /// Few rounds.
    pub quick: bool,
    /// Only this mode of the emulator, on one worker.
    pub only: Option<Engine>,
    /// JSON instead of a table.
    pub json: bool,
    names: Vec<String>,
}

/// Why there is nothing to run.
pub enum Stop {
    /// `--help`.
    Help,
    /// An option that does not exist.
    Unknown(String),
}

impl Stop {
    /// Prints the usage and gives the exit code.
    pub fn explain(self) -> ExitCode {
        match self {
            Stop::Help => {
                println!("{USAGE}");
                ExitCode::SUCCESS
            }
            Stop::Unknown(option) => {
                eprintln!("error: unknown option `{option}`\n\n{USAGE}");
                ExitCode::from(2)
            }
        }
    }
}

impl Options {
    /// Reads the arguments after the program's name; cargo's own `--bench` is passed over.
    pub fn from_arguments(arguments: impl Iterator<Item = String>) -> Result<Options, Stop> {
        let mut options = Options::default();
        for argument in arguments {
            match argument.as_str() {
                "--bench" => {}
                "--quick" => options.quick = true,
                "--plain" => options.only = Some(Engine::Plain),
                "--checked" => options.only = Some(Engine::Checked),
                "--json" => options.json = true,
                "--help" | "-h" => return Err(Stop::Help),
                other if other.starts_with('-') => return Err(Stop::Unknown(argument)),
                _ => options.names.push(argument),
            }
        }
        Ok(options)
    }

    /// Whether a kernel of this name is to run.
    pub fn selects(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part.as_str()))
    }

    /// How long to measure each kernel.
    pub fn effort(&self) -> Effort {
        if self.quick {
            Effort {
                rounds: 3,
                at_least: Duration::from_millis(300),
                at_most: Duration::from_secs(10),
            }
        } else {
            Effort {
                rounds: 11,
                at_least: Duration::from_secs(4),
                at_most: Duration::from_secs(60),
            }
        }
    }
}
