//! A `match` that leaves values out.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Circle,
    Square,
    Line,
}

#[kernel]
fn kernel(y: &mut [u32], shape: Shape) {
    y[0] = match thread_idx.x {
        0 => 1,
        2.. => 2,
    };
    y[1] = match shape {
        Shape::Circle => 1,
        Shape::Square if y[0] > 1 => 2,
        Shape::Line => 3,
    };
}

fn main() {}
