//! A shared array whose size is a run-time value.

use lanework::prelude::*;

#[kernel]
fn kernel(n: u32) {
    let tile = shared::<f32>(n);
    tile[0] = 1.0;
}

fn main() {}
