use lanework::prelude::*;

#[kernel]
fn copy(x: &TensorMap<f32, 2>) {
    let tile = shared::<f32>([32, 32]);
    x.store(&tile, (0, 0));
}

fn main() {}
