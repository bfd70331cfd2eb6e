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

/// Runs `blocks` blocks of `threads` threads, each of which prints a line from the device.
///
/// # Errors
/// When the device cannot run that many threads in a block.
pub fn say_hello(device: &Device, blocks: u32, threads: Dim3) -> Result<()> {
    hello().grid(blocks).block(threads).launch(device)?;
    device.synchronize()
}
