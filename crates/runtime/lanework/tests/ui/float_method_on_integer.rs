//! A method that integers lack.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[0] = thread_idx.x.sqrt();
}

fn main() {}
