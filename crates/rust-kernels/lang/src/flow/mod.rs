//! Control flow, calls and printing while a kernel is staged.

pub(crate) mod branch;
pub(crate) mod call;
pub(crate) mod inline;
pub(crate) mod loops;
pub(crate) mod print;
