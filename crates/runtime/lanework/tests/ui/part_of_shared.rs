use lanework::prelude::*;

#[device]
fn total(x: &[f32]) -> f32 {
    x.iter().sum()
}

#[kernel]
fn part_of_shared(y: &mut [f32]) {
    let tile = shared::<f32>([8, 8]);
    y[0] = tile[0..2].len() as f32;
}

#[kernel]
fn shared_as_global(y: &mut [f32]) {
    let tile = shared::<f32>(8);
    y[0] = total(&tile[0..2]);
}

fn main() {}
