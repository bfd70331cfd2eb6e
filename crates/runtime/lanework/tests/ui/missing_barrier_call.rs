//! A barrier without parentheses.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let tile = shared::<f32>(32);
    tile[thread_idx.x] = y[thread_idx.x];
    sync_threads;
    y[thread_idx.x] = tile[31 - thread_idx.x];
}

fn main() {}
