//! A trait of the user with a constant and a method, a kernel that reduces any type that implements it, and numbers and structs that do.

use lanework::prelude::*;

#[device]
trait Monoid {
    const IDENTITY: Self;
    fn combine(self, other: Self) -> Self;
}

#[device]
impl Monoid for u32 {
    const IDENTITY: u32 = 0;
    fn combine(self, other: u32) -> u32 {
        self + other
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Max(f32);

#[device]
impl Monoid for Max {
    const IDENTITY: Max = Max(f32::NEG_INFINITY);
    fn combine(self, other: Max) -> Max {
        if self.0 > other.0 { self } else { other }
    }
}

#[kernel]
fn reduce<M: Monoid + Copy>(x: &[M], out: &mut [M]) {
    let tile = shared::<M>([128]);
    let lane = thread_idx.x as usize;
    let threads = (grid_dim.x * block_dim.x) as usize;
    let mut acc = M::IDENTITY;
    let mut i = (block_idx.x * block_dim.x) as usize + lane;
    while i < x.len() {
        acc = acc.combine(x[i]);
        i += threads;
    }
    tile[lane] = acc;
    sync_threads();
    let mut half = 64;
    while half > 0 {
        if lane < half {
            tile[lane] = tile[lane].combine(tile[lane + half]);
        }
        sync_threads();
        half /= 2;
    }
    if lane == 0 {
        out[block_idx.x] = tile[0];
    }
}

#[test]
fn reduces() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let x: Vec<u32> = (0..1000).collect();
    let on = device.upload(&x)?;
    let mut out = device.zeros::<u32>(2)?;
    reduce(&on, &mut out).grid(2).block(128).launch(&device)?;
    assert_eq!(
        out.download()?.iter().sum::<u32>(),
        x.iter().fold(u32::IDENTITY, |a, b| a.combine(*b))
    );

    let y: Vec<Max> = (0..1000).map(|i| Max((i * 7919 % 1000) as f32)).collect();
    let on = device.upload(&y)?;
    let mut out = device.upload(&[Max(0.0); 1])?;
    reduce(&on, &mut out).grid(1).block(128).launch(&device)?;
    assert_eq!(out.download()?, [Max(999.0)]);
    Ok(())
}
