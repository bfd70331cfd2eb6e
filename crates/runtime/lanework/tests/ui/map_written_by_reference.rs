use lanework::prelude::*;

#[kernel]
fn touch(y: &TensorMapMut<f32, 2>) {
    y.prefetch_map();
}

fn main() {}
