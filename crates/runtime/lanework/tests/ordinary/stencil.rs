//! Closures: a generic stencil, captured counters, and functions of functions.

use lanework::prelude::*;

#[device]
fn at(x: &[f32], i: isize) -> f32 {
    x[i.clamp(0, x.len() as isize - 1) as usize]
}

#[device]
fn stencil<F>(x: &[f32], y: &mut [f32], f: F)
where
    F: Fn(f32, f32, f32) -> f32,
{
    let i = (block_idx.x * block_dim.x + thread_idx.x) as isize;
    if i < x.len() as isize {
        y[i] = f(at(x, i - 1), at(x, i), at(x, i + 1));
    }
}

#[device]
fn twice(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(f(x))
}

#[kernel]
fn blur(x: &[f32], y: &mut [f32], weight: f32) {
    let side = (1.0 - weight) / 2.0;
    let mix = |l: f32, c: f32, r: f32| weight * c + side * (l + r);
    stencil(x, y, mix);
}

#[kernel]
fn median(x: &[f32], y: &mut [f32]) {
    let mut calls = 0u32;
    let mut count = |v: f32| {
        calls += 1;
        v
    };
    stencil(x, y, |l, c, r| l.max(c).min(r).max(l.min(c)));
    let i = thread_idx.x;
    if i < y.len() as u32 {
        y[i] = count(y[i]);
        y[i] += twice(|v| v * 2.0, calls as f32);
    }
}

#[test]
fn stencils() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let host: Vec<f32> = (0..30).map(|i| (i * 7 % 11) as f32).collect();
    let x = device.upload(&host)?;
    let mut y = device.zeros::<f32>(30)?;
    let g = |i: isize| at(&host, i);
    blur(&x, &mut y, 0.5).grid(1).block(32).launch(&device)?;
    let want: Vec<f32> = (0..30).map(|i| 0.5 * g(i) + 0.25 * (g(i - 1) + g(i + 1))).collect();
    assert_eq!(y.download()?, want);
    median(&x, &mut y).grid(1).block(32).launch(&device)?;
    let want: Vec<f32> = (0..30)
        .map(|i| {
            let mut v = [g(i - 1), g(i), g(i + 1)];
            v.sort_by(f32::total_cmp);
            v[1] + 4.0
        })
        .collect();
    assert_eq!(y.download()?, want);
    Ok(())
}
