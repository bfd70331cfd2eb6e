//! Types that `mma` does not sum in.

use half::bf16;
use lanework::prelude::*;

#[kernel]
fn wrong() {
    let mut sum = FragmentC::<bf16, 16, 8>::zero();
    sum.mma(FragmentA::<bf16, 16, 16>::zero(), FragmentB::<bf16, 16, 8>::zero());
}

fn main() {}
