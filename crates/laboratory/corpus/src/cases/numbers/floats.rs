//! `floats.cu` and `brain.cu`: rounding, conversions, functions, 16-bit floats.

use crate::Case;
use crate::case::{args, doubles, floats, ints, many};
use crate::cases::arrays::network::erf;
use half::{bf16, f16};

const UNIT: &str = "floats";

pub fn cases() -> Vec<Case> {
    let mut cases = vec![exact(), conversions(), double_functions(), double_special()];
    cases.extend([float_functions(), float_fast(), halves(), brain_floats()]);
    cases.extend([half_rows(), careful_sums()]);
    cases
}

/// Floats of few bits, so that doubles hold their sums and products exactly.
fn short_floats(seed: u64, n: usize) -> Vec<f32> {
    ints(seed, n, -32_768, 32_767).iter().map(|&i| (i | 1) as f32 / 1024.0).collect()
}

fn round_down(v: f64) -> f32 {
    let near = v as f32;
    if f64::from(near) > v { near.next_down() } else { near }
}

fn round_up(v: f64) -> f32 {
    -round_down(-v)
}

fn round_to_zero(v: f64) -> f32 {
    if v < 0.0 { round_up(v) } else { round_down(v) }
}

/// The remainder of a division whose quotient is rounded to the nearest integer, ties to even.
fn ieee_remainder(x: f64, y: f64) -> f64 {
    x - (x / y).round_ties_even() * y
}

/// A fraction of 0.5 to 1, and its exponent.
fn parts(x: f32) -> (f32, i32) {
    let exponent = ((x.to_bits() >> 23) & 255) as i32 - 126;
    (x / 2f32.powi(exponent), exponent)
}

fn exact() -> Case {
    let x = short_floats(1, 64);
    let mut out = Vec::new();
    for i in 0..64 {
        let (x, y, z) = (x[i], x[i ^ 1], x[i ^ 2]);
        let (dx, dy, dz) = (f64::from(x), f64::from(y), f64::from(z));
        out.extend([x + y, round_to_zero(dx + dy), round_up(dx + dy), round_down(dx + dy)]);
        out.extend([round_to_zero(dx * dy), round_up(dx * dy)]);
        out.extend([x.mul_add(y, z), round_down(dx * dy + dz), x / y, round_up(dx / dy)]);
        out.extend([x.abs().sqrt(), round_down(dx.abs().sqrt())]);
        out.extend([1.0 / x, round_to_zero(1.0 / dx), x.floor() + y.ceil() * 4.0]);
        out.extend([x.trunc() - y.round(), x.round_ties_even(), x.min(y) - x.max(z)]);
        out.extend([x.copysign(y), x % y, x.clamp(0.0, 1.0), x * 8.0 + y / 4.0]);
        let (fraction, exponent) = parts(x);
        out.extend([fraction + exponent as f32, ieee_remainder(dx, dy) as f32]);
    }
    Case::new(UNIT, "exact operations")
        .with("in", &x)
        .with("out", &vec![0f32; out.len()])
        .run("float_exact", 2, 32, args!["in", "out"])
        .expects("out", &out)
}

fn conversions() -> Case {
    // In the range of every following integer type; another suite covers values outside.
    let x: Vec<f64> = doubles(2, 64).iter().map(|v| v.abs() * 60_000.0).collect();
    let (mut out, mut wide, mut narrow) = (Vec::new(), Vec::new(), Vec::new());
    for &x in &x {
        let f = x as f32;
        let half = f16::from_f32(f);
        let cut = half.to_f32() > f;
        out.extend([f as i32, f as u32 as i32, f.round_ties_even() as i32, f.ceil() as i32]);
        out.extend([f.floor() as i32, x as i32, x.round_ties_even() as i32, x.ceil() as i32]);
        out.extend([i32::from(f as i32 as i8), i32::from(!cut)]);
        out.push(half.to_f32() as i32);
        out.push((x.to_bits() >> 32) as i32 ^ x.to_bits() as i32);
        let near = x.round_ties_even() as i64 + f.round() as i64;
        wide.extend([x as i64, f as i64, x.ceil() as i64, near]);
        narrow.extend([round_to_zero(x), round_up(x)]);
        narrow.push(round_down((x as i64 * 1_000_003) as f64));
        narrow.push(((x as i64) << 20) as f32);
        let n = x as f32 as i32;
        let second = f as u32 as i32;
        narrow.push(f32::from(n as i16) + f32::from(second as u8));
    }
    Case::new(UNIT, "conversions")
        .with("in", &x)
        .with("out", &vec![0i32; out.len()])
        .with("wide", &vec![0i64; wide.len()])
        .with("narrow", &vec![0f32; narrow.len()])
        .run("conversions", 2, 32, args!["in", "out", "wide", "narrow"])
        .expects("out", &out)
        .expects("wide", &wide)
        .expects("narrow", &narrow)
}

fn double_functions() -> Case {
    let x: Vec<f64> = doubles(3, 50).iter().map(|v| v * 7.0).collect();
    let mut out = Vec::new();
    for &x in &x {
        out.extend([x.exp(), x.abs().ln(), x.sin(), x.cos(), x.tan(), x.atan(), x.sinh()]);
        out.extend([x.tanh(), x.cbrt(), erf(x), x.abs().powf(2.7), (x / 8.0).asin()]);
        out.extend([x.hypot(3.0), x.exp2(), x.abs().log2(), x.exp_m1(), x.atan2(-2.0)]);
        out.push(x.abs().sqrt() + 1.0 / x);
        out.push(x.mul_add(x, -1.0) + 1.0 / x.abs().sqrt());
        out.push(x.floor() + x.round_ties_even() * 10.0 + x % 0.7);
    }
    Case::new(UNIT, "functions of doubles")
        .with("in", &x)
        .with("out", &vec![0f64; out.len()])
        .run("double_functions", 2, 32, args!["in", "out", 50i32])
        .expects_within("out", &out, 1e-13)
}

/// Euler's gamma function, by Stirling's series for large arguments.
fn gamma(x: f64) -> f64 {
    let far = x + 20.0;
    let series = 1.0 / (12.0 * far) - 1.0 / (360.0 * far.powi(3)) + 1.0 / (1260.0 * far.powi(5));
    let log = (far - 0.5) * far.ln() - far + 0.5 * (2.0 * std::f64::consts::PI).ln() + series;
    (0..20).fold(log.exp(), |value, i| value / (x + f64::from(i)))
}

/// Bessel's function of order zero, by its series.
fn bessel(x: f64) -> f64 {
    let mut term = 1.0;
    (1..60).fold(1.0, |sum, n| {
        term *= -(x / 2.0).powi(2) / f64::from(n).powi(2);
        sum + term
    })
}

/// The inverse of the error function, by Newton's steps.
fn inverse_erf(y: f64) -> f64 {
    let slope = 2.0 / std::f64::consts::PI.sqrt();
    (0..30).fold(y / slope, |x, _| x - (erf(x) - y) / (slope * (-x * x).exp()))
}

fn double_special() -> Case {
    let x: Vec<f64> = doubles(4, 40).iter().map(|v| v * 6.0).collect();
    let mut out = Vec::new();
    for x in x.iter().map(|x| x.abs() + 0.25) {
        let normal = 0.5 * (1.0 + erf((x - 2.0) * 0.5f64.sqrt()));
        out.extend([gamma(x), gamma(x).ln(), 1.0 - erf(x / 2.0), bessel(x), normal]);
        out.extend([(x + 1.0).acosh(), inverse_erf(x / 10.0)]);
    }
    Case::new(UNIT, "special functions of doubles")
        .with("in", &x)
        .with("out", &vec![0f64; out.len()])
        .run("double_special", 2, 32, args!["in", "out", 40i32])
        .expects_within("out", &out, 1e-11)
}

fn float_functions() -> Case {
    let x: Vec<f32> = floats(5, 60).iter().map(|v| v * 7.0).collect();
    let mut out = Vec::new();
    for &x in &x {
        let d = f64::from(x);
        out.extend([d.exp(), d.abs().ln(), f64::from(x * 1000.0).sin(), d.cos(), d.tan()]);
        out.extend([d.atan(), d.sinh(), d.abs().powf(f64::from(1.7f32)), d.cbrt(), 1.0 - erf(d)]);
        out.extend([d.abs().log2() + d.exp2(), (d / 8.0).asin() + (d / 9.0).acos()]);
        out.extend([d.atan2(0.5), d.abs().log10() + 10f64.powf(d)]);
    }
    let out: Vec<f32> = out.iter().map(|&v| v as f32).collect();
    Case::new(UNIT, "functions of floats")
        .with("in", &x)
        .with("out", &vec![0f32; out.len()])
        .run("float_functions", 2, 32, args!["in", "out", 60i32])
        .expects_within("out", &out, 1e-6)
}

fn float_fast() -> Case {
    let x: Vec<f32> = floats(6, 64).iter().map(|v| v * 3.0).collect();
    let mut out = Vec::new();
    for &x in &x {
        let d = f64::from(x);
        out.extend([d.exp(), d.abs().ln(), d.sin(), d.cos(), d.abs().powf(1.5), 1.0 / d]);
        out.extend([1.0 / d.abs().sqrt(), d.sin() / d.cos()]);
    }
    let out: Vec<f32> = out.iter().map(|&v| v as f32).collect();
    Case::new(UNIT, "fast functions")
        .with("in", &x)
        .with("out", &vec![0f32; out.len()])
        .run("float_fast", 2, 32, args!["in", "out"])
        .expects_within("out", &out, 1e-5)
}

fn halves() -> Case {
    // Few bits, so that floats hold sums and products exactly.
    let x: Vec<f16> =
        ints(7, 128, -127, 127).iter().map(|&i| f16::from_f32((i | 1) as f32 / 32.0)).collect();
    let bits: Vec<u16> = x.iter().map(|v| v.to_bits()).collect();
    let mut out = Vec::new();
    for i in 0..64 {
        let at = |i: usize| [x[2 * i].to_f32(), x[2 * i + 1].to_f32()];
        let (x, y) = (at(i), at(i ^ 1));
        let both = |f: &dyn Fn(f32, f32) -> f32| [f(x[0], y[0]), f(x[1], y[1])];
        let rounded = |v: f32| f16::from_f32(v).to_f32();
        out.extend(both(&|x, y| x + y));
        out.extend(both(&|x, y| x * y));
        out.extend(both(&|x, y| x * y + x));
        out.extend(both(&|x, y| x - y));
        out.extend(both(&|x, _| x.abs()));
        out.extend(both(&|x, y| f32::from(x > y)));
        out.extend([x[0], y[0]]);
        out.extend(both(&|x, y| x / y));
        out.extend([x[0].max(y[0]), x[1].min(y[1])]);
        out.extend([rounded(x[0] * 3.0), (y[1] as i32) as f32]);
        out.extend([if x[0] <= y[0] { x[1] } else { y[1] }, x[0].abs().sqrt()]);
        out.extend(both(&|x, _| x.floor()));
    }
    let out: Vec<u16> = out.iter().map(|&v| f16::from_f32(v).to_bits()).collect();
    Case::new(UNIT, "halves")
        .with("in", &bits)
        .with("out", &vec![0u16; out.len()])
        .run("halves", 2, 32, args!["in", "out"])
        .expects("out", &out)
}

fn brain_floats() -> Case {
    let x: Vec<bf16> =
        ints(8, 128, -127, 127).iter().map(|&i| bf16::from_f32((i | 1) as f32 / 32.0)).collect();
    let bits: Vec<u16> = x.iter().map(|v| v.to_bits()).collect();
    let (mut out, mut wide) = (Vec::new(), Vec::new());
    for i in 0..64 {
        let at = |i: usize| [x[2 * i].to_f32(), x[2 * i + 1].to_f32()];
        let (x, y) = (at(i), at(i ^ 1));
        let both = |f: &dyn Fn(f32, f32) -> f32| [f(x[0], y[0]), f(x[1], y[1])];
        out.extend(both(&|x, y| x + y));
        out.extend(both(&|x, y| x * y));
        out.extend(both(&|x, y| x * y + x));
        out.extend([x[0].max(y[0]), x[1].min(y[1])]);
        out.extend([x[0] * 1.01, y[0] / 3.0]);
        out.extend(both(&|x, _| -x.abs()));
        wide.push(x[0] + y[1]);
    }
    let out: Vec<u16> = out.iter().map(|&v| bf16::from_f32(v).to_bits()).collect();
    Case::new("brain", "bfloat16")
        .with("in", &bits)
        .with("out", &vec![0u16; out.len()])
        .with("wide", &vec![0f32; wide.len()])
        .run("brain_floats", 2, 32, args!["in", "out", "wide"])
        .expects("out", &out)
        .expects("wide", &wide)
}

fn half_rows() -> Case {
    let (rows, cols) = (6usize, 130usize);
    let integers = |seed, n| ints(seed, n, -20, 20).iter().map(|&i| i as f32).collect::<Vec<_>>();
    let (m, x) = (integers(9, rows * cols), integers(10, cols));
    let bits = |v: &[f32]| v.iter().map(|&v| f16::from_f32(v).to_bits()).collect::<Vec<_>>();
    let y: Vec<f32> =
        m.chunks(cols).map(|row| row.iter().zip(&x).fold(0.0, |sum, (a, b)| sum + a * b)).collect();
    Case::new(UNIT, "rows of halves")
        .with("m", &bits(&m))
        .with("x", &bits(&x))
        .with("y", &vec![0f32; rows])
        .run("half_rows", rows as u32, 32, args!["m", "x", "y", cols as i32])
        .expects("y", &y)
}

fn careful_sums() -> Case {
    let (n, threads) = (1000usize, 32usize);
    let x = many(11, n, |r| (r >> 40) as f32 * 10f32.powi((r % 9) as i32 - 4));
    let (mut kahan, mut pair) = (vec![0f32; threads], vec![0f64; 2 * threads]);
    for t in 0..threads {
        let (mut lost, mut sum, mut high, mut low) = (0f32, 0f32, 0f64, 0f64);
        for &x in x[t..].iter().step_by(threads) {
            let y = x - lost;
            let next = sum + y;
            lost = (next - sum) - y;
            sum = next;
            let d = f64::from(x) * 1e10;
            let s = high + d;
            let b = s - high;
            low += (high - (s - b)) + (d - b);
            high = s;
        }
        kahan[t] = sum;
        pair[2 * t] = high;
        pair[2 * t + 1] = low;
    }
    Case::new(UNIT, "sums without loss")
        .with("in", &x)
        .with("kahan", &vec![0f32; threads])
        .with("pair", &vec![0f64; 2 * threads])
        .run("careful_sums", 1, threads as u32, args!["in", "kahan", "pair", n as i32])
        .expects("kahan", &kahan)
        .expects("pair", &pair)
}
