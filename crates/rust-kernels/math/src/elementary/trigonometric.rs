//! `sin`, `cos`, `sin_cos`, `tan`: polynomials for `|r| <= pi/4` after the reduction, with its second part.

use crate::elementary::coefficients::{COS, SIN, TAN};
use crate::elementary::reduction::reduce;
use crate::real::{Real, Short, Word, fast_two_sum, horner, k, word};

/// The sine and the cosine of `r + s`.
#[inline(always)]
fn core<F: Real>(r: F, s: F) -> (F, F) {
    let z = r * r;
    let half = k::<F>(0.5) * z;
    let sine = r + (r * z).fma(horner(z, &SIN), half.fma(-s, s));
    let (one, error) = fast_two_sum(k::<F>(1.0), -half);
    let cosine = one + (error + (z * z).fma(horner(z, &COS), -r * s));
    (sine, cosine)
}

/// `x` with its sign changed where bit 1 of `q` is set.
#[inline(always)]
fn turned<F: Real>(x: F, q: Short<F>) -> F {
    x.with_high(x.high() ^ (q.shl(word::<F>(30)) & word::<F>(0x8000_0000)))
}

/// The sine and the cosine.
#[inline(always)]
pub fn sin_cos<F: Real>(x: F) -> (F, F) {
    let (r, s, q) = reduce(x);
    let (sine, cosine) = core(r, s);
    let even = (q & word::<F>(1)).eq(word::<F>(0));
    let sin = turned(sine.where_else(even, cosine), q);
    let cos = turned(cosine.where_else(even, sine), q + word::<F>(1));
    (x.where_else(x.eq(k(0.0)), sin), cos)
}

/// The sine.
#[inline(always)]
pub fn sin<F: Real>(x: F) -> F {
    sin_cos(x).0
}

/// The cosine.
#[inline(always)]
pub fn cos<F: Real>(x: F) -> F {
    sin_cos(x).1
}

/// The tangent: `t = u + v` in two parts for `|r| <= pi/4`, and `-1 / t` after an odd number of quarter turns.
#[inline(always)]
pub fn tan<F: Real>(x: F) -> F {
    let (r, s, q) = reduce(x);
    let z = r * r;
    let rest = (r * z).fma(horner(z, &TAN), s);
    let (u, v) = fast_two_sum(r, rest);
    let v = v + u * u * s;
    let inverse = k::<F>(-1.0) / u;
    let error = inverse.fma(u, k(1.0));
    let inverse = inverse.fma(inverse.fma(v, error), inverse);
    let even = (q & word::<F>(1)).eq(word::<F>(0));
    let tan = (u + v).where_else(even, inverse);
    x.where_else(x.eq(k(0.0)), tan)
}
