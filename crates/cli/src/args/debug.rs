//! The options of `lanework debug`.

use super::kernel::{FORMS_OF_ARGUMENTS, KernelArgs, hide_device};
use super::values::positive;
use clap::{Args, Parser};
use lanework::emulator::Schedule;
use std::path::PathBuf;

/// `lanework debug FILE`: debug an entry of a PTX or CUDA C++ file.
#[derive(Debug, Parser)]
#[command(name = "lanework debug", max_term_width = 100)]
#[command(mut_args(hide_device))]
#[command(after_help = format!(
    "{FORMS_OF_ARGUMENTS}.\n\
    The command `help` of the debugger lists its commands. CUDA C++ is compiled without optimization, by Lanework's own \
    compiler, so that every variable has its value; --compiler chooses another compiler.\n\n\
    Examples:\n  \
    lanework debug saxpy.cu --grid 4 --block 256 2.0 rand:1000 zeros:1000 1000\n  \
    lanework debug saxpy.cu --block 256 2.0 rand:1000 zeros:1000 1000 --script commands.txt"
))]
pub struct DebugKernelArgs {
    #[command(flatten)]
    pub kernel: KernelArgs,
    #[command(flatten)]
    pub options: DebugOptions,
}

/// The options of a debugging session.
#[derive(Clone, Debug, Args)]
pub struct DebugOptions {
    /// Execute the commands of a file, one a line, and print their output.
    #[arg(long, value_name = "FILE", help_heading = "Debugger")]
    pub script: Option<PathBuf>,
    /// Serve the Debug Adapter Protocol on standard input and output: an editor starts this.
    #[arg(long, conflicts_with = "script", help_heading = "Debugger")]
    pub dap: bool,
    /// The order in which blocks and warps run: normal, reversed, or a number that seeds a random order.
    #[arg(long, value_name = "ORDER", default_value = "normal", value_parser = order, help_heading = "Debugger")]
    pub order: Schedule,
    /// Memory for snapshots, in MiB, in addition to a copy of the kernel's memory.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = positive, help_heading = "Debugger")]
    pub snapshots: u64,
}

/// `normal`, `reversed`, or the seed of a random order.
fn order(text: &str) -> Result<Schedule, String> {
    match text {
        "normal" => Ok(Schedule::InOrder),
        "reversed" => Ok(Schedule::Reversed),
        seed => seed
            .parse()
            .map(Schedule::Seeded)
            .map_err(|_| "an order is normal, reversed, or a number".to_owned()),
    }
}

/// `lanework debug` without a file.
#[derive(Debug, Args)]
pub struct DebugArgs {
    /// The file: .ptx or .cu.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}
