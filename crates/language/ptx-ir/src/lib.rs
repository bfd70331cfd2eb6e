//! The intermediate form of a kernel: lowered from PTX, with its control-flow graph and analyses.
//!
//! A module's entry is lowered (`lower`, by the rules in `rules`, one per PTX instruction) to a flat list of
//! instructions over virtual registers (`kernel`); an instruction is an opcode with its types and modifiers
//! (`opcode`) and typed operands. Passes ask an opcode for facts, never for its name. `cfg`, `postdom` and
//! `liveness` describe control flow, `uniformity` says which registers are the same or affine over a warp, and
//! `vectorize` which loads ptxas joins; the fixpoints among them run on one solver, `dataflow`.
//! `inspect` shows all of it as text; the file tests (`tests/filetests`) compare it.

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
