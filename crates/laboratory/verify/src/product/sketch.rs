//! Freivalds' check, for products with too many rows to compute.
//!
//! For a vector x of random signs, `C x` must be `alpha A (B x) + beta C x`, which takes three matrix-vector products
//! (R. Freivalds, "Probabilistic Machines Can Use Less Running Time", IFIP 1977). It only selects suspects: if a
//! row's sum deviates more than roundings of either sign usually do, the row is computed and compared element by
//! element, so systematic roundings never make a right row wrong.
//!
//! Limits: errors below the usual sum of a row's roundings are missed; two errors of equal size in one row cancel
//! with probability 1/2; only the worst suspects are computed.

use super::operands::{Product, row_of};
use crate::bound::UNIT_F32;
use crate::host::parallel::in_parallel;
use rand::{RngCore, rngs::StdRng};

/// The most rows to compute.
const MOST_SUSPECTS: usize = 32;

/// The sums of every row, with signs.
pub struct Sketch {
    /// A sign per column.
    signs: Vec<f64>,
    /// `alpha A (B x) + beta C x`.
    values: Vec<f64>,
    /// Sum of the scales of a row's elements.
    scales: Vec<f64>,
}

impl Sketch {
    /// The expected sums of the rows of `product`.
    pub fn of(product: &Product<'_>, random: &mut StdRng) -> Self {
        let ((m, n, k), (lda, ldb, ldc)) = (product.extents, product.leading);
        let signs: Vec<f64> =
            (0..n).map(|_| if random.next_u32() & 1 == 0 { 1.0 } else { -1.0 }).collect();
        // B x, and |B| 1.
        let middle = in_parallel(k, |p| signed_sums(row_of(product.b, p, ldb, n), &signs));
        let (alpha, beta) = (f64::from(product.alpha), f64::from(product.beta));
        let of_row = |i: usize| {
            let (mut value, mut scale) = (0.0f64, 0.0f64);
            for (&a, (sum, absolute)) in row_of(product.a, i, lda, k).iter().zip(&middle) {
                value += f64::from(a) * sum;
                scale += f64::from(a).abs() * absolute;
            }
            (value, scale) = (alpha * value, alpha.abs() * scale);
            if beta != 0.0 {
                let (before, absolute) = signed_sums(row_of(product.c, i, ldc, n), &signs);
                (value, scale) = (value + beta * before, scale + beta.abs() * absolute);
            }
            (value, scale)
        };
        let (values, scales) = in_parallel(m, of_row).into_iter().unzip();
        Sketch { signs, values, scales }
    }

    /// The rows with wrong sums, ascending; only the worst if there are many.
    pub fn suspects(&self, product: &Product<'_>, got: &[f32]) -> Vec<usize> {
        let ((m, n, k), (_, _, ldc)) = (product.extents, product.leading);
        // Four times the roundings of either sign: they grow like the root of an element's additions, and like the
        // root of a row's elements.
        let usual = (0.5 * (k as f64).sqrt() + 3.0) * UNIT_F32 * (4.0 / (n as f64).sqrt()).min(1.0);
        let excess = |i: usize| {
            let (sum, _) = signed_sums(row_of(got, i, ldc, n), &self.signs);
            let (want, scale) = (self.values[i], self.scales[i]);
            let same = sum == want || (!want.is_finite() && !sum.is_finite());
            let off = (sum - want).abs() / (usual * scale);
            // NaN is the worst.
            if same {
                0.0
            } else if off.is_nan() {
                f64::INFINITY
            } else {
                off
            }
        };
        let mut rows: Vec<(f64, usize)> =
            in_parallel(m, |i| (excess(i), i)).into_iter().filter(|(off, _)| *off > 1.0).collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        rows.truncate(MOST_SUSPECTS);
        let mut rows: Vec<usize> = rows.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }
}

/// The sum of `row` with signs, and of its absolute values.
fn signed_sums(row: &[f32], signs: &[f64]) -> (f64, f64) {
    row.iter().zip(signs).fold((0.0, 0.0), |(sum, absolute), (&x, sign)| {
        (sum + sign * f64::from(x), absolute + f64::from(x).abs())
    })
}
