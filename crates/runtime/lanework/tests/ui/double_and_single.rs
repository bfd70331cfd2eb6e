//! f64 and f32 in one sum.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f64], y: &mut [f32]) {
    let mut sum = 0.0f32;
    sum += x[0];
    y[0] = sum;
}

fn main() {}
