//! The options of the commands on the kernels of a program that launches through the library.

use super::tool::PictureOptions;
use super::values::positive;
use clap::{Args, Command, Parser};
use std::ffi::OsString;
use std::path::PathBuf;

/// A program with its arguments.
#[derive(Debug, Args)]
pub struct Program {
    /// The program and its arguments, after `--`; `exec` takes them without it, too.
    #[arg(value_name = "PROGRAM", required = true, last = true)]
    pub command: Vec<OsString>,
    /// Print one JSON object; what the program prints goes to standard error.
    #[arg(long)]
    pub json: bool,
    /// Emulated GPUs that a CUDA program finds [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub gpus: Option<u32>,
    /// The GPU that a CUDA program finds, one of `lanework gpus`: its attributes, limits and memory, and PTX that it runs, no newer one
    /// [default: an H200, which takes newer PTX, too].
    #[arg(long, value_name = "NAME")]
    pub gpu: Option<String>,
}

/// A command line of `exec` with `--` before its program, where it has none: the first argument that is not an option nor the value
/// of one.
pub fn with_separator(mut line: Vec<OsString>) -> Vec<OsString> {
    let exec = line.iter().position(|argument| argument == "exec").filter(|at| *at > 0);
    let Some(exec) = exec.filter(|at| line[1..*at].iter().all(is_of_every_command)) else {
        return line;
    };
    let options = ExecArgs::augment_args(Command::new("exec"));
    let names = options.get_opts().filter(|option| option.get_action().takes_values());
    let mut with_value: Vec<String> =
        names.filter_map(|option| option.get_long()).map(|name| format!("--{name}")).collect();
    with_value.extend(["--lang", "--color", "--columns"].map(str::to_owned));
    let mut at = exec + 1;
    while let Some(argument) = line.get(at) {
        let text = argument.to_string_lossy();
        match text.as_ref() {
            "--" => return line,
            option if with_value.iter().any(|name| name == option) => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => {
                line.insert(at, OsString::from("--"));
                return line;
            }
        }
    }
    line
}

/// Whether an argument before the command's name is an option of every command, or a value of one.
fn is_of_every_command(argument: &OsString) -> bool {
    let text = argument.to_string_lossy();
    text.starts_with("--") || ["en", "zh", "auto", "always", "never"].contains(&text.as_ref())
}

#[derive(Debug, Args)]
pub struct NewArgs {
    /// The folder of the project, which must not exist yet or be empty.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// The name of the package [default: that of the folder].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Depend on the checkout in this folder, and not on the published version.
    #[arg(long, value_name = "FOLDER")]
    pub path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExecArgs {
    /// Check every launch as `lanework check` does (the default).
    #[arg(long)]
    pub check: bool,
    /// Profile every launch as `lanework profile` does; launches of a kernel in one shape are added up.
    #[arg(long, conflicts_with = "check")]
    pub profile: bool,
    /// Write a timeline of launches and copies to this file, for ui.perfetto.dev or chrome://tracing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "profile"])]
    pub trace: Option<PathBuf>,
    /// Only run the program, on the emulator.
    #[arg(long, conflicts_with_all = ["check", "profile", "trace", "sarif"])]
    pub plain: bool,
    /// Also write the findings to this file, as SARIF.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["profile", "trace"])]
    pub sarif: Option<PathBuf>,
    #[command(flatten)]
    pub program: Program,
}

/// `lanework look -- PROGRAM`: draw an access of a kernel that a program launches.
#[derive(Debug, Parser)]
#[command(name = "lanework look", max_term_width = 100)]
#[command(after_help = "Examples:\n  \
    lanework look -- cargo run\n  \
    lanework look --kernel saxpy --launch 2 --warp 3 -- cargo run --release")]
pub struct LookProgramArgs {
    /// The kernel [default: the first that is launched].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub kernel: String,
    /// Its launch, counted from 1 in each process.
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    pub launch: u64,
    #[command(flatten)]
    pub picture: PictureOptions,
    #[command(flatten)]
    pub program: Program,
}

/// `lanework inspect -- PROGRAM`: show the PTX of the kernels that a program launches.
#[derive(Debug, Parser)]
#[command(name = "lanework inspect", max_term_width = 100)]
#[command(after_help = "Examples:\n  \
    lanework inspect -- cargo run\n  \
    lanework inspect --kernel saxpy -- cargo run")]
pub struct InspectProgramArgs {
    /// The kernel [default: every one].
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    #[command(flatten)]
    pub program: Program,
}

#[cfg(test)]
mod tests {
    use super::with_separator;
    use std::ffi::OsString;

    fn separated(line: &str) -> String {
        let line = line.split_whitespace().map(OsString::from).collect();
        let words: Vec<String> =
            with_separator(line).iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn the_program_of_exec_needs_no_separator() {
        for (given, taken) in [
            ("lanework exec ./prog --lang zh", "lanework exec -- ./prog --lang zh"),
            (
                "lanework --lang zh exec --gpus 2 ./prog",
                "lanework --lang zh exec --gpus 2 -- ./prog",
            ),
            (
                "lanework exec --trace t.json --json ./prog a",
                "lanework exec --trace t.json --json -- ./prog a",
            ),
            ("lanework exec --sarif=f ./prog -- a", "lanework exec --sarif=f -- ./prog -- a"),
            ("lanework exec --profile -- ./prog exec", "lanework exec --profile -- ./prog exec"),
            ("lanework exec --help", "lanework exec --help"),
            ("lanework run exec", "lanework run exec"),
        ] {
            assert_eq!(separated(given), taken);
        }
    }
}
