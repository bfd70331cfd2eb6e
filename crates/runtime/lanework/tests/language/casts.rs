//! `as` between every two types, compared with Rust's.

use half::{bf16, f16};
use lanework::prelude::*;

#[kernel]
fn convert<A: Element, B: Element>(from: &[A], to: &mut [B]) {
    to[thread_idx.x] = from[thread_idx.x] as B;
}

/// The kernel's results for `values`, on every device.
fn converted<A: Element, B: Element>(values: &[A]) -> Vec<Vec<B>> {
    let run = |device: Device| {
        let from = device.upload(values).unwrap();
        let mut to = device.zeros::<B>(values.len()).unwrap();
        let block = values.len() as u32;
        convert(&from, &mut to).grid(1).block(block).launch(&device).unwrap();
        to.download().unwrap()
    };
    Device::for_tests("language").into_iter().map(run).collect()
}

macro_rules! casts {
    ($test:ident, $a:ty, $values:expr => $($b:ty)*) => {
        #[test]
        fn $test() {
            let values: &[$a] = &$values;
            $(
                let expected: Vec<$b> = values.iter().map(|v| *v as $b).collect();
                for got in converted::<$a, $b>(values) {
                    for ((value, got), want) in values.iter().zip(got).zip(&expected) {
                        let same = got == *want || (got != got && want != want);
                        assert!(same, "{value:?} as {}: {got:?}, not {want:?}", stringify!($b));
                    }
                }
            )*
        }
    };
}

macro_rules! integer_casts {
    ($($test:ident $a:ty),*) => {$(
        casts!($test, $a, [0, 1, 2, 77, 127, <$a>::MAX, <$a>::MIN, <$a>::MAX / 3, !0, !5, <$a>::MAX - 1]
            => u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);
    )*};
}

integer_casts!(
    from_u8 u8, from_i8 i8, from_u16 u16, from_i16 i16, from_u32 u32, from_i32 i32, from_u64 u64,
    from_i64 i64, from_usize usize, from_isize isize
);

casts!(from_f32, f32, [
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 127.9, 128.0, -128.9, 255.5, 256.0, 65_535.9, 1e9, -1e9,
    4.3e9, 1e19, 2e19, -1e19, 1e30, -1e30, f32::NAN, f32::INFINITY, f32::NEG_INFINITY,
    f32::MIN_POSITIVE, 16_777_217.0
] => u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);

casts!(from_f64, f64, [
    0.0, -0.0, 0.5, -0.5, 1.5, -2.5, 127.9, 128.0, -128.9, 255.5, 256.0, 65_535.9, 1e9, -1e9, 4.3e9,
    1e19, 2e19, -1e19, 1e300, -1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310,
    0.1, 16_777_217.0, 9_007_199_254_740_993.0
] => u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);

/// Bits, with a single canonical NaN.
fn half_bits(value: f16) -> u16 {
    if value.is_nan() { 0x7fff } else { value.to_bits() }
}

fn brain_bits(value: bf16) -> u16 {
    if value.is_nan() { 0x7fff } else { value.to_bits() }
}

/// Among a guess and its neighbors, the bits of the value nearest to `wide`, ties to even.
/// (`from_f64` of the half types may round twice, through `f32`.)
fn nearest(wide: f64, guess: u16, value: impl Fn(u16) -> f64) -> u16 {
    if !wide.is_finite() || !value(guess).is_finite() || wide == 0.0 {
        return guess;
    }
    let distance = |bits: &u16| ((value(*bits) - wide).abs(), bits % 2);
    let candidates = [guess.wrapping_sub(1), guess, guess.wrapping_add(1)];
    let near = candidates.into_iter().filter(|bits| value(*bits).is_finite());
    near.min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap()).unwrap()
}

fn nearest_half(wide: f64) -> f16 {
    let value = |bits| f16::from_bits(bits).to_f64();
    f16::from_bits(nearest(wide, f16::from_f64(wide).to_bits(), value))
}

fn nearest_brain(wide: f64) -> bf16 {
    let value = |bits| bf16::from_bits(bits).to_f64();
    bf16::from_bits(nearest(wide, bf16::from_f64(wide).to_bits(), value))
}

#[test]
fn halves_round_to_nearest_even() {
    let doubles = [
        0.0,
        -0.0,
        1.0,
        1.0 / 3.0,
        65_504.0,
        65_519.0,
        65_520.0,
        1e-8,
        6e-8,
        2049.0,
        2051.0,
        1.0 + 2f64.powi(-11),
        1.0 + 2f64.powi(-11) + 2f64.powi(-40),
        1.0 + 2f64.powi(-8),
        1.0 + 2f64.powi(-8) + 2f64.powi(-50),
        f64::NAN,
        f64::INFINITY,
        -1e300,
    ];
    let singles: Vec<f32> = doubles.iter().map(|d| *d as f32).collect();
    let bits = |list: Vec<f16>| list.into_iter().map(half_bits).collect::<Vec<_>>();
    let brains = |list: Vec<bf16>| list.into_iter().map(brain_bits).collect::<Vec<_>>();
    for got in converted::<f64, f16>(&doubles) {
        assert_eq!(bits(got), bits(doubles.iter().map(|d| nearest_half(*d)).collect()));
    }
    for got in converted::<f32, f16>(&singles) {
        assert_eq!(bits(got), bits(singles.iter().map(|d| f16::from_f32(*d)).collect()));
    }
    for got in converted::<f64, bf16>(&doubles) {
        assert_eq!(brains(got), brains(doubles.iter().map(|d| nearest_brain(*d)).collect()));
    }
    for got in converted::<f32, bf16>(&singles) {
        assert_eq!(brains(got), brains(singles.iter().map(|d| bf16::from_f32(*d)).collect()));
    }
}

#[test]
fn halves_widen_exactly() {
    let halves: Vec<f16> = [0.0, -1.5, 65_504.0, 6e-8].iter().map(|v| f16::from_f64(*v)).collect();
    let brains: Vec<bf16> = [0.0, -1.5, 3e38, 1e-40].iter().map(|v| bf16::from_f64(*v)).collect();
    for got in converted::<f16, f32>(&halves) {
        assert_eq!(got, halves.iter().map(|h| h.to_f32()).collect::<Vec<_>>());
    }
    for got in converted::<f16, f64>(&halves) {
        assert_eq!(got, halves.iter().map(|h| h.to_f64()).collect::<Vec<_>>());
    }
    for got in converted::<bf16, f32>(&brains) {
        assert_eq!(got, brains.iter().map(|h| h.to_f32()).collect::<Vec<_>>());
    }
    for got in converted::<f16, bf16>(&halves) {
        let want: Vec<_> = halves.iter().map(|h| bf16::from_f32(h.to_f32())).collect();
        assert_eq!(got, want);
    }
    for got in converted::<f16, i32>(&halves) {
        assert_eq!(got, [0, -1, 65_504, 0]);
    }
}

#[kernel]
fn flags(x: &[u32], flag: bool, out: &mut [u32]) {
    let i = thread_idx.x;
    let odd = x[i] & 1 == 1;
    out[i] = odd as u32;
    out[4 + i] = (odd & flag) as u32 + (odd | flag) as u32 * 2 + (odd ^ flag) as u32 * 4;
    out[8 + i] = (!odd) as u32 + (odd == flag) as u32 * 2 + (odd != flag) as u32 * 4;
    let mut any = false;
    if x[i] > 2 {
        any = true;
    }
    out[12 + i] = any as u32;
}

#[test]
fn bools_are_rusts() {
    for device in Device::for_tests("language") {
        for flag in [false, true] {
            let values = [0u32, 1, 2, 3];
            let x = device.upload(&values).unwrap();
            let mut out = device.zeros::<u32>(16).unwrap();
            flags(&x, flag, &mut out).grid(1).block(4).launch(&device).unwrap();
            let odd = values.map(|v| v & 1 == 1);
            let mut expected = odd.map(u32::from).to_vec();
            expected.extend(
                odd.map(|o| {
                    u32::from(o & flag) + 2 * u32::from(o | flag) + 4 * u32::from(o ^ flag)
                }),
            );
            expected.extend(
                odd.map(|o| u32::from(!o) + 2 * u32::from(o == flag) + 4 * u32::from(o != flag)),
            );
            expected.extend(values.map(|v| u32::from(v > 2)));
            assert_eq!(out.download().unwrap(), expected);
        }
    }
}

#[device]
fn without_loss(a: u8, b: i16, c: u32, d: bool, e: f32) -> f64 {
    let whole = u64::from(a) * 1000 + u64::from(c) + u64::from(d) + u64::from(7u16);
    let signed = i64::from(b) - i64::from(a) + i64::from(c);
    f64::from(e)
        + f64::from(b)
        + whole as f64
        + signed as f64
        + f64::from(u16::from(a))
        + f64::from(c)
}

#[kernel]
fn conversions(out: &mut [f64]) {
    let i = thread_idx.x;
    out[i] = without_loss(250 + i as u8, -3 - i as i16, u32::MAX - i, i > 1, 0.1);
}

#[test]
fn lossless_conversions_match_rust() -> lanework::Result<()> {
    for device in Device::for_tests("lossless_conversions_match_rust") {
        let mut out = device.zeros::<f64>(4)?;
        conversions(&mut out).grid(1).block(4).launch(&device)?;
        let want = std::array::from_fn::<f64, 4, _>(|i| {
            without_loss(250 + i as u8, -3 - i as i16, u32::MAX - i as u32, i > 1, 0.1)
        });
        assert_eq!(out.download()?, want);
    }
    Ok(())
}
