//! Struct expressions with a field missing, one too many, and one of another type.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Pair {
    first: f32,
    second: u32,
}

#[kernel]
fn missing(x: &mut [Pair]) {
    x[0] = Pair { first: 1.0 };
}

#[kernel]
fn too_many(x: &mut [Pair]) {
    x[0] = Pair { first: 1.0, second: 2, third: 3 };
}

#[kernel]
fn wrong_type(x: &mut [Pair]) {
    x[0] = Pair { first: thread_idx.x, second: 2 };
}

fn main() {}
