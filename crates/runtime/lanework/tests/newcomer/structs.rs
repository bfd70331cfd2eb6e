//! A struct with operators and methods in buffers.

use lanework::prelude::*;
use std::ops::{Add, Mul, Sub};
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}
#[device]
impl Vec3 {
    pub const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
    pub fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
    pub fn length(&self) -> f32 {
        self.dot(*self).sqrt()
    }
}
#[device]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, o: Vec3) -> Vec3 {
        Vec3 { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}
#[device]
impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, o: Vec3) -> Vec3 {
        Vec3 { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}
#[device]
impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, s: f32) -> Vec3 {
        Vec3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}
#[kernel]
fn forces(pos: &[Vec3], out: &mut [Vec3]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i >= pos.len() {
        return;
    }
    let me = pos[i];
    let mut total = Vec3::ZERO;
    for other in pos.iter() {
        let d = other - me;
        let r = d.length() + 1e-3;
        total = total + d * (1.0 / (r * r * r));
    }
    out[i] = total;
}
#[test]
fn attracts() -> lanework::Result<()> {
    let device = Device::emulator();
    let pos = [Vec3 { x: -1.0, y: 0.0, z: 0.0 }, Vec3 { x: 1.0, y: 0.0, z: 0.0 }];
    let p = device.upload(&pos)?;
    let mut out = device.zeros::<Vec3>(2)?;
    forces(&p, &mut out).grid(1).block(32).launch(&device)?;
    let f = out.download()?;
    assert!(f[0].x > 0.0 && f[1].x == -f[0].x);
    Ok(())
}
