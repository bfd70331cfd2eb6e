//! A loop with a value.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    loop {
        break 3;
    }
}

fn main() {}
