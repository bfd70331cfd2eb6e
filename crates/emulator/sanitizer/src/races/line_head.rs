//! The head of a line of shadow cells: what all its cells have in common.

use crate::races::epoch::{self, PackedEpoch};

/// Cells of a line: the words that half a warp accesses contiguously.
pub const LINE: usize = 16;

/// All words of a line.
pub const ALL: u32 = (1 << LINE) - 1;
/// The last writes of a line's cells.
pub type WeakWrites = [PackedEpoch; LINE];
/// The first and the last recorded read of each cell of a line.
pub type WeakReads = [[PackedEpoch; LINE]; 2];

/// Adds the lane number to each cell of a line, for lanes of one, two and four cells.
pub const STEPS: [[PackedEpoch; LINE]; 3] = {
    let mut steps = [[0; LINE]; 3];
    let mut i = 0;
    while i < 3 * LINE {
        steps[i / LINE][i % LINE] = ((i % LINE) as PackedEpoch >> (i / LINE)) << epoch::LANE_SHIFT;
        i += 1;
    }
    steps
};

/// One field of all cells of a line: nothing, or accesses of neighboring lanes by one instruction in one epoch.
#[derive(Clone, Copy)]
pub struct WholeField {
    /// The access of the first cell; 0 if no cell has one.
    pub start: PackedEpoch,
    /// log2 of the cells per lane; 0 without an access.
    pub form: u8,
}

impl WholeField {
    /// The accesses of all cells.
    #[inline(always)]
    pub fn words(self) -> WeakWrites {
        let mut words = [0; LINE];
        if self.start != 0 {
            words = STEPS[usize::from(self.form) % STEPS.len()];
            for word in &mut words {
                *word += self.start;
            }
        }
        words
    }

    /// The access of one cell.
    #[inline(always)]
    pub fn cell(self, i: usize) -> PackedEpoch {
        match self.start {
            0 => 0,
            start => start + STEPS[usize::from(self.form) % STEPS.len()][i % LINE],
        }
    }
}

/// The fields of a line's cells, in the order of [`LineHead`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CellField {
    /// The last write.
    Write,
    /// The first read since.
    FirstRead,
    /// The last read since.
    LastRead,
}

/// A line in brief.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct LineHead {
    /// By field: [`WholeField::start`].
    start: [PackedEpoch; 3],
    /// By field: [`WholeField::form`], or [`SPREAD`].
    form: [u8; 4],
    /// The highest epoch of the line's strong accesses, 0 if it has none.
    pub latest: u32,
}

/// Form of a field whose cells are in the page's arrays.
pub const SPREAD: u8 = 4;

impl LineHead {
    /// Whether a line has strong accesses since an epoch.
    #[inline(always)]
    pub fn has_strong(&self, base: u32) -> bool {
        self.latest >= base.max(1)
    }

    /// Whether a field is spread.
    #[inline(always)]
    pub fn is_spread(&self, field: CellField) -> bool {
        self.form[field as usize] == SPREAD
    }

    /// Whether any field is spread.
    #[inline(always)]
    pub fn any_spread(&self) -> bool {
        u32::from_ne_bytes(self.form) & u32::from_ne_bytes([SPREAD; 4]) != 0
    }

    /// Whether a cell may have been read since the last write.
    #[inline(always)]
    pub fn has_reads(&self) -> bool {
        let [_, first, last, _] = self.form;
        self.start[1] | self.start[2] != 0 || (first | last) & SPREAD != 0
    }

    /// A field; without a meaning if it is spread.
    #[inline(always)]
    pub fn field(&self, field: CellField) -> WholeField {
        WholeField { start: self.start[field as usize], form: self.form[field as usize] }
    }

    /// Replaces a field.
    #[inline(always)]
    pub fn set(&mut self, field: CellField, to: WholeField) {
        (self.start[field as usize], self.form[field as usize]) = (to.start, to.form);
    }

    /// Replaces all fields by a write, after which no cell has been read.
    #[inline(always)]
    pub fn set_write(&mut self, to: WholeField) {
        (self.start, self.form) = ([to.start, 0, 0], [to.form, 0, 0, 0]);
    }
}
