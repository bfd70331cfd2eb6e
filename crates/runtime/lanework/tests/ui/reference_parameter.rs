use lanework::prelude::*;

#[kernel]
fn sum(x: &f32) {}

fn main() {}
