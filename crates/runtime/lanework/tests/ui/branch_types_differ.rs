//! An `if` whose sides have two types.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let i = thread_idx.x;
    let v = if i < 4 { x[i] } else { i };
    y[i] = v;
}

fn main() {}
