//! A register array indexed by a run-time value.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let mut acc = [0.0f32; 4];
    acc[thread_idx.x] = 1.0;
    y[0] = acc[thread_idx.x];
}

fn main() {}
