use lanework::prelude::*;

#[kernel]
fn load(x: &TensorMap<f32, 2>) {
    let tile = shared::<f32>([32, 32]);
    let pipe = pipeline(2, 1, 32);
    let slot = pipe.consumer().wait();
    x.load(&tile, (0, 0), slot);
}

fn main() {}
