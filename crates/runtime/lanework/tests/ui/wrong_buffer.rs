//! A buffer of another element type.

use lanework::prelude::*;

#[kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn run(device: &Device) -> lanework::Result<()> {
    let mut y = device.zeros::<f32>(4)?;
    kernel(&mut y).grid(1).block(1).launch(device)
}

fn main() {}
