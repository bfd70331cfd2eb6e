//! Kernels: modules compiled from PTX, their functions, launches, and graphs of launches.

pub(crate) mod function;
pub(crate) mod graph;
mod launch;
pub(crate) mod module;
pub(crate) mod shape;

pub use module::JitOptions;
