//! A value of a loop that may end without one.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[0] = loop {
        while y[1] < 3 {
            break 3;
        }
        break 4;
    };
}

fn main() {}
