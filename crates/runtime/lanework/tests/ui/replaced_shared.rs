//! Elements of a shared array may be assigned, with or without `mut`. The array itself may not.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared::<f32>(32);
    let other = shared::<f32>(32);
    tile[thread_idx.x] = 1.0;
    other[thread_idx.x] = 1.0;
    tile = other;
    y[0] = tile[0];
}

fn main() {}
