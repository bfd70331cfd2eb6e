//! A condition in arithmetic.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    let i = thread_idx.x;
    y[0] = (i < 4) + 1;
}

fn main() {}
