//! A part of a product, some rows by some columns, with its operands in f64.

use super::operands::{Product, Wrong};
use crate::bound::UNIT_F32;
use crate::host::parallel::in_parallel;

/// The most rows and columns of a sample.
const EDGE: usize = 64;
/// The most elements of A or B in a sample.
const HELD: usize = 1 << 21;
/// The most multiply-adds of one product of a sample.
const WORK: usize = 1 << 23;

/// The part.
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
    // The fraction of multiples of the golden ratio places each index within its step.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_spread_over_all_of_an_extent_and_meet_every_place_of_a_tile() {
        assert_eq!(spread(5, 8), [0, 1, 2, 3, 4]);
        let some = spread(1000, 64);
        assert!(some.is_sorted() && some.len() == 64 && some[63] >= 960);
        let mut within: Vec<usize> = some.iter().map(|index| index % 8).collect();
        within.sort_unstable();
        within.dedup();
        assert_eq!(within.len(), 8);
    }
}
