//! A two-dimensional array with one index.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let tile = shared::<f32>([4, 4]);
    y[0] = tile[thread_idx.x];
}

fn main() {}
