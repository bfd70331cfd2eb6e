//! Buffers of types that device memory does not hold: a `bool`, a tuple, an enum.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, PartialEq)]
enum Color {
    Red,
    Blue,
}

#[kernel]
fn flags(x: &mut [bool]) {
    x[0] = true;
}

#[kernel]
fn pairs(x: &mut [(f32, u32)]) {
    x[0] = (1.0, 2);
}

#[kernel]
fn colors(x: &mut [Color]) {
    x[0] = Color::Red;
}

fn main() {}
