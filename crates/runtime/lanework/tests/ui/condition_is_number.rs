//! A condition that is not a `bool`.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    if thread_idx.x {
        y[0] = 1;
    }
}

fn main() {}
