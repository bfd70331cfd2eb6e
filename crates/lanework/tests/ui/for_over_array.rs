//! A staged loop over something that is not a range.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    for i in [1, 2, 3] {
        y[i] = 0;
    }
}

fn main() {}
