//! The emulated GPUs, the contexts of programs on them, and what ends with a context.

pub mod attributes;
pub mod calls;
pub mod contexts;
pub mod core_dumps;
pub mod ending;
pub mod gpu;
pub mod green;
pub mod model;
pub mod profiler;
