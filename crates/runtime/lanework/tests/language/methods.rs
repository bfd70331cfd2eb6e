//! Methods, associated functions and operators of device structs.

use lanework::prelude::*;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A vector.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device]
impl Vec3 {
    const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };

    fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    fn splat(v: f32) -> Self {
        Self::new(v, v, v)
    }

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn length(&self) -> f32 {
        self.dot(*self).sqrt()
    }

    fn scale(&mut self, by: f32) {
        self.x *= by;
        self.y *= by;
        self.z *= by;
    }

    fn clamped(mut self, most: f32) -> Vec3 {
        if self.length() > most {
            let length = self.length();
            self.scale(most / length);
        }
        self
    }
}

#[device]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

#[device]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Vec3) {
        *self = *self + other;
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

#[device]
impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, by: f32) -> Vec3 {
        Vec3 { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

#[device]
impl Mul<Vec3> for f32 {
    type Output = Vec3;
    fn mul(self, v: Vec3) -> Vec3 {
        v * self
    }
}

#[device]
impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        self * -1.0
    }
}

/// A body.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    pos: Vec3,
    vel: Vec3,
    mass: f32,
    steps: u32,
}

#[device]
impl Body {
    fn step(&mut self, force: Vec3, dt: f32) {
        self.vel = self.vel + force * (dt / self.mass);
        self.pos = self.pos + dt * self.vel;
        self.steps += 1;
    }
}

#[device]
fn force(on: Body, from: Body) -> Vec3 {
    let d = from.pos - on.pos;
    let r2 = d.dot(d) + 0.01;
    d * (from.mass / (r2 * r2.sqrt()))
}

#[device]
fn advance(bodies: &mut [Body], all: &[Body], i: u32, dt: f32) {
    let mut sum = Vec3::ZERO;
    for j in 0..all.len() as u32 {
        if j != i {
            sum += force(all[i], all[j]);
        }
    }
    let mut b = all[i];
    b.step(sum, dt);
    b.vel.scale(0.5);
    bodies[i] = b;
    bodies[i].step(-Vec3::splat(0.25), dt);
    bodies[i].pos = bodies[i].pos.clamped(2.0);
    let rest = bodies[i].vel.length() + 2.0 * bodies[i].pos.x;
    bodies[i].mass = rest;
}

#[kernel]
fn nbody(dt: f32, all: &[Body], bodies: &mut [Body]) {
    let i = thread_idx.x;
    if i < bodies.len() {
        advance(bodies, all, i, dt);
    }
}

#[test]
fn methods_and_operators_run_as_on_the_host() {
    let body = |i: u32| Body {
        pos: Vec3::new(i as f32 * 0.5, 3.0 - i as f32, 0.25),
        vel: Vec3::splat(0.125 * i as f32),
        mass: 1.0 + i as f32,
        steps: i,
    };
    let all: Vec<Body> = (0..12).map(body).collect();
    let mut wanted = vec![body(0); 12];
    for i in 0..12 {
        advance(&mut wanted, &all, i, 0.125);
    }
    for device in Device::for_tests("methods") {
        let input = device.upload(&all).unwrap();
        let mut out = device.zeros::<Body>(12).unwrap();
        nbody(0.125, &input, &mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), wanted);
    }
}

/// A complex number of any precision.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex<T> {
    re: T,
    im: T,
}

#[device]
impl<T: Float> Complex<T> {
    fn norm(self) -> T {
        self.re * self.re + self.im * self.im
    }
}

#[device]
impl<T: Float> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

#[device]
impl<T: Float> Add for Complex<T> {
    type Output = Complex<T>;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
fn iterate<T: Float>(c: Complex<T>) -> T {
    let mut z = c;
    for _ in 0..3 {
        z = z * z + c;
    }
    z.norm()
}

#[kernel]
fn julia(points: &[Complex<f64>], out: &mut [f64]) {
    let i = thread_idx.x;
    out[i] = iterate(points[i]);
}

#[test]
fn generic_structs_have_methods_and_operators() {
    for device in Device::for_tests("methods") {
        let points: Vec<_> = (0..16)
            .map(|i| Complex { re: 0.1 * f64::from(i) - 0.8, im: 0.05 * f64::from(i) })
            .collect();
        let input = device.upload(&points).unwrap();
        let mut out = device.zeros::<f64>(16).unwrap();
        julia(&input, &mut out).grid(1).block(16).launch(&device).unwrap();
        let wanted: Vec<f64> = points.iter().map(|c| iterate(*c)).collect();
        assert_eq!(out.download().unwrap(), wanted);
    }
}

mod bodies {
    use lanework::prelude::*;

    #[device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Mass {
        pub kilograms: f32,
    }
}

mod elsewhere {
    // An `impl` in another module must also import the items that the attribute declares next to the struct.
    use super::bodies::{Mass, MassOf};
    use lanework::prelude::*;

    #[device]
    impl Mass {
        pub fn doubled(self) -> Mass {
            Mass { kilograms: 2.0 * self.kilograms }
        }
    }
}

#[kernel]
fn methods_from_elsewhere(x: &mut [bodies::Mass]) {
    x[thread_idx.x] = x[thread_idx.x].doubled();
}

#[test]
fn an_impl_may_be_in_another_module() {
    for device in Device::for_tests("language") {
        let mut x = device.upload(&[bodies::Mass { kilograms: 3.0 }; 2]).unwrap();
        methods_from_elsewhere(&mut x).grid(1).block(2).launch(&device).unwrap();
        assert_eq!(x.download().unwrap(), [bodies::Mass { kilograms: 6.0 }; 2]);
    }
}
