//! PTX, NVIDIA's stable assembly language for GPUs, as data: a syntax tree, a parser with
//! diagnostics, a printer, and the lowest version and target that a module needs.
//!
//! This crate reads and writes text. It runs nothing and opens no file.

mod ast;
mod diagnostics;
mod parse;
mod print;
mod requirements;
mod types;
mod validate;

pub use ast::*;
pub use diagnostics::{Diagnostic, Diagnostics};
pub use parse::parse_instructions;
pub use types::{ScalarType, StateSpace};
