//! Particles in a box: they fall, bounce and age.

use lanework::prelude::*;

/// A particle.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Particle {
    pub position: [f32; 2],
    pub velocity: [f32; 2],
    pub age: u32,
    pub alive: u32,
}

/// Parameters shared by all particles.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct World {
    pub gravity: f32,
    pub bounce: f32,
    pub size: (f32, f32),
    pub oldest: u32,
}

/// One component after a step of `dt`: where it is and how fast it goes, reflected at the walls.
#[device]
pub fn advance(position: f32, velocity: f32, size: f32, bounce: f32, dt: f32) -> (f32, f32) {
    let p = position + velocity * dt;
    if p < 0.0 {
        (-p, -velocity * bounce)
    } else if p > size {
        (2.0 * size - p, -velocity * bounce)
    } else {
        (p, velocity)
    }
}

/// One step for every particle that is alive.
#[kernel]
pub fn update(particles: &mut [Particle], world: World, dt: f32) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= particles.len() || particles[i].alive == 0 {
        return;
    }
    let mut p = particles[i];
    p.velocity[1] -= world.gravity * dt;
    (p.position[0], p.velocity[0]) =
        advance(p.position[0], p.velocity[0], world.size.0, world.bounce, dt);
    (p.position[1], p.velocity[1]) =
        advance(p.position[1], p.velocity[1], world.size.1, world.bounce, dt);
    p.age += 1;
    if p.age > world.oldest {
        p.alive = 0;
    }
    particles[i] = p;
}

/// The same on the host.
pub fn reference(particles: &mut [Particle], world: World, dt: f32) {
    for p in particles.iter_mut().filter(|p| p.alive != 0) {
        p.velocity[1] -= world.gravity * dt;
        let size = [world.size.0, world.size.1];
        for d in 0..2 {
            (p.position[d], p.velocity[d]) =
                advance(p.position[d], p.velocity[d], size[d], world.bounce, dt);
        }
        p.age += 1;
        p.alive = u32::from(p.age <= world.oldest);
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let v = crate::values(400);
    let mut particles: Vec<Particle> = v
        .chunks(4)
        .enumerate()
        .map(|(i, c)| Particle {
            position: [c[0].abs(), c[1].abs()],
            velocity: [c[2], c[3]],
            age: i as u32 % 5,
            alive: u32::from(i % 7 != 0),
        })
        .collect();
    let world = World { gravity: 9.81, bounce: 0.8, size: (1.0, 2.0), oldest: 8 };
    for device in crate::devices("particles") {
        let mut expected = particles.clone();
        let mut buffer = device.upload(&particles)?;
        for _ in 0..10 {
            update(&mut buffer, world, 0.02).grid(1).block(128).launch(&device)?;
            reference(&mut expected, world, 0.02);
        }
        assert_eq!(buffer.download()?, expected);
    }
    particles.clear();
    Ok(())
}
