use lanework::prelude::*;

#[kernel]
fn load(x: &TensorMap<f32, 3>) {
    let tile = shared::<f32>([32, 32]);
    let full = mbarrier(1);
    x.load(&tile, (0, 0), &full);
}

fn main() {}
