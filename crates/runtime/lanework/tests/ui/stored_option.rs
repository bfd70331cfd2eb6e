//! A buffer of a struct with an `Option`, and of an enum with data: Rust does not define their layout.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Kept {
    value: Option<f32>,
}

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Disk(f32),
    Dot,
}

#[kernel]
fn kernel(x: &[Kept], y: &mut [Shape]) {
    y[0] = Shape::Disk(x[0].value.unwrap_or(0.0));
}

fn main() {}
