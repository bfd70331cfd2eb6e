//! The intermediate form of a kernel: lowered from PTX, with its control-flow graph and analyses.

pub mod access_class;
pub mod analyses;
pub mod bitset;
pub mod canonicalize;
pub mod cfg;
pub mod dataflow;
pub mod error;
pub mod indirect;
pub mod initial;
pub mod kernel;
pub mod known_bits;
pub mod literal;
pub mod liveness;
pub mod load_uses;
pub mod lower;
pub mod opcode;
pub mod postdom;
pub mod pressure;
pub mod rules;
pub mod types;
pub mod uniformity;
pub mod vectorize;
pub mod window;
