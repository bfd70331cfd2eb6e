//! Buffers of types that kernels do not store.

use lanework::prelude::*;

#[kernel]
fn characters(x: &[char]) {
    let _ = x;
}

#[kernel]
fn options(x: &[Option<f32>]) {
    let _ = x;
}

#[kernel]
fn texts(x: &[String]) {
    let _ = x;
}

fn main() {}
