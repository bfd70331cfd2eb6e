//! Products, copies, shifts and arrivals that are still to be done, in the order in which they were issued.

use super::tasks::{Product, RowCopy, RowShift};
use crate::asynchrony::copies::Owner;
use crate::event::Place;
use std::collections::VecDeque;
use std::ops::Range;

/// An mbarrier that a commit is told to.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// Where it is.
    pub host: *mut u8,
    /// Whose shared memory it is in.
    pub rank: u32,
    /// Where there.
    pub offset: u64,
}

/// What is done.
pub enum What {
    /// A product.
    Multiply(Box<Product>),
    /// A copy from shared memory.
    Copy(RowCopy),
    /// A shift of rows.
    Shift(RowShift),
    /// Arrivals at mbarriers.
    Commit(Vec<Arrival>),
}

impl What {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            What::Multiply(_) => "`tcgen05.mma`",
            What::Copy(_) => "`tcgen05.cp`",
            What::Shift(_) => "`tcgen05.shift`",
            What::Commit(_) => "`tcgen05.commit`",
        }
    }

    /// The blocks whose tensor memory it touches.
    fn ranks(&self) -> &[usize] {
        match self {
            What::Multiply(product) => &product.ranks,
            What::Copy(copy) => &copy.ranks,
            What::Shift(shift) => &shift.ranks,
            What::Commit(_) => &[],
        }
    }
}

/// Something that is still to be done.
pub struct Work {
    /// What.
    pub what: What,
    /// Columns of tensor memory that it uses.
    pub columns: Vec<Range<u32>>,
    /// Who issued it.
    pub owner: Owner,
    /// Where.
    pub place: Place,
}

/// All that is still to be done in a cluster.
#[derive(Default)]
pub struct TensorWork {
    queue: VecDeque<Work>,
}

impl TensorWork {
    /// Forgets the last cluster's.
    pub fn start(&mut self) {
        self.queue.clear();
    }

    /// Whether nothing is to be done.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Issues something.
    pub fn push(&mut self, work: Work) {
        self.queue.push_back(work);
    }

    /// The next to be done.
    pub fn pop(&mut self) -> Option<Work> {
        self.queue.pop_front()
    }

    /// What still uses columns of a block's tensor memory, by its name.
    pub fn of(&self, rank: usize, columns: Range<u32>) -> Option<&'static str> {
        let overlaps = |of: &Range<u32>| of.start < columns.end && columns.start < of.end;
        let uses =
            |work: &&Work| work.what.ranks().contains(&rank) && work.columns.iter().any(overlaps);
        self.queue.iter().find(uses).map(|work| work.what.name())
    }
}
