//! Descriptions of wrong results: missing writes, swapped indices, missing terms.
//!
//! Each is an assumption that predicts every element of a sample around the wrong ones. It is reported only if all
//! elements are within the proven bound of the prediction.

use super::evidence::norm;
use super::operands::{Known, Product, Wrong};
use super::sample::{Sample, gather};
use super::slices;
use super::slices::Counts;
use std::collections::HashSet;

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
