//! Values that begin with a minus sign: whoever reads a value says what is wrong with it.

use clap::Command;

/// The command whose options take negative numbers for values, not for options that nobody knows.
pub fn with_negative_values(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let is_option = !arg.is_positional() && arg.get_action().takes_values();
        if is_option { arg.allow_negative_numbers(true) } else { arg }
    });
    command.mut_subcommands(with_negative_values)
}
