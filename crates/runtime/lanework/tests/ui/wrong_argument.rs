//! A device function called with another type.

use lanework::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel]
fn kernel(y: &mut [f32]) {
    y[0] = square(thread_idx.x);
}

fn main() {}
