//! Rays against spheres: what every ray hits first.

use crate::nbody::Vec3;
use lanework::prelude::*;

/// A ray from a point in a direction of length 1.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

/// A sphere.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Sphere {
    pub center: Vec3,
    pub radius: f32,
}

/// From which side a ray hits a sphere.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Meeting {
    /// Not at all.
    Miss,
    /// From outside.
    Enters,
    /// From inside.
    Leaves,
}

/// From which side a ray hits a sphere first, and at what distance.
#[device]
pub fn meet(ray: Ray, sphere: Sphere) -> (Meeting, f32) {
    let to = sphere.center - ray.origin;
    let along = to.dot(ray.direction);
    let squared = sphere.radius * sphere.radius - (to.dot(to) - along * along);
    if squared < 0.0 {
        return (Meeting::Miss, f32::INFINITY);
    }
    let half = squared.sqrt();
    match (along - half, along + half) {
        (near, _) if near > 0.0 => (Meeting::Enters, near),
        (_, far) if far > 0.0 => (Meeting::Leaves, far),
        _ => (Meeting::Miss, f32::INFINITY),
    }
}

/// The brightness of what every ray hits first: by distance, -1 from inside a sphere, 0 for a miss.
#[kernel]
pub fn trace(rays: &[Ray], spheres: &[Sphere], brightness: &mut [f32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= rays.len() {
        return;
    }
    let ray = rays[i];
    let mut nearest = (Meeting::Miss, f32::INFINITY);
    for s in 0..spheres.len() {
        let (meeting, distance) = meet(ray, spheres[s]);
        if distance < nearest.1 {
            nearest = (meeting, distance);
        }
    }
    brightness[i] = match nearest {
        (Meeting::Miss, _) => 0.0,
        (Meeting::Leaves, _) => -1.0,
        (Meeting::Enters, distance) => 1.0 / (1.0 + distance),
    };
}

/// The same on the host.
pub fn reference(rays: &[Ray], spheres: &[Sphere]) -> Vec<f32> {
    let shade = |ray: &Ray| {
        let hits = spheres.iter().map(|s| meet(*ray, *s));
        match hits.min_by(|a, b| a.1.total_cmp(&b.1)) {
            Some((Meeting::Enters, distance)) => 1.0 / (1.0 + distance),
            Some((Meeting::Leaves, _)) => -1.0,
            _ => 0.0,
        }
    };
    rays.iter().map(shade).collect()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let vector = |c: &[f32]| Vec3 { x: c[0], y: c[1], z: c[2] };
    let rays: Vec<Ray> = crate::values(1800)
        .chunks(6)
        .map(|c| {
            let d = vector(&c[3..]);
            Ray { origin: vector(c), direction: d * (1.0 / d.dot(d).sqrt()) }
        })
        .collect();
    let spheres: Vec<Sphere> = crate::values(44)[4..]
        .chunks(4)
        .map(|c| Sphere { center: vector(c), radius: c[3].abs() / 3.0 })
        .collect();
    let expected = reference(&rays, &spheres);
    for device in crate::devices("rays and spheres") {
        let (r, s) = (device.upload(&rays)?, device.upload(&spheres)?);
        let mut out = device.zeros::<f32>(rays.len())?;
        trace(&r, &s, &mut out).grid(3).block(128).launch(&device)?;
        crate::assert_close(&out.download()?, &expected, 1e-4);
    }
    Ok(())
}
