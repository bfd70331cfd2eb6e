//! The emulated GPUs with their attributes ([`device_attribute`]), and the contexts of programs on them.

pub mod contexts;
pub mod core_dumps;
pub mod gpus;
pub mod green_contexts;

use gpus::{Gpu, model};

/// Maximum threads per block, the same for every GPU.
pub const BLOCK: u32 = 1024;

/// The value of an attribute of an emulated GPU; `None` if the number is unknown.
pub fn device_attribute(attribute: i32, gpu: &Gpu) -> Option<i32> {
    match attribute {
        33 => Some(gpu.ordinal + 1), // the PCI bus
        _ => lanework_gpu_specs::device_attribute(attribute, model().gpu),
    }
}
