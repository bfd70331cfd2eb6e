//! Generic block reduction over a user trait implemented for marker types.
use lanework::prelude::*;

/// A reduction operator over `f32`.
#[device]
trait Op {
    const INIT: f32;
    fn apply(a: f32, b: f32) -> f32;
    fn finish(a: f32, n: usize) -> f32 {
        let _ = n;
        a
    }
}

struct Plus;
struct Max;
struct Mean;

#[device]
impl Op for Plus {
    const INIT: f32 = 0.0;
    fn apply(a: f32, b: f32) -> f32 {
        a + b
    }
}

#[device]
impl Op for Max {
    const INIT: f32 = f32::NEG_INFINITY;
    fn apply(a: f32, b: f32) -> f32 {
        a.max(b)
    }
}

#[device]
impl Op for Mean {
    const INIT: f32 = 0.0;
    fn apply(a: f32, b: f32) -> f32 {
        a + b
    }
    fn finish(a: f32, n: usize) -> f32 {
        a / n as f32
    }
}

#[kernel]
fn reduce<O: Op, const THREADS: usize>(x: &[f32], out: &mut [f32]) {
    let partial = shared::<f32>([THREADS]);
    let t = thread_idx.x as usize;
    let mut acc = O::INIT;
    for i in (t..x.len()).step_by(THREADS) {
        acc = O::apply(acc, x[i]);
    }
    partial[t] = acc;
    sync_threads();
    let mut half = THREADS / 2;
    while half > 0 {
        if t < half {
            partial[t] = O::apply(partial[t], partial[t + half]);
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        out[0] = O::finish(partial[0], x.len());
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let input: Vec<f32> = (0..1000).map(|i| (i % 13) as f32).collect();
    let x = device.upload(&input)?;
    let mut out = device.zeros::<f32>(1)?;
    reduce::<Plus, 128>(&x, &mut out).grid(1).block(128).launch(&device)?;
    let sum: f32 = input.iter().sum();
    assert_eq!(out.download()?, [sum]);
    reduce::<Max, 128>(&x, &mut out).grid(1).block(128).launch(&device)?;
    assert_eq!(out.download()?, [12.0]);
    reduce::<Mean, 128>(&x, &mut out).grid(1).block(128).launch(&device)?;
    assert_eq!(out.download()?, [sum / 1000.0]);
    Ok(())
}
