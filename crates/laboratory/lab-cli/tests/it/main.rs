//! Runs the command `lanework-lab` and looks at its output, its files and its exit codes.

mod book;
mod command;
mod terminal;
