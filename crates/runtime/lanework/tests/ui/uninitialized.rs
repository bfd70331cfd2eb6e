//! A variable that is uninitialized on one path to its use.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let x;
    if thread_idx.x > 3 {
        x = 1.0;
    }
    y[0] = x;
}

fn main() {}
