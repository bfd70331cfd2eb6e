//! The intermediate form of a kernel: lowered from PTX, with its control-flow graph and analyses.
//!
//! A module's entry is lowered (`lower`, by the rules in `rules`, one per PTX instruction) to a flat list of
//! instructions over virtual registers (`kernel`); an instruction is an opcode with its types and modifiers
//! (`opcode`) and typed operands. Passes ask an opcode for facts, never for its name. `cfg`, `postdom` and
//! `liveness` describe control flow, `uniformity` says which registers are the same or affine over a warp, and
//! `vectorize` which loads ptxas joins; the fixpoints among them run on one solver, `dataflow`.
//! `inspect` shows all of it as text; the file tests (`tests/filetests`) compare it.

pub mod access_class;
pub mod analyses;
mod bitset;
pub mod canonicalize;
mod cfg;
pub mod classify;
mod contract;
pub mod dataflow;
mod display;
pub mod error;
pub mod indirect;
pub mod initial;
pub mod inspect;
pub mod kernel;
mod known_bits;
pub mod literal;
mod liveness;
mod load_uses;
pub mod lower;
pub mod names;
pub mod opcode;
mod polling;
mod postdom;
pub mod pressure;
mod rules;
pub mod statics;
pub mod tensor_map;
pub mod types;
pub mod uniformity;
pub mod unreached;
mod vectorize;
pub mod window;
