//! Eigenvalues and singular values of matrices of the device, in the order of a stream.

use crate::element::Number;
use crate::jacobi::{Svd, eigen, svd};
use crate::matrix::{DeviceMatrix, Matrix};
use crate::operations::Call;
use crate::status::{Result, Status, refuse};
use lanework_standin::submit;

/// Eigenvalues of a Hermitian matrix, of which one triangle counts; its eigenvectors in its place, where they are wanted.
///
/// # Errors
/// When memory is not allocated, or the stream does not exist.
pub fn eigenvalues(
    call: Call,
    vectors: bool,
    upper: bool,
    a: DeviceMatrix,
    values: usize,
) -> Result {
    submit(call.stream, move || {
        let half = a.load(call.element, "A")?;
        let whole = Matrix::of(a.rows, a.rows, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => Number::new(half.get(i, j).re, 0.0),
            std::cmp::Ordering::Less if upper => half.get(i, j),
            std::cmp::Ordering::Greater if !upper => half.get(i, j),
            _ => half.get(j, i).conj(),
        });
        let place = DeviceMatrix::vector(values, a.rows);
        let Some((found, columns)) = eigen(whole) else {
            return not_finite(call, &[(place, true)], &[(a, vectors)]);
        };
        place.store(call.element.real(), &Matrix::column_of(&found), "W")?;
        if vectors {
            a.store(call.element, &columns, "A")?;
        }
        call.store_info(0)
    })
}

/// Fills the results with NaN and stores that the method did not converge: the matrix has elements that are not finite.
fn not_finite(
    call: Call,
    real: &[(DeviceMatrix, bool)],
    others: &[(DeviceMatrix, bool)],
) -> Result {
    let nan = |place: &DeviceMatrix| {
        Matrix::of(place.rows, place.columns, |_, _| Number::new(f64::NAN, 0.0))
    };
    for (place, _) in real.iter().filter(|(_, wanted)| *wanted) {
        place.store(call.element.real(), &nan(place), "values")?;
    }
    for (place, _) in others.iter().filter(|(_, wanted)| *wanted) {
        place.store(call.element, &nan(place), "vectors")?;
    }
    call.store_info(1)
}

/// What is wanted of singular vectors: some columns in a place, or none.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Where the left ones go.
    pub left: Option<DeviceMatrix>,
    /// Where the right ones go.
    pub right: Option<DeviceMatrix>,
    /// Whether the right ones are stored as the rows of their adjoint.
    pub adjoint: bool,
}

/// Singular values, with the wanted vectors.
///
/// # Errors
/// As [`eigenvalues`].
pub fn singular_values(call: Call, a: DeviceMatrix, values: usize, wanted: Wanted) -> Result {
    submit(call.stream, move || {
        let place = DeviceMatrix::vector(values, a.rows.min(a.columns));
        let sides = [wanted.left, wanted.right];
        let Some(Svd { left, values: found, right }) = svd(&a.load(call.element, "A")?) else {
            let others: Vec<(DeviceMatrix, bool)> =
                sides.iter().flatten().map(|p| (*p, true)).collect();
            return not_finite(call, &[(place, true)], &others);
        };
        place.store(call.element.real(), &Matrix::column_of(&found), "S")?;
        if let Some(to) = wanted.left {
            to.store(call.element, &Matrix::of(to.rows, to.columns, |i, j| left.get(i, j)), "U")?;
        }
        if let Some(to) = wanted.right {
            let shown = Matrix::of(to.rows, to.columns, |i, j| match wanted.adjoint {
                true => right.get(j, i).conj(),
                false => right.get(i, j),
            });
            to.store(call.element, &shown, "V")?;
        }
        call.store_info(0)
    })
}

/// What LAPACK's letters for `gesvd` want: all columns of U or rows of V*, the first ones, those in the place of A, or none.
///
/// # Errors
/// When there are more columns than rows, which NVIDIA's refuses, a letter is none of these, or both want the place of A.
pub fn wanted(jobs: [i8; 2], a: DeviceMatrix, [u, vt]: [(usize, i64); 2]) -> Result<Wanted> {
    let (rows, columns) = (a.rows as i64, a.columns as i64);
    if rows < columns {
        let why = format!(
            "gesvd is for at least as many rows as columns, and A has {rows} and {columns}; give it the adjoint"
        );
        return refuse(Status::InvalidValue, &why);
    }
    let [left, right] = jobs.map(|job| job as u8 as char);
    if left == 'O' && right == 'O' {
        return refuse(Status::InvalidValue, "U and V* cannot both take the place of A");
    }
    let unknown = |job: char| {
        refuse(Status::InvalidValue, &format!("`{job}` is none of A, S, O and N for vectors"))
    };
    let left = match left {
        'A' => Some(DeviceMatrix::new(u.0, rows, rows, u.1)?),
        'S' => Some(DeviceMatrix::new(u.0, rows, columns, u.1)?),
        'O' => Some(a),
        'N' => None,
        other => return unknown(other),
    };
    let right = match right {
        'A' | 'S' => Some(DeviceMatrix::new(vt.0, columns, columns, vt.1)?),
        'O' => Some(DeviceMatrix { rows: a.columns, ..a }),
        'N' => None,
        other => return unknown(other),
    };
    Ok(Wanted { left, right, adjoint: true })
}
