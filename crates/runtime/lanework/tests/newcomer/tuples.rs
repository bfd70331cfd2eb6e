//! Tuples in functions and shared memory.

use lanework::prelude::*;
#[device]
fn better(a: (f32, u32), b: (f32, u32)) -> (f32, u32) {
    if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
}
#[kernel]
fn argmax(x: &[f32], value: &mut [f32], index: &mut [u32]) {
    let tile = shared::<(f32, u32)>(128);
    let t = thread_idx.x;
    let i = block_idx.x * block_dim.x + t;
    tile[t] = if i < x.len() as u32 { (x[i], i) } else { (f32::NEG_INFINITY, u32::MAX) };
    sync_threads();
    let mut half = block_dim.x / 2;
    while half > 0 {
        if t < half {
            tile[t] = better(tile[t], tile[t + half]);
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        let (v, at) = tile[0];
        value[block_idx.x] = v;
        index[block_idx.x] = at;
    }
}
#[test]
fn finds() -> lanework::Result<()> {
    let device = Device::emulator();
    let x = device.upload(&[3.0f32, 9.0, 2.0, 9.0])?;
    let (mut value, mut index) = (device.zeros::<f32>(1)?, device.zeros::<u32>(1)?);
    argmax(&x, &mut value, &mut index).grid(1).block(128).launch(&device)?;
    assert_eq!((value.download()?[0], index.download()?[0]), (9.0, 1));
    Ok(())
}
