//! PTX, NVIDIA's stable assembly language for GPUs, as data: a syntax tree, a parser with
//! diagnostics, a printer, and the lowest version and target that a module needs.
//!
//! ```
//! use lanework_ptx::Module;
//!
//! let mut module = Module::parse(
//!     ".version 8.8 .target sm_100 .address_size 64
//!      .visible .entry sum(.param .u64 out) { .reg .b32 %r<3>; redux.sync.add.u32 %r1, %r2, -1; ret; }",
//! )?;
//! module.validate()?;
//! module.set_lowest_requirements();
//! assert!(module.to_string().starts_with(".version 7.0\n.target sm_80\n"));
//!
//! let problems = Module::parse(".version 8.8 .target sm_100 .entry k { mov.b32 %r1 0; }").unwrap_err();
//! assert!(problems.to_string().contains("expected `;` after the instruction, found `0`"));
//! # Ok::<(), lanework_ptx::Diagnostics>(())
//! ```
//!
//! This crate only converts text and data. It runs nothing and does no input or output.

mod ast;
pub mod cpp_names;
mod diagnostics;
mod instructions;
mod link;
mod parse;
mod print;
mod requirements;
mod swizzle;
mod types;
mod validate;

pub use ast::*;
pub use diagnostics::{Diagnostic, Diagnostics};
pub use instructions::{Modifier, NamedSpecial, Opcode, Section, SpecialName, SpecialShape};
pub use link::{LinkError, Linker};
pub use parse::parse_instructions;
pub use swizzle::Swizzle;
pub use types::{ScalarType, StateSpace};
