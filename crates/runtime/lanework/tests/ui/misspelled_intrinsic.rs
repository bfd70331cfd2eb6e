//! Names close to those of intrinsics.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    let v = shfl_down(FULL_MASK, y[0], 1);
    sync_thread();
    y[0] = v;
}

fn main() {}
