//! A loop over something that is neither a range nor an array.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32], count: u32) {
    for i in count {
        y[i] = 0;
    }
}

fn main() {}
