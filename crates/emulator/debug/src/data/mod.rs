//! Values: their types, names and expressions.

pub mod cuda_cpp;
pub mod dwarf;
pub mod evaluate;
pub mod parse;
pub mod scope;
pub mod types;
