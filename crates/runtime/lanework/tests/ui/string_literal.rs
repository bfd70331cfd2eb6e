//! Text in a kernel.

use lanework::prelude::*;

#[kernel]
fn kernel() {
    let name = "kernel";
}

fn main() {}
