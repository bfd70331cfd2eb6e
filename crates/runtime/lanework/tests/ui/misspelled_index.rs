//! A misspelled name, and a field that an index lacks.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[thread_ixd.x] = 1;
    y[thread_idx.w] = 2;
}

fn main() {}
