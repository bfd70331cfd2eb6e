//! The kernel language: Rust functions that build PTX.
//!
//! `#[kernel]` and `#[device]` rewrite a Rust function into one that, when called, *stages* the
//! kernel: every expression on run-time values becomes a typed handle ([`Var`]) and an
//! instruction. Ordinary Rust values in the body (literals, generics, `#[constant]` parameters)
//! stay ordinary Rust values, so that `if`, shapes and unrolled loops on them are resolved while
//! staging.

mod arithmetic;
mod builder;
mod call;
mod cast;
mod compare;
mod control;
mod current;
mod definition;
mod directive;
mod fold;
mod inline;
mod intrinsics;
mod jumps;
mod loops;
mod memory;
mod merge;
mod numbering;
mod operands;
mod operators;
mod optimize;
mod print;
pub mod rt;
mod scalar;
mod stage;
mod value;
mod var;

pub use definition::{
    CheckSite, Definition, FaultRecord, IndexKind, Parameter, ParameterKind, StageError,
    StageOptions, Staged,
};
pub use memory::{Place, ReadPlace, RegisterArray, Shared, Slice, SliceMut};
pub use scalar::{Element, Float, Integer, Number, Scalar};
pub use var::{Mut, Var};

/// Names that every file with kernels needs.
pub mod prelude {
    pub use crate::intrinsics::*;
    pub use crate::memory::{registers, shared, shared_dynamic};
    pub use crate::{
        Element, Float, Integer, Number, Place, RegisterArray, Shared, Slice, SliceMut, Var,
    };
}
