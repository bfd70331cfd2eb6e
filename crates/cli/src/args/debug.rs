//! The options of `lanework debug`.

use super::kernel::{FORMS_OF_ARGUMENTS, KernelArgs, hide_device};
use super::ladder::RunArgs;
use super::program::Program;
use super::values::positive;
use clap::{Args, CommandFactory, Parser};
use lanework::emulator::Schedule;
use std::ffi::OsString;
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
    lanework debug saxpy.cu --grid 4 --block 256 2.0 rand:1000 zeros:1000 1000 --tui\n  \
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
    /// Show source, lanes, memory and timeline on the whole terminal, and act by keys.
    #[arg(long, conflicts_with_all = ["script", "dap", "json"], help_heading = "Debugger")]
    pub tui: bool,
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

/// `lanework debug` with a rung.
#[derive(Debug, Args)]
pub struct DebugArgs {
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub options: DebugOptions,
    /// The first launch whose memory is saved, from 1; earlier ones are only listed.
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive, help_heading = "Debugger")]
    pub launch: u64,
}

/// `lanework debug -- PROGRAM`: debug the kernels that a program launches.
#[derive(Debug, Parser)]
#[command(name = "lanework debug", max_term_width = 100)]
#[command(
    after_help = "The program runs once, and its launches are saved, each with the memory that it sees. Then the debugger \
    stops at the start of the first one. The command `launches` lists them.\n\n\
    Examples:\n  \
    lanework debug program.cu -- 1000\n  \
    lanework debug --launch 40 -- ./program\n  \
    lanework debug --script commands.txt -- cargo run"
)]
pub struct DebugProgramArgs {
    /// The first launch whose memory is saved, from 1; earlier ones are only listed.
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive, help_heading = "Debugger")]
    pub launch: u64,
    #[command(flatten)]
    pub options: DebugOptions,
    #[command(flatten)]
    pub program: Program,
}

/// The arguments of this process after its command `from`, as arguments of the command `to`, without the options of the
/// debugger.
pub fn of_child(from: &str, to: &str) -> Vec<OsString> {
    let own = DebugProgramArgs::command();
    let program = Program::augment_args(clap::Command::new("program"));
    let of_program = |name: &str| program.get_arguments().any(|of| of.get_long() == Some(name));
    without(std::env::args_os().skip(1), (from, to), &|name| {
        let found = own.get_arguments().find(|of| of.get_long() == Some(name));
        let found = found.filter(|_| name == "json" || !of_program(name))?;
        Some(usize::from(found.get_action().takes_values()))
    })
}

/// Replaces the command's name, and removes options: `values` returns the number of values of one to remove.
fn without(
    line: impl Iterator<Item = OsString>,
    (from, to): (&str, &str),
    values: &dyn Fn(&str) -> Option<usize>,
) -> Vec<OsString> {
    let (mut kept, mut skip, mut named) = (Vec::new(), 0, false);
    for word in line {
        let text = word.to_string_lossy();
        if skip > 0 {
            skip -= 1;
        } else if let Some(option) = text.strip_prefix("--")
            && let name = option.split('=').next().unwrap_or(option)
            && let Some(count) = values(name)
        {
            skip = if option.contains('=') { 0 } else { count };
        } else if !named && text == from {
            named = true;
            kept.push(to.into());
        } else {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::without;
    use std::ffi::OsString;

    #[test]
    fn the_debugger_s_options_stay_out_of_the_command_that_runs_a_rung() {
        let line = "--color never debug --script a.txt sgemm/tiled --dap --size 64 --launch=2";
        let line = line.split(' ').map(OsString::from);
        let values = |name: &str| match name {
            "script" | "launch" => Some(1),
            "dap" => Some(0),
            _ => None,
        };
        let found = without(line, ("debug", "run"), &values);
        assert_eq!(found.join(" ".as_ref()), "--color never run sgemm/tiled --size 64");
    }
}
