//! Runs the command `lanework` and looks at its output, its files and its exit codes.

mod features;
mod files;
#[cfg(feature = "host")]
mod first_page;
mod inputs;
mod installed;
mod ladders;
mod mutated;
mod programs;
#[cfg(feature = "tui")]
mod pseudo_terminal;
#[cfg(feature = "history")]
mod stored;
mod terminal;
