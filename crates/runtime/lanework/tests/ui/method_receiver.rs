//! A kernel in an `impl` block.

use lanework::prelude::*;

struct Solver;

impl Solver {
    #[kernel]
    fn kernel(&self) {}
}

fn main() {}
