//! The first kernel of every CUDA course: each thread prints its index (B1).

use lanework::prelude::*;
use lanework::{Dim3, Result};

#[kernel]
fn hello() {
    println!(
        "Hello World from Thread ({}, {}) in Block {}!",
        thread_idx.x, thread_idx.y, block_idx.x
    );
}

/// Runs `blocks` blocks of `threads` threads; each thread prints a line from the device.
///
/// # Errors
/// If the device does not allow that many threads per block.
pub fn say_hello(device: &Device, blocks: u32, threads: Dim3) -> Result<()> {
    hello().grid(blocks).block(threads).launch(device)?;
    device.synchronize()
}
