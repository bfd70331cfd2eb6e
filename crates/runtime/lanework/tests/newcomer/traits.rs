//! A trait of the user with a constant and a function, and a block reduction over it.

use lanework::prelude::*;
#[device]
pub trait Monoid {
    const IDENTITY: f32;
    fn combine(a: f32, b: f32) -> f32;
}
pub struct Addition;
pub struct Maximum;
#[device]
impl Monoid for Addition {
    const IDENTITY: f32 = 0.0;
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }
}
#[device]
impl Monoid for Maximum {
    const IDENTITY: f32 = f32::NEG_INFINITY;
    fn combine(a: f32, b: f32) -> f32 {
        a.max(b)
    }
}
#[kernel]
fn reduce<M: Monoid>(x: &[f32], out: &mut [f32]) {
    let tile = shared::<f32>(256);
    let t = thread_idx.x;
    let i = block_idx.x * block_dim.x + t;
    tile[t] = if i < x.len() as u32 { x[i] } else { M::IDENTITY };
    sync_threads();
    let mut step = block_dim.x / 2;
    while step > 0 {
        if t < step {
            tile[t] = M::combine(tile[t], tile[t + step]);
        }
        sync_threads();
        step /= 2;
    }
    if t == 0 {
        out[block_idx.x] = tile[0];
    }
}
#[test]
fn sums_and_maxima() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let x: Vec<f32> = (0..1000).map(|i| (i % 37) as f32).collect();
    let dx = device.upload(&x)?;
    let mut out = device.zeros::<f32>(4)?;
    reduce::<Addition>(&dx, &mut out).grid(4).block(256).launch(&device)?;
    assert_eq!(out.download()?.iter().sum::<f32>(), x.iter().sum::<f32>());
    reduce::<Maximum>(&dx, &mut out).grid(4).block(256).launch(&device)?;
    assert_eq!(out.download()?[0], 36.0);
    Ok(())
}

/// Streams of random numbers. Numbers and structs are generators, and the module differs from the kernels'.
mod random {
    use lanework::prelude::*;

    #[device]
    pub trait Random {
        const BITS: u32 = 32;
        fn next_u32(&mut self) -> u32;
        fn below(&mut self, n: u32) -> u32 {
            ((self.next_u32() as u64 * n as u64) >> Self::BITS) as u32
        }
        fn pair(&mut self, n: u32) -> (u32, u32) {
            (self.below(n), self.below(n))
        }
        fn mixed(self, other: Self) -> Self;
        fn mixed_twice(self, other: Self) -> Self
        where
            Self: Copy,
        {
            self.mixed(other).mixed(other)
        }
    }

    #[device]
    impl Random for u32 {
        fn next_u32(&mut self) -> u32 {
            *self = self.wrapping_mul(1664525).wrapping_add(1013904223);
            *self
        }
        fn mixed(self, other: u32) -> u32 {
            self ^ other
        }
    }

    #[device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Lagged {
        pub a: u32,
        pub b: u32,
    }

    #[device]
    impl Random for Lagged {
        fn next_u32(&mut self) -> u32 {
            let sum = self.a.wrapping_add(self.b);
            self.a = self.b;
            self.b = sum;
            sum
        }
        fn mixed(self, other: Lagged) -> Lagged {
            Lagged { a: self.a ^ other.b, b: self.b ^ other.a }
        }
    }
}
use random::{Lagged, LaggedOf, Random, RandomInKernels};

/// Passes the generator on, by its name and as `&mut *name`.
#[device]
fn total<R: Random>(rng: &mut R, n: u32) -> u32 {
    let first = twice(rng, n);
    first + twice(&mut *rng, n) + rng.below(n)
}

#[device]
fn twice<R: Random>(rng: &mut R, n: u32) -> u32 {
    let (a, b) = rng.pair(n);
    a + 10 * b
}

#[kernel]
fn draw<R: Random>(rngs: &mut [R], out: &mut [u32]) {
    let i = thread_idx.x;
    let mut own = rngs[i];
    out[i] = total(&mut own, 7);
    rngs[i].next_u32();
    rngs[i] = rngs[i].mixed(own);
    let all = rngs.iter().take(0).fold(rngs[i], |a, r| a.mixed(r));
    rngs[i] = all.mixed_twice(own);
}

#[device]
fn digit(rng: &mut impl Random) -> u32 {
    rng.below(10)
}

/// The same for a generator of a known type, and a default function of a number.
#[kernel]
fn draw_lagged(rngs: &mut [Lagged], out: &mut [u32]) {
    let i = thread_idx.x;
    let mut own = rngs[i];
    let (a, b) = own.pair(7);
    out[i] = (a + 10 * b + 100 * digit(&mut own)).mixed_twice(i);
    rngs[i].below(3);
}

fn drawn<R: Random + Copy>(seed: R) -> (R, u32) {
    let (mut own, mut rng) = (seed, seed);
    let sum = total(&mut own, 7);
    rng.next_u32();
    (rng.mixed(own).mixed_twice(own), sum)
}

#[test]
fn generators_are_passed_by_mutable_reference() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let mut out = device.zeros::<u32>(4)?;
    let seeds = [1u32, 2, 1 << 30, 77];
    let mut on = device.upload(&seeds)?;
    draw(&mut on, &mut out).grid(1).block(4).launch(&device)?;
    assert_eq!(on.download()?, seeds.map(|seed| drawn(seed).0));
    assert_eq!(out.download()?, seeds.map(|seed| drawn(seed).1));
    let seeds = [Lagged { a: 1, b: 1 << 31 }, Lagged { a: 3 << 30, b: 5 }];
    let mut on = device.upload(&seeds)?;
    draw(&mut on, &mut out).grid(1).block(2).launch(&device)?;
    assert_eq!(on.download()?, seeds.map(|seed| drawn(seed).0));
    assert_eq!(out.download()?[..2], seeds.map(|seed| drawn(seed).1));
    let mut on = device.upload(&seeds)?;
    draw_lagged(&mut on, &mut out).grid(1).block(2).launch(&device)?;
    for (i, mut rng) in seeds.into_iter().enumerate() {
        let mut own = rng;
        let (a, b) = own.pair(7);
        let mixed = (a + 10 * b + 100 * digit(&mut own)).mixed_twice(i as u32);
        rng.below(3);
        assert_eq!((on.download()?[i], out.download()?[i]), (rng, mixed));
    }
    Ok(())
}

/// A trait with an associated type.
#[device]
trait Scaled {
    type Factor: Number;
    const FACTOR: Self::Factor;
    fn scaled(self, by: Self::Factor) -> Self;
    fn scaled_twice(self) -> Self
    where
        Self: Copy,
    {
        self.scaled(Self::FACTOR).scaled(Self::FACTOR)
    }
}

#[device]
impl Scaled for Lagged {
    type Factor = u32;
    const FACTOR: u32 = 3;
    fn scaled(self, by: u32) -> Lagged {
        Lagged { a: self.a * by, b: self.b * by }
    }
}

#[device]
impl Scaled for f32 {
    type Factor = f32;
    const FACTOR: f32 = 0.5;
    fn scaled(self, by: f32) -> f32 {
        self * by
    }
}

#[kernel]
fn scale<S: Scaled>(x: &mut [S]) {
    let i = thread_idx.x;
    x[i] = x[i].scaled_twice().scaled(S::FACTOR);
}

/// Iterators of the host in a function whose bound is a device trait.
#[kernel]
fn scale_odd<S: Scaled>(x: &mut [S]) {
    #[unroll]
    for i in (0..4u32).rev().step_by(2) {
        x[i] = x[i].scaled(S::FACTOR);
    }
}

#[test]
fn iterators_of_the_host_stay_iterators() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let mut x = device.upload(&[2.0f32; 4])?;
    scale_odd(&mut x).grid(1).block(1).launch(&device)?;
    assert_eq!(x.download()?, [2.0, 1.0, 2.0, 1.0]);
    Ok(())
}

#[test]
fn an_associated_type_is_a_parameter() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let mut x = device.upload(&[Lagged { a: 1, b: 2 }])?;
    scale(&mut x).grid(1).block(1).launch(&device)?;
    assert_eq!(x.download()?, [Lagged { a: 27, b: 54 }]);
    let mut x = device.upload(&[8.0f32, 24.0])?;
    scale(&mut x).grid(1).block(2).launch(&device)?;
    assert_eq!(x.download()?, [8.0f32.scaled_twice().scaled(0.5), 3.0]);
    Ok(())
}
