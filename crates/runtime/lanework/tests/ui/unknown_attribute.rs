//! An argument that `#[kernel]` does not take.

use lanework::prelude::*;

#[kernel(blocks = 32)]
fn kernel() {
    sync_threads();
}

fn main() {}
