//! Matrices of which only a part is stored: one triangle, in columns or packed, or a band. They are read whole, and written where they are stored.

use crate::kind::{Kind, Number};
use crate::matrix::{Dense, Matrix};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, write};

/// Where the elements lie.
#[derive(Clone, Copy)]
pub enum Layout {
    /// By columns, so many elements from one to the next.
    Columns(i64),
    /// The columns of a triangle, one behind the other.
    Packed,
    /// A band with so many diagonals below and above the main one, by columns so many elements from one to the next.
    Band { below: i64, above: i64, leading: i64 },
}

/// What stands where nothing is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Other {
    Zero,
    /// The element across the diagonal.
    Mirrored,
    /// Its conjugate; the diagonal is real.
    Conjugated,
}

/// A matrix of which a part is stored.
#[derive(Clone, Copy)]
pub struct Stored {
    pub at: usize,
    pub kind: Kind,
    pub rows: usize,
    pub columns: usize,
    pub layout: Layout,
    /// The lower triangle, or the upper one; both where there is no such.
    pub lower: Option<bool>,
    pub other: Other,
}

impl Stored {
    /// A square matrix of which a triangle (`cublasFillMode_t`) is stored.
    pub fn triangle(
        at: i64,
        kind: Kind,
        fill: i64,
        order: i64,
        layout: Layout,
        other: Other,
    ) -> Result<Stored> {
        let lower = match fill {
            0 => true,
            1 => false,
            _ => return refuse(Status::InvalidValue, &format!("{fill} is not a cublasFillMode_t")),
        };
        Stored::new(at, kind, [order, order], layout, Some(lower), other)
    }

    /// A matrix with all of its elements, or a band of them.
    pub fn whole(at: i64, kind: Kind, extents: [i64; 2], layout: Layout) -> Result<Stored> {
        Stored::new(at, kind, extents, layout, None, Other::Zero)
    }

    fn new(
        at: i64,
        kind: Kind,
        [rows, columns]: [i64; 2],
        layout: Layout,
        lower: Option<bool>,
        other: Other,
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
                    "a matrix of {rows} rows and {columns} columns cannot be stored so; check its extents, its diagonals and its leading dimension"
                ),
            ),
        }
    }

    /// Where an element is stored, in elements from the first; nothing for one that is not.
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

    /// Elements from the first to past the last.
    fn span(&self) -> usize {
        let corners =
            |row: usize| (0..self.columns).filter_map(move |column| self.place(row, column));
        (0..self.rows).flat_map(corners).max().map_or(0, |last| last + 1)
    }

    /// From its first element to its last.
    fn memory(&self) -> Memory {
        Memory { at: self.at, bytes: self.span() * self.kind.bytes() }
    }

    /// All its elements; where `unit` says so, its diagonal is 1 and not read.
    pub fn read(&self, unit: bool, what: &str) -> Result<Dense> {
        let size = self.kind.bytes();
        // SAFETY: the elements are read at once.
        let bytes = unsafe { self.memory().bytes(what) }?;
        let stored = |row: usize, column: usize| -> Option<Number> {
            let at = self.place(row, column)? * size;
            Some(self.kind.read(&bytes[at..at + size]))
        };
        let element = |row: usize, column: usize| -> Number {
            match (stored(row, column), self.other) {
                _ if unit && row == column => [1.0, 0.0],
                (Some([re, _]), Other::Conjugated) if row == column => [re, 0.0],
                (Some(element), _) => element,
                (None, Other::Zero) => [0.0; 2],
                (None, Other::Mirrored) => stored(column, row).unwrap_or_default(),
                (None, Other::Conjugated) => {
                    stored(column, row).map_or([0.0; 2], |[re, im]| [re, -im])
                }
            }
        };
        let places =
            (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        let elements = places.map(|(row, column)| element(row, column)).collect();
        Ok(Dense { rows: self.rows, columns: self.columns, elements })
    }

    /// Writes what is stored of it, and nothing else.
    pub fn write(&self, dense: &Dense, what: &str) -> Result {
        let size = self.kind.bytes();
        self.memory().check(what)?;
        for column in 0..self.columns {
            // What is stored of a column lies together.
            let rows = (0..self.rows).filter_map(|row| Some((row, self.place(row, column)?)));
            let (mut bytes, mut start) = (Vec::new(), None);
            for (row, place) in rows {
                start.get_or_insert(place);
                let [re, im] = dense.elements[row * self.columns + column];
                let real = self.other == Other::Conjugated && row == column;
                self.kind.put([re, if real { 0.0 } else { im }], &mut bytes);
            }
            if let Some(start) = start {
                write(self.at + start * size, &bytes, what)?;
            }
        }
        Ok(())
    }
}

/// The elements of a matrix after an operation.
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

/// A matrix of columns.
pub fn columns(at: i64, kind: Kind, rows: i64, columns: i64, leading: i64) -> Result<Matrix> {
    Matrix::by_columns(at as usize, kind, rows, columns, leading)
}
