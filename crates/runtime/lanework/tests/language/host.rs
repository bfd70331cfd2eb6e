//! `#[device]` functions on the host: the same function computes with ordinary values, and returns the
//! same results as in a kernel.

use lanework::prelude::*;

/// The mean of a row, by indices and lengths of several integer types.
#[device]
fn mean(x: &[f32], row: u32, columns: u16) -> f32 {
    let mut sum = 0.0;
    let mut count = 0u32;
    for column in 0..columns {
        let at = row as usize * columns as usize + column as usize;
        if at < x.len() && row < x.len() {
            sum += x[at];
            count += 1;
        }
    }
    if count == 0 { 0.0 } else { sum / count as f32 }
}

/// Generic arithmetic, constants, casts and methods.
#[device]
fn blend<T: Float>(a: T, b: T, weight: f32) -> T {
    let weight = weight as T;
    let mut both = a * (T::ONE - weight);
    both += b * weight;
    both.min(T::MAX).max(-T::MAX).abs().sqrt()
}

#[device]
fn mixed<T: Integer>(x: T, #[constant] by: u32) -> T {
    let mut x = x ^ (x >> 3);
    x += x.rotate_left(by) & (T::MAX - T::ONE);
    x %= T::MAX;
    if x > T::ONE && x.count_ones() < by { x.wrapping_mul(x) } else { x }
}

/// Variables and arrays by reference, early return, unrolled loops, labels, shadowing.
#[device]
fn accumulate(totals: &mut [u32; 4], largest: &mut u32, x: u32) {
    if x == 13 {
        return;
    }
    #[unroll]
    for k in 0..4u32 {
        totals[k] += x >> k;
    }
    'search: for step in (1..20u32).rev().step_by(3) {
        for x in step..=step + 1 {
            if x * x == *largest {
                break 'search;
            }
        }
        *largest = max(*largest, x % step);
    }
}

#[device]
fn copy_four(x: &[u32], out: &mut [u32], i: u32) -> (u32, u32) {
    let four = x.load4(4 * i);
    out.store4(4 * i, [four[3], four[2], four[1], four[0]]);
    (popc(four[0]) + ffs(four[1]) + clz(four[2]), select(four[3] > 2, mul_hi(four[3], 1 << 31), 0))
}

/// Calls of other device functions, by path and with explicit types.
#[device]
fn through(x: &[f32], i: u32) -> f32 {
    let rooted = self::blend::<f32>(mean(x, i, 4), x[i], 0.25);
    fma(rooted, 2.0, 1.0)
}

mod other {
    use lanework::prelude::*;

    /// `use` imports it both as a host function and for kernels.
    #[device]
    pub fn half(x: u32) -> u32 {
        x / 2 + BASE
    }

    const BASE: u32 = 7;

    pub mod deep {
        use lanework::prelude::*;

        #[device]
        pub fn twice(x: u32) -> u32 {
            super::half(x) * 2
        }
    }
}

use other::half as halved;

#[kernel]
fn all(x: &[f32], words: &[u32], reversed: &mut [u32], floats: &mut [f32], out: &mut [u32]) {
    let i = thread_idx.x;
    if i < floats.len() {
        floats[i] = through(x, i);
        let mut totals = [0, 1, 2, 3];
        let mut largest = i;
        accumulate(&mut totals, &mut largest, i * 3 + 1);
        let (bits, high) = copy_four(words, reversed, i);
        out[i] = totals[0] + totals[1] * 3 + totals[2] * 5 + totals[3] * 7 + largest * 1000;
        out[i] +=
            (bits + high) * 100_000 + mixed(i + 3, 5) * 11 + halved(i) + other::deep::twice(i);
    }
}

#[test]
fn a_device_function_gives_the_same_result_on_the_host() {
    let x: Vec<f32> = (0..21).map(|i| 0.37 * i as f32).collect();
    let words: Vec<u32> = (0..32u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let mut reversed = vec![0u32; 32];
    let mut expected = Vec::new();
    for i in 0..8 {
        let mut totals = [0, 1, 2, 3];
        let mut largest = i;
        accumulate(&mut totals, &mut largest, i * 3 + 1);
        let (bits, high) = copy_four(&words, &mut reversed, i);
        let sum = totals[0] + totals[1] * 3 + totals[2] * 5 + totals[3] * 7 + largest * 1000;
        let rest = mixed(i + 3, 5) * 11 + halved(i) + other::deep::twice(i);
        let high = high.wrapping_add(bits).wrapping_mul(100_000);
        expected.push(sum.wrapping_add(high).wrapping_add(rest));
    }
    let floats: Vec<f32> = (0..8).map(|i| through(&x, i)).collect();
    for device in Device::for_tests("language") {
        let (dx, dw) = (device.upload(&x).unwrap(), device.upload(&words).unwrap());
        let mut dr = device.zeros::<u32>(32).unwrap();
        let mut df = device.zeros::<f32>(8).unwrap();
        let mut out = device.zeros::<u32>(8).unwrap();
        all(&dx, &dw, &mut dr, &mut df, &mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), expected);
        assert_eq!(df.download().unwrap(), floats);
        assert_eq!(dr.download().unwrap(), reversed);
    }
}

#[test]
fn generic_device_functions_take_every_type_on_the_host() {
    use half::{bf16, f16};
    assert_eq!(blend(9.0f64, 16.0, 0.0), 3.0);
    assert_eq!(blend(f16::from_f32(9.0), f16::from_f32(16.0), 1.0), f16::from_f32(4.0));
    assert_eq!(blend(bf16::from_f32(9.0), bf16::from_f32(16.0), 1.0), bf16::from_f32(4.0));
    assert_eq!((mixed(10u8, 3), mixed(200u64, 3), mixed(-7i32, 40)), (99, 1881, 2_377_764));
}

#[device]
fn of_a_block(x: u32) -> u32 {
    sync_threads();
    x + thread_idx.x
}

#[device]
fn through_a_block(x: u32) -> u32 {
    of_a_block(x) + 1
}

#[device]
fn from_shared(tile: Shared<f32, 2>, y: u32) -> f32 {
    tile[[y, 0]]
}

#[kernel]
fn block(out: &mut [u32]) {
    let tile = shared::<f32>([32, 1]);
    tile[[thread_idx.x, 0]] = 2.0;
    out[thread_idx.x] = through_a_block(1) + from_shared(tile, thread_idx.x) as u32;
}

#[test]
fn kernel_only_functions_panic_with_the_reason_on_the_host() {
    let said = std::panic::catch_unwind(|| through_a_block(1)).unwrap_err();
    let said = said.downcast_ref::<String>().unwrap();
    assert!(said.contains("`of_a_block` uses `sync_threads`, which exists only inside a kernel"));
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(32).unwrap();
        block(&mut out).grid(1).block(32).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), std::array::from_fn::<u32, 32, _>(|i| i as u32 + 4));
    }
}

/// An ordinary function, for host values.
fn power(n: u32) -> u32 {
    (0..n).fold(1, |power, _| power * 3)
}

#[kernel]
fn with_constants(#[constant] n: u32, out: &mut [u32]) {
    out[0] = const { power(n) } + std::mem::size_of::<u64>() as u32;
}

#[test]
fn ordinary_functions_are_called_in_a_const_block() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(1).unwrap();
        with_constants(4, &mut out).grid(1).block(1).launch(&device).unwrap();
        assert_eq!(out.download().unwrap(), [89]);
    }
}
