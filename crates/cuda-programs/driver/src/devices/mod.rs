//! The emulated GPUs, the contexts of programs on them, and what ends with a context.

pub mod attributes;
pub mod contexts;
pub mod core_dumps;
pub mod gpus;
pub mod green_contexts;
