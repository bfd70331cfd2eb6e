//! Inline PTX with an operand that is not used.

use lanework::prelude::*;

#[kernel]
fn kernel(x: u32, y: &mut [u32]) {
    y[0] = ptx!("mov.u32 {}, 1;", out(u32), in(x));
}

fn main() {}
