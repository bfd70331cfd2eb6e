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
pub mod bitset;
pub mod canonicalize;
pub mod cfg;
pub mod classify;
pub mod contract;
pub mod dataflow;
pub mod display;
pub mod error;
pub mod indirect;
pub mod initial;
pub mod inspect;
pub mod kernel;
pub mod known_bits;
pub mod literal;
pub mod liveness;
pub mod load_uses;
pub mod lower;
pub mod opcode;
pub mod polling;
pub mod postdom;
pub mod pressure;
pub mod rules;
pub mod statics;
pub mod tensor_map;
pub mod types;
pub mod uniformity;
pub mod unreached;
pub mod vectorize;
pub mod window;
