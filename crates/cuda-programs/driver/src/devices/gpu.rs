//! The emulated GPUs.

use crate::handles::Handle;
use std::sync::Mutex;

/// An emulated GPU.
pub struct Gpu {
    pub ordinal: i32,
    /// Its primary context, and how often it was retained.
    pub primary: Mutex<Primary>,
    /// The default pool, and the one that asynchronous allocations take; made when asked for.
    pub pools: Mutex<[Handle; 2]>,
}

/// The primary context of a GPU.
#[derive(Default)]
pub struct Primary {
    pub context: Handle,
    pub retained: u32,
    pub flags: u32,
}

/// The environment variable that says how many GPUs there are.
const COUNT: &str = "LANEWORK_GPUS";
/// Emulated GPUs at most.
const MOST: usize = 64;

impl Gpu {
    /// As many as the environment asks for; one unless told.
    pub fn all() -> Vec<Gpu> {
        let count =
            std::env::var(COUNT).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(1usize);
        (0..count.min(MOST) as i32)
            .map(|ordinal| Gpu { ordinal, primary: Mutex::default(), pools: Mutex::default() })
            .collect()
    }

    /// Sixteen bytes that identify it, the same in every run.
    pub fn uuid(&self) -> [u8; 16] {
        let mut bytes = *b"lanework-gpu-000";
        bytes[15] = self.ordinal as u8;
        bytes
    }

    /// Its place on an imagined PCI bus.
    pub fn bus(&self) -> String {
        format!("0000:{:02X}:00.0", self.ordinal + 1)
    }
}
