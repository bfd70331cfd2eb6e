//! A format string with too few arguments.

use lanework::prelude::*;

#[kernel]
fn kernel() {
    println!("{} {}", thread_idx.x);
}

fn main() {}
