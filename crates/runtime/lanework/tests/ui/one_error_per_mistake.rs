//! A kernel and a device function with an error each: no further errors where they are used.

use lanework::prelude::*;

#[kernel]
fn kernel(x: &f32, y: &mut [f32]) {
    y[0] = x;
}

#[device]
fn first(x: f32) -> f32 {
    let ref y = x;
    y
}

#[kernel]
fn uses(y: &mut [f32]) {
    y[0] = first(y[1]);
}

fn main() -> lanework::Result<()> {
    let device = Device::emulator();
    let mut y = device.zeros::<f32>(1)?;
    kernel(&first(1.0), &mut y).grid(1).block(32).launch(&device)?;
    uses(&mut y).grid(1).block(32).launch(&device)
}
