//! The command line: every command, option, default and example in one place.

use clap::{Args, Parser, Subcommand};
use lanework::Dim3;
use std::path::PathBuf;

/// CUDA-style kernels in stable Rust: verified and explained with no GPU, timed on one.
#[derive(Debug, Parser)]
#[command(name = "lanework", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 all is well, 1 a check failed, 2 bad input or usage.\n\
    Start with: lanework climb transpose")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices: GPUs with their limits, and the emulator.
    Devices(DevicesArgs),
    /// List the ladders, their rungs and the experiments they reproduce.
    List(ListArgs),
    /// Let every thread of a small grid print its name from the device.
    #[command(after_help = "Example: lanework hello --blocks 5 --threads 2x2")]
    Hello(HelloArgs),
    /// Climb a ladder: verify every rung, then show what makes each one faster.
    #[command(after_help = "Examples:\n  \
        lanework climb transpose\n  \
        lanework climb transpose --rows 1000 --cols 333 --type u8\n  \
        lanework climb transpose --size 8192 --device cuda:0 --json")]
    Climb(ClimbArgs),
    /// Climb a ladder at several sizes and block shapes.
    #[command(
        after_help = "Example: lanework sweep transpose --block 8,16,32 --size 512,1024,2048"
    )]
    Sweep(SweepArgs),
    /// Run one rung on your own matrix.
    #[command(after_help = "Example: lanework run transpose/padded --input a.npy --output b.npy")]
    Run(RunArgs),
}

/// Options that every command on a device takes.
#[derive(Debug, Args)]
pub struct On {
    /// Where to run: best (a GPU if there is one), emulator, or cuda:N.
    #[arg(long, default_value = "best", value_name = "DEVICE")]
    pub device: String,
}

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print one JSON array.
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
pub struct ClimbArgs {
    /// The ladder; `lanework list` shows them.
    pub ladder: String,
    /// Edge of a square matrix [default: 1024].
    #[arg(long, value_parser = extent, value_name = "N", conflicts_with_all = ["rows", "cols"])]
    pub size: Option<u32>,
    /// Rows of the matrix.
    #[arg(long, value_parser = extent, value_name = "R", requires = "cols")]
    pub rows: Option<u32>,
    /// Columns of the matrix.
    #[arg(long, value_parser = extent, value_name = "C", requires = "rows")]
    pub cols: Option<u32>,
    /// Edge of the square block of threads, for the rungs that take one.
    #[arg(long, default_value = "32", value_parser = extent, value_name = "B")]
    pub block: u32,
    #[command(flatten)]
    pub how: Climbing,
}

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// The ladder; `lanework list` shows them.
    pub ladder: String,
    /// Edges of square matrices, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "512,1024,2048", value_parser = extent)]
    pub size: Vec<u32>,
    /// Edges of square blocks, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "16", value_parser = extent)]
    pub block: Vec<u32>,
    #[command(flatten)]
    pub how: Climbing,
}

/// Options that climbs and sweeps share.
#[derive(Debug, Args)]
pub struct Climbing {
    /// Element type: f32, f64, f16, bf16, u8 to u64, i8 to i64.
    #[arg(long = "type", default_value = "f32", value_name = "TYPE")]
    pub element: String,
    /// Only these rungs, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub rungs: Vec<String>,
    /// Seed of the random elements.
    #[arg(long, default_value = "1", value_name = "N")]
    pub seed: u64,
    /// Longest time to sample one rung on a GPU, in seconds.
    #[arg(long, default_value = "15", value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: f64,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// The rung, as ladder/rung.
    pub rung: String,
    /// The matrix: a .npy file in C order, of elements of 1, 2, 4 or 8 bytes.
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// Where to write the result as .npy.
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Edge of the square block of threads, for the rungs that take one.
    #[arg(long, default_value = "32", value_parser = extent, value_name = "B")]
    pub block: u32,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub on: On,
}

/// A positive whole number that fits 32 bits.
fn extent(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) => Err("0 leaves nothing to do; give a whole number from 1".to_owned()),
        Ok(extent) => Ok(extent),
        Err(_) => Err(format!("give a whole number from 1 to {}, such as 1024", u32::MAX)),
    }
}

/// A whole number from 1 to 32.
fn up_to_32(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ 1..=32) => Ok(count),
        _ => Err("give a whole number from 1 to 32".to_owned()),
    }
}

/// `XxY`, each from 1 to 32.
fn threads(text: &str) -> Result<Dim3, String> {
    let remedy = "give two whole numbers from 1 to 32 as XxY, such as 4x2";
    let (x, y) = text.split_once(['x', 'X']).ok_or(remedy)?;
    Ok(Dim3::from((up_to_32(x).map_err(|_| remedy)?, up_to_32(y).map_err(|_| remedy)?)))
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        _ => Err("give a number of seconds over 0 and up to 3600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn shapes_outside_one_to_thirty_two_are_refused() {
        assert_eq!(threads("2x3"), Ok(Dim3::from((2, 3))));
        for text in ["0x1", "33x1", "1", "1x", "ax2", "1x2x3", "-1x2"] {
            assert!(threads(text).is_err(), "{text}");
        }
    }

    #[test]
    fn extents_are_positive_whole_numbers() {
        assert_eq!(extent("17"), Ok(17));
        for text in ["0", "-1", "NaN", "1.5", "4294967296", ""] {
            assert!(extent(text).is_err(), "{text}");
        }
    }
}
