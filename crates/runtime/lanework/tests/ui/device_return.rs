//! A device function that returns another type.

use lanework::prelude::*;

#[device]
fn double(x: u32) -> f32 {
    x * 2
}

fn main() {}
