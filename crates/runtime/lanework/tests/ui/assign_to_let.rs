//! An assignment to a variable without `mut`.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    let i = thread_idx.x;
    i = i + 1;
    y[i] = 0;
}

fn main() {}
