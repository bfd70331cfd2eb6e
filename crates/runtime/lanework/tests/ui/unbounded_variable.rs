//! A mutable variable of a type parameter whose bounds say nothing about kernels.

use lanework::prelude::*;

#[device]
trait Shift {
    fn shifted(x: u32) -> u32;
}

#[device]
fn last<T: Shift + Copy>(x: T, y: T, n: u32) -> u32 {
    let mut kept = x;
    if n > 0 {
        kept = y;
    }
    T::shifted(n)
}

fn main() {}
