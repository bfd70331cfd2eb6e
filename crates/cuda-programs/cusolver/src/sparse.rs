//! Sparse systems (`cusolverSp*csrlsvqr`): expands the matrix to a dense one on the host and factors it by QR, so systems with many rows
//! are refused.

use crate::algorithms::factor::{Transposition, Triangle, multiply_left, qr};
use crate::handle::{Object, create, destroy, set_stream, stream};
use crate::matrix::{DeviceMatrix, Element, Matrix, size};
use crate::{Result, Status, matrix, refuse};
use lanework_standin::{Memory, Out, calls, is_captured, store};

/// Maximum number of rows of a system: the dense matrix then takes half a gigabyte.
const MOST_ROWS: usize = 5792;

/// A square sparse matrix in CSR form, with the addresses of its arrays on the device.
struct Csr {
    order: usize,
    entries: usize,
    values: usize,
    offsets: usize,
    columns: usize,
}

impl Csr {
    fn numbers(at: usize, count: usize, what: &str) -> Result<Vec<usize>> {
        let bytes = Memory { at, bytes: count * 4 }.read(what)?;
        let (words, _) = bytes.as_chunks();
        Ok(words.iter().map(|word| i32::from_le_bytes(*word) as usize).collect())
    }

    /// Builds the dense matrix; duplicate entries are summed. Indices start at 0 or 1, like the first offset.
    fn dense(&self, element: Element) -> Result<Matrix> {
        let mut dense = Matrix::zeros(self.order, self.order);
        let offsets = Csr::numbers(self.offsets, self.order + 1, "the row offsets")?;
        let base = offsets[0];
        let in_order =
            offsets.is_sorted() && base <= 1 && offsets[self.order] - base == self.entries;
        if !in_order {
            let why = format!(
                "the row offsets do not increase from 0 or 1 to cover the {} entries",
                self.entries
            );
            return refuse(Status::InvalidValue, &why);
        }
        if self.entries == 0 {
            return Ok(dense);
        }
        let columns = Csr::numbers(self.columns, self.entries, "the column indices")?;
        let values = DeviceMatrix::vector(self.values, self.entries).load(element, "the values")?;
        let mut row = 0;
        for (entry, column) in
            columns.into_iter().map(|column| column.wrapping_sub(base)).enumerate()
        {
            while offsets[row + 1] - base <= entry {
                row += 1;
            }
            if column >= self.order {
                let why = format!(
                    "entry {entry} is in column {column}, and there are {} columns",
                    self.order
                );
                return refuse(Status::InvalidValue, &why);
            }
            dense.set(row, column, dense.get(row, column) + values.get(entry, 0));
        }
        Ok(dense)
    }
}

/// Solves A x = b; returns the first row of R whose diagonal is not above the tolerance, or -1.
fn solve(
    handle: usize,
    element: Element,
    a: &Csr,
    b: usize,
    tolerance: f64,
    x: usize,
) -> Result<i32> {
    let stream = stream(handle)?;
    if is_captured(stream)? {
        return refuse(
            Status::NotSupported,
            "a sparse solve tells the host whether the matrix is singular, so its stream cannot be captured",
        );
    }
    if a.order > MOST_ROWS {
        let why = format!(
            "a sparse system of {} rows exceeds the limit of {MOST_ROWS}; use an iterative method",
            a.order
        );
        return refuse(Status::NotSupported, &why);
    }
    let mut factors = a.dense(element)?;
    let mut solution = DeviceMatrix::vector(b, a.order).load(element, "b")?;
    let scales = qr(&mut factors);
    // NaN is not above the tolerance.
    let above = |row: usize| factors.get(row, row).norm() > tolerance;
    let singular = (0..a.order).find(|&row| !above(row));
    multiply_left(&factors, &scales, true, &mut solution);
    let upper = Triangle { lower: false, unit: false, form: Transposition::Plain };
    upper.solve(&factors, &mut solution);
    DeviceMatrix::vector(x, a.order).store(element, &solution, "x")?;
    Ok(singular.map_or(-1, |row| row as i32))
}

macro_rules! sparse {
    ($($element:ident $real:ty: $solve:ident;)*) => {
        calls! { "cuSOLVER", Status;
            fn cusolverSpCreate(to: Out<'_, usize>) {
                let handle = create(Object::Context(0))?;
                store(to, handle)
            }
            fn cusolverSpDestroy(handle: usize) { destroy(handle) }
            fn cusolverSpSetStream(handle: usize, to: usize) { set_stream(handle, to) }
            fn cusolverSpGetStream(handle: usize, to: Out<'_, usize>) {
                store(to, stream(handle)?)
            }
            $(
                fn $solve(handle: usize, m: i32, entries: i32, _descriptor: usize, values: usize, offsets: usize, columns: usize, b: usize, tolerance: $real, _reorder: i32, x: usize, singular: Out<'_, i32>) {
                    let (order, entries) = (size(m.into(), "the number of rows")?, size(entries.into(), "the number of entries")?);
                    let a = Csr { order, entries, values, offsets, columns };
                    let found = solve(handle, matrix::$element, &a, b, tolerance.into(), x)?;
                    store(singular, found)
                }
            )*
        }
    };
}

sparse! {
    S f32: cusolverSpScsrlsvqr;
    D f64: cusolverSpDcsrlsvqr;
    C f32: cusolverSpCcsrlsvqr;
    Z f64: cusolverSpZcsrlsvqr;
}
