//! A value from an `if` that may have none.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [f32]) {
    let v = if thread_idx.x < 3 { y[0] };
    y[1] = v;
}

fn main() {}
