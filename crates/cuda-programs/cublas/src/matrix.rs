//! Matrices and vectors in device memory: reads all elements, and writes them back. A partly stored matrix (one
//! triangle, column-major or packed, or a band) is expanded to a full matrix; writes change only its stored elements.

use crate::kind::{ElementType, Number, SumType, put_lines, read_all, tiled};
use crate::{Result, Status, refuse};
use lanework_standin::{Memory, write, write_spaced};

/// Operation on a factor: transposed, conjugated, both or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub transposed: bool,
    pub conjugated: bool,
}

impl Operation {
    /// The operation of a `cublasOperation_t`.
    ///
    /// # Errors
    /// If the code is unknown.
    pub fn of(code: i32) -> Result<Operation> {
        let [transposed, conjugated] = match code {
            0 => [false, false],
            1 => [true, false],
            2 => [true, true],
            _ => {
                return refuse(Status::InvalidValue, &format!("{code} is not a cublasOperation_t"));
            }
        };
        Ok(Operation { transposed, conjugated })
    }
}

/// A matrix in memory: element (`i`, `j`) is `i * down + j * across` elements after the first.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    pub at: usize,
    pub kind: ElementType,
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

/// A packed factor: element (`i`, `j`) is at `i * down + j * across`.
pub struct Packed<T> {
    pub rows: usize,
    pub columns: usize,
    pub down: usize,
    pub across: usize,
    pub elements: Vec<T>,
}

impl<T> Packed<T> {
    /// A factor whose elements are stored line by line, in rows or in columns.
    ///
    /// # Panics
    /// If `elements` has another length than the extents require.
    pub fn new(rows: usize, columns: usize, by_rows: bool, elements: Vec<T>) -> Packed<T> {
        assert_eq!(elements.len(), rows * columns, "a factor has all its elements");
        let (down, across) = if by_rows { (columns, 1) } else { (1, rows) };
        Packed { rows, columns, down, across, elements }
    }

    /// Whether the number of elements matches the extents.
    pub fn is_whole(&self) -> bool {
        let last = |length: usize, step: usize| length.saturating_sub(1) * step;
        let is_empty = self.rows == 0 || self.columns == 0;
        is_empty
            || last(self.rows, self.down) + last(self.columns, self.across) < self.elements.len()
    }
}

impl Packed<Number> {
    /// The elements row by row.
    pub fn by_rows(self) -> Dense {
        let Packed { rows, columns, down, across, elements: from } = self;
        if across == 1 || rows == 1 {
            return Dense { rows, columns, elements: from };
        }
        let mut elements = vec![[0.0; 2]; from.len()];
        for (row, column) in tiled(rows, columns) {
            elements[row * columns + column] = from[row * down + column * across];
        }
        Dense { rows, columns, elements }
    }
}

impl Matrix {
    /// A column-major matrix with a leading dimension.
    ///
    /// # Errors
    /// If an extent is negative, or the leading dimension too small.
    pub fn by_columns(
        at: usize,
        kind: ElementType,
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

    /// The stored matrix of a factor; after the operation it has `rows` by `columns` elements.
    ///
    /// # Errors
    /// As [`Matrix::by_columns`].
    pub fn factor(
        at: usize,
        kind: ElementType,
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

    /// A vector as a matrix of one column. With a negative increment, its last element comes first in memory.
    ///
    /// # Errors
    /// If the length is negative.
    pub fn vector(
        at: usize,
        kind: ElementType,
        length: i64,
        increment: i64,
    ) -> Result<(Matrix, bool)> {
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

    /// The memory from the first element to the last.
    fn memory(&self) -> Memory {
        Memory { at: self.at, bytes: self.extent() }
    }

    /// Whether rows are contiguous, and columns are not.
    fn is_by_rows(&self) -> bool {
        self.across == 1 && self.down != 1
    }

    /// Columns, or rows if those are contiguous: the number of lines, their length, and the strides of elements and of
    /// lines.
    fn lines(&self) -> (usize, usize, usize, usize) {
        match self.is_by_rows() {
            true => (self.rows, self.columns, self.across, self.down),
            false => (self.columns, self.rows, self.down, self.across),
        }
    }

    /// Reads the elements.
    ///
    /// # Errors
    /// If the memory is not inside one allocation.
    pub fn read(&self, what: &str) -> Result<Dense> {
        let as_stored = Operation { transposed: false, conjugated: false };
        Ok(self.pack(as_stored, what)?.by_rows())
    }

    /// Packs the elements after an operation, in the order of the memory.
    ///
    /// # Errors
    /// If the memory is not inside one allocation.
    pub fn pack<T: SumType>(&self, operation: Operation, what: &str) -> Result<Packed<T>> {
        // SAFETY: the elements are copied out of the slice immediately, and stream order excludes writers until then.
        let bytes = unsafe { self.memory().bytes(what) }?;
        let size = self.kind.bytes();
        let by_rows = self.is_by_rows();
        let (lines, length, step, next) = self.lines();
        let conjugated = operation.conjugated && self.kind.is_complex;
        let make = |[re, im]: Number| T::of([re, if conjugated { -im } else { im }]);
        let mut elements = Vec::with_capacity(lines * length);
        for line in 0..if length == 0 { 0 } else { lines } {
            let bytes = &bytes[line * next * size..];
            read_all(self.kind, bytes, step, length, make, &mut elements);
        }
        let (rows, columns) = match operation.transposed {
            false => (self.rows, self.columns),
            true => (self.columns, self.rows),
        };
        Ok(Packed::new(rows, columns, by_rows != operation.transposed, elements))
    }

    /// Reads the elements and applies an operation.
    ///
    /// # Errors
    /// If the memory is not inside one allocation.
    pub fn read_as(&self, operation: Operation, what: &str) -> Result<Dense> {
        Ok(self.pack(operation, what)?.by_rows())
    }

    /// Writes all elements; gaps between columns stay unchanged.
    ///
    /// # Errors
    /// If the memory is not inside one allocation.
    pub fn write(&self, dense: &Dense, what: &str) -> Result {
        self.memory().check(what)?;
        let (lines, length, step, next) = self.lines();
        if lines == 0 || length == 0 {
            return Ok(());
        }
        let size = self.kind.bytes();
        let strides = if self.is_by_rows() { (dense.columns, 1) } else { (1, dense.columns) };
        let bytes = put_lines(self.kind, &dense.elements, lines, length, strides);
        if step == 1 && lines > 1 {
            return Ok(write_spaced(self.at, &bytes, length * size, next * size, what)?);
        }
        if step == 1 {
            return Ok(write(self.at, &bytes, what)?);
        }
        for (line, bytes) in bytes.chunks_exact(length * size).enumerate() {
            for (at, bytes) in bytes.chunks_exact(size).enumerate() {
                write(self.at + (line * next + at * step) * size, bytes, what)?;
            }
        }
        Ok(())
    }
}

/// Storage scheme.
#[derive(Clone, Copy)]
pub enum Layout {
    /// Column-major with a leading dimension.
    Columns(i64),
    /// The columns of a triangle, without gaps.
    Packed,
    /// Band storage, column-major, with this many diagonals below and above the main one.
    Band { below: i64, above: i64, leading: i64 },
}

/// Values of elements that are not stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unstored {
    Zero,
    /// The mirrored element (symmetric).
    Mirrored,
    /// The conjugate of the mirrored element (Hermitian); the diagonal is real.
    Conjugated,
}

/// A matrix stored in part.
#[derive(Clone, Copy)]
pub struct Stored {
    pub at: usize,
    pub kind: ElementType,
    pub rows: usize,
    pub columns: usize,
    pub layout: Layout,
    /// Whether the lower triangle is stored; `None` if both are.
    pub lower: Option<bool>,
    pub other: Unstored,
}

impl Stored {
    /// A square matrix stored as one triangle (`cublasFillMode_t`).
    pub fn triangle(
        at: i64,
        kind: ElementType,
        fill: i64,
        order: i64,
        layout: Layout,
        other: Unstored,
    ) -> Result<Stored> {
        let lower = match fill {
            0 => true,
            1 => false,
            _ => return refuse(Status::InvalidValue, &format!("{fill} is not a cublasFillMode_t")),
        };
        Stored::new(at, kind, [order, order], layout, Some(lower), other)
    }

    /// A matrix stored in full or as a band.
    pub fn whole(at: i64, kind: ElementType, extents: [i64; 2], layout: Layout) -> Result<Stored> {
        Stored::new(at, kind, extents, layout, None, Unstored::Zero)
    }

    fn new(
        at: i64,
        kind: ElementType,
        [rows, columns]: [i64; 2],
        layout: Layout,
        lower: Option<bool>,
        other: Unstored,
    ) -> Result<Stored> {
        let least = match layout {
            Layout::Columns(leading) => (rows.max(1), leading),
            Layout::Packed => (0, 0),
            Layout::Band { below, above, .. } if below < 0 || above < 0 => (0, -1),
            Layout::Band { below, above, leading } => (below.saturating_add(above) + 1, leading),
        };
        match [rows, columns].map(|extent| usize::try_from(extent).ok().filter(|e| *e < 1 << 31)) {
            [Some(rows), Some(columns)] if least.1 >= least.0 => {
                Ok(Stored { at: at as usize, kind, rows, columns, layout, lower, other })
            }
            _ => refuse(
                Status::InvalidValue,
                &format!(
                    "a matrix of {rows} rows and {columns} columns does not fit this storage; check its extents, its diagonals and its leading dimension"
                ),
            ),
        }
    }

    /// Offset of an element in elements; `None` if it is not stored.
    fn place(&self, row: usize, column: usize) -> Option<usize> {
        let inside = match self.lower {
            Some(true) => row >= column,
            Some(false) => row <= column,
            None => true,
        };
        match self.layout {
            _ if !inside => None,
            Layout::Columns(leading) => Some(row + column * leading as usize),
            Layout::Packed if self.lower == Some(false) => Some(row + column * (column + 1) / 2),
            Layout::Packed => Some(row + column * (2 * self.rows - column - 1) / 2),
            Layout::Band { below, above, leading } => {
                let (below, above) = (below as usize, above as usize);
                let held = row <= column + below && column <= row + above;
                held.then(|| (above + row - column) + column * leading as usize)
            }
        }
    }

    /// Number of elements from the first stored one to the last.
    fn span(&self) -> usize {
        let corners =
            |row: usize| (0..self.columns).filter_map(move |column| self.place(row, column));
        (0..self.rows).flat_map(corners).max().map_or(0, |last| last + 1)
    }

    /// The memory from the first element to the last.
    fn memory(&self) -> Memory {
        Memory { at: self.at, bytes: self.span() * self.kind.bytes() }
    }

    /// Reads the full matrix; with `unit`, the diagonal is 1 and is not read.
    pub fn read(&self, unit: bool, what: &str) -> Result<Dense> {
        let size = self.kind.bytes();
        // SAFETY: the elements are copied out of the slice immediately, and stream order excludes writers until
        // then.
        let bytes = unsafe { self.memory().bytes(what) }?;
        let stored = |row: usize, column: usize| -> Option<Number> {
            let at = self.place(row, column)? * size;
            Some(self.kind.read(&bytes[at..at + size]))
        };
        let element = |row: usize, column: usize| -> Number {
            match (stored(row, column), self.other) {
                _ if unit && row == column => [1.0, 0.0],
                (Some([re, _]), Unstored::Conjugated) if row == column => [re, 0.0],
                (Some(element), _) => element,
                (None, Unstored::Zero) => [0.0; 2],
                (None, Unstored::Mirrored) => stored(column, row).unwrap_or_default(),
                (None, Unstored::Conjugated) => {
                    stored(column, row).map_or([0.0; 2], |[re, im]| [re, -im])
                }
            }
        };
        let places =
            (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        let elements = places.map(|(row, column)| element(row, column)).collect();
        Ok(Dense { rows: self.rows, columns: self.columns, elements })
    }

    /// Writes the stored elements, and no others.
    pub fn write(&self, dense: &Dense, what: &str) -> Result {
        let size = self.kind.bytes();
        self.memory().check(what)?;
        for column in 0..self.columns {
            // The stored elements of a column are contiguous.
            let rows = (0..self.rows).filter_map(|row| Some((row, self.place(row, column)?)));
            let (mut bytes, mut start) = (Vec::new(), None);
            for (row, place) in rows {
                start.get_or_insert(place);
                let [re, im] = dense.elements[row * self.columns + column];
                let real = self.other == Unstored::Conjugated && row == column;
                self.kind.put([re, if real { 0.0 } else { im }], &mut bytes);
            }
            if let Some(start) = start {
                write(self.at + start * size, &bytes, what)?;
            }
        }
        Ok(())
    }
}

/// Applies an operation to a matrix.
pub fn after(dense: Dense, operation: crate::matrix::Operation) -> Dense {
    let Dense { rows, columns, elements } = &dense;
    if !operation.transposed {
        return dense;
    }
    let conjugate = |[re, im]: Number| [re, if operation.conjugated { -im } else { im }];
    let of = |row: usize| (0..*rows).map(move |column| conjugate(elements[column * columns + row]));
    Dense { rows: *columns, columns: *rows, elements: (0..*columns).flat_map(of).collect() }
}

/// A vector of elements as a matrix of one column.
pub fn column(elements: Vec<Number>) -> Dense {
    Dense { rows: elements.len(), columns: 1, elements }
}

/// A full column-major matrix.
pub fn columns(
    at: i64,
    kind: ElementType,
    rows: i64,
    columns: i64,
    leading: i64,
) -> Result<Matrix> {
    Matrix::by_columns(at as usize, kind, rows, columns, leading)
}
