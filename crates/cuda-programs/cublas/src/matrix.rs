//! Matrices and vectors in memory: reading all elements, and writing them back.

use crate::kind::{Kind, Number};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, write};

/// How a factor is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub transposed: bool,
    pub conjugated: bool,
}

impl Operation {
    /// The operation of a `cublasOperation_t`.
    ///
    /// # Errors
    /// When there is no such.
    pub fn of(code: i32) -> Result<Operation> {
        let [transposed, conjugated] = match code {
            0 => [false, false],
            1 => [true, false],
            2 => [true, true],
            _ => {
                return refuse(
                    Status::InvalidValue,
                    &format!("{code} is not an operation on a matrix"),
                );
            }
        };
        Ok(Operation { transposed, conjugated })
    }
}

/// A matrix in memory: the element of row `i` and column `j` lies `i * down + j * across` elements from the start.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    pub at: usize,
    pub kind: Kind,
    pub rows: usize,
    pub columns: usize,
    pub down: usize,
    pub across: usize,
}

/// The elements of a matrix, row by row.
#[derive(Clone, Debug)]
pub struct Dense {
    pub rows: usize,
    pub columns: usize,
    pub elements: Vec<Number>,
}

impl Matrix {
    /// A matrix by columns, with its leading dimension.
    ///
    /// # Errors
    /// When an extent is negative, or the leading dimension too small.
    pub fn by_columns(
        at: usize,
        kind: Kind,
        rows: i64,
        columns: i64,
        leading: i64,
    ) -> Result<Matrix> {
        let extent = |value: i64| usize::try_from(value).ok().filter(|value| *value < 1 << 40);
        match (extent(rows), extent(columns), extent(leading)) {
            (Some(rows), Some(columns), Some(across)) if across >= rows.max(1) => {
                Ok(Matrix { at, kind, rows, columns, down: 1, across })
            }
            _ => refuse(
                Status::InvalidValue,
                &format!(
                    "a matrix of {rows} rows and {columns} columns cannot have leading dimension {leading}"
                ),
            ),
        }
    }

    /// The matrix that a factor is stored as, whose operation gives `rows` and `columns`.
    ///
    /// # Errors
    /// As [`Matrix::by_columns`].
    pub fn factor(
        at: usize,
        kind: Kind,
        operation: Operation,
        rows: i64,
        columns: i64,
        leading: i64,
    ) -> Result<Matrix> {
        match operation.transposed {
            false => Matrix::by_columns(at, kind, rows, columns, leading),
            true => Matrix::by_columns(at, kind, columns, rows, leading),
        }
    }

    /// A vector as a matrix of one column, with its increment; a negative one begins at the end.
    ///
    /// # Errors
    /// When the length is negative.
    pub fn vector(at: usize, kind: Kind, length: i64, increment: i64) -> Result<(Matrix, bool)> {
        match (usize::try_from(length), usize::try_from(increment.unsigned_abs())) {
            (Ok(rows), Ok(down)) if rows < 1 << 40 && down < 1 << 32 => {
                Ok((Matrix { at, kind, rows, columns: 1, down, across: 0 }, increment < 0))
            }
            _ => refuse(
                Status::InvalidValue,
                &format!("a vector cannot have {length} elements with increment {increment}"),
            ),
        }
    }

    fn extent(&self) -> usize {
        match (self.rows, self.columns) {
            (0, _) | (_, 0) => 0,
            (rows, columns) => {
                let last = (rows - 1)
                    .saturating_mul(self.down)
                    .saturating_add((columns - 1).saturating_mul(self.across));
                last.saturating_add(1).saturating_mul(self.kind.bytes())
            }
        }
    }

    /// From its first element to its last.
    fn memory(&self) -> Memory {
        Memory { at: self.at, bytes: self.extent() }
    }

    /// Its elements.
    ///
    /// # Errors
    /// When its memory is not there.
    pub fn read(&self, what: &str) -> Result<Dense> {
        // SAFETY: the elements are read at once.
        let bytes = unsafe { self.memory().bytes(what) }?;
        let size = self.kind.bytes();
        let mut elements = Vec::with_capacity(self.rows * self.columns);
        for row in 0..self.rows {
            for column in 0..self.columns {
                let start = (row * self.down + column * self.across) * size;
                elements.push(self.kind.read(bytes.get(start..start + size).unwrap_or_default()));
            }
        }
        Ok(Dense { rows: self.rows, columns: self.columns, elements })
    }

    /// Its elements after an operation.
    ///
    /// # Errors
    /// When its memory is not there.
    pub fn read_as(&self, operation: Operation, what: &str) -> Result<Dense> {
        let mut dense = match operation.transposed {
            false => self.read(what)?,
            true => self.transposed().read(what)?,
        };
        if operation.conjugated && self.kind.is_complex() {
            dense.elements.iter_mut().for_each(|element| element[1] = -element[1]);
        }
        Ok(dense)
    }

    fn transposed(&self) -> Matrix {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            down: self.across,
            across: self.down,
            ..*self
        }
    }

    /// Writes all elements, and nothing between them.
    ///
    /// # Errors
    /// When its memory is not there.
    pub fn write(&self, dense: &Dense, what: &str) -> Result {
        self.memory().check(what)?;
        let by_rows = self.across == 1 && self.down != 1;
        let (lines, length, step, next) = match by_rows {
            true => (self.rows, self.columns, self.across, self.down),
            false => (self.columns, self.rows, self.down, self.across),
        };
        let size = self.kind.bytes();
        let element = |line: usize, at: usize| match by_rows {
            true => dense.elements[line * dense.columns + at],
            false => dense.elements[at * dense.columns + line],
        };
        for line in 0..lines {
            let start = self.at + line * next * size;
            let mut bytes = Vec::with_capacity(length * size);
            for at in 0..length {
                self.kind.put(element(line, at), &mut bytes);
                if step != 1 {
                    write(start + at * step * size, &bytes, what)?;
                    bytes.clear();
                }
            }
            write(start, &bytes, what)?;
        }
        Ok(())
    }
}
