//! A `match`.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[0] = match thread_idx.x {
        0 => 1,
        _ => 2,
    };
}

fn main() {}
