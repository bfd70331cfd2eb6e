//! A variable without a value.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let mut sum: f32;
    y[0] = 1.0;
}

fn main() {}
