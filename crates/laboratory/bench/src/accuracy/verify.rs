//! Comparing a result with its reference, for users' benchmarks.

use crate::accuracy::{Accuracy, Errors, Rejection};
use std::fmt::Debug;

/// The most mismatches in a message.
const SHOWN: usize = 5;

/// Checks that every element of `got` equals `want`. NaN equals nothing.
///
/// # Errors
/// The number of elements that differ, and the first of them.
pub fn same<T: PartialEq + Debug>(got: &[T], want: &[T]) -> Result<Accuracy, Rejection> {
    let differs = |index: usize| got[index] != want[index];
    check(got, want, &differs)?;
    Ok(Accuracy::BitExact)
}

/// Checks that every element of `got` is within the relative `tolerance` of `want`: `|y - ref| <= tolerance |ref|`.
/// Non-finite elements must be equal.
///
/// # Errors
/// The number of elements that are outside, and the first of them.
pub fn close<T: Copy + Debug + Into<f64>>(
    got: &[T],
    want: &[T],
    tolerance: f64,
) -> Result<Accuracy, Rejection> {
    let pair = |index: usize| -> (f64, f64) { (got[index].into(), want[index].into()) };
    let outside = |index: usize| match pair(index) {
        (y, of) if y.is_finite() && of.is_finite() => (y - of).abs() > tolerance * of.abs(),
        (y, of) => y.to_bits() != of.to_bits() && !(y.is_nan() && of.is_nan()),
    };
    check(got, want, &outside)?;
    let (mut largest, mut sum, mut count) = (0.0f64, 0.0, 0u64);
    let (mut error, mut norm) = (0.0, 0.0);
    let mut errors = Errors::default();
    for (y, of) in (0..want.len()).map(pair).filter(|(_, of)| of.is_finite()) {
        error += (y - of) * (y - of);
        norm += of * of;
        if of != 0.0 {
            let relative = ((y - of) / of).abs();
            (largest, sum, count) = (largest.max(relative), sum + relative, count + 1);
            errors.count(relative);
        }
    }
    let part = |of: f64, whole: f64| if whole > 0.0 { of / whole } else { 0.0 };
    Ok(Accuracy::WithinBound {
        max_relative: largest,
        mean_relative: part(sum, count as f64),
        normwise: part(error, norm).sqrt(),
        bound_used: part(largest, tolerance),
        errors,
    })
}

fn check<T: Debug>(got: &[T], want: &[T], wrong: &dyn Fn(usize) -> bool) -> Result<(), Rejection> {
    if got.len() != want.len() {
        let (got, want) = (got.len(), want.len());
        return Err(Rejection::Wrong(format!("{got} elements, but the reference has {want}")));
    }
    let all: Vec<usize> = (0..got.len()).filter(|&index| wrong(index)).collect();
    if all.is_empty() {
        return Ok(());
    }
    let shown = all.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|&index| format!("[{index}] is {:?}, not {:?}", got[index], want[index]))
        .collect();
    let (wrong, of) = (all.len(), got.len());
    Err(Rejection::Wrong(format!("{wrong} of {of} elements differ: {}", shown.join("; "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_never_passes_for_a_number() {
        assert!(same(&[f32::NAN], &[1.0]).is_err() && close(&[f32::NAN], &[1.0], 1e9).is_err());
        assert!(close(&[1.0f32], &[f32::NAN], 1e9).is_err());
        assert!(close(&[f32::INFINITY], &[f32::NEG_INFINITY], 1.0).is_err());
        assert!(close(&[f32::NAN, f32::INFINITY], &[f32::NAN, f32::INFINITY], 0.0).is_ok());
    }

    #[test]
    fn differences_are_counted_and_shown() {
        let why = same(&[1, 2, 3], &[1, 0, 3]).expect_err("differs").to_string();
        assert_eq!(why, "wrong: 1 of 3 elements differ: [1] is 2, not 0");
        assert!(same(&[1, 2], &[1]).is_err());
        let Ok(Accuracy::WithinBound { max_relative, bound_used, .. }) =
            close(&[1.0f64, 2.0], &[1.0, 2.002], 0.01)
        else {
            panic!("within")
        };
        assert!((max_relative - 0.000_999).abs() < 1e-6 && bound_used < 0.11);
    }
}
