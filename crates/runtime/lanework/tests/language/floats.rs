//! Operators and functions on floating-point numbers, compared with the host's.

use half::{bf16, f16};
use lanework::lang::Float;
use lanework::prelude::*;

const RESULTS: usize = 18;

#[kernel]
fn exact<E: Element + Float>(a: &[E], b: &[E], out: &mut [E]) {
    let n = block_dim.x;
    let i = thread_idx.x;
    let (x, y) = (a[i], b[i]);
    out[i] = x + y;
    out[n + i] = x - y;
    out[2 * n + i] = x * y;
    out[3 * n + i] = x / y;
    out[4 * n + i] = -x;
    out[5 * n + i] = x.min(y);
    out[6 * n + i] = x.max(y);
    out[7 * n + i] = x.abs();
    out[8 * n + i] = x.sqrt();
    out[9 * n + i] = x.floor();
    out[10 * n + i] = x.ceil();
    out[11 * n + i] = x.trunc();
    out[12 * n + i] = x.round();
    out[13 * n + i] = x.round_ties_even();
    out[14 * n + i] = x * y + x;
    out[15 * n + i] = (x < y) as E + (x <= y) as E + (x > y) as E + (x >= y) as E;
    out[16 * n + i] = (x == y) as E + (x != y) as E + (x.is_nan()) as E;
    out[17 * n + i] = x.mul_add(y, x);
}

/// The same results on the host, in a type wide enough, rounded by `round`.
fn results<T: Copy>(x: T, y: T, wide: impl Fn(T) -> f64, round: impl Fn(f64) -> T) -> [T; RESULTS] {
    let (a, b) = (wide(x), wide(y));
    let flags = [a < b, a <= b, a > b, a >= b].into_iter().filter(|f| *f).count();
    let equal = [a == b, a != b, a.is_nan()].into_iter().filter(|f| *f).count();
    let product = wide(round(a * b));
    [
        round(a + b),
        round(a - b),
        round(a * b),
        round(a / b),
        round(-a),
        round(a.min(b)),
        round(a.max(b)),
        round(a.abs()),
        round(a.sqrt()),
        round(a.floor()),
        round(a.ceil()),
        round(a.trunc()),
        round(a.round()),
        round(a.round_ties_even()),
        round(product + a),
        round(flags as f64),
        round(equal as f64),
        round(a.mul_add(b, a)),
    ]
}

fn check<T: Element + Float>(
    values: &[T],
    wide: impl Fn(T) -> f64 + Copy,
    round: impl Fn(f64) -> T + Copy,
    skip: &[usize],
) {
    let pairs: Vec<(T, T)> =
        values.iter().flat_map(|x| values.iter().map(move |y| (*x, *y))).collect();
    let n = pairs.len();
    for device in Device::for_tests("language") {
        let a = device.upload(&pairs.iter().map(|p| p.0).collect::<Vec<_>>()).unwrap();
        let b = device.upload(&pairs.iter().map(|p| p.1).collect::<Vec<_>>()).unwrap();
        let mut out = device.zeros::<T>(n * RESULTS).unwrap();
        exact(&a, &b, &mut out).grid(1).block(n as u32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for (pair, (x, y)) in pairs.iter().enumerate() {
            let expected = results(*x, *y, wide, round);
            for result in (0..RESULTS).filter(|r| !skip.contains(r)) {
                let (got, want) = (out[result * n + pair], expected[result]);
                #[allow(clippy::eq_op, reason = "the type may have no `is_nan`")]
                let both_nan = got != got && want != want;
                assert!(got == want || both_nan, "{x:?}, {y:?}, {result}: {got:?}, not {want:?}");
            }
        }
    }
}

#[test]
fn f32_is_ieee() {
    let values = [
        0.0f32,
        1.0,
        -1.0,
        0.5,
        -1.5,
        2.5,
        3.0,
        1.0 / 3.0,
        1e-3,
        123_456.79,
        -7.25,
        0.499_999_97,
        1e20,
        -3e-20,
        f32::INFINITY,
        f32::NAN,
    ];
    // A double represents f32 sums, products, quotients and roots precisely enough to round once;
    // the fused operation is checked separately.
    check(&values, f64::from, |v| v as f32, &[17]);
}

#[test]
fn f64_is_ieee() {
    let values = [0.0f64, 1.0, -1.5, 2.5, 1.0 / 3.0, 1e-9, 1e200, -7.25, f64::INFINITY, f64::NAN];
    check(&values, |v| v, |v| v, &[]);
}

#[test]
fn halves_are_ieee() {
    let values = [0.0, 1.0, -1.5, 2.5, 0.333, 1000.0, -7.25, 60_000.0, 1e-6];
    check(&values.map(f16::from_f64), f16::to_f64, f16::from_f64, &[]);
    // The unfused sum of a product rounds twice.
    check(&values.map(bf16::from_f64), bf16::to_f64, bf16::from_f64, &[]);
}

#[kernel]
fn fused(x: &[f32], out: &mut [f32]) {
    let i = thread_idx.x;
    out[i] = fma(x[i], x[i], -(x[i] * x[i]));
    out[32 + i] = x[i] * x[i] - x[i] * x[i];
    let c = x[i] * x[i];
    out[64 + i] = x[i] * x[i] + (-c);
}

#[test]
fn products_are_fused_only_on_demand() {
    let values: Vec<f32> = (0..32).map(|i| 1.0 + i as f32 / 37.0).collect();
    for device in Device::for_tests("language") {
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<f32>(96).unwrap();
        fused(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for (i, v) in values.iter().enumerate() {
            assert_eq!(out[i], v.mul_add(*v, -(v * v)));
        }
        assert!(out[..32].iter().any(|rest| *rest != 0.0));
        assert!(out[32..].iter().all(|rest| *rest == 0.0));
    }
}

#[kernel]
fn approximations(x: &[f32], out: &mut [f32]) {
    let i = thread_idx.x;
    let n = block_dim.x;
    let v = x[i];
    out[i] = fast::rsqrt(v);
    out[n + i] = fast::recip(v);
    out[2 * n + i] = fast::exp2(v);
    out[3 * n + i] = fast::log2(v);
    out[4 * n + i] = fast::sin(v);
    out[5 * n + i] = fast::cos(v);
    out[6 * n + i] = fast::tanh(v);
    out[7 * n + i] = fast::exp(v);
    out[8 * n + i] = fast::ln(v);
    out[9 * n + i] = fast::div(v, 3.0);
    out[10 * n + i] = fast::sqrt(v);
    out[11 * n + i] = rcp(v);
    out[12 * n + i] = f32_from_bits(v.to_bits() ^ 0x8000_0000);
    out[13 * n + i] = v.clamp(1.0, 2.0);
    out[14 * n + i] = select(v > 1.0, v, 0.25);
}

#[test]
fn approximations_are_close() {
    let values: Vec<f32> = (1..33).map(|i| i as f32 / 11.0).collect();
    for device in Device::for_tests("language") {
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<f32>(32 * 15).unwrap();
        approximations(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for (i, v) in values.iter().enumerate() {
            let wide = f64::from(*v);
            let expected: [(f64, f64); 15] = [
                (1.0 / wide.sqrt(), 1e-6),
                (1.0 / wide, 1e-6),
                (wide.exp2(), 1e-6),
                (wide.log2(), 1e-6),
                (wide.sin(), 1e-6),
                (wide.cos(), 1e-6),
                (wide.tanh(), 1e-3),
                (wide.exp(), 2e-6),
                (wide.ln(), 1e-6),
                (wide / 3.0, 1e-6),
                (wide.sqrt(), 1e-6),
                (1.0 / wide, 1e-7),
                (-wide, 0.0),
                (wide.clamp(1.0, 2.0), 0.0),
                (if wide > 1.0 { wide } else { 0.25 }, 0.0),
            ];
            for (result, (want, tolerance)) in expected.into_iter().enumerate() {
                let got = f64::from(out[result * 32 + i]);
                let error = (got - want).abs() / want.abs().max(1.0);
                assert!(error <= tolerance, "{v}: result {result} is {got}, not {want}");
            }
        }
    }
}

#[kernel]
fn powers<E: Float>(x: &[E], out: &mut [E]) {
    let v = x[0];
    #[unroll]
    for exponent in -2..=5 {
        out[exponent + 2] = v.powi(exponent);
    }
}

#[test]
fn integer_powers_multiply() {
    let device = Device::emulator();
    let x = device.upload(&[3.0f64]).unwrap();
    let mut out = device.zeros::<f64>(8).unwrap();
    powers(&x, &mut out).grid(1).block(1).launch(&device).unwrap();
    let host = [1.0 / 9.0, 1.0 / 3.0, 1.0, 3.0, 9.0, 27.0, 81.0, 243.0];
    assert_eq!(out.download().unwrap(), host);
}

#[kernel]
fn real_power(x: &[f32], out: &mut [f32], exponent: f32) {
    out[thread_idx.x] = fast::powf(x[thread_idx.x], exponent);
}

#[test]
fn real_powers_are_close() {
    let device = Device::emulator();
    let host = [0.25f32, 1.0, 3.0, 100.0];
    let x = device.upload(&host).unwrap();
    let mut out = device.zeros::<f32>(host.len()).unwrap();
    real_power(&x, &mut out, 2.5).grid(1).block(4).launch(&device).unwrap();
    for (x, y) in host.iter().zip(out.download().unwrap()) {
        let want = x.powf(2.5);
        assert!((y - want).abs() <= 1e-5 * want, "{x}^2.5 is {y}, expected {want}");
    }
}
