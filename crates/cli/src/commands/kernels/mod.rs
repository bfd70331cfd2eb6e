//! Commands on one kernel: of a file, of a rung, or of a program.

pub mod check;
pub mod exec;
pub mod inspect;
pub mod look;
pub mod predict;
pub mod profile;
pub mod run;
