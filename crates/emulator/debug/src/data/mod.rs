//! Values: their types, names and expressions.

pub mod condition;
pub mod cuda_cpp;
pub mod dwarf;
pub mod evaluate;
pub mod parse;
pub mod registers;
pub mod rust;
pub mod scope;
pub mod types;
