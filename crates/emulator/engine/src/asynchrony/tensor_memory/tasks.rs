//! What is issued to the tensor core, as data.

use super::address::Place;
use super::instruction_descriptor::InstructionDescriptor;
use super::layout::DataPath;
use super::operands::SharedRows;
use lanework_ptx_ir::opcode::tensor_memory::{TmemCopy, TmemMultiply};

/// Where A lies.
#[derive(Clone, Copy)]
pub enum FirstOperand {
    /// In shared memory.
    Shared(SharedRows),
    /// In tensor memory.
    Tensor(Place),
}

/// A product, ready to be computed.
pub struct Product {
    /// The instruction.
    pub this: TmemMultiply,
    /// Its shape and types.
    pub shape: InstructionDescriptor,
    /// Where D lies.
    pub d: Place,
    /// Where A lies.
    pub a: FirstOperand,
    /// Where B lies.
    pub b: SharedRows,
    /// Where the metadata of a sparse A lies.
    pub metadata: Option<Place>,
    /// Where the scale factors lie, of A and B.
    pub scales: Option<[Place; 2]>,
    /// A bit for each lane that stays as it is, of both blocks.
    pub kept: [u32; 8],
    /// Columns of B that are zero.
    pub zero: [bool; 256],
    /// Columns that B is shifted by.
    pub shift: usize,
    /// Whether D counts.
    pub counts: bool,
    /// The ranks of the blocks that take part, one or two.
    pub ranks: Vec<usize>,
}

impl Product {
    /// Its lanes.
    pub fn path(&self) -> DataPath {
        DataPath::of(&self.this, self.shape.m)
    }

    /// Columns of tensor memory that D takes.
    pub fn columns(&self) -> u32 {
        (self.shape.n / self.path().parts()) as u32
    }

    /// The rows of B that a block has.
    pub fn rows_of_b(&self) -> std::ops::Range<usize> {
        self.shift..self.shift + self.shape.n / self.ranks.len()
    }
}

/// A copy, ready to be done.
pub struct RowCopy {
    /// The instruction.
    pub this: TmemCopy,
    /// Where to.
    pub to: Place,
    /// Where from.
    pub from: SharedRows,
    /// The ranks of the blocks that take part, one or two.
    pub ranks: Vec<usize>,
}

/// A shift, ready to be done.
pub struct RowShift {
    /// The lowest lane, a multiple of 32, and the first of eight columns.
    pub at: Place,
    /// The ranks of the blocks that take part, one or two.
    pub ranks: Vec<usize>,
}
