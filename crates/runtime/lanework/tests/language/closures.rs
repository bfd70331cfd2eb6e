//! Closures: called by name, passed to device functions, capturing variables.

use lanework::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn fold(values: [f32; 4], start: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sum = start;
    for i in 0..4u32 {
        sum = f(sum, values[0] + i as f32);
    }
    f(f(sum, values[1]), f(values[2], values[3]))
}

#[device]
fn zip_in_place<T: Number, F>(x: &mut [T], y: &[T], i: u32, f: &F)
where
    F: Fn(T, T) -> T,
{
    if i < x.len() {
        x[i] = f(x[i], y[i]);
    }
}

#[device]
fn visit(count: u32, mut each: impl FnMut(u32)) {
    for i in 0..count {
        each(i);
    }
}

#[device]
fn compute(i: u32, a: f32) -> f32 {
    let x = i as f32;
    let scaled = |v: f32| v * a + x;
    let clamp = |v: f32, most: f32| -> f32 {
        if v > most {
            return most;
        }
        v
    };
    let mut total = 0.0f32;
    let mut calls = 0u32;
    let mut add = |v: f32| {
        total += scaled(v);
        calls += 1;
    };
    add(1.0);
    add(x);
    if i % 2 == 0 {
        add(0.5);
    }
    let mut start = 3.0f32;
    let kept = move |by: f32| start + by;
    start += 100.0;
    let mut visited = 0u32;
    visit(i % 5, |j| visited += j * j);
    let values = [x, 2.0 * x, 1.0 + x, 0.25];
    total
        + calls as f32
        + clamp(total, 40.0)
        + kept(1.0)
        + start
        + visited as f32
        + fold(values, 1.0, |p, q| p + q)
        + fold(values, x, |p, q| if p < q { q } else { p })
        + fold(values, 9.0, f32::min)
        + (|(p, q): (f32, f32)| p - q)((x, 1.0))
        + square(scaled(2.0))
}

#[kernel]
fn closures(a: f32, out: &mut [f32], x: &mut [u32], y: &[u32]) {
    let i = thread_idx.x;
    out[i] = compute(i, a);
    zip_in_place(x, y, i, &|p, q| p * 3 + q);
    zip_in_place(x, y, i, &u32::max);
}

#[test]
fn closures_run_as_on_the_host() {
    for device in Device::for_tests("closures") {
        let mut out = device.zeros::<f32>(32).unwrap();
        let host: Vec<u32> = (0..32).collect();
        let mut x = device.upload(&host).unwrap();
        let other: Vec<u32> = (0..32).map(|i| 100 - 5 * i.min(20)).collect();
        let y = device.upload(&other).unwrap();
        closures(1.5, &mut out, &mut x, &y).grid(1).block(32).launch(&device).unwrap();
        let wanted: Vec<f32> = (0..32).map(|i| compute(i, 1.5)).collect();
        assert_eq!(out.download().unwrap(), wanted);
        let wanted: Vec<u32> = host.iter().zip(&other).map(|(p, q)| (p * 3 + q).max(*q)).collect();
        assert_eq!(x.download().unwrap(), wanted);
    }
}
