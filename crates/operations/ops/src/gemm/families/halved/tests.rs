//! Products of f16-rounded factors against f64: ordinary numbers, and numbers that require the TF32 fallback.

use super::*;
use crate::gemm::gemm;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::Device;
use lanework::prelude::*;

/// A matrix as lines along k, with its line and element strides.
struct Lines {
    values: Vec<f32>,
    strides: [usize; 2],
}

impl Lines {
    fn new(lines: usize, k: usize, along: bool, value: impl Fn(usize, usize) -> f32) -> Lines {
        // Odd gaps, which TMA cannot read.
        let strides = if along { [k + 3, 1] } else { [1, lines + 1] };
        let mut values = vec![f32::NAN; strides[0].max(strides[1]) * lines.max(k) + 1];
        for line in 0..lines {
            for at in 0..k {
                values[line * strides[0] + at * strides[1]] = value(line, at);
            }
        }
        Lines { values, strides }
    }

    fn at(&self, line: usize, at: usize) -> f64 {
        self.values[line * self.strides[0] + at * self.strides[1]].into()
    }
}

/// A pseudo-random number in -1..1.
fn random(line: usize, at: usize) -> f32 {
    let mut x = (line as u64) << 32 | at as u64;
    x = (x ^ x >> 30 ^ 0x5851_f42d).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ x >> 31) >> 40) as f32 / 8_388_608.0 - 1.0
}

/// Returns whether the device chose the rounded factors; every error must be below TF32's.
fn rounded_is_taken([m, n, k]: [usize; 3], a: &Lines, b: &Lines, alpha: f64) -> Result<bool> {
    let device = Device::emulator().sanitized();
    let (on_a, on_b) = (device.upload(&a.values)?, device.upload(&b.values)?);
    let mut c = device.upload(&vec![f32::NAN; m * (n + 1)])?;
    let [row, column] = b.strides;
    let left = Tensor::with_strides(&on_a, [m, k], a.strides, 0)?;
    let right = Tensor::with_strides(&on_b, [k, n], [column, row], 0)?;
    let product = gemm(left, right).precision(Precision::TensorFloat32).alpha(alpha);
    let problem = product.problem(TensorMut::with_strides(&mut c, [m, n], [n + 1, 1], 0)?)?;
    let mut layout = WorkspaceLayout::default();
    let recipe = recipe(problem, &mut layout)?;
    let workspace = Workspace::new(&device);
    let scratch = workspace.reserve(&layout)?;
    Plan::new(recipe(&scratch)?, [scratch]).launch()?;
    let mut layout = WorkspaceLayout::default();
    let word: crate::workspace::WorkspacePart<u32> = layout.scratch(1);
    let scratch = workspace.reserve(&layout)?;
    let mut copy = device.zeros::<u32>(1)?;
    // SAFETY: one thread copies one word, and both buffers have one.
    unsafe {
        copied(View::from(scratch.view(word)), &mut copy)
            .grid(1)
            .block(1)
            .launch_unchecked(&device)?
    };
    let taken = copy.download()?[0] == PAIRS;
    // f16 rounds to nearest; tensor cores truncate to TF32.
    let of_factors = if taken { 2f64.powi(-10) } else { 2f64.powi(-9) };
    let c = c.download()?;
    for y in 0..m {
        for x in 0..n {
            let (mut want, mut size) = (0.0, 0.0);
            for at in 0..k {
                let product = a.at(y, at) * b.at(x, at);
                want += product;
                size += product.abs();
            }
            let (want, got) = (alpha * want, f64::from(c[y * (n + 1) + x]));
            if want.is_finite() {
                let bound = alpha.abs() * size * (of_factors + k as f64 * 2f64.powi(-23));
                assert!((got - want).abs() <= bound, "row {y}, column {x}: {got}, not {want}");
            } else {
                assert!(got == want || got.is_nan() && want.is_nan(), "{y} {x}: {got}, not {want}");
            }
        }
        assert!(c[y * (n + 1) + n].is_nan(), "the gap of row {y} was written");
    }
    Ok(taken)
}

#[kernel]
fn copied(from: &[u32], to: &mut [u32]) {
    to[0] = from[0];
}

#[test]
fn ordinary_numbers_are_rounded_in_every_layout() -> Result<()> {
    for (extents, along) in [
        ([130, 140, 200], (true, true)),
        ([67, 200, 97], (false, false)),
        ([129, 65, 130], (true, false)),
    ] {
        let [m, n, k] = extents;
        let a = Lines::new(m, k, along.0, random);
        let b = Lines::new(n, k, along.1, |line, at| random(line + 1000, at));
        assert!(rounded_is_taken(extents, &a, &b, -1.5)?, "{extents:?}");
    }
    Ok(())
}

#[test]
fn rows_of_any_scale_are_rounded() -> Result<()> {
    let [m, n, k] = [70, 130, 130];
    for along in [true, false] {
        let scale = |line: usize| 2f32.powi((line % 80) as i32 - 40);
        let a = Lines::new(m, k, along, |line, at| scale(line) * random(line, at));
        let b = Lines::new(n, k, !along, |line, at| scale(line + 7) * random(at, line));
        assert!(rounded_is_taken([m, n, k], &a, &b, 1.0)?);
    }
    Ok(())
}

#[test]
fn factors_beyond_f16_are_not_split() -> Result<()> {
    let [m, n, k] = [66, 130, 132];
    let ordinary = |along| Lines::new(n, k, along, random);
    // Few elements are large, and the small ones meet large ones in the other factor.
    let far = |line, at| random(line, at) * if at % 4 == 0 { 1.0 } else { 1e-10 };
    for (along, odd) in [(true, f32::INFINITY), (false, f32::NAN), (false, 1e30), (true, 1e-30)] {
        // A single row with such a scale suffices.
        let value =
            |line: usize, at| if line == 3 { odd * random(line, at) } else { random(line, at) };
        let a = Lines::new(m, k, along, value);
        assert!(!rounded_is_taken([m, n, k], &a, &ordinary(!along), 1.0)?, "{odd}");
        let a = Lines::new(m, k, along, far);
        let b =
            Lines::new(n, k, along, |line, at| if at % 4 == 0 { 0.0 } else { random(line, at) });
        assert!(!rounded_is_taken([m, n, k], &a, &b, 1.0)?);
    }
    Ok(())
}

#[test]
fn zeros_are_rounded() -> Result<()> {
    let [m, n, k] = [66, 130, 132];
    let a = Lines::new(m, k, true, |line, at| if at > line { 0.0 } else { random(line, at) });
    let b = Lines::new(n, k, true, |line, at| if line == 7 { 0.0 } else { random(line, at) });
    assert!(rounded_is_taken([m, n, k], &a, &b, 1.0)?);
    Ok(())
}
