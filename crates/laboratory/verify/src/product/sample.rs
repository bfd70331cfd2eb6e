//! A product as a problem (its operands on the host, the known elements of its result) and the parts to verify: some
//! rows by some columns with their operands in f64, and Freivalds' check for products with too many rows to compute.
//!
//! For a vector x of random signs, `C x` must be `alpha A (B x) + beta C x`, which takes three matrix-vector products
//! (R. Freivalds, "Probabilistic Machines Can Use Less Running Time", IFIP 1977). It only selects suspects: if a
//! row's sum deviates more than roundings of either sign usually do, the row is computed and compared element by
//! element, so systematic roundings never make a right row wrong.
//!
//! Limits: errors below the usual sum of a row's roundings are missed; two errors of equal size in one row cancel
//! with probability 1/2; only the worst suspects are computed.

use crate::bound::{Bound, UNIT_F32};
use crate::host::in_parallel;
use rand::RngCore;
use rand::rngs::StdRng;

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

/// The most rows and columns of a sample.
const EDGE: usize = 64;

/// The most elements of A or B in a sample.
const HELD: usize = 1 << 21;

/// The most multiply-adds of one product of a sample.
const WORK: usize = 1 << 23;

/// A part of a product, with its operands in f64.
pub struct Sample {
    /// The rows of C, ascending.
    pub rows: Vec<usize>,
    /// The columns of C, ascending.
    pub cols: Vec<usize>,
    /// The terms of one element.
    pub terms: usize,
    /// The factor of the product.
    pub alpha: f64,
    /// The rows of A, concatenated.
    pub a: Vec<f64>,
    /// The columns of B, concatenated.
    pub b: Vec<f64>,
    /// The summand of the product.
    pub before: Vec<f64>,
    /// The elements, row by row.
    pub reference: Vec<f64>,
    /// The sums of the absolute values of their terms.
    pub scale: Vec<f64>,
    /// The scale below which an error can come from underflow instead of rounding.
    floor: f64,
}

impl Product<'_> {
    /// The limits on rows and columns of a sample.
    fn edge(&self) -> usize {
        let terms = self.extents.2.max(1);
        EDGE.min(HELD / terms).min((WORK / terms).isqrt()).max(1)
    }

    /// Rows and columns spread over the whole product. If it is square, both are equal: the sample then contains its
    /// transpose.
    pub fn spread(&self) -> (Vec<usize>, Vec<usize>) {
        let (m, n, _) = self.extents;
        (spread(m, self.edge()), spread(n, self.edge()))
    }

    /// Rows and columns with wrong elements, half of a sample at most, and others.
    pub fn around(&self, wrong: &[Wrong]) -> (Vec<usize>, Vec<usize>) {
        let (m, n, _) = self.extents;
        let half = self.edge().div_ceil(2);
        let some = |mut places: Vec<usize>, extent: usize| {
            places.sort_unstable();
            places.dedup();
            let mut chosen: Vec<usize> =
                spread(places.len(), half).into_iter().map(|index| places[index]).collect();
            chosen.extend(spread(extent, self.edge() - half));
            chosen.sort_unstable();
            chosen.dedup();
            chosen
        };
        (
            some(wrong.iter().map(|one| one.row).collect(), m),
            some(wrong.iter().map(|one| one.col).collect(), n),
        )
    }
}

/// `count` of `extent` indices, spread evenly but not at equal steps, which would hit the same place of every tile.
fn spread(extent: usize, count: usize) -> Vec<usize> {
    if extent <= count {
        return (0..extent).collect();
    }
    let step = extent as f64 / count as f64;
    // The fractional part of multiples of the golden ratio places each index within its step.
    let within = |index: usize| (index as f64 * 0.618_033_988_749_895).fract();
    (0..count).map(|index| ((index as f64 + within(index)) * step) as usize).collect()
}

impl Sample {
    /// The part of `product` at these rows and columns.
    pub fn of(product: &Product<'_>, rows: &[usize], cols: &[usize]) -> Self {
        let ((_, _, terms), (lda, ldb, _)) = (product.extents, product.leading);
        let of_a = |i: usize, p: usize| product.a[i * lda + p];
        let of_b = |p: usize, j: usize| product.b[p * ldb + j];
        let mut sample = Sample {
            rows: rows.to_vec(),
            cols: cols.to_vec(),
            terms,
            alpha: product.alpha.into(),
            a: gather(rows, terms, of_a),
            b: gather(cols, terms, |j, p| of_b(p, j)),
            before: Vec::new(),
            reference: Vec::new(),
            scale: Vec::new(),
            floor: 64.0 * product.bound().underflow / UNIT_F32,
        };
        sample.before = sample.places().map(|(i, j)| product.before(i, j)).collect();
        sample.reference = sample.with(&sample.a, &sample.b);
        let absolute = |x: &[f64]| x.iter().map(|x| x.abs()).collect::<Vec<_>>();
        let sums = sample.products(&absolute(&sample.a), &absolute(&sample.b));
        let scales = sums.iter().zip(&sample.before);
        sample.scale =
            scales.map(|(sum, before)| sample.alpha.abs() * sum + before.abs()).collect();
        sample
    }

    /// The places of the elements in C, row by row.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.rows.iter().flat_map(|&i| self.cols.iter().map(move |&j| (i, j)))
    }

    /// The row of A and the column of B of an element.
    pub fn operands(&self, at: usize) -> (&[f64], &[f64]) {
        let (i, j) = (at / self.cols.len(), at % self.cols.len());
        (&self.a[i * self.terms..][..self.terms], &self.b[j * self.terms..][..self.terms])
    }

    /// The elements with other rows of A and columns of B.
    pub fn with(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let sums = self.products(a, b);
        sums.iter().zip(&self.before).map(|(sum, before)| self.alpha * sum + before).collect()
    }

    /// Every line of `a` times every line of `b`.
    fn products(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        if self.terms == 0 {
            return vec![0.0; self.rows.len() * self.cols.len()];
        }
        let rows: Vec<&[f64]> = a.chunks(self.terms).collect();
        let products = |i: usize| b.chunks(self.terms).map(|col| dot(rows[i], col)).collect();
        in_parallel::<Vec<f64>>(rows.len(), products).concat()
    }

    /// The results at the places of the sample.
    pub fn results(&self, product: &Product<'_>, got: &[f32]) -> Vec<f64> {
        self.places().map(|(i, j)| f64::from(got[i * product.leading.2 + j])).collect()
    }

    /// The errors, each relative to its scale; zero if the scale is negligible or the values are not finite.
    pub fn errors(&self, product: &Product<'_>, got: &[f32]) -> Vec<f64> {
        self.relative(&self.results(product, got))
    }

    /// The differences of `values` from the reference, relative to the scale.
    pub fn relative(&self, values: &[f64]) -> Vec<f64> {
        let parts = values.iter().zip(&self.reference).zip(&self.scale);
        let relative = parts.map(|((value, reference), scale)| match *scale > self.floor {
            true => (value - reference) / scale,
            false => 0.0,
        });
        relative.map(|part| if part.is_finite() { part } else { 0.0 }).collect()
    }
}

/// Numbers of lines of `terms`, one line after the other.
pub fn gather(lines: &[usize], terms: usize, at: impl Fn(usize, usize) -> f32) -> Vec<f64> {
    lines
        .iter()
        .flat_map(|&line| (0..terms).map(move |p| (line, p)))
        .map(|(l, p)| f64::from(at(l, p)))
        .collect()
}

/// A sum of products, in lanes that a compiler can keep in vector registers.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (x, x_rest) = x.as_chunks::<LANES>();
    let (y, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_indices_cover_the_extent_and_every_place_of_a_tile() {
        assert_eq!(spread(5, 8), [0, 1, 2, 3, 4]);
        let some = spread(1000, 64);
        assert!(some.is_sorted() && some.len() == 64 && some[63] >= 960);
        let mut within: Vec<usize> = some.iter().map(|index| index % 8).collect();
        within.sort_unstable();
        within.dedup();
        assert_eq!(within.len(), 8);
    }
}
