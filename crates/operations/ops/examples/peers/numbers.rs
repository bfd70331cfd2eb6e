//! Inputs and checks.

use half::{bf16, f16};
use lanework_ops::Fp8E4m3;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

/// `length` pseudo-random numbers from -1 to 1. (Multiplier power, and so clock speed, depends on the data.)
pub fn uniform(length: usize, seed: u64) -> Vec<f32> {
    const PART: usize = 1 << 16;
    let mut numbers = vec![0.0f32; length];
    numbers.par_chunks_mut(PART).enumerate().for_each(|(part, numbers)| {
        let mut rng = StdRng::seed_from_u64(seed << 32 | part as u64);
        numbers.iter_mut().for_each(|x| *x = rng.random_range(-1.0..1.0));
    });
    numbers
}

/// An element of a factor.
pub trait Number: lanework::Storable + bytemuck::Pod + Send + Sync {
    fn of(x: f32) -> Self;
    fn exact(self) -> f64;
}

macro_rules! numbers {
    ($($t:ty: $of:expr, $exact:expr;)*) => {$(
        impl Number for $t {
            fn of(x: f32) -> Self {
                let of: fn(f32) -> Self = $of;
                of(x)
            }
            fn exact(self) -> f64 {
                let exact: fn(Self) -> f64 = $exact;
                exact(self)
            }
        }
    )*};
}

numbers! {
    f32: |x| x, f64::from;
    f64: f64::from, |x| x;
    f16: f16::from_f32, f16::to_f64;
    bf16: bf16::from_f32, bf16::to_f64;
    Fp8E4m3: Fp8E4m3::from_f32, |x| f64::from(x.to_f32());
    i8: |x| (x * 127.0) as i8, f64::from;
    i32: |x| (x * 1e6) as i32, f64::from;
}

/// Pseudo-random numbers of a type.
pub fn draw<T: Number>(length: usize, seed: u64) -> Vec<T> {
    uniform(length, seed).into_par_iter().map(T::of).collect()
}

/// Rejects a result that differs from `want` by more than `bound`.
pub fn near(what: &str, got: f64, want: f64, bound: f64) -> Result<(), String> {
    match (got - want).abs() <= bound {
        true => Ok(()),
        false => Err(format!("{what} is {got}, not {want} within {bound:.2e}")),
    }
}
