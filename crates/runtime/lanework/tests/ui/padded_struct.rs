//! A buffer of a struct with padding, and of one with a `bool`.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Padded {
    kind: u8,
    value: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Flagged {
    flag: bool,
}

#[kernel]
fn kernel(x: &[Padded], y: &mut [Flagged]) {
    y[0].flag = x[0].value > 0.0;
}

fn main() {}
