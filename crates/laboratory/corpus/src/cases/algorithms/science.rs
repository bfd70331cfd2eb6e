//! `science.cu`: n-body forces, fractals, Fourier transforms, random numbers, a pendulum, option prices.

use crate::Case;
use crate::case::{args, floats, many};
use crate::cases::arrays::network::erf;
use std::f64::consts::PI;

const UNIT: &str = "science";

pub fn cases() -> Vec<Case> {
    let mut cases =
        vec![nbody(), mandelbrot(), julia(), fft(), number_transform(), circle_points()];
    cases.extend([philox_numbers(), philox_normal(), pendulum(), options(), nearest()]);
    cases
}

fn nbody() -> Case {
    let n = 100usize;
    let body = floats(1, 4 * n);
    let mut force = Vec::new();
    for me in body.chunks(4) {
        let mut sum = [0f64; 3];
        for other in body.chunks(4) {
            let d = [0, 1, 2].map(|axis| f64::from(other[axis]) - f64::from(me[axis]));
            let square: f64 = d.iter().map(|v| v * v).sum::<f64>() + 0.01;
            (0..3).for_each(|axis| sum[axis] += d[axis] * f64::from(other[3]) / square.powf(1.5));
        }
        force.extend(sum.map(|v| v as f32));
        force.push(0.0);
    }
    Case::new(UNIT, "bodies")
        .with("body", &body)
        .with("force", &vec![0f32; 4 * n])
        .run("nbody", 2, 64, args!["body", "force", n as i32, 0.01f32])
        .expects_within("force", &force, 2e-5)
}

fn mandelbrot() -> Case {
    let (w, h) = (48usize, 40usize);
    let steps = |i: usize| {
        let (cr, ci) = (-2.0 + (i % w) as f32 * 0.06, -1.2 + (i / w) as f32 * 0.06);
        let (mut zr, mut zi, mut n) = (0f32, 0f32, 0u16);
        while n < 200 && zr * zr + zi * zi <= 4.0 {
            (zr, zi) = (zr * zr - zi * zi + cr, 2.0 * zr * zi + ci);
            n += 1;
        }
        n
    };
    Case::new(UNIT, "Mandelbrot's set")
        .with("steps", &vec![0u16; w * h])
        .run(
            "mandelbrot",
            (6, 5),
            (8, 8),
            args!["steps", w as i32, h as i32, -2f32, -1.2f32, 0.06f32],
        )
        .expects("steps", &(0..w * h).map(steps).collect::<Vec<_>>())
}

fn julia() -> Case {
    let w = 64usize;
    let steps = |i: usize| {
        let at = |v: usize| v as f64 * (3.0 / 64.0) - 1.5;
        let (mut zr, mut zi, mut n) = (at(i % w), at(i / w), 0u8);
        while n < 100 && zr * zr + zi * zi <= 4.0 {
            (zr, zi) = (zr * zr - zi * zi - 0.4, 2.0 * zr * zi + 0.6);
            n += 1;
        }
        n
    };
    Case::new(UNIT, "Julia's set")
        .with("steps", &vec![0u8; w * 20])
        .run("julia_double", 20, w as u32, args!["steps", w as i32, -0.4f64, 0.6f64])
        .expects("steps", &(0..w * 20).map(steps).collect::<Vec<_>>())
}

fn fft() -> Case {
    let x = floats(2, 2 * 512);
    let mut out = Vec::new();
    for block in x.chunks(512) {
        for k in 0..256 {
            let (mut re, mut im) = (0f64, 0f64);
            for (i, v) in block.chunks(2).enumerate() {
                let (sin, cos) = (-2.0 * PI * (i * k % 256) as f64 / 256.0).sin_cos();
                re += f64::from(v[0]) * cos - f64::from(v[1]) * sin;
                im += f64::from(v[0]) * sin + f64::from(v[1]) * cos;
            }
            out.extend([re as f32, im as f32]);
        }
    }
    Case::new(UNIT, "fast Fourier transform")
        .with("in", &x)
        .with("out", &[0f32; 2 * 512])
        .run("fft", 2, 128, args!["in", "out"])
        .expects_within("out", &out, 1e-5)
}

fn number_transform() -> Case {
    const P: u128 = 0xffff_ffff_0000_0001;
    let power = |base: u128, exponent: u128| {
        (0..64).rev().fold(1u128, |r, bit| {
            let square = r * r % P;
            if exponent >> bit & 1 == 1 { square * base % P } else { square }
        })
    };
    // 7 generates the multiplicative group.
    let root = power(7, (P - 1) / 64);
    let x = many(3, 64, |r| (u128::from(r) % P) as u64);
    let at = |k: u128| {
        let term = |(i, &v): (usize, &u64)| u128::from(v) * power(root, k * i as u128 % 64) % P;
        (x.iter().enumerate().map(term).sum::<u128>() % P) as u64
    };
    Case::new(UNIT, "number-theoretic transform")
        .with("in", &x)
        .with("out", &[0u64; 64])
        .run("number_transform", 1, 64, args!["in", "out", root as u64])
        .expects("out", &(0..64).map(at).collect::<Vec<_>>())
}

fn circle_points() -> Case {
    let (seed, tries) = (12345u64, 60);
    let mut inside = 0u32;
    for id in 1..=256u64 {
        let mut state = seed.wrapping_add(id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..tries {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (x, y) = (state & 0xffff_ffff, state >> 32);
            inside += u32::from(((x * x) >> 1) + ((y * y) >> 1) < 1 << 63);
        }
    }
    Case::new(UNIT, "points in a circle, by xorshift")
        .with("inside", &[0u32])
        .run("circle_points", 2, 128, args![seed, "inside", tries])
        .expects("inside", &[inside])
}

const KEY: [u32; 2] = [0xdead_beef, 0x1234_5678];

fn key() -> Vec<u8> {
    KEY.iter().flat_map(|k| k.to_le_bytes()).collect()
}

fn philox(mut c: [u32; 4]) -> [u32; 4] {
    let mut k = KEY;
    for _ in 0..10 {
        let (a, b) = (u64::from(c[0]) * 0xd251_1f53, u64::from(c[2]) * 0xcd9e_8d57);
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
        k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
    }
    c
}

fn philox_numbers() -> Case {
    Case::new(UNIT, "Philox")
        .with("out", &[0u32; 4 * 96])
        .run("philox_numbers", 3, 32, args![key(), "out"])
        .expects("out", &(0..96).flat_map(|i| philox([i, 7, 8, 9])).collect::<Vec<_>>())
}

fn philox_normal() -> Case {
    let pair = |i| {
        let r = philox([i, 0, 0, 0]);
        let (u, v) =
            (f64::from((r[0] >> 8) + 1) / 16_777_216.0, f64::from(r[1] as f32) / 2f64.powi(31));
        let radius = (-2.0 * u.ln()).sqrt();
        [(radius * (PI * v).cos()) as f32, (radius * (PI * v).sin()) as f32]
    };
    Case::new(UNIT, "normal numbers")
        .with("out", &[0f32; 2 * 96])
        .run("philox_normal", 3, 32, args![key(), "out"])
        .expects_within("out", &(0..96).flat_map(pair).collect::<Vec<_>>(), 1e-6)
}

fn pendulum() -> Case {
    let (mut angle, mut speed) = (many(4, 32, |r| (r % 300) as f64 / 100.0), vec![0f64; 32]);
    let (step, first) = (0.05f64, (angle.clone(), speed.clone()));
    for (a, s) in angle.iter_mut().zip(&mut speed) {
        for _ in 0..20 {
            let (k1a, k1s) = (*s, -a.sin());
            let (k2a, k2s) = (*s + step / 2.0 * k1s, -(*a + step / 2.0 * k1a).sin());
            let (k3a, k3s) = (*s + step / 2.0 * k2s, -(*a + step / 2.0 * k2a).sin());
            let (k4a, k4s) = (*s + step * k3s, -(*a + step * k3a).sin());
            *a += step / 6.0 * (k1a + 2.0 * k2a + 2.0 * k3a + k4a);
            *s += step / 6.0 * (k1s + 2.0 * k2s + 2.0 * k3s + k4s);
        }
    }
    Case::new(UNIT, "pendulums by Runge and Kutta")
        .with("angle", &first.0)
        .with("speed", &first.1)
        .run("pendulum", 1, 32, args!["angle", "speed", step, 20i32])
        .expects_within("angle", &angle, 1e-13)
        .expects_within("speed", &speed, 1e-13)
}

fn options() -> Case {
    let n = 100;
    let between = |seed, low: f32, high: f32| {
        floats(seed, n)
            .into_iter()
            .map(|v| low + (v + 1.0) / 2.0 * (high - low))
            .collect::<Vec<_>>()
    };
    let (price, strike) = (between(5, 5.0, 30.0), between(6, 1.0, 100.0));
    let years = between(7, 0.25, 10.0);
    let normal = |d: f64| 0.5 * (1.0 + erf(d * 0.5f64.sqrt()));
    let (mut call, mut put) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (s, x, t) = (f64::from(price[i]), f64::from(strike[i]), f64::from(years[i]));
        let (rate, volatility) = (f64::from(0.02f32), f64::from(0.3f32));
        let d1 =
            ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / (volatility * t.sqrt());
        let d2 = d1 - volatility * t.sqrt();
        let discount = x * (-rate * t).exp();
        call.push((s * normal(d1) - discount * normal(d2)) as f32);
        put.push((discount * normal(-d2) - s * normal(-d1)) as f32);
    }
    Case::new(UNIT, "options")
        .with("price", &price)
        .with("strike", &strike)
        .with("years", &years)
        .with("call", &vec![0f32; n])
        .with("put", &vec![0f32; n])
        .run("options", 4, 25, args!["price", "strike", "years", "call", "put", 0.02f32, 0.3f32])
        .expects_within("call", &call, 3e-5)
        .expects_within("put", &put, 3e-5)
}

fn nearest() -> Case {
    let (n, k) = (500usize, 7usize);
    // Whole coordinates: distances are exact.
    let point = many(8, 2 * n, |r| (r % 1000) as f32);
    let centre = many(9, 2 * k, |r| (r % 1000) as f32);
    let (mut which, mut sums, mut counts) = (Vec::new(), vec![0i32; 2 * k], vec![0i32; k]);
    for p in point.chunks(2) {
        let distance =
            |c: usize| (p[0] - centre[2 * c]).powi(2) + (p[1] - centre[2 * c + 1]).powi(2);
        let best = (1..k).fold(0, |b, c| if distance(c) < distance(b) { c } else { b });
        which.push(best as i32);
        sums[2 * best] += p[0] as i32;
        sums[2 * best + 1] += p[1] as i32;
        counts[best] += 1;
    }
    Case::new(UNIT, "nearest centres")
        .with("point", &point)
        .with("centre", &centre)
        .with("which", &vec![0i32; n])
        .with("sums", &vec![0i32; 2 * k])
        .with("counts", &vec![0i32; k])
        .run(
            "nearest",
            4,
            128,
            args!["point", "centre", "which", "sums", "counts", n as i32, k as i32],
        )
        .expects("which", &which)
        .expects("sums", &sums)
        .expects("counts", &counts)
}
