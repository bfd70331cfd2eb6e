//! A generic kernel without a bound.

use lanework::prelude::*;

#[kernel]
fn kernel<T>(x: &[T], y: &mut [T]) {
    let i = thread_idx.x;
    y[i] = x[i] + x[i];
}

fn main() {}
