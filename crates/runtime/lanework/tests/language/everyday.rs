//! Everyday Rust: comparisons of integers of two types and with lengths, the
//! constants of generic types, integer methods, and ranges with adapters.

use lanework::prelude::*;

/// Runs a kernel with a buffer for results, checked, on every device, and returns the results.
fn results<T: Element>(count: usize, launch: impl Fn(&mut Buffer<T>) -> Launch<'_>) -> Vec<Vec<T>> {
    Device::for_tests("language")
        .iter()
        .map(|device| {
            let mut out = device.zeros::<T>(count).unwrap();
            launch(&mut out).grid(1).block(32).launch(device).unwrap();
            out.download().unwrap()
        })
        .collect()
}

#[kernel]
fn guarded_by_lengths(x: &[f32], n: u32, out: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= out.len() {
        return;
    }
    let len = x.len();
    let mut found = 0;
    if i < x.len() && n > i {
        found += 1;
    }
    if len != n {
        found += 2;
    }
    if i as i32 - 5 < len {
        found += 4;
    }
    let mut k = 0;
    while k < len {
        k += 1;
    }
    out[i] = found + 8 * k as u32;
}

#[test]
fn any_integer_is_compared_with_a_length() {
    for device in Device::for_tests("language") {
        let x = device.upload(&[0.0f32; 7]).unwrap();
        let mut out = device.zeros::<u32>(20).unwrap();
        guarded_by_lengths(&x, 5, &mut out).grid(1).block(32).launch(&device).unwrap();
        let expected: Vec<u32> =
            (0..20).map(|i| u32::from(i < 5) + 2 + 4 * u32::from(i - 5 < 7) + 56).collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// The six comparisons of `x` and `y`, and their order on the host as exact numbers.
macro_rules! pairs {
    ($($name:ident: $a:ty, $b:ty;)*) => {$(
        #[kernel]
        fn $name(x: &[$a], y: &[$b], #[constant] c: $b, out: &mut [u32]) {
            let i = thread_idx.x;
            if i < out.len() {
                let (a, b) = (x[i / y.len() as u32], y[i % y.len() as u32]);
                let mut bits = 0;
                if a == b { bits |= 1; }
                if a != b { bits |= 2; }
                if a < b { bits |= 4; }
                if a <= b { bits |= 8; }
                if a > b { bits |= 16; }
                if a >= b { bits |= 32; }
                if a < c { bits |= 64; }
                if c < a { bits |= 128; }
                if a == c { bits |= 256; }
                out[i] = bits;
            }
        }
    )*

    fn compare_every_pair(device: &Device) {
        $({
            let (x, y) = (edges::<$a>(), edges::<$b>());
            for c in &y {
                let count = x.len() * y.len();
                let mut out = device.zeros::<u32>(count).unwrap();
                let (dx, dy) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
                let launch = $name(&dx, &dy, *c, &mut out);
                launch.grid(1).block(64).launch(device).unwrap();
                let found = out.download().unwrap();
                for (i, found) in found.into_iter().enumerate() {
                    let (a, b) = (x[i / y.len()] as i128, y[i % y.len()] as i128);
                    let c = *c as i128;
                    let holds = [a == b, a != b, a < b, a <= b, a > b, a >= b, a < c, c < a, a == c];
                    let expected: u32 =
                        holds.iter().enumerate().map(|(k, h)| u32::from(*h) << k).sum();
                    assert_eq!(found, expected, "{} {a} {b} {c}", stringify!($name));
                }
            }
        })*
    }
    };
}

/// The limits of a type, and its values next to 0.
fn edges<T: Integer>() -> Vec<T> {
    let mut list = vec![T::MIN, T::MAX, T::ZERO, T::ONE, T::ONE + T::ONE, T::MAX - T::ONE];
    list.push(if T::MIN < T::ZERO { T::MIN / T::MAX } else { T::MAX / (T::ONE + T::ONE) });
    list
}

pairs! {
    u32_i32: u32, i32; i32_u32: i32, u32; u32_u64: u32, u64; u64_i64: u64, i64; i64_u64: i64, u64;
    u8_i64: u8, i64; i8_u64: i8, u64; i16_u8: i16, u8; usize_i32: usize, i32; i32_i64: i32, i64;
    u16_usize: u16, usize; isize_u32: isize, u32;
}

#[kernel]
fn narrow_constants(x: &[i16], y: &[i8], out: &mut [i32]) {
    let i = thread_idx.x;
    if i < x.len() {
        let (a, b) = (x[i], y[i]);
        out[i * 8] = (a < -1) as i32;
        out[i * 8 + 1] = a.min(-1) as i32;
        out[i * 8 + 2] = (a / -2) as i32;
        out[i * 8 + 3] = if b >= -7 { -7i8 } else { b } as i32;
        out[i * 8 + 4] = (-100i16 % (a | 1)) as i32;
        out[i * 8 + 5] = (b & -8) as i32;
        out[i * 8 + 6] = b.max(-3) as i32;
        out[i * 8 + 7] = (-128i8 >> (b & 3)) as i32;
    }
}

#[test]
fn narrow_signed_constants_keep_their_sign() {
    let (x, y) = ([-5i16, -1, 0, 7, i16::MIN], [-9i8, -7, 0, 127, -128]);
    let expected: Vec<i32> = x
        .into_iter()
        .zip(y)
        .flat_map(|(a, b)| {
            let (a32, b32) = (i32::from(a), i32::from(b));
            let kept = if b >= -7 { -7 } else { b32 };
            let shifted = i32::from(-128i8 >> (b & 3));
            let rest = i32::from(-100i16 % (a | 1));
            let (low, high) = (a32.min(-1), b32.max(-3));
            [i32::from(a < -1), low, a32 / -2, kept, rest, b32 & -8, high, shifted]
        })
        .collect();
    for device in Device::for_tests("language") {
        let (dx, dy) = (device.upload(&x).unwrap(), device.upload(&y).unwrap());
        let mut out = device.zeros::<i32>(40).unwrap();
        narrow_constants(&dx, &dy, &mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[test]
fn integers_of_two_types_compare_as_numbers() {
    for device in Device::for_tests("language") {
        compare_every_pair(&device);
    }
}

#[kernel]
fn constants<T: Element>(x: &[T], out: &mut [T]) {
    let i = thread_idx.x;
    if i == 0 {
        let mut sum = T::ZERO;
        let mut least = T::MAX;
        let mut most = T::MIN;
        for k in 0..x.len() {
            sum += x[k];
            least = least.min(x[k]);
            most = most.max(x[k]);
        }
        out[0] = sum + T::ONE;
        out[1] = T::ONE + T::ONE + sum;
        out[2] = least;
        out[3] = most;
        out[4] = 7u32 as T;
        out[5] = T::ONE * x[0] - T::ZERO;
    }
}

#[kernel]
fn float_constants<T: Float>(x: &[T], out: &mut [T]) {
    out[0] = T::INFINITY;
    out[1] = T::NEG_INFINITY;
    out[2] = x[0] + T::EPSILON;
    out[3] = T::MIN_POSITIVE;
    out[4] = if x[0] < T::INFINITY && x[0] > -T::ONE { T::ONE } else { T::NAN };
    out[5] = 0.25f32 as T * x[0];
}

macro_rules! generic_over {
    ($device:ident: $($t:ty, $values:expr, $expected:expr;)*) => {$(
        let x = $device.upload::<$t>(&$values).unwrap();
        let mut out = $device.zeros::<$t>(6).unwrap();
        constants(&x, &mut out).grid(1).block(32).launch(&$device).unwrap();
        assert_eq!(out.download().unwrap(), $expected, stringify!($t));
    )*};
}

#[test]
fn generic_types_have_their_constants() {
    for device in Device::for_tests("language") {
        generic_over!(device:
            f32, [2.5, -3.0, 0.5], [1.0, 2.0, -3.0, 2.5, 7.0, 2.5];
            f64, [2.5, -3.0, 0.5], [1.0, 2.0, -3.0, 2.5, 7.0, 2.5];
            u32, [5, 9, 2], [17, 18, 2, 9, 7, 5];
            i32, [5, -9, 2], [-1, 0, -9, 5, 7, 5];
            u8, [5, 9, 2], [17, 18, 2, 9, 7, 5];
            i64, [5, -9, 2], [-1, 0, -9, 5, 7, 5];
        );
        let x = device.upload(&[1.0f32]).unwrap();
        let mut out = device.zeros::<f32>(6).unwrap();
        float_constants(&x, &mut out).grid(1).block(1).launch(&device).unwrap();
        let (inf, up) = (f32::INFINITY, 1.0 + f32::EPSILON);
        let expected = [inf, -inf, up, f32::MIN_POSITIVE, 1.0, 0.25];
        assert_eq!(out.download().unwrap(), expected);
    }
}

/// A kernel that computes each expression, and a test that compares with the same on the host.
macro_rules! methods {
    ($($test:ident $kernel:ident $t:ty, $count:literal; $x:ident $y:ident; $($e:expr),* $(,)?;)*) => {$(
        #[kernel]
        fn $kernel(a: &[$t], b: &[$t], out: &mut [i64]) {
            let i = thread_idx.x;
            if i < a.len() {
                let ($x, $y) = (a[i], b[i]);
                let results = [$(($e) as i64),*];
                #[unroll]
                for k in 0..$count {
                    out[i * $count + k] = results[k];
                }
            }
        }

        #[test]
        #[allow(clippy::cast_lossless)]
        fn $test() {
            let edges = edges::<$t>();
            let (mut xs, mut ys): (Vec<$t>, Vec<$t>) = (Vec::new(), Vec::new());
            for x in &edges {
                for y in &edges {
                    // Rust panics on these two.
                    if *y != 0 && !(*x == <$t>::MIN && *y as i128 == -1) {
                        xs.push(*x);
                        ys.push(*y);
                    }
                }
            }
            let mut expected = Vec::new();
            for ($x, $y) in xs.iter().copied().zip(ys.iter().copied()) {
                expected.extend([$(($e) as i64),*]);
            }
            for device in Device::for_tests("language") {
                let (a, b) = (device.upload(&xs).unwrap(), device.upload(&ys).unwrap());
                let mut out = device.zeros::<i64>(expected.len()).unwrap();
                $kernel(&a, &b, &mut out).grid(1).block(64).launch(&device).unwrap();
                let found = out.download().unwrap();
                for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let (x, y) = (xs[at / $count], ys[at / $count]);
                    let method = [$(stringify!($e)),*][at % $count];
                    assert_eq!(found, expected, "{method} for x = {x}, y = {y}");
                }
            }
        }
    )*};
}

macro_rules! signed_methods {
    ($($test:ident $kernel:ident $t:ty;)*) => { methods! {$(
        $test $kernel $t, 26; x y;
        x.wrapping_neg(), x.wrapping_shl(13), x.wrapping_shr(y as u32), x.wrapping_pow(5),
        x.wrapping_pow(y as u32 & 15), x.count_zeros(), x.leading_ones(), x.trailing_ones(),
        x.saturating_add(y), x.saturating_sub(y), x.rotate_left(5), x.rotate_right(y as u32 & 63),
        x.signum(), x.is_positive(), x.is_negative(), x.unsigned_abs(), x.wrapping_abs(),
        x.abs_diff(y), x.rem_euclid(y), x.div_euclid(y), x.min(y), x.max(y), x.clamp(0, 1),
        x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y);
    )*}};
}

signed_methods! {
    i8_methods_give_what_rust_gives methods_i8 i8;
    i16_methods_give_what_rust_gives methods_i16 i16;
    i32_methods_give_what_rust_gives methods_i32 i32;
    i64_methods_give_what_rust_gives methods_i64 i64;
}

macro_rules! unsigned_methods {
    ($($test:ident $kernel:ident $t:ty;)*) => { methods! {$(
        $test $kernel $t, 25; x y;
        x.wrapping_neg(), x.wrapping_shl(13), x.wrapping_shr(y as u32), x.wrapping_pow(5),
        x.wrapping_pow(y as u32 & 15), x.count_zeros(), x.leading_ones(), x.trailing_ones(),
        x.saturating_add(y), x.saturating_sub(y), x.rotate_left(5), x.rotate_right(y as u32 & 63),
        x.is_power_of_two(), (x >> 1).next_power_of_two(), (x | 1).ilog2(), x.abs_diff(y),
        x.rem_euclid(y), x.div_euclid(y), x.min(y), x.max(y), x.clamp(1, 2), x.div_ceil(y),
        (x >> 1).next_multiple_of(y), x.is_multiple_of(y), x.wrapping_mul(y);
    )*}};
}

unsigned_methods! {
    u8_methods_give_what_rust_gives methods_u8 u8;
    u16_methods_give_what_rust_gives methods_u16 u16;
    u32_methods_give_what_rust_gives methods_u32 u32;
    u64_methods_give_what_rust_gives methods_u64 u64;
    usize_methods_give_what_rust_gives methods_usize usize;
}

/// Kernels that write all values of every kind of range.
macro_rules! range_kernels {
    ($($kernel:ident $t:ty;)*) => {
        $(
            #[kernel]
            fn $kernel(a: $t, b: $t, s: u64, out: &mut [$t]) {
                let mut at = 0u32;
                for i in a..b { out[at] = i; at += 1; }
                for i in a..=b { out[at] = i; at += 1; }
                for i in (a..b).rev() { out[at] = i; at += 1; }
                for i in (a..=b).rev() { out[at] = i; at += 1; }
                for i in (a..b).step_by(s as usize) { out[at] = i; at += 1; }
                for i in (a..=b).step_by(s) { out[at] = i; at += 1; }
                for i in (a..b).step_by(s as usize).rev() { out[at] = i; at += 1; }
                for i in (a..=b).step_by(s as u32).rev() { out[at] = i; at += 1; }
                for i in (a..b).rev().step_by(s as usize) { out[at] = i; at += 1; }
                for i in (a..=b).rev().step_by(s as i16) { out[at] = i; at += 1; }
                for i in (a..b).rev().step_by(3).rev().rev() { out[at] = i; at += 1; }
                for i in (a..=b).step_by(1).rev() { out[at] = i; at += 1; }
            }
        )*

        #[test]
        fn ranges_visit_the_values_that_rust_visits() {
            for device in Device::for_tests("language") {
                $(
                    for a in [0, 1, 7, 100] {
                        for b in [0, 1, 6, 7, 8, 13, 100, 109] {
                            for s in [1usize, 2, 3, 10] {
                                let (a, b): ($t, $t) = (a, b);
                                let mut expected: Vec<$t> = Vec::new();
                                let (open, closed): (Vec<$t>, Vec<$t>) = ((a..b).collect(), (a..=b).collect());
                                expected.extend(&open);
                                expected.extend(&closed);
                                expected.extend(open.iter().copied().rev());
                                expected.extend(closed.iter().copied().rev());
                                expected.extend(open.iter().copied().step_by(s));
                                expected.extend(closed.iter().copied().step_by(s));
                                expected.extend(open.iter().copied().step_by(s).rev());
                                expected.extend(closed.iter().copied().step_by(s).rev());
                                expected.extend(open.iter().copied().rev().step_by(s));
                                expected.extend(closed.iter().copied().rev().step_by(s));
                                expected.extend(open.iter().copied().rev().step_by(3));
                                expected.extend(closed.iter().copied().step_by(1).rev());
                                let mut out = device.zeros::<$t>(expected.len() + 1).unwrap();
                                $kernel(a, b, s as u64, &mut out).grid(1).block(1).launch(&device).unwrap();
                                expected.push(0);
                                assert_eq!(out.download().unwrap(), expected, "{a}..{b} by {s}");
                            }
                        }
                    }
                )*
            }
        }
    };
}

range_kernels! { ranges_u32 u32; ranges_i32 i32; ranges_u8 u8; ranges_i64 i64; ranges_usize usize; }

#[kernel]
fn literals_and_constants(#[constant] most: u32, x: &[f32], out: &mut [u32], roots: &mut [f32]) {
    const TILE: u32 = 16;
    let lane = thread_idx.x;
    let below = out[lane] & ((1 << lane) - 1);
    let long = (1 << (lane + 20)) | x.len() as u64;
    let left = TILE.min(32 - lane) + most.max(lane) + 5.clamp(lane, 40);
    let tile = shared::<u32>(most.min(64));
    tile[lane % TILE] = below;
    sync_warp(FULL_MASK);
    let high = 0x8000_0000 >> lane;
    out[lane] = tile[lane % TILE].wrapping_add(left * 3).wrapping_add((long >> 32) as u32 + high);
    roots[lane] = 2.0.max(x[lane]) + 0.5.mul_add(x[lane], 1.0);
}

#[test]
fn literals_take_the_type_of_their_use() {
    let votes: Vec<u32> = (0..16u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let x: Vec<f32> = (0..16).map(|i| i as f32 * 0.5).collect();
    for device in Device::for_tests("language") {
        let dx = device.upload(&x).unwrap();
        let mut out = device.upload(&votes).unwrap();
        let mut roots = device.zeros::<f32>(16).unwrap();
        literals_and_constants(24, &dx, &mut out, &mut roots)
            .grid(1)
            .block(16)
            .launch(&device)
            .unwrap();
        let expected: Vec<u32> = (0..16u32)
            .map(|lane| {
                let below = votes[lane as usize] & ((1 << lane) - 1);
                let long: u64 = (1 << (lane + 20)) | 16;
                let left = 16.min(32 - lane) + 24.max(lane) + lane.max(5).min(40);
                let high = 0x8000_0000 >> lane;
                below.wrapping_add(left * 3).wrapping_add((long >> 32) as u32 + high)
            })
            .collect();
        assert_eq!(out.download().unwrap(), expected);
        let expected: Vec<f32> = x.iter().map(|x| x.max(2.0) + 0.5f32.mul_add(*x, 1.0)).collect();
        assert_eq!(roots.download().unwrap(), expected);
    }
}

#[kernel]
fn to_the_ends(out: &mut [u32]) {
    let mut count = 0u32;
    for _ in u32::MAX - 2..=u32::MAX {
        count += 1;
    }
    for i in (-3i32..=3).rev().step_by(2) {
        count += (i + 4) as u32 * 10;
    }
    for i in (-128i8..=127).step_by(100).rev() {
        count += (i as i32 + 200) as u32 * 1000;
    }
    out[0] = count;
}

#[test]
fn ranges_reach_the_ends_of_their_types() {
    let expected = 3 + (7 + 5 + 3 + 1) * 10 + (72 + 172 + 272) * 1000;
    for found in results::<u32>(1, |out| to_the_ends(out)) {
        assert_eq!(found, [expected]);
    }
}

/// A literal with a suffix, shifted by a host value whose type is inferred.
#[kernel]
fn halves(out: &mut [u32]) {
    let t = thread_idx.x;
    #[unroll]
    for pass in 0..3 {
        let half = 1u32 << pass;
        let k = t % half;
        out[t] += 2 * (t - k) + k;
    }
}

#[test]
fn a_literal_with_a_suffix_keeps_its_type_when_shifted() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(8).unwrap();
        halves(&mut out).grid(1).block(8).launch(&device).unwrap();
        let expected: Vec<u32> = (0..8)
            .map(|t| [1, 2, 4].iter().map(|half| 2 * (t - t % half) + t % half).sum())
            .collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[device]
fn blocks_on_the_left(v: f32, w: f32) -> f32 {
    if v > 0.0 { v.mul_add(w, 1.0) + v.max(w) } else { v.min(w) - 1.0 }
}

#[kernel]
fn starts_with_a_block(x: &[f32], y: &mut [f32]) {
    let i = thread_idx.x;
    y[i] = if x[i] > 2.0 { x[i].max(3.0) * 2.0 } else { blocks_on_the_left(x[i], 2.0) };
}

/// The code that the attribute generates for a method begins with a block, which must not end the statement.
#[test]
fn a_method_starts_the_value_of_a_block() {
    for device in Device::for_tests("language") {
        let x = device.upload(&[-1.0f32, 1.0, 4.0]).unwrap();
        let mut y = device.zeros::<f32>(3).unwrap();
        starts_with_a_block(&x, &mut y).grid(1).block(3).launch(&device).unwrap();
        let of = |v| blocks_on_the_left(v, 2.0);
        assert_eq!(y.download().unwrap(), [of(-1.0), of(1.0), 8.0]);
    }
}

#[device]
fn powers(k: u32) -> u64 {
    let small = 2usize.pow(k) as u64 + 3u32.pow(k % 5) as u64;
    small + (0x1234_u32.rotate_left(k) as u64) + 1.5f32.powi(k as i32) as u64
}

#[kernel]
fn powers_of_literals(out: &mut [u64]) {
    out[thread_idx.x] = powers(thread_idx.x);
}

#[test]
fn literals_are_raised_to_run_time_powers() -> lanework::Result<()> {
    for device in Device::for_tests("literals_are_raised_to_run_time_powers") {
        let mut out = device.zeros::<u64>(12)?;
        powers_of_literals(&mut out).grid(1).block(12).launch(&device)?;
        assert_eq!(out.download()?, std::array::from_fn::<u64, 12, _>(|k| powers(k as u32)));
    }
    Ok(())
}

/// Ordinary Rust, only on constants.
const fn half(n: usize) -> usize {
    n / 2
}

/// The generated braces cause no warnings: this file denies rustc's warnings.
#[deny(warnings)]
#[device]
fn blocks_of_constants<const N: usize>(count: u64) -> u64 {
    let tiles = count.div_ceil(const { half(N) as u64 });
    tiles.max(const { 3 })
}

#[kernel]
fn constants_in_arguments(out: &mut [u64]) {
    out[0] = blocks_of_constants::<8>(30);
}

#[test]
fn a_block_of_constants_is_an_argument() -> lanework::Result<()> {
    let device = Device::emulator();
    let mut out = device.zeros::<u64>(1)?;
    constants_in_arguments(&mut out).grid(1).block(1).launch(&device)?;
    assert_eq!(out.download()?, [blocks_of_constants::<8>(30)]);
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Weighted {
    weight: f32,
    value: [f32; 2],
}

#[device]
fn by_path(x: f32, n: u32, bytes: [u8; 4]) -> u32 {
    let larger = f32::max(x, 2.5).min(f32::from_bits(x.to_bits() + 1));
    let power = u32::pow(n, 2) + u32::count_ones(n) + u32::wrapping_mul(3, n);
    larger as u32 + power + u32::from_le_bytes(bytes) % 1000 + i32::abs(n as i32 - 20) as u32
}

#[kernel]
fn paths_ranges_and_structs(x: &[f32], out: &mut [u32]) {
    let tile = shared::<Weighted>(32);
    let t = thread_idx.x;
    tile[t] = Weighted { weight: t as f32, value: [x[t], 1.0] };
    sync_threads();
    let mut sum = 0.0;
    for one in tile.iter() {
        sum += one.weight * one.value[0] + one.value[1];
    }
    let part = t..t + 3;
    let mut whole = 0;
    for k in part {
        whole += k;
    }
    out[t] = sum as u32 + whole + by_path(x[t], t, [t as u8, 1, 2, 0]);
}

#[test]
fn functions_are_called_by_path_and_ranges_have_names() {
    let x: Vec<f32> = (0..32).map(|t| (t % 5) as f32).collect();
    let sum: f32 = x.iter().enumerate().map(|(t, x)| t as f32 * x + 1.0).sum();
    let expected =
        (0..32u32).map(|t| sum as u32 + 3 * t + 3 + by_path(x[t as usize], t, [t as u8, 1, 2, 0]));
    let expected: Vec<u32> = expected.collect();
    for device in Device::for_tests("language") {
        let x = device.upload(&x).unwrap();
        let mut out = device.zeros::<u32>(32).unwrap();
        paths_ranges_and_structs(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn copied_ahead(x: &[u32], out: &mut [u32]) {
    let tile = shared::<u32>([2, 32]);
    let t = thread_idx.x;
    cp_async::<4>(&mut tile[[0, t]], &x[t]);
    cp_async_commit();
    cp_async_wait(0);
    sync_threads();
    out[t] = tile[[0, 31 - t]];
}

#[test]
fn cp_async_needs_only_the_number_of_bytes() {
    let x: Vec<u32> = (0..32).collect();
    for device in Device::for_tests("language") {
        let x = device.upload(&x).unwrap();
        let mut out = device.zeros::<u32>(32).unwrap();
        copied_ahead(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), (0..32).rev().collect::<Vec<u32>>());
    }
}
