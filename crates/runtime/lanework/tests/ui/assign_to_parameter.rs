//! A parameter that is not `mut`, changed.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32], n: u32) {
    n += 1;
    y[n] = 1.0;
}

fn main() {}
