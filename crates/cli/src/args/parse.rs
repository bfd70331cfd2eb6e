//! Parses the command line: commands in groups, negative values, and help that also lists the options for files.

use super::Arguments;
use super::grammar::others;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use lanework::report::layout::hanging;
use lanework_terminal::arguments::{with_common_options, with_negative_values};
use lanework_terminal::failure::Failure;
use lanework_terminal::{screen, words};
use std::ffi::OsString;

/// The commands in groups, as `lanework --help` lists them.
const GROUPS: [(&str, &[&str]); 3] = [
    (
        "Your own kernels: PTX or CUDA C++ files, or programs",
        &[
            "run", "check", "profile", "predict", "look", "inspect", "exec", "judge", "explain",
            "mcp", "new",
        ],
    ),
    (
        "Ladders: kernels from the simplest to the fastest",
        &["list", "climb", "sweep", "bench", "compare", "roofline", "tune", "history", "report"],
    ),
    ("Devices", &["devices", "gpus", "hello", "streams"]),
];

impl Arguments {
    /// The command line with its commands listed in groups.
    pub fn grouped() -> clap::Command {
        let command = with_common_options(Self::command());
        let mut listing = String::new();
        for (heading, names) in GROUPS {
            let heading = words::help(&format!("{heading}:")).into_owned();
            listing.push_str(&hanging("", &heading, screen::of_help()));
            for name in names {
                let about = command.find_subcommand(name).and_then(clap::Command::get_about);
                let about = about.map(ToString::to_string).unwrap_or_default();
                listing.push_str(&hanging(&format!("  {name:<13}"), &about, screen::of_help()));
            }
            listing.push('\n');
        }
        let command = command.mut_subcommands(|command| match others(command.get_name()).first() {
            Some(of_file) => with_file_options(command, of_file),
            None => command,
        });
        command.help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listing}Options:\n{{options}}{{after-help}}"
        ))
    }

    /// Parses a command line.
    ///
    /// # Errors
    /// If it is invalid, or asks for help.
    pub fn parse_line(line: &[OsString]) -> Result<Arguments, clap::Error> {
        let matches = with_negative_values(Self::grouped()).try_get_matches_from(line)?;
        screen::apply(&matches);
        Self::from_arg_matches(&matches)
    }
}

/// Commands of `lanework-lab`, which were commands of `lanework` once.
const MOVED: [&str; 5] = ["book", "conform", "coverage", "experiments", "fidelity"];

/// The failure of a command line that names a command of `lanework-lab`.
pub fn moved(error: &clap::Error) -> Option<Failure> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    MOVED.contains(&name.as_str()).then(|| {
        Failure::input(
            format_args!("`{name}` moved to lanework-lab"),
            format_args!("cargo run --release -p lanework-lab-cli -- {name}"),
        )
    })
}

/// The command on rungs, with the options of the same command on a file listed after its examples.
fn with_file_options(rungs: clap::Command, of_file: &clap::Command) -> clap::Command {
    let mut options = Vec::new();
    for option in of_file.get_arguments().filter(|option| !option.is_hide_set()) {
        let Some(name) = option.get_long() else { continue };
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        let value = value.and_then(|names| names.first()).map(|name| format!("\u{a0}<{name}>"));
        options.push(format!("--{name}{}", value.unwrap_or_default()));
    }
    let listing = hanging("  ", &options.join(" "), screen::of_help());
    let examples = rungs.get_after_help().map(ToString::to_string).unwrap_or_default();
    let note = format!(
        "The options above are those of a rung. `{} kernel.ptx --help` describes those of a file:",
        of_file.get_name()
    );
    rungs.after_help(format!("{examples}\n\n{}\n{}", words::help(&note), listing.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        let command = Arguments::grouped();
        let others = command.get_subcommands().flat_map(|command| others(command.get_name()));
        let others: Vec<clap::Command> = others.collect();
        assert!(others.len() > 7);
        command.debug_assert();
        others.into_iter().for_each(clap::Command::debug_assert);
    }

    #[test]
    fn every_command_is_in_one_group_and_has_an_example() {
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = Arguments::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(grouped, names, "the groups list the commands in the order of the enum");
        let of_files = names.iter().filter_map(|name| others(name).into_iter().next());
        let of_files: Vec<clap::Command> = of_files.collect();
        for command in command.get_subcommands().chain(&of_files) {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(examples.contains("Example"), "{} has no example", command.get_name());
        }
    }
}
