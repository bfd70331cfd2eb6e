//! A float literal for an integer element.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[thread_idx.x] = 1.0;
}

fn main() {}
