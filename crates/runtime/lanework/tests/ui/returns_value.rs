//! A kernel that returns a value.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32]) -> f32 {
    x[0]
}

fn main() {}
