//! The kernel language: Rust functions that build PTX.
//!
//! `#[kernel]` and `#[device]` rewrite a Rust function into one that, when called, *stages* the
//! kernel: every expression on run-time values becomes a typed handle and an instruction.

mod definition;
mod scalar;

pub use definition::{
    CheckSite, Definition, FaultRecord, IndexKind, Parameter, ParameterKind, StageError,
    StageOptions, Staged,
};
pub use scalar::{Element, Float, Integer, Number, Scalar};

/// Names that every file with kernels needs.
pub mod prelude {
    pub use crate::{Element, Float, Integer, Number};
}
