//! Shared memory declared as a variable.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared::<f32>(32);
    tile[thread_idx.x] = 1.0;
    y[0] = tile[0];
}

fn main() {}
