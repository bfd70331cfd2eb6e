//! The instructions: a module for each group, with the handlers that run it.

pub mod access;
pub mod allocate;
pub(crate) mod alu;
pub mod asynchrony;
pub(crate) mod control;
pub(crate) mod cross;
pub(crate) mod matrix;
pub(crate) mod print;
pub mod tensor_map;
pub(crate) mod tensor_memory;
pub mod texture;
