//! A pattern of another type than the value, and one of `Option`.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[0] = match thread_idx.x {
        1.0 => 1,
        _ => 2,
    };
}

#[kernel]
fn optional(y: &mut [u32]) {
    if let Some(x) = y[0] {
        y[1] = x;
    }
}

fn main() {}
