//! An index that is a float.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = x[1.0];
}

fn main() {}
