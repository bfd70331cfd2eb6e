//! A closure with `return` that does not say what it returns, and one called with another type.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    let limited = |x| {
        if x > 3 {
            return 3;
        }
        x
    };
    y[0] = limited(thread_idx.x);
}

#[kernel]
fn wrong(y: &mut [u32]) {
    let double = |x: f32| x * 2.0;
    y[0] = double(thread_idx.x) as u32;
}

fn main() {}
