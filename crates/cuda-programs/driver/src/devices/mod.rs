//! The emulated GPUs and the contexts of programs on them.

pub mod attributes;
pub mod contexts;
pub mod core_dumps;
pub mod gpus;
pub mod green_contexts;
