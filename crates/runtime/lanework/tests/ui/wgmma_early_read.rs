//! Sums that are read before the products are finished.

use half::bf16;
use lanework::prelude::*;

#[kernel]
fn wrong(y: &mut [f32]) {
    let a = SharedTile::<bf16, 64, 64>::new();
    let b = SharedTile::<bf16, 64, 64>::new();
    let mut sums = Accumulator::<f32, 64>::zero();
    sums.multiply(a, b.t());
    y[0] = sums[0];
}

fn main() {}
