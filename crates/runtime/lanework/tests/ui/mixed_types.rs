//! An addition of two types.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let i = thread_idx.x;
    y[i] = x[i] + i;
}

fn main() {}
