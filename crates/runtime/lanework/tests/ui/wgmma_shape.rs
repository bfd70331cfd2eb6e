//! A tile of another shape than the product needs.

use half::bf16;
use lanework::prelude::*;

#[kernel]
fn wrong() {
    let a = SharedTile::<bf16, 128, 64>::new();
    let b = SharedTile::<bf16, 64, 64>::new();
    let mut sums = Accumulator::<f32, 64>::zero();
    sums.multiply(a, b.t());
}

fn main() {}
