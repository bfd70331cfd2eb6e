//! Kernels as compilers print them, with the launches, the inputs and what must come out.
//!
//! `cuda/` holds the sources, a file per topic; `ptx/` what nvcc made of each for several targets,
//! optimised and for debugging, and what other compilers made of theirs; `src/cases/` a declaration
//! per kernel. `make.sh` makes the PTX again. `tests/` runs every declaration with every module of its
//! topic, on the emulator and on a GPU where there is one.

#![allow(clippy::precedence, reason = "products before shifts, as in the kernels' own sources")]

mod case;
mod cases;
mod modules;
mod random;
mod recorded;
mod run;

pub use case::{Argument, Case, Launch, OnEmulator};
pub use cases::all;
pub use modules::{Variant, variants};
pub use recorded::{Recorded, lines};
pub use run::{Each, Outputs, agree, run, run_each};
