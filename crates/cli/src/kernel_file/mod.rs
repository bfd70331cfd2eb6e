//! A kernel of a PTX or CUDA C++ file: its arguments, its entry, and its launch.

mod argument;
mod launch;
mod parameters;
pub mod source;
mod struct_argument;
pub mod timing;

use crate::args::KernelArgs;
use lanework::{Error, PtxModule};
use lanework_terminal::failure::Failure;

pub use launch::{Ready, arguments, emulator, given, launch, maps, upload};
pub use parameters::check_arguments;

/// The entry to run: the one of this name, mangled or in C++, or the only one.
///
/// # Errors
/// If no entry has the name, or several do.
pub fn find_entry(module: &PtxModule, name: Option<&str>) -> Result<String, Failure> {
    module.find_entry(name).map_err(|error| match error {
        Error::Request { why, help } => Failure::input(why, help),
        other => other.into(),
    })
}

/// Refuses an option that only `run` on the emulator has.
///
/// # Errors
/// If it was given.
pub fn no_fidelity(args: &KernelArgs) -> Result<(), Failure> {
    match args.fidelity {
        true => Err(Failure::input(
            "--fidelity is not used here",
            "`lanework run` with the same arguments and --fidelity lists the forms",
        )),
        false => Ok(()),
    }
}
