//! The error function and its complement.
//!
//! `erf` up to 1 by a polynomial; beyond, `erfc(x) = exp(-x^2) g(t) / (1 + 2x)` with `t = (x - K) / (x + K)`, which
//! maps the whole half-line to an interval where `g` is smooth (Shepherd and Laframboise, "Chebyshev
//! approximation of (1 + 2x) exp(x^2) erfc x", 1981); `x^2` keeps its rounding error.

use crate::elementary::coefficients::{ERF, ERFCX};
use crate::elementary::exponential::parts;
use crate::real::{Real, copysign, either, horner, k, scale, two_product};

/// `erfc` of a number from 1/2 to the bound at which it underflows.
#[inline(always)]
fn complement<F: Real>(x: F) -> F {
    let shift = either::<F>(2.0, 4.0);
    let sum = x + shift;
    let t = (x - shift) / sum;
    // (x - K) / (x + K) again, for its rounding error.
    let error = t.fma(-sum, x - shift) - t * ((x - sum) + shift);
    let t = t + error / sum;
    let g = horner(t, &ERFCX);
    let d = (x + x) + k(1.0);
    let scaled = g / d;
    let residual = scaled.fma(-d, g) / d;
    let (square, low) = two_product(x, x);
    let (n, w, v) = parts(-square, -low);
    // (1 + w + v) (scaled + residual), then the power of two.
    let factor = scaled + scaled.fma(w + v, residual);
    scale(factor, n)
}

/// The error function.
#[inline(always)]
pub fn erf<F: Real>(x: F) -> F {
    let size = x.abs();
    let z = x * x;
    let small = x.fma(horner(z, &ERF), x);
    let small = x.where_else(x.eq(k(0.0)), small);
    let most = either::<F>(4.5, 6.5);
    let bounded = most.where_else(most.lt(size), size);
    let large = copysign(k::<F>(1.0) - complement(bounded), x);
    large.where_else(k::<F>(1.0).lt(size), small)
}

/// The complement of the error function, `1 - erf(x)`.
#[inline(always)]
pub fn erfc<F: Real>(x: F) -> F {
    let size = x.abs();
    let z = x * x;
    let small = k::<F>(1.0) - x.fma(horner(z, &ERF), x);
    let most = either::<F>(10.8, 27.8);
    let bounded = most.where_else(most.lt(size), size);
    let large = complement(bounded);
    let large = (k::<F>(2.0) - large).where_else(x.lt(k(0.0)), large);
    large.where_else(k::<F>(0.5).lt(size), small)
}
