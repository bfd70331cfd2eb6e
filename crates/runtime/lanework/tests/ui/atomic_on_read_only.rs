//! An atomic on a `&[T]` parameter.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &[u32]) {
    atomic_add(&x[0], 1);
}

fn main() {}
