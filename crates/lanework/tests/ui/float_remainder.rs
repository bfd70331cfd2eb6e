//! A remainder of floats.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = x[0] % x[1];
}

fn main() {}
