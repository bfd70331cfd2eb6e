//! A comparison of a float with an integer.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let i = thread_idx.x;
    if x[i] > 0 {
        y[i] = x[i];
    }
}

fn main() {}
