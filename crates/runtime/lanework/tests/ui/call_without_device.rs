//! A call of a function without #[device].

use lanework::prelude::*;

fn half(x: f32) -> f32 {
    0.5 * x
}

#[kernel]
fn kernel(y: &mut [f32]) {
    y[0] = half(y[1]);
}

fn main() {}
