//! A struct with a const generic: vectors with operators.

use lanework::prelude::*;
use std::ops::{Add, Mul};

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Vector<const D: usize> {
    c: [f32; D],
}

#[device]
impl<const D: usize> Vector<D> {
    const ZERO: Self = Vector { c: [0.0; D] };
    fn dot(&self, other: &Self) -> f32 {
        self.c.iter().zip(other.c.iter()).map(|(a, b)| a * b).sum()
    }
    fn norm(&self) -> f32 {
        self.dot(self).sqrt()
    }
}

#[device]
impl<const D: usize> Add for Vector<D> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Vector { c: std::array::from_fn(|i| self.c[i] + other.c[i]) }
    }
}

#[device]
impl<const D: usize> Mul<f32> for Vector<D> {
    type Output = Self;
    fn mul(self, factor: f32) -> Self {
        let mut c = self.c;
        for v in &mut c {
            *v *= factor;
        }
        Vector { c }
    }
}

#[kernel]
fn advance<const D: usize>(
    position: &mut [Vector<D>],
    velocity: &[Vector<D>],
    dt: f32,
    speed: &mut [f32],
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < position.len() as u32 {
        let v = velocity[i];
        position[i] = position[i] + v * dt;
        speed[i] = if v == Vector::ZERO { 0.0 } else { v.norm() };
    }
}

#[test]
fn advances() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let p = Vector { c: [1.0f32, 2.0, 3.0] };
    let v = Vector { c: [3.0f32, 4.0, 0.0] };
    let mut on_p = device.upload(&[p; 50])?;
    let on_v = device.upload(&[v; 50])?;
    let mut speed = device.zeros::<f32>(50)?;
    advance::<3>(&mut on_p, &on_v, 0.5, &mut speed).grid(2).block(32).launch(&device)?;
    assert_eq!(on_p.download()?, [p + v * 0.5; 50]);
    assert_eq!(speed.download()?, [v.norm(); 50]);
    Ok(())
}
