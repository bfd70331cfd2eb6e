//! A value of another type than the slice's.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    y[thread_idx.x] = thread_idx.y;
}

fn main() {}
