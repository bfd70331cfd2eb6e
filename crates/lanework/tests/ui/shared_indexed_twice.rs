//! Shared memory indexed as an array of arrays.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let tile = shared::<f32>([8, 8]);
    tile[thread_idx.y][thread_idx.x] = 1.0;
    y[0] = tile[0][0];
}

fn main() {}
