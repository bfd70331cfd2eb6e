//! Bodies of kernels and device functions: statements and expressions become calls that stage them.

pub mod closures;
pub mod expression;
mod flow;
pub mod iterators;
pub mod macros;
pub mod matching;
pub mod names;
pub mod patterns;
pub mod places;
pub mod scope;
pub mod statement;
