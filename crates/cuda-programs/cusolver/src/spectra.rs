//! Eigenvalues and singular values of device matrices, in stream order.

use crate::algorithms::spectral::{Svd, Vectors, eigen, svd};
use crate::element::Number;
use crate::matrix::{DeviceMatrix, Matrix};
use crate::operations::Call;
use crate::status::{Result, Status, refuse};
use lanework_standin::submit;

/// Computes the eigenvalues of a Hermitian matrix from one triangle; its eigenvectors overwrite it if requested.
///
/// # Errors
/// If memory is not allocated, or the stream does not exist.
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
        let Some((found, columns)) = eigen(&whole, vectors) else {
            return not_finite(call, &[(place, true)], &[(a, vectors)]);
        };
        place.store(call.element.real(), &Matrix::column_of(&found), "W")?;
        if vectors {
            a.store(call.element, &columns, "A")?;
        }
        call.store_info(0)
    })
}

/// Fills the results with NaN and stores in `devInfo` that the method did not converge, for matrices with elements that are not finite.
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

/// The requested singular vectors: some columns at an address, or none.
#[derive(Clone, Copy, Debug)]
pub struct VectorOutputs {
    /// Destination of the left vectors.
    pub left: Option<DeviceMatrix>,
    /// Destination of the right vectors.
    pub right: Option<DeviceMatrix>,
    /// Whether the right vectors are stored as the rows of their adjoint.
    pub adjoint: bool,
}

/// Computes singular values and the requested vectors.
///
/// # Errors
/// As [`eigenvalues`].
pub fn singular_values(
    call: Call,
    a: DeviceMatrix,
    values: usize,
    wanted: VectorOutputs,
) -> Result {
    submit(call.stream, move || {
        let place = DeviceMatrix::vector(values, a.rows.min(a.columns));
        let sides = [wanted.left, wanted.right];
        let vectors = match sides.iter().flatten().map(|side| side.columns).max() {
            None => Vectors::None,
            Some(columns) if columns <= place.rows => Vectors::First,
            Some(_) => Vectors::All,
        };
        let a = a.load(call.element, "A")?;
        let Some(Svd { left, values: found, right }) = svd(&a, vectors) else {
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

/// Translates LAPACK's letters for `gesvd`: all columns of U or rows of V*, the first ones, in place of A, or none.
///
/// # Errors
/// If there are more columns than rows, which NVIDIA's function refuses; if a letter is unknown, or both overwrite A.
pub fn wanted(jobs: [i8; 2], a: DeviceMatrix, [u, vt]: [(usize, i64); 2]) -> Result<VectorOutputs> {
    let (rows, columns) = (a.rows as i64, a.columns as i64);
    if rows < columns {
        let why = format!(
            "gesvd needs at least as many rows as columns, and A is {rows} x {columns}; pass the adjoint"
        );
        return refuse(Status::InvalidValue, &why);
    }
    let [left, right] = jobs.map(|job| job as u8 as char);
    if left == 'O' && right == 'O' {
        return refuse(Status::InvalidValue, "U and V* cannot both overwrite A");
    }
    let unknown = |job: char| {
        refuse(Status::InvalidValue, &format!("`{job}` is not a job for vectors; use A, S, O or N"))
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
    Ok(VectorOutputs { left, right, adjoint: true })
}
