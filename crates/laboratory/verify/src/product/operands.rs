//! A product as a problem: its operands on the host, and the known elements of its result.

use crate::bound::Bound;
use crate::host::in_parallel;

/// A product with its operands on the host.
pub struct Product<'a> {
    /// Rows of A and C, columns of B and C, columns of A.
    pub extents: (usize, usize, usize),
    /// Leading dimensions of A, B and C.
    pub leading: (usize, usize, usize),
    /// Factor of the product.
    pub alpha: f32,
    /// Factor of the old C; if it is 0, C is not read.
    pub beta: f32,
    /// The first factor.
    pub a: &'a [f32],
    /// The second factor.
    pub b: &'a [f32],
    /// The old C.
    pub c: &'a [f32],
}

/// The known rows of a product.
pub struct Known {
    /// The rows, ascending.
    pub rows: Vec<usize>,
    /// Their elements.
    pub values: Vec<f64>,
    /// Sum of the absolute values of each element's terms.
    pub scales: Vec<f64>,
}

/// The row of a matrix.
pub fn row_of(x: &[f32], row: usize, leading: usize, cols: usize) -> &[f32] {
    &x[row * leading..][..cols]
}

impl Product<'_> {
    /// The bound of every element.
    pub fn bound(&self) -> Bound {
        Bound::of_product(self.extents.2, self.alpha, self.beta)
    }

    /// The summand of the product at `[i][j]`: `beta C`.
    pub fn before(&self, i: usize, j: usize) -> f64 {
        match self.beta {
            0.0 => 0.0,
            beta => f64::from(beta) * f64::from(self.c[i * self.leading.2 + j]),
        }
    }

    /// One row of the product, and the sums of the absolute values.
    pub fn known_row(&self, i: usize) -> (Vec<f64>, Vec<f64>) {
        let ((_, n, k), (lda, ldb, _)) = (self.extents, self.leading);
        let (mut values, mut scales) = (vec![0.0f64; n], vec![0.0f64; n]);
        for (p, &a) in row_of(self.a, i, lda, k).iter().enumerate() {
            let a = f64::from(a);
            let b_row = row_of(self.b, p, ldb, n);
            for ((value, scale), &b) in values.iter_mut().zip(&mut scales).zip(b_row) {
                let term = a * f64::from(b);
                *value += term;
                *scale += term.abs();
            }
        }
        let alpha = f64::from(self.alpha);
        for (j, (value, scale)) in values.iter_mut().zip(&mut scales).enumerate() {
            let before = self.before(i, j);
            (*value, *scale) = (alpha * *value + before, alpha.abs() * *scale + before.abs());
        }
        (values, scales)
    }

    /// Those rows of the product.
    pub fn known_rows(&self, rows: Vec<usize>) -> Known {
        let known = in_parallel(rows.len(), |i| self.known_row(rows[i]));
        let (mut values, mut scales) = (Vec::new(), Vec::new());
        for (row_values, row_scales) in known {
            values.extend(row_values);
            scales.extend(row_scales);
        }
        Known { rows, values, scales }
    }
}

/// An element that no order of additions produces.
#[derive(Clone, Copy, Debug)]
pub struct Wrong {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub col: usize,
    /// Its value.
    pub got: f64,
    /// The expected value.
    pub reference: f64,
    /// The sum of the absolute values of its terms.
    pub scale: f64,
}

impl Wrong {
    /// The element at this place, with this result, reference and scale.
    pub fn new((row, col): (usize, usize), (got, reference, scale): (f64, f64, f64)) -> Self {
        Wrong { row, col, got, reference, scale }
    }
}
