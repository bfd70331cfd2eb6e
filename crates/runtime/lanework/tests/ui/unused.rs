//! rustc's own lints report unused names in kernels and device functions, at their place.

#![deny(unused_variables, unused_mut, unused_assignments, unused_labels)]

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Body {
    mass: f32,
    speed: f32,
}

#[kernel]
fn parameters(x: &[f32], y: &mut [f32], scale: f32, #[constant] tiles: u32, _n: u32) {
    y[0] = 1.0;
}

#[kernel]
fn parameter_patterns((low, high): (f32, f32), mut n: u32, y: &mut [f32]) {
    y[0] = high;
}

#[kernel]
fn variables(y: &mut [f32], body: Body, mut seed: u32) {
    let i = thread_idx.x;
    let (a, b) = (y[0], y[1]);
    let [c, _] = [a, 2.0];
    let Body { mass, speed: v } = body;
    let tile = shared::<f32>(32);
    let mut constant = 3.0f32;
    y[0] = constant;
    let mut written = 0.0f32;
    written = 1.0;
    let mut counted = 0;
    counted += 1;
    let mut overwritten = a;
    overwritten = 2.0;
    y[1] = overwritten;
    let later;
    if seed > 3 {
        later = 1.0f32;
    } else {
        later = 2.0;
    }
    seed += 1;
}

#[kernel]
fn flow(x: &[u32], y: &mut [u32], n: u32) {
    for i in 0..n {
        y[0] = 1;
    }
    for (j, v) in x.iter().enumerate() {
        y[1] = v;
    }
    #[unroll]
    for k in 0..4 {
        y[2] += 1;
    }
    'outer: loop {
        if y[3] == n {
            break;
        }
    }
    match y[4] {
        0 => y[0] = 0,
        other => y[0] = 1,
    }
    match (y[4], n) {
        (a, b) if a > 3 => y[0] = b,
        (a, b) if b > 3 => y[0] = b,
        _ => {}
    }
    if let (1, k) = (n, y[5]) {
        y[0] = 7;
    }
    let add = |p: u32, q: u32| p + 1;
    y[1] = add(1, 2);
}

#[device]
fn on_both_sides(x: f32, unused: f32) -> f32 {
    let mut y = x;
    y
}

#[device]
fn only_in_kernels(tile: Shared<f32>, other: &mut f32, unused: u32) -> f32 {
    let mut once = tile[0];
    once
}

#[device]
impl Body {
    fn scaled(self, by: f32, in_vain: f32) -> f32 {
        self.mass * by + self.speed
    }

    fn lane(self, in_vain: f32) -> f32 {
        self.mass * lane_id() as f32
    }
}

/// Allowed where its author allows it.
#[kernel]
#[allow(unused_variables)]
fn allowed(x: &[f32], y: &mut [f32]) {
    let i = thread_idx.x;
    y[0] = 0.0;
}

#[kernel]
fn allowed_in_places(#[allow(unused_variables)] x: u32, y: &mut [f32]) {
    #[allow(unused_variables)]
    let i = thread_idx.x;
    #[expect(unused_mut)]
    let mut j = 3.0;
    y[0] = j;
}

fn main() {}
