use lanework::prelude::*;

#[kernel(cluster = 2)]
fn load(x: &TensorMap<f32, 2>) {
    let tile = shared::<f32>([32, 32]);
    let full = mbarrier(1);
    x.load(tile.of_block(1), (0, 0), &full);
}

fn main() {}
