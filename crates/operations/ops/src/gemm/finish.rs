//! The device-side epilogue: one function that every kernel family calls per element.

use super::epilogue::{Activation, Along, MOST};
use super::problem::GemmProblem;
use crate::workspace::Scratch;
use lanework::lang::rt::{Cast, Get, IntoVar};
use lanework::lang::{Slice, Var};
use lanework::prelude::*;
use lanework::{Element, View};

/// Compile-time constants of an epilogue, which select its operations.
#[derive(Clone, Copy, Debug)]
pub struct Finish {
    /// Whether `alpha` is not 1.
    pub scaled: bool,
    /// Whether `beta` is not 0.
    pub reads_c: bool,
    pub bias: Option<Along>,
    pub scales: Option<(Along, Along)>,
    pub activations: [Option<Activation>; MOST],
}

impl Finish {
    /// Whether the results are the plain sums.
    pub fn is_plain(&self) -> bool {
        !self.scaled
            && !self.reads_c
            && self.bias.is_none()
            && self.scales.is_none()
            && self.activations[0].is_none()
    }
}

/// A type that epilogues compute in.
pub trait Sum: Element {
    /// Converts `alpha` and `beta`.
    fn from_f64(x: f64) -> Self;
    /// `a * b + sum`, rounded once.
    fn multiply_add(a: Var<Self>, b: Var<Self>, sum: Var<Self>) -> Var<Self>;
    /// Applies the activation.
    fn activated(x: Var<Self>, activation: Activation) -> Var<Self>;
}

/// `x/2 (1 + erf(x/sqrt 2))`, computed as `max(x, 0) - |x|/2 erfc(|x|/sqrt 2)`. This form loses no digits for negative x and takes
/// a fifth of the instructions of `erf`; epilogues evaluate it serially for all results of a thread, so its length matters.
///
/// With `t = 1/(1 + 0.27|x|)`, `erfc(|x|/sqrt 2)/2` is `t exp(-x^2/2)` times a polynomial in t: the minimax polynomial with
/// relative error 2.6e-8 for |x| up to 14 (fitted as in `scripts/minimax.py`). Relative errors: 4e-7 from -2 up, 2e-6 from -6 up,
/// 7e-6 below.
#[device]
fn gelu(x: f32) -> f32 {
    // Above 16 the second term is 0, even at infinity.
    let size = x.abs().min(16.0);
    let t = fast::recip(fma(0.27, size, 1.0));
    let mut polynomial = fma(0.028_941_808, t, -0.126_383_48);
    polynomial = fma(polynomial, t, 0.169_554_6);
    polynomial = fma(polynomial, t, -0.068_919_726);
    polynomial = fma(polynomial, t, 0.107_603_796);
    polynomial = fma(polynomial, t, 0.072_154_3);
    polynomial = fma(polynomial, t, 0.101_780_84);
    polynomial = fma(polynomial, t, 0.107_547_52);
    polynomial = fma(polynomial, t, 0.107_720_35);
    let bell = fast::exp2(size * size * (-0.5 * std::f32::consts::LOG2_E));
    // Propagates NaN.
    select(x < 0.0, 0.0, x) - size * t * polynomial * bell
}

#[device]
fn gelu_f64(x: f64) -> f64 {
    0.5 * x * (1.0 + erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

impl Sum for f32 {
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
    #[track_caller]
    fn multiply_add(a: Var<f32>, b: Var<f32>, sum: Var<f32>) -> Var<f32> {
        a.mul_add(b, sum)
    }
    #[track_caller]
    fn activated(x: Var<f32>, activation: Activation) -> Var<f32> {
        match activation {
            Activation::Relu => x.max(0.0),
            Activation::Gelu => gelu::staged(x),
            Activation::Map(function) => function.of_f32(x),
        }
    }
}

impl Sum for f64 {
    fn from_f64(x: f64) -> f64 {
        x
    }
    #[track_caller]
    fn multiply_add(a: Var<f64>, b: Var<f64>, sum: Var<f64>) -> Var<f64> {
        a.mul_add(b, sum)
    }
    #[track_caller]
    fn activated(x: Var<f64>, activation: Activation) -> Var<f64> {
        match activation {
            Activation::Relu => x.max(0.0),
            Activation::Gelu => gelu_f64::staged(x),
            Activation::Map(function) => function.of_f64(x),
        }
    }
}

impl Sum for i32 {
    fn from_f64(x: f64) -> i32 {
        x as i32
    }
    #[track_caller]
    fn multiply_add(a: Var<i32>, b: Var<i32>, sum: Var<i32>) -> Var<i32> {
        a * b + sum
    }
    #[track_caller]
    fn activated(x: Var<i32>, activation: Activation) -> Var<i32> {
        match activation {
            Activation::Relu => x.max(0),
            // `Epilogue::check` rejects these.
            Activation::Gelu | Activation::Map(_) => x,
        }
    }
}

/// The result at a row and column, from the sum of products and the previous value of C (used only if `finish.reads_c`).
pub mod finished {
    use super::*;

    #[track_caller]
    #[allow(clippy::too_many_arguments)]
    pub fn staged<S: Sum>(
        sum: impl IntoVar<S>,
        before: impl IntoVar<S>,
        (row, column): (impl IntoVar<u32>, impl IntoVar<u32>),
        (alpha, beta): (impl IntoVar<S>, impl IntoVar<S>),
        bias: Slice<S>,
        (scale_a, scale_b): (Slice<f32>, Slice<f32>),
        finish: Finish,
    ) -> Var<S> {
        let at = (row.into_var(), column.into_var());
        let mut value = sum.into_var();
        if let Some((of_a, of_b)) = finish.scales {
            let scale = element(scale_a, at, of_a) * element(scale_b, at, of_b);
            value = value * Cast::<S>::cast(scale);
        }
        if finish.scaled {
            value = value * alpha.into_var();
        }
        if finish.reads_c {
            value = S::multiply_add(beta.into_var(), before.into_var(), value);
        }
        if let Some(along) = finish.bias {
            value = value + element(bias, at, along);
        }
        for activation in finish.activations.into_iter().flatten() {
            value = S::activated(value, activation);
        }
        value
    }

    /// A vector's element at a row and column.
    #[track_caller]
    fn element<T: Element>(
        vector: Slice<T>,
        (row, column): (Var<u32>, Var<u32>),
        along: Along,
    ) -> Var<T> {
        match along {
            Along::Nothing => Get::get(&vector, 0u32),
            Along::Rows => Get::get(&vector, row),
            Along::Columns => Get::get(&vector, column),
        }
    }
}

/// The result at a row and column. For an out-of-range position it reads an element that is in range; that result is
/// not stored. `before` holds C.
pub mod result {
    use super::*;

    #[track_caller]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)]
    pub fn staged<S: Sum, O: Element>(
        sum: impl IntoVar<S>,
        (before, batch, strides): (Slice<O>, impl IntoVar<u32>, [Var<u64>; 3]),
        (row, column): (Var<u32>, Var<u32>),
        (rows, columns): (Var<u32>, Var<u32>),
        scalars: (impl IntoVar<S>, impl IntoVar<S>),
        bias: Slice<S>,
        scales: (Slice<f32>, Slice<f32>),
        finish: Finish,
    ) -> Var<S> {
        if finish.is_plain() {
            return sum.into_var();
        }
        let (row, column) = (row.min(rows - 1), column.min(columns - 1));
        let mut held = Var::constant(S::ZERO);
        if finish.reads_c {
            let [of_batch, of_row, of_column] = strides;
            let long = |x: Var<u32>| Cast::<u64>::cast(x);
            let batch = long(batch.into_var());
            let at = batch * of_batch + long(row) * of_row + long(column) * of_column;
            held = Cast::<S>::cast(Get::get(&before, at));
        }
        finished::staged(sum, held, (row, column), scalars, bias, scales, finish)
    }
}

/// Kernel arguments of an epilogue.
#[derive(Clone, Copy)]
pub(crate) struct Finishing<'a, S: Sum> {
    pub alpha: S,
    pub beta: S,
    pub bias: View<'a, S>,
    pub scale_a: View<'a, f32>,
    pub scale_b: View<'a, f32>,
    pub finish: Finish,
}

/// The kernel arguments for a problem whose bias is dense and of type `S`.
pub(crate) fn finishing<'a, S: Sum>(
    problem: &GemmProblem<'a>,
    scratch: &Scratch,
) -> Finishing<'a, S> {
    let epilogue = &problem.epilogue;
    let device = &problem.device;
    let scale = |which: usize| match &epilogue.scales {
        Some(scales) => scales[which].memory.elements(scratch),
        None => View::nothing(device),
    };
    Finishing {
        alpha: S::from_f64(problem.alpha),
        beta: S::from_f64(problem.beta),
        bias: match &epilogue.bias {
            Some(bias) => bias.memory.elements(scratch),
            None => View::nothing(device),
        },
        scale_a: scale(0),
        scale_b: scale(1),
        finish: Finish {
            scaled: problem.alpha != 1.0,
            reads_c: problem.beta != 0.0,
            bias: epilogue.bias.as_ref().map(|bias| bias.along),
            scales: epilogue.scales.as_ref().map(|[a, b]| (a.along, b.along)),
            activations: std::array::from_fn(|i| epilogue.activations.get(i).copied()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework::Device;

    #[kernel(block = 128)]
    fn of_each(x: &[f32], out: &mut [f32]) {
        let i = block_idx.x * 128 + thread_idx.x;
        out[i] = gelu(x[i]);
    }

    fn gelus(x: &[f32]) -> lanework::Result<Vec<f32>> {
        let device = Device::emulator();
        let (x, mut out) = (device.upload(x)?, device.zeros::<f32>(x.len())?);
        of_each(&x, &mut out).grid(x.len() as u32 / 128).block(128).launch(&device)?;
        out.download()
    }

    #[test]
    fn gelu_is_as_near_as_it_says() -> lanework::Result<()> {
        let x: Vec<f32> = (0..1 << 15).map(|i| (i as f32 - 16384.0) * (13.0 / 16384.0)).collect();
        for (x, found) in x.iter().zip(gelus(&x)?) {
            let (wide, root) = (f64::from(*x), std::f64::consts::FRAC_1_SQRT_2);
            let want = 0.5 * wide * lanework::math::erfc(-wide * root);
            let bound = match *x {
                ..-6.0 => 8e-6,
                ..-2.0 => 2.2e-6,
                _ => 5e-7,
            };
            assert!((f64::from(found) - want).abs() <= bound * want.abs(), "{x}: {found}, {want}");
        }
        Ok(())
    }

    #[test]
    fn gelu_of_nan_is_nan() -> lanework::Result<()> {
        let mut x = vec![0.0f32; 128];
        x[..6].copy_from_slice(&[f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 3e38, -3e38]);
        let found = gelus(&x)?;
        assert!(found[2].is_nan(), "{found:?}");
        assert_eq!(found[..2], [f32::INFINITY, 0.0]);
        assert_eq!(found[3..6], [0.0, 3e38, 0.0]);
        Ok(())
    }
}
