//! Reads PTX from standard input and prints it back, or its diagnostics:
//! `cargo run -p lanework-ptx --example reprint < kernel.ptx`. With `--lowest`, it states the lowest
//! version and target that the module needs.
//!
//! Assembling both texts with `ptxas` and comparing the code is the strongest check of the round trip.

use lanework_ptx::Module;
use std::io::{self, Read};
use std::process::ExitCode;

fn main() -> io::Result<ExitCode> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(match Module::parse(&text) {
        Ok(mut module) => {
            if std::env::args().any(|argument| argument == "--lowest") {
                module.set_lowest_requirements();
            }
            print!("{module}");
            ExitCode::SUCCESS
        }
        Err(diagnostics) => {
            eprintln!("{diagnostics}");
            ExitCode::FAILURE
        }
    })
}
