//! Every operator and method on integers, compared with Rust's, for every integer type.

use lanework::lang::Integer;
use lanework::prelude::*;

/// Results per pair of inputs.
const RESULTS: usize = 26;

#[kernel]
fn arithmetic<E: Element + Integer>(a: &[E], b: &[E], shift: &[u32], out: &mut [E]) {
    let n = block_dim.x;
    let i = thread_idx.x;
    let (x, y, s) = (a[i], b[i], shift[i]);
    out[i] = x + y;
    out[n + i] = x - y;
    out[2 * n + i] = x * y;
    out[3 * n + i] = x & y;
    out[4 * n + i] = x | y;
    out[5 * n + i] = x ^ y;
    out[6 * n + i] = !x;
    out[7 * n + i] = -x;
    out[8 * n + i] = x << s;
    out[9 * n + i] = x >> s;
    out[10 * n + i] = x.min(y);
    out[11 * n + i] = x.max(y);
    out[12 * n + i] = x.reverse_bits();
    out[13 * n + i] = x.count_ones() as E;
    out[14 * n + i] = x.leading_zeros() as E;
    out[15 * n + i] = x.trailing_zeros() as E;
    out[16 * n + i] = (x < y) as E;
    out[17 * n + i] = (x <= y) as E;
    out[18 * n + i] = (x > y) as E;
    out[19 * n + i] = (x >= y) as E;
    out[20 * n + i] = (x == y) as E;
    out[21 * n + i] = (x != y) as E;
    out[22 * n + i] = if x < y { y - x } else { x - y };
    out[23 * n + i] = x << 3 >> 2;
    let mut z = x;
    z += y;
    z *= x;
    z -= y;
    z ^= x;
    z |= y;
    z &= x;
    out[24 * n + i] = z;
    z = x;
    z <<= s;
    z >>= 1;
    out[25 * n + i] = z;
}

#[kernel]
fn division<E: Element + Integer>(a: &[E], b: &[E], out: &mut [E]) {
    let n = block_dim.x;
    let i = thread_idx.x;
    let (x, y) = (a[i], b[i]);
    out[i] = x / y;
    out[n + i] = x % y;
    let mut z = x;
    z /= y;
    z %= y;
    out[2 * n + i] = z;
}

/// Runs `kernel` on one thread per pair and compares everything it wrote.
fn compare<E: Element + std::fmt::Debug>(
    what: &str,
    pairs: usize,
    results: usize,
    expected: impl Fn(usize, usize) -> E,
    run: impl Fn(&Device, &mut Buffer<E>) -> lanework::Result<()>,
) {
    for device in Device::for_tests("language") {
        let mut out = device.zeros(pairs * results).unwrap();
        run(&device, &mut out).unwrap();
        let out = out.download().unwrap();
        for result in 0..results {
            for pair in 0..pairs {
                let got = out[result * pairs + pair];
                let want = expected(result, pair);
                assert_eq!(got, want, "{what}: result {result} of pair {pair}");
            }
        }
    }
}

macro_rules! integer_type {
    ($test:ident, $t:ty, $values:expr, $constants:ident) => {
        #[kernel]
        fn $constants(a: &[$t], out: &mut [$t]) {
            let n = block_dim.x;
            let i = thread_idx.x;
            let x = a[i];
            out[i] = x + 3;
            out[n + i] = 3 - x;
            out[2 * n + i] = x * 8;
            out[3 * n + i] = x / 4;
            out[4 * n + i] = x % 4;
            out[5 * n + i] = x - 1 + 2;
            out[6 * n + i] = x & 5;
            out[7 * n + i] = (x > 3 && x != 7 || x == 0) as $t;
            out[8 * n + i] = x / 3;
            out[9 * n + i] = x * 1 + 0;
        }

        #[test]
        fn $test() {
            let values: &[$t] = &$values;
            let mut pairs = Vec::new();
            for x in values {
                for y in values {
                    pairs.push((*x, *y));
                }
            }
            let bits = <$t>::BITS;
            let a: Vec<$t> = pairs.iter().map(|p| p.0).collect();
            let b: Vec<$t> = pairs.iter().map(|p| p.1).collect();
            let shift: Vec<u32> = (0..pairs.len() as u32).map(|i| i * 5 % bits).collect();
            let n = pairs.len();
            let expected = |result: usize, pair: usize| {
                let (x, y, s) = (a[pair], b[pair], shift[pair]);
                let z = x.wrapping_add(y).wrapping_mul(x).wrapping_sub(y);
                let z = ((z ^ x) | y) & x;
                match result {
                    0 => x.wrapping_add(y),
                    1 => x.wrapping_sub(y),
                    2 => x.wrapping_mul(y),
                    3 => x & y,
                    4 => x | y,
                    5 => x ^ y,
                    6 => !x,
                    7 => x.wrapping_neg(),
                    8 => x << s,
                    9 => x >> s,
                    10 => x.min(y),
                    11 => x.max(y),
                    12 => x.reverse_bits(),
                    13 => x.count_ones() as $t,
                    14 => x.leading_zeros() as $t,
                    15 => x.trailing_zeros() as $t,
                    16 => (x < y) as $t,
                    17 => (x <= y) as $t,
                    18 => (x > y) as $t,
                    19 => (x >= y) as $t,
                    20 => (x == y) as $t,
                    21 => (x != y) as $t,
                    22 => {
                        if x < y {
                            y.wrapping_sub(x)
                        } else {
                            x.wrapping_sub(y)
                        }
                    }
                    23 => (x << 3) >> 2,
                    24 => z,
                    _ => (x << s) >> 1,
                }
            };
            let t = stringify!($t);
            compare(t, n, RESULTS, expected, |device, out| {
                let (a, b) = (device.upload(&a)?, device.upload(&b)?);
                let shift = device.upload(&shift)?;
                arithmetic(&a, &b, &shift, out).grid(1).block(n as u32).launch(device)
            });

            let constant = |result: usize, pair: usize| {
                let x = a[pair];
                match result {
                    0 => x.wrapping_add(3),
                    1 => (3 as $t).wrapping_sub(x),
                    2 => x.wrapping_mul(8),
                    3 => x / 4,
                    4 => x % 4,
                    5 => x.wrapping_add(1),
                    6 => x & 5,
                    7 => (x > 3 && x != 7 || x == 0) as $t,
                    8 => x / 3,
                    _ => x,
                }
            };
            compare(t, n, 10, constant, |device, out| {
                let a = device.upload(&a)?;
                $constants(&a, out).grid(1).block(n as u32).launch(device)
            });

            // Division by zero, and of the minimum by -1, panic in Rust.
            let divisible: Vec<_> =
                pairs.iter().copied().filter(|p| p.0.checked_div(p.1).is_some()).collect();
            let a: Vec<$t> = divisible.iter().map(|p| p.0).collect();
            let b: Vec<$t> = divisible.iter().map(|p| p.1).collect();
            let quotients = |result: usize, pair: usize| match result {
                0 => a[pair] / b[pair],
                1 => a[pair] % b[pair],
                _ => a[pair] / b[pair] % b[pair],
            };
            compare(t, a.len(), 3, quotients, |device, out| {
                let (a, b) = (device.upload(&a)?, device.upload(&b)?);
                let block = a.len() as u32;
                division(&a, &b, out).grid(1).block(block).launch(device)
            });
        }
    };
}

integer_type!(u8_is_rusts, u8, [0, 1, 2, 3, 7, 8, 100, 127, 128, 200, 254, 255], u8_constants);
integer_type!(i8_is_rusts, i8, [0, 1, 2, 3, 7, 8, -1, -2, -100, 127, -127, -128], i8_constants);
integer_type!(u16_is_rusts, u16, [0, 1, 2, 3, 7, 255, 256, 0x7fff, 0x8000, 0xffff], u16_constants);
integer_type!(i16_is_rusts, i16, [0, 1, 2, 3, 7, -1, -9, 255, 32767, -32768], i16_constants);
integer_type!(
    u32_is_rusts,
    u32,
    [0, 1, 2, 3, 7, 65_535, 65_536, 0x7fff_ffff, 0x8000_0000, u32::MAX],
    u32_constants
);
integer_type!(
    i32_is_rusts,
    i32,
    [0, 1, 2, 3, 7, -1, -13, 46_341, i32::MAX, i32::MIN],
    i32_constants
);
integer_type!(
    u64_is_rusts,
    u64,
    [0, 1, 2, 3, 7, 0xffff_ffff, 1 << 32, 1 << 63, u64::MAX],
    u64_constants
);
integer_type!(
    i64_is_rusts,
    i64,
    [0, 1, 2, 3, 7, -1, -13, 1 << 40, i64::MAX, i64::MIN],
    i64_constants
);
integer_type!(usize_is_rusts, usize, [0, 1, 2, 3, 7, 1 << 33, usize::MAX], usize_constants);
integer_type!(isize_is_rusts, isize, [0, 1, 2, 3, 7, -1, isize::MAX, isize::MIN], isize_constants);

#[kernel]
fn wide_products(a: &[i32], b: &[u32], out: &mut [i64]) {
    out[0] = a[0].mul_hi(a[1]) as i64;
    out[1] = b[0].mul_hi(b[1]) as i64;
    out[2] = b[0].div_ceil(b[2]) as i64;
    out[3] = b[0].rotate_left(8) as i64;
    out[4] = ffs(b[2]) as i64 + ffs(b[3]) as i64;
    out[5] = a[0].abs() as i64;
    out[6] = popc(b[0]) as i64 + clz(b[2]) as i64 + brev(b[2]) as i64;
}

#[test]
fn wide_products_and_bits_match_rust() {
    for device in Device::for_tests("language") {
        let a = device.upload(&[-123_456_789, 987_654_321]).unwrap();
        let b = device.upload(&[0xdead_beefu32, 0x1234_5678, 24, 0]).unwrap();
        let mut out = device.zeros::<i64>(7).unwrap();
        wide_products(&a, &b, &mut out).grid(1).block(1).launch(&device).unwrap();
        let high = (-123_456_789i64 * 987_654_321) >> 32;
        let unsigned = (0xdead_beefu64 * 0x1234_5678) >> 32;
        let expected = [
            high,
            unsigned as i64,
            i64::from(0xdead_beefu32.div_ceil(24)),
            i64::from(0xdead_beefu32.rotate_left(8)),
            4,
            123_456_789,
            i64::from(0xdead_beefu32.count_ones()) + 27 + i64::from(24u32.reverse_bits()),
        ];
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn wraps(x: &[u32], out: &mut [u32]) {
    let v = x[thread_idx.x];
    let o = thread_idx.x * 5;
    out[o] = v.wrapping_add(0x9000_0001);
    out[o + 1] = v.wrapping_sub(0x9000_0001);
    out[o + 2] = v.wrapping_mul(0x9000_0001);
    out[o + 3] = v.rotate_left(35);
    out[o + 4] = v.rotate_right(35);
}

#[test]
fn wrapping_and_rotating_match_rust() {
    let device = Device::emulator();
    let host = [0u32, 1, 0x8765_4321, u32::MAX];
    let x = device.upload(&host).unwrap();
    let mut out = device.zeros::<u32>(host.len() * 5).unwrap();
    wraps(&x, &mut out).grid(1).block(4).launch(&device).unwrap();
    for (v, got) in host.iter().zip(out.download().unwrap().chunks(5)) {
        let k = 0x9000_0001;
        let want = [v.wrapping_add(k), v.wrapping_sub(k), v.wrapping_mul(k)];
        assert_eq!(got[..3], want);
        assert_eq!(got[3..], [v.rotate_left(3), v.rotate_right(3)]);
    }
}
