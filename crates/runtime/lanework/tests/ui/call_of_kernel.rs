//! A call of a kernel in a kernel.

use lanework::prelude::*;

#[kernel]
fn first(y: &mut [f32]) {
    y[0] = 1.0;
}

#[kernel]
fn kernel(y: &mut [f32]) {
    first(y);
}

fn main() {}
