//! Products of split factors against f64, for ordinary numbers and those that need a fallback.

use super::*;
use crate::gemm::gemm;
use crate::{Plan, Tensor, TensorMut, Workspace};

/// Seeded pseudo-random number generator.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// A matrix of rows along k, and its layout.
struct Rows {
    values: Vec<f32>,
    rows: usize,
    k: usize,
    strides: (usize, usize),
}

impl Rows {
    fn new(
        rows: usize,
        k: usize,
        along: bool,
        gap: usize,
        mut value: impl FnMut(usize, usize) -> f64,
    ) -> Rows {
        let strides = if along { (k + gap, 1) } else { (1, rows + gap) };
        let mut values =
            vec![f32::NAN; strides.0.max(strides.1) * if along { rows } else { k } + 1];
        for row in 0..rows {
            for at in 0..k {
                values[row * strides.0 + at * strides.1] = value(row, at) as f32;
            }
        }
        Rows { values, rows, k, strides }
    }

    fn at(&self, row: usize, at: usize) -> f32 {
        self.values[row * self.strides.0 + at * self.strides.1]
    }
}

#[kernel]
fn copy(from: &[u32], to: &mut [u32]) {
    to[0] = from[0];
}

/// Errors relative to the sum of magnitudes of the products: the largest, and the root mean square.
#[derive(Default)]
struct Errors {
    largest: f64,
    squares: f64,
    count: f64,
}

impl Errors {
    fn add(&mut self, error: f64) {
        self.largest = self.largest.max(if error.is_nan() { f64::INFINITY } else { error });
        self.squares += error * error;
        self.count += 1.0;
    }

    fn mean(&self) -> f64 {
        (self.squares / self.count).sqrt()
    }

    /// Checks every error against a bound, and the RMS against FP32's; for short sums the split dominates.
    #[track_caller]
    fn below(&self, bound: f64, of_fp32: &Errors) {
        let (mean, single) = (self.mean(), of_fp32.mean());
        println!(
            "largest {:.2e}, mean {mean:.2e}; of FP32 {:.2e}, {single:.2e}",
            self.largest, of_fp32.largest
        );
        assert!(self.largest < bound, "{:e}", self.largest);
        assert!(mean <= 1.2 * single + 3e-8, "{mean:e}, of FP32 {single:e}");
    }
}

/// The device's choice, its errors, and the errors of sequential FP32 sums.
fn multiply(
    a: &Rows,
    b: &Rows,
    shape: SplitTile,
    (alpha, beta): (f32, f32),
) -> Result<(u32, Errors, Errors)> {
    let device = Device::emulator().sanitized();
    let (m, n) = (a.rows, b.rows);
    let old = if beta == 0.0 { f32::NAN } else { 0.5 };
    let mut c = device.upload(&vec![old; m * (n + 2)])?;
    let (on_a, on_b) = (device.upload(&a.values)?, device.upload(&b.values)?);
    let workspace = Workspace::new(&device);
    let tensor_a = Tensor::with_strides(&on_a, [m, a.k], a.strides.into(), 0)?;
    let tensor_b = Tensor::with_strides(&on_b, [n, a.k], b.strides.into(), 0)?.t();
    let to = TensorMut::with_strides(&mut c, [m, n], [n + 2, 1], 0)?;
    let product = gemm(tensor_a, tensor_b).precision(Precision::Accurate);
    let problem = product.alpha(alpha.into()).beta(beta.into()).problem(to)?;
    let mut layout = WorkspaceLayout::default();
    let recipe = shaped(problem, &mut layout, shape)?;
    let scratch = workspace.reserve(&layout)?;
    Plan::new(recipe(&scratch)?, [scratch]).launch()?;
    let c = c.download()?;
    let (mut errors, mut of_fp32) = (Errors::default(), Errors::default());
    for row in 0..m {
        for column in 0..n {
            let (mut sum, mut size, mut single) = (0.0, 0.0, 0.0f32);
            for at in 0..a.k {
                let (x, y) = (a.at(row, at), b.at(column, at));
                single = x.mul_add(y, single);
                let term = f64::from(x) * f64::from(y);
                sum += term;
                size += term.abs();
            }
            let kept = if beta == 0.0 { 0.0 } else { f64::from(beta) * 0.5 };
            let (want, size) =
                (f64::from(alpha) * sum + kept, f64::from(alpha).abs() * size + kept);
            let got = f64::from(c[row * (n + 2) + column]);
            if want.is_finite() {
                let relative = |x: f64| (x - want).abs() / size.max(f64::MIN_POSITIVE);
                errors.add(relative(got));
                of_fp32.add(relative(f64::from(alpha) * f64::from(single) + kept));
            } else {
                assert!(got.is_nan() == want.is_nan() && (want.is_nan() || got == want));
            }
        }
        let gap = &c[row * (n + 2) + n..][..2];
        assert!(
            gap.iter().all(|x| x.to_bits() == old.to_bits()),
            "the gap of row {row} was written"
        );
    }
    let mut layout = WorkspaceLayout::default();
    let choice: WorkspacePart<u32> = layout.scratch(1);
    let mut word = device.zeros::<u32>(1)?;
    let scratch = workspace.reserve(&layout)?;
    // SAFETY: one thread copies one word, and both buffers have one.
    unsafe {
        copy(View::from(scratch.view(choice)), &mut word)
            .grid(1)
            .block(1)
            .launch_unchecked(&device)?
    };
    Ok((word.download()?[0], errors, of_fp32))
}

#[test]
fn ordinary_numbers_are_split_in_two() -> Result<()> {
    let mut random = Random(1);
    for (m, n, k, along, shape) in [
        (130, 140, 200, (true, true), SplitTile::Square),
        (67, 200, 333, (false, false), SplitTile::Wide),
        (128, 128, 64, (true, false), SplitTile::Square),
        (1, 3, 1000, (false, true), SplitTile::Wide),
    ] {
        let a = Rows::new(m, k, along.0, 3, |_, _| random.normal());
        let b = Rows::new(n, k, along.1, 4, |_, _| random.normal());
        let (choice, errors, of_fp32) = multiply(&a, &b, shape, (1.5, 0.0))?;
        assert_eq!(choice, parts::PAIRS);
        errors.below(4e-7, &of_fp32);
    }
    Ok(())
}

#[test]
fn rows_and_columns_of_any_scale_are_split_in_two() -> Result<()> {
    let mut random = Random(2);
    for along in [(true, false), (false, true)] {
        let mut scales =
            || -> Vec<f64> { (0..140).map(|_| (80.0 * random.uniform() - 40.0).exp2()).collect() };
        let (of_a, of_b) = (scales(), scales());
        let a = Rows::new(70, 260, along.0, 0, |row, _| of_a[row] * random.normal());
        let b = Rows::new(140, 260, along.1, 1, |row, _| of_b[row] * random.normal());
        let (choice, errors, of_fp32) = multiply(&a, &b, SplitTile::Square, (1.0, 1.0))?;
        assert_eq!(choice, parts::PAIRS);
        errors.below(4e-7, &of_fp32);
    }
    Ok(())
}

#[test]
fn numbers_far_apart_in_a_row_are_split_in_three() -> Result<()> {
    let mut random = Random(3);
    for along in [(true, false), (false, true)] {
        let mut spread = |_, _| (8.0 * random.normal()).exp2() * random.normal();
        let a = Rows::new(70, 300, along.0, 0, &mut spread);
        let b = Rows::new(40, 300, along.1, 1, &mut spread);
        let (choice, errors, of_fp32) = multiply(&a, &b, SplitTile::Square, (-1.0, 0.5))?;
        assert_eq!(choice, parts::TRIPLES);
        errors.below(1e-6, &of_fp32);
    }
    // f16 pairs would lose these products entirely: small numbers meet only large ones.
    let a = Rows::new(8, 64, true, 0, |_, at| if at < 32 { 1.0 } else { 1e-9 });
    let b = Rows::new(8, 64, true, 0, |_, at| if at < 32 { 0.0 } else { 1.0 / 3.0 });
    let (choice, errors, of_fp32) = multiply(&a, &b, SplitTile::Square, (1.0, 0.0))?;
    assert_eq!(choice, parts::TRIPLES);
    assert!(errors.largest < 1e-6 && of_fp32.largest < 1e-6, "{:e}", errors.largest);
    Ok(())
}

#[test]
fn numbers_that_tensor_cores_cannot_hold_are_multiplied_by_ffma() -> Result<()> {
    let mut random = Random(4);
    for (odd, along) in [(f64::INFINITY, true), (f64::NAN, false), (1e38, false), (1e-44, true)] {
        let mut odd_at = |row, at| if (row, at) == (3, 40) { odd } else { random.normal() };
        let a = Rows::new(20, 300, along, 0, &mut odd_at);
        let b = Rows::new(140, 300, !along, 0, |_, _| 1.0);
        let (choice, errors, of_fp32) = multiply(&a, &b, SplitTile::Square, (1.0, 0.0))?;
        assert_eq!(choice, parts::PLAIN, "{odd}");
        errors.below(1e-6, &of_fp32);
    }
    Ok(())
}

#[test]
fn zeros_do_not_count_as_small_numbers() -> Result<()> {
    let mut random = Random(5);
    let a = Rows::new(20, 300, true, 0, |row, at| if at > row { 0.0 } else { random.normal() });
    let b = Rows::new(20, 300, false, 0, |row, _| if row == 7 { 0.0 } else { 2.0 });
    let (choice, errors, of_fp32) = multiply(&a, &b, SplitTile::Square, (1.0, 0.0))?;
    assert_eq!(choice, parts::PAIRS);
    errors.below(4e-7, &of_fp32);
    Ok(())
}
