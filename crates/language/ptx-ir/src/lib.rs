//! The intermediate form of a kernel: lowered from PTX, with its control-flow graph and analyses.
//!
//! - [`module`]: names, static variables, constants of a PTX module.
//! - [`lower`] turns an entry into a [`kernel`]: a flat list of instructions over virtual registers, with calls inlined. The
//!   rules in `rules`, one per PTX instruction, emit the instructions.
//! - [`opcode`]: what an instruction does, as data: operation, types, rounding, modifiers. Passes ask an opcode for facts,
//!   never for its name.
//! - `passes` rewrite a kernel: contraction into fused multiply-adds, canonical NaNs.
//! - [`analysis`]: control flow, post-dominators, liveness, uniformity, known bits, memory accesses. Its fixpoints run on one
//!   solver, [`analysis::dataflow`].
//! - [`inspect`] prints all of it as text; the file tests (`tests/filetests`) compare that text.

pub mod analysis;
pub mod error;
pub mod inspect;
pub mod kernel;
pub mod lower;
pub mod memory_layout;
pub mod module;
pub mod opcode;
mod passes;
mod rules;
pub mod types;

pub use lanework_ptx::cpp_names;
