//! Macros that kernels call, and macros that declare kernels.

use lanework::prelude::*;

#[device]
macro_rules! clamp {
    ($x:expr, $low:expr, $high:expr) => {
        if $x < $low {
            $low
        } else if $x > $high {
            $high
        } else {
            $x
        }
    };
}

macro_rules! elementwise {
    ($name:ident, $t:ty, |$a:ident, $b:ident| $body:expr) => {
        #[kernel]
        fn $name(a: &[$t], b: &[$t], out: &mut [$t]) {
            let i = block_idx.x * block_dim.x + thread_idx.x;
            if i < out.len() as u32 {
                let $a = a[i];
                let $b = b[i];
                out[i] = $body;
            }
        }
    };
}

elementwise!(add_clamped, f32, |a, b| clamp!(a + b, 0.0, 10.0));
elementwise!(xor_shift, u32, |x, y| (x ^ y) << 1);

#[test]
fn macros() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let (a, b) = (device.upload(&[-5.0f32, 2.0, 9.0])?, device.upload(&[1.0f32, 3.0, 9.0])?);
    let mut out = device.zeros::<f32>(3)?;
    add_clamped(&a, &b, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(out.download()?, [0.0, 5.0, 10.0]);
    let (a, b) = (device.upload(&[1u32, 2])?, device.upload(&[3u32, 3])?);
    let mut out = device.zeros::<u32>(2)?;
    xor_shift(&a, &b, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(out.download()?, [4, 2]);
    Ok(())
}

/// A loop over a fragment, and an `impl` for types of a fragment.
#[device]
macro_rules! for_each {
    ($i:ident in $range:expr => $body:block) => {
        for $i in $range $body
    };
}

#[device]
trait Doubled {
    fn doubled(self) -> Self;
}

macro_rules! doubled {
    ($($t:ty),*) => {
        $(#[device]
        impl Doubled for $t {
            fn doubled(self) -> Self {
                self + self
            }
        })*
    };
}

doubled!(u32, f32);

/// Values that the host derives.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Offset {
    x: f32,
    y: f32,
}

#[kernel]
fn of_fragments(out: &mut [f32], n: u32) {
    let mut sum = 0u32;
    for_each!(i in 0..n => { sum += i.doubled(); });
    let zero = Offset::default();
    let moved = Offset { x: 1.5f32.doubled(), ..Offset::default() };
    out[0] = sum as f32 + zero.x + moved.x + moved.y;
}

#[test]
fn fragments_and_defaults() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<f32>(1)?;
    of_fragments(&mut out, 4).grid(1).block(1).launch(&device)?;
    assert_eq!(out.download()?, [12.0 + 3.0]);
    Ok(())
}

#[device]
macro_rules! twice {
    ($a:expr) => {
        $a * 2
    };
}

#[allow(unused_macros)]
macro_rules! minus {
    ($a:expr, $b:expr) => {
        -$a - $b
    };
}

#[allow(unused_macros)]
macro_rules! narrowed {
    ($a:expr, $t:ty) => {
        $a as $t
    };
}

/// A function of the host and of kernels.
#[device]
fn grouped(x: i32) -> i32 {
    twice!(x + 1)
        + minus!(x - 20, x - 3)
        + i32::from(narrowed!(x + 250, u8))
        + i32::from(twice!(x + 1) == 22)
}

#[kernel]
fn group(out: &mut [i32]) {
    out[thread_idx.x] = grouped(thread_idx.x as i32 + 10);
}

#[test]
fn fragments_keep_their_grouping() -> lanework::Result<()> {
    let expected = |x: i32| {
        (x + 1) * 2
            + (-(x - 20) - (x - 3))
            + i32::from((x + 250) as u8)
            + i32::from((x + 1) * 2 == 22)
    };
    assert_eq!((grouped(10), grouped(11)), (expected(10), expected(11)));
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<i32>(4)?;
    group(&mut out).grid(1).block(4).launch(&device)?;
    assert_eq!(out.download()?, [10, 11, 12, 13].map(expected));
    Ok(())
}
