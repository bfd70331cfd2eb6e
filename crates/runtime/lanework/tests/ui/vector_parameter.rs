//! Host collections as parameters.

use lanework::prelude::*;

#[kernel]
fn vector(x: Vec<f32>) {
    let _ = x;
}

#[kernel]
fn boxed(x: Box<f32>) {
    let _ = x;
}

fn main() {}
