//! Verification of a product `C = alpha A B + beta C` in f32 against FP64.
//!
//! Every known element must be within the proven bound of [`Bound`]. A reference of every element costs the host as
//! many operations as the GPU. Above a budget, only some rows are computed; `Sketch` checks the others and selects
//! suspect rows, which are then computed. `structure` describes rejected results, and `precision` recognizes
//! results of lower precision than f32.

mod evidence;
mod operands;
mod precision;
#[cfg(test)]
mod problems;
mod sample;
mod slices;
mod structure;
#[cfg(test)]
mod tests;

use crate::bound::Bound;
use lanework_bench::{Accuracy, Rejection};
pub use operands::Product;
use operands::{Known, Wrong};
use rand::{Rng, SeedableRng, rngs::StdRng};
use sample::{Sample, Sketch};
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
        if let Some(filled) = structure::filled(self, got, wrong) {
            return Rejection::Wrong(format!("{filled}: {far}{list}"));
        }
        if let Some(why) = precision::rounded_results(self, sample, got) {
            return Rejection::LowerPrecision(format!("{why} ({far}{list})"));
        }
        match structure::named(self, &reference.known, sample, got, wrong) {
            Some(why) => Rejection::Wrong(format!("{why}: {far}{list}")),
            None => Rejection::Wrong(format!("{far}{list}")),
        }
    }
}
