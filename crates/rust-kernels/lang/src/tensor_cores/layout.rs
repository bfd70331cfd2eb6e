//! Which lane holds which element of a fragment (PTX manual, "Matrix Fragments for mma"): one function
//! for positions, loads, stores and drawings.

use super::element::{MatrixElement, per_register};

/// Which matrix of `D = A B + C` a fragment is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// The accumulator or the result.
    C,
}

/// The rows and columns of a fragment in scalars of memory, and how many of them a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which matrix.
    pub part: Part,
    /// Rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Scalars in one register.
    pub per_register: u32,
}

/// A row or column of one element: `group * (lane / 4) + member * (lane % 4) + first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear {
    /// What each quad of lanes adds.
    pub group: u32,
    /// What each lane of a quad adds.
    pub member: u32,
    /// Where lane 0 has it.
    pub first: u32,
}

impl Linear {
    /// The row or column in a lane of a warp.
    pub fn of(self, lane: u32) -> u32 {
        self.group * (lane / 4) + self.member * (lane % 4) + self.first
    }
}

impl Layout {
    /// That of a fragment of `rows` x `columns` elements of `T`.
    pub fn new<T: MatrixElement>(part: Part, rows: u32, columns: u32) -> Layout {
        let (rows, columns) = match part {
            Part::A => (rows, columns / T::UNIT),
            Part::B => (rows / T::UNIT, columns),
            Part::C => (rows, columns),
        };
        Layout { part, rows, columns, per_register: per_register::<T>() }
    }

    /// Warps that hold the fragment together, 16 rows each: one, or the four of a warpgroup.
    pub fn warps(self) -> u32 {
        if self.part == Part::C { self.rows.div_ceil(16) } else { 1 }
    }

    /// Scalars in each lane.
    pub fn elements(self) -> u32 {
        self.rows * self.columns / (32 * self.warps())
    }

    /// Registers in each lane.
    pub fn registers(self) -> u32 {
        self.elements().div_ceil(self.per_register)
    }

    /// Scalars of a lane that lie side by side: along a row of A and C, along a column of B.
    pub fn run(self) -> u32 {
        if self.part == Part::C { 2 } else { self.per_register }
    }

    /// Groups of eight lines that the quads of lanes go through: rows of A and C, columns of B.
    pub fn lines(self) -> u32 {
        match self.part {
            Part::B => self.columns / 8,
            _ => self.rows / self.warps() / 8,
        }
    }

    /// The row and the column of element `i` of a lane, within its warp's rows. A lane's quad says
    /// which line it has, its place in the quad which run of it.
    pub fn place(self, i: u32) -> (Linear, Linear) {
        let (run, lines) = (self.run(), self.lines().max(1));
        let (word, rest) = (i / run, i % run);
        let line = Linear { group: 1, member: 0, first: 8 * (word % lines) };
        let along = Linear { group: 0, member: run, first: run * 4 * (word / lines) + rest };
        if self.part == Part::B { (along, line) } else { (line, along) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::bf16;
    use std::collections::HashSet;

    #[test]
    fn every_element_has_exactly_one_place() {
        let shapes = [
            Layout::new::<bf16>(Part::A, 16, 16),
            Layout::new::<bf16>(Part::B, 16, 8),
            Layout::new::<f32>(Part::C, 16, 8),
            Layout::new::<u8>(Part::A, 16, 32),
            Layout::new::<u8>(Part::B, 32, 8),
            Layout::new::<f64>(Part::A, 8, 4),
            Layout::new::<f64>(Part::C, 8, 8),
            Layout::new::<half::f16>(Part::C, 64, 256),
        ];
        for layout in shapes {
            let mut seen = HashSet::new();
            for lane in 0..32 {
                for i in 0..layout.elements() {
                    let (row, column) = layout.place(i);
                    assert!(seen.insert((row.of(lane), column.of(lane))), "{layout:?}");
                }
            }
            let rows = layout.rows / layout.warps();
            assert!(seen.iter().all(|(r, c)| *r < rows && *c < layout.columns), "{layout:?}");
            assert_eq!(seen.len() as u32, rows * layout.columns);
        }
    }
}
