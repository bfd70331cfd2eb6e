//! Too few arguments of a device function.

use lanework::prelude::*;

#[device]
fn scaled(x: f32, factor: f32) -> f32 {
    x * factor
}

#[kernel]
fn kernel(y: &mut [f32]) {
    y[0] = scaled(y[1]);
}

fn main() {}
