//! Values: their types, the names that lead to them, and expressions of them.

pub mod cuda_cpp;
pub mod evaluate;
pub mod parse;
pub mod scope;
pub mod types;
