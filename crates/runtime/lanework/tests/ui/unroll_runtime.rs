//! An unrolled loop over a run-time range.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32], n: u32) {
    #[unroll]
    for i in 0..n {
        y[i] = 0;
    }
}

fn main() {}
