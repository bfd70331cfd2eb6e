//! Verification of a product `C = alpha A B + beta C` in f32 against FP64.
//!
//! Every known element must be within the proven bound of [`Bound`]. A reference of every element costs the host as
//! many operations as the GPU. Above a budget, only some rows are computed; `Sketch` checks the others and selects
//! suspect rows, which are then computed. `precision` recognizes results of lower precision than f32.
//!
//! Rejected results are described: missing writes, swapped indices, missing terms. Each description is an assumption
//! that predicts every element of a sample around the wrong ones. It is reported only if all elements are within the
//! proven bound of the prediction.

mod evidence;
mod precision;
#[cfg(test)]
mod problems;
mod sample;
mod slices;
#[cfg(test)]
mod tests;

pub use sample::Product;

use crate::bound::Bound;
use evidence::norm;
use lanework_bench::{Accuracy, Rejection};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sample::{Known, Sample, Sketch, Wrong, gather};
use slices::Counts;
use std::collections::HashSet;
use std::fmt::Write;
use std::sync::OnceLock;

/// The expected product, wholly or in part.
pub struct Reference {
    /// The rows whose elements are all known.
    known: Known,
    /// Set if not all rows are known.
    sketch: Option<Sketch>,
    /// A part of the product for the statistical tests, with the results of narrower inputs.
    sample: OnceLock<precision::Expectations>,
}

/// The most multiply-adds of a full reference: about a second.
const BUDGET: usize = 1 << 30;

/// The fewest known rows.
const FEWEST_ROWS: usize = 8;

/// The most mismatches in a message.
const SHOWN: usize = 5;

impl Product<'_> {
    /// The reference.
    pub fn reference(&self) -> Reference {
        self.reference_within(BUDGET)
    }

    /// The reference: of all rows if that takes at most `budget` multiply-adds, else of some.
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
            (rows, Some(Sketch::of(self, &mut random)))
        };
        Reference { known: self.known_rows(rows), sketch, sample: OnceLock::new() }
    }

    /// Compares `got`, laid out as C, with the reference.
    ///
    /// # Errors
    /// A message about elements that no order of additions produces, or about the lower precision of the result.
    pub fn compare(&self, reference: &Reference, got: &[f32]) -> Result<Accuracy, Rejection> {
        let ((_, n, _), (_, _, ldc)) = (self.extents, self.leading);
        let (bound, known) = (self.bound(), &reference.known);
        let place = |index: usize| (known.rows[index / n], index % n);
        let at = |index: usize| {
            let (i, j) = place(index);
            (f64::from(got[i * ldc + j]), known.values[index], known.scales[index])
        };
        let found = bound.compare(known.values.len(), &at);
        let mut wrong: Vec<Wrong> =
            found.wrong.iter().map(|&index| Wrong::new(place(index), at(index))).collect();
        if let Some(sketch) = &reference.sketch {
            let rows = sketch.suspects(self, got);
            let unknown = rows.iter().filter(|row| known.rows.binary_search(row).is_err());
            wrong.extend(unknown.flat_map(|&row| self.wrong_in(row, &bound, got)));
        }
        if !wrong.is_empty() {
            return Err(self.rejection(reference, got, &wrong));
        }
        let expected = reference.sample.get_or_init(|| {
            let (rows, cols) = self.spread();
            precision::Expectations::of(Sample::of(self, &rows, &cols))
        });
        let errors = expected.sample.errors(self, got);
        if let Some(why) = precision::told_by_errors(self, expected, &errors, got) {
            return Err(Rejection::LowerPrecision(why));
        }
        match slices::told_by_errors(&expected.sample, &errors) {
            Some(why) => Err(Rejection::Wrong(why)),
            None => Ok(found.accuracy),
        }
    }

    /// The wrong elements of one row.
    fn wrong_in(&self, i: usize, bound: &Bound, got: &[f32]) -> Vec<Wrong> {
        let (values, scales) = self.known_row(i);
        let at = |j: usize| (f64::from(got[i * self.leading.2 + j]), values[j], scales[j]);
        let found = bound.compare(values.len(), &at);
        found.wrong.iter().map(|&j| Wrong::new((i, j), at(j))).collect()
    }

    /// The rejection of a result with wrong elements: the precision in which it would be right, or the defect.
    fn rejection(&self, reference: &Reference, got: &[f32], wrong: &[Wrong]) -> Rejection {
        let (m, n, k) = self.extents;
        let known = match reference.sketch {
            Some(_) => format!("elements checked, of {m}x{n}"),
            None => format!("of {} elements", m * n),
        };
        let mut list = String::new();
        for one in wrong.iter().take(SHOWN) {
            let words = self.bound().words(one.got, one.reference, one.scale);
            let _ = write!(list, "; [{}][{}] {words}", one.row, one.col);
        }
        let count = wrong.len();
        let far = format!("{count} {known} are further off than any order of {k} additions allows");
        let (rows, cols) = self.around(wrong);
        let expected = precision::Expectations::of(Sample::of(self, &rows, &cols));
        let sample = &expected.sample;
        if let Some(why) = precision::told_by_bound(self, &reference.known, &expected, got, wrong) {
            return Rejection::LowerPrecision(format!("{why} ({far}{list})"));
        }
        if let Some(filled) = filled(self, got, wrong) {
            return Rejection::Wrong(format!("{filled}: {far}{list}"));
        }
        if let Some(why) = precision::rounded_results(self, sample, got) {
            return Rejection::LowerPrecision(format!("{why} ({far}{list})"));
        }
        match named(self, &reference.known, sample, got, wrong) {
            Some(why) => Rejection::Wrong(format!("{why}: {far}{list}")),
            None => Rejection::Wrong(format!("{far}{list}")),
        }
    }
}

/// The bounding rectangle of the wrong elements, if nearly all elements in it are wrong: first and last row and
/// column. Some may be right by chance.
fn rectangle(wrong: &[Wrong], alike: impl Fn(usize, usize) -> bool) -> Option<[usize; 4]> {
    let span = |of: fn(&Wrong) -> usize| {
        let places = || wrong.iter().map(of);
        Some((places().min()?, places().max()?))
    };
    let ((top, bottom), (left, right)) = (span(|one| one.row)?, span(|one| one.col)?);
    let mut places = (top..=bottom).flat_map(|i| (left..=right).map(move |j| (i, j)));
    places.all(|(i, j)| alike(i, j)).then_some([top, bottom, left, right])
}

/// Elements that were not written or not computed: all have one value, or the old values of C.
pub fn filled(product: &Product<'_>, got: &[f32], wrong: &[Wrong]) -> Option<String> {
    let first = wrong.first().filter(|_| wrong.len() > 1)?;
    let (beta, ldc) = (product.beta, product.leading.2);
    let result = |i: usize, j: usize| got[i * ldc + j].to_bits();
    let value = first.got as f32;
    let one_value = |i: usize, j: usize| {
        result(i, j) == value.to_bits() || (got[i * ldc + j].is_nan() && value.is_nan())
    };
    let unchanged =
        |i: usize, j: usize| beta != 0.0 && result(i, j) == product.c[i * ldc + j].to_bits();
    let beta_only = |i: usize, j: usize| {
        beta != 0.0 && result(i, j) == (beta * product.c[i * ldc + j]).to_bits()
    };
    // Equal inputs have equal results, right or wrong.
    let differ = |one: &Wrong| {
        (one.reference - first.reference).abs() > product.bound().allowed(one.scale + first.scale)
    };
    let no_result = value == 0.0 || !value.is_finite() || wrong.iter().any(differ);
    let words = format!("they all hold {value:e}");
    /// Whether the test applies, whether an element fits, and the resulting description.
    type Fill<'a> = (bool, &'a dyn Fn(usize, usize) -> bool, &'a str);
    let fills: [Fill<'_>; 3] = [
        (true, &unchanged, "they hold what C held before"),
        (true, &beta_only, "they hold beta C, without a product"),
        (no_result, &one_value, &words),
    ];
    let (_, alike, what) = fills.into_iter().find(|(possible, alike, _)| {
        *possible && wrong.iter().all(|one| alike(one.row, one.col))
    })?;
    let (m, n, _) = product.extents;
    let place = match rectangle(wrong, alike) {
        Some([0, bottom, 0, right]) if (bottom + 1, right + 1) == (m, n) => {
            "no element was computed".to_owned()
        }
        Some([top, bottom, left, right]) => {
            format!("rows {top} to {bottom}, columns {left} to {right} were not computed")
        }
        None => format!("{} elements were not computed", wrong.len()),
    };
    Some(format!("{place} ({what})"))
}

/// Describes a wrong result.
pub fn named(
    product: &Product<'_>,
    known: &Known,
    sample: &Sample,
    got: &[f32],
    wrong: &[Wrong],
) -> Option<String> {
    let results = sample.results(product, got);
    swapped(product, sample, &results)
        .or_else(|| moved(product, known, got, wrong))
        .or_else(|| miscounted(product, sample, &results))
        .or_else(|| scaled(product, wrong))
        .or_else(|| {
            let (m, n, _) = product.extents;
            let places: HashSet<_> = wrong.iter().map(|one| (one.row, one.col)).collect();
            let [top, bottom, left, right] = rectangle(wrong, |i, j| places.contains(&(i, j)))
                .filter(|_| wrong.len() < m * n)?;
            Some(format!(
                "all of rows {top} to {bottom}, columns {left} to {right}, and no other, are wrong"
            ))
        })
}

/// Whether all results of a sample are within the bound of these values, and closer to them than to the reference.
fn explains(product: &Product<'_>, sample: &Sample, results: &[f64], values: &[f64]) -> bool {
    let bound = product.bound();
    let within = results
        .iter()
        .zip(values)
        .zip(&sample.scale)
        .all(|((&result, &value), &scale)| bound.accepts(result, value, scale + value.abs()));
    let (before, after): (Vec<f64>, Vec<f64>) = sample
        .relative(results)
        .iter()
        .zip(sample.relative(values))
        .map(|(error, moved)| (*error, error - moved))
        .unzip();
    within && norm(&after) <= 0.5 * norm(&before)
}

/// Edges of tiles.
const TILES: [usize; 4] = [8, 16, 32, 64];

/// A swapped index: in C, in a tile of C, in A or in B.
fn swapped(product: &Product<'_>, sample: &Sample, results: &[f64]) -> Option<String> {
    let ((m, n, k), (lda, ldb, _)) = (product.extents, product.leading);
    let at_places = |place: &dyn Fn(usize, usize) -> (usize, usize)| -> Vec<f64> {
        let value = |(i, j): (usize, usize)| {
            let (row, col) = place(i, j);
            if row >= m || col >= n {
                return f64::NAN;
            }
            let sum: f64 = (0..k)
                .map(|p| f64::from(product.a[row * lda + p]) * f64::from(product.b[p * ldb + col]))
                .sum();
            sample.alpha * sum + product.before(i, j)
        };
        sample.places().map(value).collect()
    };
    let explains = |values: Vec<f64>| explains(product, sample, results, &values);
    // Written column by column, read row by row.
    if explains(at_places(&|i, j| ((i * n + j) % m, (i * n + j) / m))) {
        return Some("as if C had been written transposed (its indices are swapped)".to_owned());
    }
    for tile in TILES {
        let within = |i: usize, j: usize| (i / tile * tile + j % tile, j / tile * tile + i % tile);
        if explains(at_places(&within)) {
            return Some(format!(
                "as if every {tile}x{tile} tile of C had been written transposed (its indices are swapped)"
            ));
        }
    }
    // Each index is within the array, since the tightly packed index is a permutation.
    let a = || gather(&sample.rows, k, |i, p| product.a[p * m + i]);
    if lda == k && explains(sample.with(&a(), &sample.b)) {
        return Some("as if A had been read transposed (its indices are swapped)".to_owned());
    }
    let b = || gather(&sample.cols, k, |j, p| product.b[j * k + p]);
    if ldb == n && explains(sample.with(&sample.a, &b())) {
        return Some("as if B had been read transposed (its indices are swapped)".to_owned());
    }
    None
}

/// A row or column with the results of another.
fn moved(product: &Product<'_>, known: &Known, got: &[f32], wrong: &[Wrong]) -> Option<String> {
    let ((_, n, _), (_, _, ldc)) = (product.extents, product.leading);
    let (first, bound) = (wrong.first()?, product.bound());
    let holds = |(i, j): (usize, usize), row: usize, col: usize| {
        let at = row * n + col;
        bound.accepts(got[i * ldc + j].into(), known.values[at], known.scales[at])
    };
    let row =
        (0..known.rows.len()).find(|&row| n > 1 && (0..n).all(|j| holds((first.row, j), row, j)));
    if let Some(row) = row {
        let from = known.rows[row];
        return Some(format!("row {} holds the results of row {from}", first.row));
    }
    let of_rows =
        |col: usize| (0..known.rows.len()).all(|row| holds((known.rows[row], first.col), row, col));
    let col = (0..n).find(|&col| known.rows.len() > 1 && of_rows(col))?;
    Some(format!("column {} holds the results of column {col}", first.col))
}

/// Terms that are missing or counted twice: the better explanation of an exactly fitting slice and the best-fitting
/// terms.
fn miscounted(product: &Product<'_>, sample: &Sample, results: &[f64]) -> Option<String> {
    let slice = slices::named(product, sample, results);
    let counts = Counts::of(sample, results);
    let values = counts.values(sample);
    let errors = sample.relative(results).into_iter().zip(sample.relative(&values));
    let left = norm(&errors.map(|(error, cause)| error - cause).collect::<Vec<_>>());
    let terms = counts.words().filter(|_| explains(product, sample, results, &values));
    match (slice, terms) {
        (Some((_, of_slice)), Some(words)) if left < 0.99 * of_slice => Some(words),
        (Some((words, _)), _) | (None, Some(words)) => Some(words),
        (None, None) => None,
    }
}

/// Every wrong element differs by the same factor.
fn scaled(product: &Product<'_>, wrong: &[Wrong]) -> Option<String> {
    let sum = |of: &dyn Fn(&Wrong) -> f64| wrong.iter().map(of).sum::<f64>();
    let factor = sum(&|one| one.got * one.reference) / sum(&|one| one.reference * one.reference);
    let square = |x: f64| x * x;
    let (off, left) = (
        sum(&|one| square(one.got - one.reference)),
        sum(&|one| square(one.got - factor * one.reference)),
    );
    let bound = product.bound();
    let all = wrong.iter().all(|one| {
        bound.accepts(one.got, factor * one.reference, (1.0 + factor.abs()) * one.scale)
    });
    (wrong.len() > 1 && all && 256.0 * left <= off)
        .then(|| format!("each is {factor:.6} times what it should be"))
}
