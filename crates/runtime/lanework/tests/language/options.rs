//! `Option` in kernels, results of methods such as `checked_add`, and comparisons of whole values.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    at: usize,
    side: Side,
    pair: (f32, u8),
}

#[device]
fn find(sorted: &[u32], key: u32) -> Option<usize> {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if sorted[middle] == key {
            return Some(middle);
        }
        if sorted[middle] < key {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    None
}

#[device]
fn both(x: &[u32], a: u32, b: u32) -> Option<(usize, usize)> {
    let first = find(x, a)?;
    let second = find(x, b)?;
    Some((first, second))
}

#[device]
fn nested(x: u32) -> Option<Option<Side>> {
    match x % 4 {
        0 => None,
        1 => Some(None),
        2 => Some(Some(Side::Left)),
        _ => Some(Some(Side::Right)),
    }
}

#[device]
fn code(x: Option<Option<Side>>) -> u32 {
    match x {
        None => 1,
        Some(None) => 2,
        Some(Some(Side::Left)) => 3,
        Some(Some(side)) if side == Side::Right => 4,
        Some(Some(_)) => 5,
    }
}

#[device]
fn methods(x: Option<u32>, y: u32) -> u32 {
    let mut sum = x.unwrap_or(7) * 2;
    sum += x.map(|v| v + 1).unwrap_or_else(|| y);
    sum += x.map_or(3, |v| v * 5);
    sum += x.and_then(|v| if v > y { Some(v - y) } else { None }).unwrap_or(11);
    let kept = x.filter(|v| *v > 2).or(Some(13));
    sum += kept.unwrap();
    if x.is_some_and(|v| v % 2 == 0) || x.is_none() {
        sum += 100;
    }
    if x == None || x == Some(3) {
        sum += 1000;
    }
    sum
}

#[device]
fn search(x: &[u32], key: u32) -> u32 {
    let Some((i, j)) = both(x, key, key + 2) else { return 99 };
    let mut best = None;
    for k in 0..x.len() {
        if x[k] > key && best.is_none() {
            best = Some(k);
        }
    }
    let mut waiting = Some(0u32);
    while let Some(n) = waiting {
        waiting = if n < 3 { Some(n + 1) } else { None };
    }
    (10 * i + j) as u32
        + if let Some(k) = best { 100 * k as u32 } else { 0 }
        + waiting.is_some() as u32
}

#[kernel]
fn all(x: &[u32], out: &mut [u32]) {
    let i = thread_idx.x;
    out[4 * i] = search(x, i);
    out[4 * i + 1] = code(nested(i));
    out[4 * i + 2] = methods(if i % 3 == 0 { None } else { Some(i) }, 4);
    // In a struct, in an array at run-time indices, and as an argument.
    let mut kept = [Some(Side::Left), None, Some(Side::Right), None];
    kept[i % 4] = Some(Side::Right);
    let pair = (kept[(i + 1) % 4], i);
    out[4 * i + 3] = code(Some(pair.0)) + 10 * (pair == (Some(Side::Right), i)) as u32;
}

fn expected(x: &[u32], i: u32) -> [u32; 4] {
    let mut kept = [Some(Side::Left), None, Some(Side::Right), None];
    kept[(i % 4) as usize] = Some(Side::Right);
    let pair = kept[((i + 1) % 4) as usize];
    [
        search(x, i),
        code(nested(i)),
        methods(if i.is_multiple_of(3) { None } else { Some(i) }, 4),
        code(Some(pair)) + 10 * u32::from(pair == Some(Side::Right)),
    ]
}

#[test]
fn options_are_matched_and_unwrapped() {
    let x: Vec<u32> = (0..12).filter(|v| v % 5 != 3).collect();
    for device in Device::for_tests("language") {
        let from = device.upload(&x).unwrap();
        let mut out = device.zeros::<u32>(4 * 12).unwrap();
        all(&from, &mut out).grid(1).block(12).launch(&device).unwrap();
        let want: Vec<u32> = (0..12).flat_map(|i| expected(&x, i)).collect();
        assert_eq!(out.download().unwrap(), want);
    }
}

#[kernel]
fn compared(out: &mut [u32], n: u32) {
    let i = thread_idx.x;
    let side = if i % 2 == 0 { Side::Left } else { Side::Right };
    let a = Found { at: i as usize, side, pair: (i as f32, 3) };
    let b = Found { at: 2, side: Side::Left, pair: (n as f32, 3) };
    let (array, other) = ([i, n], [2, 2]);
    out[i] = (a == b) as u32
        + 2 * (a != Found { at: 3, side: Side::Right, pair: (3.0, 3) }) as u32
        + 4 * ((i, n) == (1, 2)) as u32
        + 8 * ((i, n) < (n, i)) as u32
        + 16 * ((i, 3) >= (n, 3)) as u32
        + 32 * (array == other) as u32
        + 64 * ((side, i) != (Side::Left, n)) as u32;
}

#[test]
fn whole_values_are_compared() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(5).unwrap();
        compared(&mut out, 2).grid(1).block(5).launch(&device).unwrap();
        let want: Vec<u32> = (0..5u32)
            .map(|i| {
                let side = if i % 2 == 0 { Side::Left } else { Side::Right };
                let a = Found { at: i as usize, side, pair: (i as f32, 3) };
                u32::from(a == Found { at: 2, side: Side::Left, pair: (2.0, 3) })
                    + 2 * u32::from(a != Found { at: 3, side: Side::Right, pair: (3.0, 3) })
                    + 4 * u32::from((i, 2) == (1, 2))
                    + 8 * u32::from((i, 2) < (2, i))
                    + 16 * u32::from((i, 3) >= (2, 3))
                    + 32 * u32::from([i, 2] == [2, 2])
                    + 64 * u32::from((side, i) != (Side::Left, 2))
            })
            .collect();
        assert_eq!(out.download().unwrap(), want);
    }
}

#[kernel]
fn takes_what_is_not_there(x: &[u32], out: &mut [usize]) {
    out[0] = find(x, 3).expect("no such key");
}

#[test]
fn a_missing_value_is_reported() {
    let device = Device::emulator();
    let (x, mut out) = (device.zeros::<u32>(4).unwrap(), device.zeros::<usize>(1).unwrap());
    let error = takes_what_is_not_there(&x, &mut out).grid(1).block(1).launch(&device).unwrap_err();
    assert!(error.to_string().contains("no such key"), "{error}");
}

macro_rules! arithmetic {
    ($($name:ident $t:ident)*) => {$(
        #[device]
        fn $name(a: $t, b: $t, by: u32) -> u32 {
    let mut seen = 0;
    for found in [
        a.checked_add(b),
        a.checked_sub(b),
        a.checked_mul(b),
        a.checked_div(b),
        a.checked_rem(b),
        a.checked_neg(),
        a.checked_shl(by),
        a.checked_shr(by),
    ] {
        seen = seen * 3 + if let Some(v) = found { 1 + (v > b) as u32 } else { 0 };
    }
    let (_, add) = a.overflowing_add(b);
    let (_, sub) = a.overflowing_sub(b);
    let (product, mul) = a.overflowing_mul(b);
    let flags = add as u32 + 2 * sub as u32 + 4 * mul as u32 + 8 * (product == a.wrapping_mul(b)) as u32;
    seen * 32 + flags * 2 + (a.saturating_mul(b) > a) as u32
}

        mod $t {
            use lanework::prelude::*;

            #[kernel]
            pub fn run(x: &[$t], out: &mut [u32], n: u32) {
                let i = thread_idx.x;
                let (a, b) = (x[i / n], x[i % n]);
                out[i] = super::$name(a, b, i % 70);
            }
        }

    )*};
}

arithmetic!(of_u8 u8 of_i8 i8 of_u16 u16 of_i16 i16 of_u32 u32 of_i32 i32 of_u64 u64 of_i64 i64);

macro_rules! agree {
    ($device:expr; $($name:ident $t:ident)*) => {$(
        let x: Vec<$t> = [0, 1, 2, 3, 10, 100, $t::MIN, $t::MIN + 1, $t::MAX, $t::MAX - 1, $t::MAX / 2]
            .into_iter()
            .chain((0 as $t).checked_sub(1))
            .collect();
        let n = x.len() as u32;
        let from = $device.upload(&x).unwrap();
        let mut out = $device.zeros::<u32>(x.len() * x.len()).unwrap();
        $t::run(&from, &mut out, n).grid(1).block(n * n).launch(&$device).unwrap();
        let of = |i: u32| $name(x[(i / n) as usize], x[(i % n) as usize], i % 70);
        let want: Vec<u32> = (0..n * n).map(of).collect();
        assert_eq!(out.download().unwrap(), want, stringify!($t));
    )*};
}

/// Compares with Rust, for every pair of numbers at the ends and in the middle of every type.
#[test]
fn overflow_is_reported_as_in_rust() {
    for device in Device::for_tests("language") {
        agree!(device; of_u8 u8 of_i8 i8 of_u16 u16 of_i16 i16 of_u32 u32 of_i32 i32 of_u64 u64 of_i64 i64);
    }
}

#[kernel]
fn exchanged(x: &mut [u32], out: &mut [f32]) {
    let (mut a, mut b) = (1.0f32, 2.0);
    std::mem::swap(&mut a, &mut b);
    let old = core::mem::replace(&mut b, 5.0);
    let (first, second) = (x[0], x[1]);
    std::mem::swap(&mut x[0], &mut x[1]);
    out[0] = a + 10.0 * b + 100.0 * old + std::cmp::max(first, second) as f32;
}

#[test]
fn values_are_exchanged() {
    for device in Device::for_tests("language") {
        let (mut x, mut out) = (device.upload(&[3u32, 4]).unwrap(), device.zeros(1).unwrap());
        exchanged(&mut x, &mut out).grid(1).block(1).launch(&device).unwrap();
        assert_eq!(x.download().unwrap(), [4, 3]);
        assert_eq!(out.download().unwrap(), [2.0 + 50.0 + 100.0 + 4.0]);
    }
}
