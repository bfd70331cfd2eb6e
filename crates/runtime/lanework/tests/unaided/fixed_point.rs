//! Fixed-point numbers with operators, and a PID controller that is generic over the number.
use lanework::prelude::*;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
struct Fixed<const BITS: u32>(i32);

type Q16 = Fixed<16>;

macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $value:expr) => {
        #[device]
        impl<const BITS: u32> $trait for Fixed<BITS> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                Fixed($value)
            }
        }
    };
}

operator!(Add, add, |a, b| a.saturating_add(b));
operator!(Sub, sub, |a, b| a.saturating_sub(b));
operator!(Mul, mul, |a, b| ((a as i64 * b as i64) >> BITS) as i32);

#[device]
impl<const BITS: u32> Neg for Fixed<BITS> {
    type Output = Self;
    fn neg(self) -> Self {
        Fixed(-self.0)
    }
}

#[device]
impl<const BITS: u32> AddAssign for Fixed<BITS> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[device]
impl<const BITS: u32> From<i16> for Fixed<BITS> {
    fn from(value: i16) -> Self {
        Fixed((value as i32) << BITS)
    }
}

#[device]
trait Scalar:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + From<i16>
{
    fn limit(self, bound: Self) -> Self {
        if self > bound {
            bound
        } else if self < -bound {
            -bound
        } else {
            self
        }
    }
}

#[device]
impl<const BITS: u32> Scalar for Fixed<BITS> {}

#[device]
impl Scalar for f32 {}

#[device]
#[derive(Clone, Copy)]
#[repr(C)]
struct Gains<S> {
    p: S,
    i: S,
    d: S,
}

#[device]
struct Pid<S> {
    gains: Gains<S>,
    sum: S,
    last: S,
}

#[device]
impl<S: Scalar> Pid<S> {
    fn step(&mut self, error: S) -> S {
        let Gains { p, i, d } = self.gains;
        self.sum += error;
        self.sum = self.sum.limit(S::from(50));
        let change = error - self.last;
        self.last = error;
        p * error + i * self.sum + d * change
    }
}

#[kernel]
fn control<S: Scalar>(gains: &[Gains<S>], target: S, steps: u32, out: &mut [S]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < out.len() {
        let mut pid = Pid { gains: gains[i], sum: S::from(0), last: S::from(0) };
        let mut state = S::from(0);
        for _ in 0..steps {
            state += pid.step(target - state);
        }
        out[i] = state;
    }
}

fn gain(i: i32) -> [i32; 3] {
    [6000 + 300 * i, 200 + 37 * i, 900 - 50 * i] // in units of 2^-16
}

#[test]
fn fixed_point() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let gains: Vec<Gains<Q16>> = (0..40)
        .map(gain)
        .map(|[p, i, d]| Gains { p: Fixed(p), i: Fixed(i), d: Fixed(d) })
        .collect();
    let mut out = device.upload(&[Q16::default(); 40])?;
    control(&device.upload(&gains)?, Q16::from(20), 60, &mut out)
        .grid(2)
        .block(32)
        .launch(&device)?;
    let want: Vec<Q16> = (0..40)
        .map(|n| {
            let [p, i, d] = gain(n).map(i64::from);
            let (mut state, mut sum, mut last) = (0i64, 0i64, 0i64);
            for _ in 0..60 {
                let error = (20 << 16) - state;
                sum = (sum + error).clamp(-50 << 16, 50 << 16);
                state += (p * error >> 16) + (i * sum >> 16) + (d * (error - last) >> 16);
                last = error;
            }
            Fixed(state as i32)
        })
        .collect();
    assert_eq!(out.download()?, want);
    Ok(())
}

#[test]
fn floats() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let gains: Vec<[f32; 3]> = (0..40).map(|i| gain(i).map(|g| g as f32 / 65536.0)).collect();
    let uploaded: Vec<Gains<f32>> = gains.iter().map(|&[p, i, d]| Gains { p, i, d }).collect();
    let mut out = device.zeros::<f32>(40)?;
    control(&device.upload(&uploaded)?, 20.0, 60, &mut out).grid(2).block(32).launch(&device)?;
    for (got, [p, i, d]) in out.download()?.into_iter().zip(gains) {
        let (mut state, mut sum, mut last) = (0.0f32, 0.0f32, 0.0f32);
        for _ in 0..60 {
            let error = 20.0 - state;
            sum = (sum + error).clamp(-50.0, 50.0);
            state += p * error + i * sum + d * (error - last);
            last = error;
        }
        assert!((got - state).abs() < 1e-3, "{got} {state}");
    }
    Ok(())
}
