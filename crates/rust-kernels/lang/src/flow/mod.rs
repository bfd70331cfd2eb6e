//! Staging of control flow, calls and printing.

pub(crate) mod branch;
pub(crate) mod call;
pub(crate) mod loops;
pub(crate) mod print;
