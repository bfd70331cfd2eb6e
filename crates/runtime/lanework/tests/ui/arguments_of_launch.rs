//! Too few arguments of a launch, and host data in place of a buffer.

use lanework::prelude::*;

#[kernel]
fn copy(x: &[f32], y: &mut [f32]) {
    y[0] = x[0];
}

fn launches(device: &Device, x: &[f32]) -> lanework::Result<()> {
    let mut y = device.zeros::<f32>(1)?;
    let _ = copy(&mut y);
    let _ = copy(&x, &mut y);
    Ok(())
}

fn main() {}
