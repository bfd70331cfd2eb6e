//! Gravitation between bodies, with a tile of bodies in shared memory.

use lanework::prelude::*;
use std::ops::{Add, Mul, Sub};

/// A vector of three components.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

#[device]
impl Vec3 {
    /// The zero vector.
    pub fn zero() -> Vec3 {
        Vec3 { x: 0.0, y: 0.0, z: 0.0 }
    }

    /// The dot product.
    pub fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

#[device]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[device]
impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, factor: f32) -> Vec3 {
        Vec3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// Where a body is, how it moves, and how heavy it is.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Body {
    pub position: Vec3,
    pub velocity: Vec3,
    pub mass: f32,
}

const TILE: u32 = 64;
const SOFTENING: f32 = 1e-3;

/// The acceleration that `other` causes at `position`.
#[device]
pub fn attraction(position: Vec3, other: Body) -> Vec3 {
    let d = other.position - position;
    let r2 = d.dot(d) + SOFTENING;
    d * (other.mass / (r2 * r2.sqrt()))
}

/// One time step for every body, in blocks of `TILE` threads.
#[kernel]
pub fn step(bodies: &[Body], next: &mut [Body], dt: f32) {
    let tile = shared::<Body>([TILE]);
    let i = block_idx.x * TILE + thread_idx.x;
    let me = if i < bodies.len() { bodies[i] } else { bodies[0] };
    let mut acceleration = Vec3::zero();
    for start in (0..bodies.len()).step_by(TILE as usize) {
        let j = start + thread_idx.x as usize;
        if j < bodies.len() {
            tile[thread_idx.x] = bodies[j];
        }
        sync_threads();
        let count = (bodies.len() - start).min(TILE as usize);
        for k in 0..count {
            acceleration = acceleration + attraction(me.position, tile[k]);
        }
        sync_threads();
    }
    if i < next.len() {
        let velocity = me.velocity + acceleration * dt;
        next[i] = Body { position: me.position + velocity * dt, velocity, mass: me.mass };
    }
}

/// The same on the host, with the same functions.
pub fn reference(bodies: &[Body], dt: f32) -> Vec<Body> {
    let moved = |me: &Body| {
        let mut acceleration = Vec3::zero();
        for other in bodies {
            acceleration = acceleration + attraction(me.position, *other);
        }
        let velocity = me.velocity + acceleration * dt;
        Body { position: me.position + velocity * dt, velocity, mass: me.mass }
    };
    bodies.iter().map(moved).collect()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let v = crate::values(700);
    let bodies: Vec<Body> = v
        .chunks(7)
        .map(|c| Body {
            position: Vec3 { x: c[0], y: c[1], z: c[2] },
            velocity: Vec3 { x: c[3], y: c[4], z: c[5] },
            mass: c[6].abs(),
        })
        .collect();
    for device in crate::devices("n-body") {
        let b = device.upload(&bodies)?;
        let mut next = device.upload(&bodies)?;
        step(&b, &mut next, 0.01).grid(2).block(TILE).launch(&device)?;
        for (got, expected) in next.download()?.iter().zip(reference(&bodies, 0.01)) {
            let (g, e) = (got.position, expected.position);
            crate::assert_close(&[g.x, g.y, g.z], &[e.x, e.y, e.z], 1e-5);
            assert_eq!(got.mass, expected.mass);
        }
    }
    Ok(())
}
