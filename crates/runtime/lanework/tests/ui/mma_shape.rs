//! A shape that `mma` does not have.

use half::bf16;
use lanework::prelude::*;

#[kernel]
fn wrong() {
    let mut sum = FragmentC::<f32, 16, 8>::zero();
    let right = FragmentB::<bf16, 32, 8>::zero();
    sum.mma(FragmentA::<bf16, 16, 32>::zero(), right);
}

fn main() {}
