//! Kernels as emitted by compilers, with launches, inputs and expected results.
//!
//! `cuda/` holds the sources, a file per topic; `lanework-compiled-ptx` the output of nvcc for several targets,
//! optimized and for debugging, and of other compilers; `src/cases/` a declaration per kernel. `make.sh` regenerates
//! the PTX. `tests/` runs every declaration with every module of its topic, on the emulator and on a GPU if there is
//! one.

#![allow(clippy::precedence, reason = "products before shifts, as in the kernels' own sources")]

mod case;
mod cases;
mod modules;
mod random;
mod run;

pub use case::{Argument, Case, Launch, OnEmulator};
pub use cases::all;
pub use modules::{Variant, variants};
pub use run::{Each, Outputs, Recorded, agree, lines, run, run_each};
