//! A cast to something that is not a scalar.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[0] = thread_idx.x as char;
}

fn main() {}
