//! A write to a `&[T]` parameter.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32]) {
    x[thread_idx.x] = 1.0;
}

fn main() {}
