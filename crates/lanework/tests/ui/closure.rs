//! A closure.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    let double = |x| x * 2;
    y[0] = thread_idx.x;
}

fn main() {}
