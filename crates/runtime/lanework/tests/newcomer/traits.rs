//! A trait of the user with a constant and a function, and a block reduction over it.

use lanework::prelude::*;
#[device]
pub trait Monoid {
    const IDENTITY: f32;
    fn combine(a: f32, b: f32) -> f32;
}
pub struct Addition;
pub struct Maximum;
#[device]
impl Monoid for Addition {
    const IDENTITY: f32 = 0.0;
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }
}
#[device]
impl Monoid for Maximum {
    const IDENTITY: f32 = f32::NEG_INFINITY;
    fn combine(a: f32, b: f32) -> f32 {
        a.max(b)
    }
}
#[kernel]
fn reduce<M: Monoid>(x: &[f32], out: &mut [f32]) {
    let tile = shared::<f32>(256);
    let t = thread_idx.x;
    let i = block_idx.x * block_dim.x + t;
    tile[t] = if i < x.len() as u32 { x[i] } else { M::IDENTITY };
    sync_threads();
    let mut step = block_dim.x / 2;
    while step > 0 {
        if t < step {
            tile[t] = M::combine(tile[t], tile[t + step]);
        }
        sync_threads();
        step /= 2;
    }
    if t == 0 {
        out[block_idx.x] = tile[0];
    }
}
#[test]
fn sums_and_maxima() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let x: Vec<f32> = (0..1000).map(|i| (i % 37) as f32).collect();
    let dx = device.upload(&x)?;
    let mut out = device.zeros::<f32>(4)?;
    reduce::<Addition>(&dx, &mut out).grid(4).block(256).launch(&device)?;
    assert_eq!(out.download()?.iter().sum::<f32>(), x.iter().sum::<f32>());
    reduce::<Maximum>(&dx, &mut out).grid(4).block(256).launch(&device)?;
    assert_eq!(out.download()?[0], 36.0);
    Ok(())
}
