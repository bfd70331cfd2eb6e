//! Verification of a product `C = alpha A B + beta C` in f32 against FP64: by elements, and by Freivalds' check.
//!
//! A reference of every element takes the host as many operations as the GPU, so above a budget it is
//! computed for some rows only. All other elements are covered by Freivalds' check (R. Freivalds,
//! "Probabilistic Machines Can Use Less Running Time", IFIP 1977): for a vector x of random signs, `C x` must
//! be `alpha A (B x) + beta C x`, which takes three matrix-vector products.
//!
//! Limits: the check sums the rounding errors of a row, so an error below the tolerance of that sum passes;
//! two errors in one row cancel with probability 1/2 where they are of one size.

use crate::accuracy::{Accuracy, FloatRule};
use rand::{Rng, RngCore, SeedableRng, rngs::StdRng};
use rayon::prelude::*;

/// A product with its operands on the host.
pub(crate) struct Product<'a> {
    /// Rows of A and C, columns of B and C, columns of A.
    pub extents: (usize, usize, usize),
    /// Elements from row to row of A, B and C.
    pub leading: (usize, usize, usize),
    /// Factor of the product.
    pub alpha: f32,
    /// Factor of what C held; where it is 0, that is not looked at.
    pub beta: f32,
    /// The first factor.
    pub a: &'a [f32],
    /// The second factor.
    pub b: &'a [f32],
    /// What C held before.
    pub c: &'a [f32],
}

/// The expected product, wholly or in part.
pub(crate) struct Reference {
    /// Rows whose every element is known, ascending.
    rows: Vec<usize>,
    /// Elements of those rows.
    values: Vec<f64>,
    /// Sum of the absolute values of what each element is the sum of.
    scales: Vec<f64>,
    /// Where `rows` are not all.
    sketch: Option<Sketch>,
}

/// Freivalds' check of all rows.
struct Sketch {
    /// A sign per column.
    signs: Vec<f64>,
    /// `alpha A (B x) + beta C x`.
    values: Vec<f64>,
    /// Sum of the scales of a row's elements.
    scales: Vec<f64>,
}

/// Multiply-adds that a full reference may take: about a second.
const BUDGET: usize = 1 << 30;
/// Rows that are known at least.
const FEWEST_ROWS: usize = 8;

impl Product<'_> {
    fn row(x: &[f32], row: usize, leading: usize, cols: usize) -> &[f32] {
        &x[row * leading..][..cols]
    }

    /// One row of the product, and the sums of the absolute values.
    fn known_row(&self, i: usize) -> (Vec<f64>, Vec<f64>) {
        let ((_, n, k), (lda, ldb, ldc)) = (self.extents, self.leading);
        let (mut values, mut scales) = (vec![0.0f64; n], vec![0.0f64; n]);
        for (p, &a) in Self::row(self.a, i, lda, k).iter().enumerate() {
            let a = f64::from(a);
            let b_row = Self::row(self.b, p, ldb, n);
            for ((value, scale), &b) in values.iter_mut().zip(&mut scales).zip(b_row) {
                let term = a * f64::from(b);
                *value += term;
                *scale += term.abs();
            }
        }
        let (alpha, beta) = (f64::from(self.alpha), f64::from(self.beta));
        for (j, (value, scale)) in values.iter_mut().zip(&mut scales).enumerate() {
            (*value, *scale) = (alpha * *value, alpha.abs() * *scale);
            if beta != 0.0 {
                let before = beta * f64::from(self.c[i * ldc + j]);
                (*value, *scale) = (*value + before, *scale + before.abs());
            }
        }
        (values, scales)
    }

    /// The reference.
    pub fn reference(&self) -> Reference {
        self.reference_within(BUDGET)
    }

    /// The reference, of all rows where that takes at most `budget` multiply-adds.
    fn reference_within(&self, budget: usize) -> Reference {
        let (m, n, k) = self.extents;
        let affordable = (budget / (n * k).max(1)).max(FEWEST_ROWS);
        let mut random = StdRng::seed_from_u64((m ^ (n << 20) ^ (k << 40)) as u64);
        let (rows, sketch) = if m <= affordable {
            ((0..m).collect(), None)
        } else {
            let mut rows: Vec<usize> = (2..affordable).map(|_| random.random_range(0..m)).collect();
            rows.extend([0, m - 1]);
            rows.sort_unstable();
            rows.dedup();
            (rows, Some(self.sketch(&mut random)))
        };
        let known: Vec<(Vec<f64>, Vec<f64>)> =
            rows.par_iter().map(|&row| self.known_row(row)).collect();
        let (mut values, mut scales) = (Vec::new(), Vec::new());
        for (row_values, row_scales) in known {
            values.extend(row_values);
            scales.extend(row_scales);
        }
        Reference { rows, values, scales, sketch }
    }

    fn sketch(&self, random: &mut StdRng) -> Sketch {
        let ((m, n, k), (lda, ldb, ldc)) = (self.extents, self.leading);
        let signs: Vec<f64> =
            (0..n).map(|_| if random.next_u32() & 1 == 0 { 1.0 } else { -1.0 }).collect();
        // B x, and |B| 1 beside it.
        let middle: Vec<(f64, f64)> = (0..k)
            .into_par_iter()
            .map(|p| signed_sums(Self::row(self.b, p, ldb, n), &signs))
            .collect();
        let (alpha, beta) = (f64::from(self.alpha), f64::from(self.beta));
        let of_row = |i: usize| {
            let (mut value, mut scale) = (0.0f64, 0.0f64);
            for (&a, (sum, absolute)) in Self::row(self.a, i, lda, k).iter().zip(&middle) {
                value += f64::from(a) * sum;
                scale += f64::from(a).abs() * absolute;
            }
            (value, scale) = (alpha * value, alpha.abs() * scale);
            if beta != 0.0 {
                let (before, absolute) = signed_sums(Self::row(self.c, i, ldc, n), &signs);
                (value, scale) = (value + beta * before, scale + beta.abs() * absolute);
            }
            (value, scale)
        };
        let (values, scales) = (0..m).into_par_iter().map(of_row).unzip();
        Sketch { signs, values, scales }
    }

    /// Compares `got`, laid out as C, with the reference.
    ///
    /// # Errors
    /// In words, which elements or rows exceed the tolerance.
    pub fn compare(&self, reference: &Reference, got: &[f32]) -> Result<Accuracy, String> {
        let ((_, n, k), (_, _, ldc)) = (self.extents, self.leading);
        let rule = FloatRule::f32(k as u64);
        let at = |index: usize| {
            let result = got[reference.rows[index / n] * ldc + index % n];
            (f64::from(result), reference.values[index], reference.scales[index])
        };
        let place = |index: usize| format!("[{}][{}]", reference.rows[index / n], index % n);
        let accuracy = rule.compare(reference.values.len(), &at, &place)?;
        if let Some(sketch) = &reference.sketch {
            self.compare_sketch(&rule, sketch, got)?;
        }
        Ok(accuracy)
    }

    /// Rounding errors of a row's elements have either sign, so their sum grows with the square root
    /// of their number: four times that, in units of the mean bound, is allowed.
    fn compare_sketch(&self, rule: &FloatRule, sketch: &Sketch, got: &[f32]) -> Result<(), String> {
        let ((m, n, _), (_, _, ldc)) = (self.extents, self.leading);
        let narrow = (4.0 / (n as f64).sqrt()).min(1.0);
        let is_off = |i: &usize| {
            let (sum, _) = signed_sums(Self::row(got, *i, ldc, n), &sketch.signs);
            let (want, scale) = (sketch.values[*i], sketch.scales[*i]);
            let near = (sum - want).abs() <= narrow * rule.allowed(scale, scale);
            !near && (want.is_finite() || sum.is_finite())
        };
        let off: Vec<usize> = (0..m).into_par_iter().filter(is_off).collect();
        match off.first() {
            None => Ok(()),
            Some(first) => Err(format!(
                "{} of {m} rows do not add up: row {first} is the first (the sum of its elements \
                 with random signs is compared with A times the same sums of B's rows)",
                off.len()
            )),
        }
    }
}

/// The sum of `row` with signs, and without.
fn signed_sums(row: &[f32], signs: &[f64]) -> (f64, f64) {
    row.iter().zip(signs).fold((0.0, 0.0), |(sum, absolute), (&x, sign)| {
        (sum + sign * f64::from(x), absolute + f64::from(x).abs())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::uniform_floats;

    const EXTENTS: (usize, usize, usize) = (40, 60, 50);

    fn check(budget: usize, change: impl Fn(&mut [f32])) -> Result<Accuracy, String> {
        let (m, n, k) = EXTENTS;
        let (a, b) = (uniform_floats(m * k, 1), uniform_floats(k * n, 2));
        let leading = (k, n, n);
        let product =
            Product { extents: EXTENTS, leading, alpha: 1.0, beta: 0.0, a: &a, b: &b, c: &[] };
        let all = product.reference_within(usize::MAX);
        let mut got: Vec<f32> = all.values.iter().map(|&x| x as f32).collect();
        change(&mut got);
        product.compare(&product.reference_within(budget), &got)
    }

    #[test]
    fn the_product_rounded_once_passes() {
        for budget in [0, usize::MAX] {
            let accuracy = check(budget, |_| ()).expect("right");
            let Accuracy::WithinBound { bound_used, .. } = accuracy else { panic!("not exact") };
            assert!(bound_used < 0.2, "{bound_used}");
        }
    }

    #[test]
    fn one_wrong_element_shows_in_any_row() {
        for budget in [0, usize::MAX] {
            for row in 0..EXTENTS.0 {
                for wrong in [1e-3, f32::NAN] {
                    let why = check(budget, |got| got[row * EXTENTS.1 + 7] += wrong);
                    assert!(why.is_err(), "row {row}, {wrong}, budget {budget}");
                }
            }
        }
    }
}
