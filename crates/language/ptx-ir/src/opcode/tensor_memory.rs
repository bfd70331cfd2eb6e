//! `tcgen05`: tensor memory and fifth-generation tensor cores (PTX manual, "TensorCore 5th Generation Family Instructions").
//!
//! Descriptors give the layout of a product's operands at run time; an opcode holds only what the mnemonic states.

use crate::types::AddressOperand;

/// A tensor-memory instruction, with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmemOp {
    /// `alloc`; operands: where in shared memory the address goes, columns.
    Allocate {
        /// Both blocks of a pair allocate.
        pair: bool,
        /// Where the address goes.
        to: AddressOperand,
    },
    /// `dealloc`; operands: address, columns.
    Free {
        /// Both blocks of a pair free.
        pair: bool,
    },
    /// `relinquish_alloc_permit`.
    Relinquish,
    /// `ld`; operand: address. Destinations: the registers, and the reduction's result.
    Load(TmemTransfer),
    /// `st`; operands: address, registers.
    Store(TmemTransfer),
    /// `wait::ld` and `wait::st`.
    Wait {
        /// For stores, not for loads.
        stores: bool,
    },
    /// `commit`; operands: the mbarrier's address, the mask of blocks.
    Commit {
        /// The mbarrier.
        barrier: AddressOperand,
        /// To several blocks of the cluster.
        multicast: bool,
    },
    /// `cp`; operands: address, the matrix descriptor.
    Copy(TmemCopy),
    /// `shift.down`; operand: address.
    Shift {
        /// In both blocks of a pair.
        pair: bool,
    },
    /// `mma`; operands in the order of [`TmemMultiply`].
    Multiply(TmemMultiply),
}

/// How registers and tensor memory correspond in `ld` and `st`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TmemTransfer {
    /// Lanes and bits of one step.
    pub shape: TransferShape,
    /// Steps along the columns (`.xN`).
    pub repeat: usize,
    /// Registers hold the low halves of two neighboring columns (`.pack::16b`, `.unpack::16b`).
    pub packed: bool,
    /// The reduction of a load over a thread's registers.
    pub reduction: Option<LoadReduction>,
}

/// Lanes and bits of one step of a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransferShape {
    /// `.32x32b`.
    Lanes32Bits32,
    /// `.16x64b`.
    Lanes16Bits64,
    /// `.16x128b`.
    Lanes16Bits128,
    /// `.16x256b`.
    Lanes16Bits256,
    /// `.16x32bx2`: twice `.16x32b`, the second this many columns further.
    Lanes16Bits32Twice(i32),
}

impl TransferShape {
    /// Registers that each thread has of one step.
    pub fn registers(self) -> usize {
        match self {
            TransferShape::Lanes16Bits128 => 2,
            TransferShape::Lanes16Bits256 => 4,
            _ => 1,
        }
    }

    /// Lanes of tensor memory.
    pub fn lanes(self) -> u32 {
        if self == TransferShape::Lanes32Bits32 { 32 } else { 16 }
    }

    /// Columns of one step, per half if there are two halves.
    pub fn columns(self) -> u32 {
        match self {
            TransferShape::Lanes32Bits32 | TransferShape::Lanes16Bits32Twice(_) => 1,
            TransferShape::Lanes16Bits64 => 2,
            TransferShape::Lanes16Bits128 => 4,
            TransferShape::Lanes16Bits256 => 8,
        }
    }

    /// The lane and column, relative to the start of the transfer, that register `register` of a
    /// thread holds (PTX manual, "Matrix fragments for shape ..."; the order of threads follows
    /// CuTe's copy traits).
    pub fn place(self, thread: u32, register: u32) -> (u32, i32) {
        let (t, r) = (thread, register);
        let (lane, column) = match self {
            TransferShape::Lanes32Bits32 => (t, r),
            TransferShape::Lanes16Bits64 => (t / 4 + t % 2 * 8, 2 * r + t / 2 % 2),
            TransferShape::Lanes16Bits128 => (t / 4 + r % 2 * 8, r / 2 * 4 + t % 4),
            TransferShape::Lanes16Bits256 => (t / 4 + r / 2 % 2 * 8, r / 4 * 8 + t % 4 * 2 + r % 2),
            TransferShape::Lanes16Bits32Twice(_) => (t % 16, r),
        };
        let further = match self {
            TransferShape::Lanes16Bits32Twice(split) if t >= 16 => split,
            _ => 0,
        };
        (lane, column as i32 + further)
    }
}

/// The reduction of `ld.red` over a thread's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoadReduction {
    /// The largest, not the smallest.
    pub max: bool,
    /// The type.
    pub number: ReducedNumber,
    /// Of magnitudes.
    pub abs: bool,
    /// One NaN makes the result NaN.
    pub nan: bool,
}

/// The types of `ld.red`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReducedNumber {
    /// Single precision.
    F32,
    /// Unsigned.
    U32,
    /// Signed.
    S32,
}

/// A copy from shared to tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TmemCopy {
    /// Into both blocks of a pair, each from its own shared memory.
    pub pair: bool,
    /// Rows that are read.
    pub rows: u32,
    /// Bits of a row.
    pub bits: u32,
    /// Which lanes get the rows.
    pub to: CopyLanes,
    /// Bits of an element that is widened to 8 bits.
    pub widened: Option<u8>,
}

/// Which lanes get the rows of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyLanes {
    /// Row by row.
    Each,
    /// Four rows, 32 lanes apart (`.4x256b`).
    Apart,
    /// `.warpx2::02_13`.
    Pairs02,
    /// `.warpx2::01_23`.
    Pairs01,
    /// `.warpx4`.
    All,
}

impl CopyLanes {
    /// The lanes that row `row` goes to, from the address's lane on.
    pub fn lanes(self, row: u32) -> impl Iterator<Item = u32> {
        let (first, step, count) = match self {
            CopyLanes::Each => (row, 0, 1),
            CopyLanes::Apart => (32 * row, 0, 1),
            CopyLanes::Pairs02 => (row, 64, 2),
            CopyLanes::Pairs01 => (row % 32 + row / 32 * 64, 32, 2),
            CopyLanes::All => (row, 32, 4),
        };
        (0..count).map(move |i| first + step * i)
    }
}

/// The kind of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MultiplyKind {
    /// `.kind::f16`: f16 and bf16.
    F16,
    /// `.kind::tf32`.
    Tf32,
    /// `.kind::f8f6f4`.
    F8f6f4,
    /// `.kind::i8`.
    I8,
    /// `.kind::mxf8f6f4`.
    Mxf8f6f4,
    /// `.kind::mxf4`.
    Mxf4,
    /// `.kind::mxf4nvf4`.
    Mxf4nvf4,
}

impl MultiplyKind {
    /// Columns of a dense A.
    pub fn k(self) -> usize {
        match self {
            MultiplyKind::Tf32 => 8,
            MultiplyKind::F16 => 16,
            MultiplyKind::Mxf4 | MultiplyKind::Mxf4nvf4 => 64,
            _ => 32,
        }
    }

    /// Whether blocks of A and B have scale factors.
    pub fn is_scaled(self) -> bool {
        matches!(self, MultiplyKind::Mxf8f6f4 | MultiplyKind::Mxf4 | MultiplyKind::Mxf4nvf4)
    }
}

/// A product. Sources: the address of D, the address or descriptor of A, the descriptor of B, the instruction descriptor,
/// and the predicate that enables the old D; then, if present, the metadata address of a sparse A, the addresses of both
/// scale matrices, the words of the disabled-lane mask, and the descriptor of zero columns of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TmemMultiply {
    /// Which types.
    pub kind: MultiplyKind,
    /// Of both blocks of a pair.
    pub pair: bool,
    /// Whether A is in tensor memory.
    pub a_in_tensor_memory: bool,
    /// Whether A is sparse.
    pub sparse: bool,
    /// Whether B stays in the tensor core (`.ws`), which lays D out in another way.
    pub stationary: bool,
    /// Scale factors per row of A; 0 if unscaled.
    pub factors: usize,
    /// Words of the disabled-lane mask.
    pub kept_lanes: usize,
    /// Whether columns of B may be zero.
    pub zero_columns: bool,
    /// D is divided by 2 to this power before the product is added.
    pub halvings: u32,
}

impl TmemMultiply {
    /// Columns of A, including the zeros of a sparse A.
    pub fn k(&self) -> usize {
        if self.sparse { 2 * self.kind.k() } else { self.kind.k() }
    }

    /// The source with the metadata, if there is one.
    pub fn metadata(&self) -> Option<usize> {
        self.sparse.then_some(5)
    }

    /// The sources with the scale factors of A and B.
    pub fn scales(&self) -> Option<[usize; 2]> {
        let first = 5 + usize::from(self.sparse);
        (self.factors > 0).then_some([first, first + 1])
    }

    /// The source with the first word of the disabled-lane mask.
    pub fn lane_words(&self) -> usize {
        5 + usize::from(self.sparse) + if self.factors > 0 { 2 } else { 0 }
    }

    /// The source with the descriptor of the columns that are zero.
    pub fn column_mask(&self) -> Option<usize> {
        self.zero_columns.then_some(self.lane_words() + self.kept_lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransferShape::*;

    #[test]
    fn threads_of_a_transfer_cover_its_lanes_and_columns_once() {
        for shape in
            [Lanes32Bits32, Lanes16Bits64, Lanes16Bits128, Lanes16Bits256, Lanes16Bits32Twice(40)]
        {
            for repeat in [1, 2, 8] {
                let registers = (shape.registers() * repeat) as u32;
                let mut places: Vec<(u32, i32)> =
                    (0..32).flat_map(|t| (0..registers).map(move |r| shape.place(t, r))).collect();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), 32 * registers as usize, "{shape:?} x{repeat}");
                let columns = (shape.columns() as usize * repeat) as i32;
                assert!(places.iter().all(|(lane, _)| *lane < shape.lanes()));
                assert!(places.iter().all(|(_, c)| *c < columns || (40..40 + columns).contains(c)));
            }
        }
    }

    #[test]
    fn transfers_match_the_figures_of_the_manual() {
        // Figures "Matrix Fragment for shape ...": the thread and register of lane 0's first columns.
        assert_eq!(Lanes16Bits64.place(2, 0), (0, 1));
        assert_eq!(Lanes16Bits64.place(1, 0), (8, 0));
        assert_eq!(Lanes16Bits64.place(4, 1), (1, 2));
        assert_eq!(Lanes16Bits128.place(3, 0), (0, 3));
        assert_eq!(Lanes16Bits128.place(4, 1), (9, 0));
        assert_eq!(Lanes16Bits256.place(1, 1), (0, 3));
        assert_eq!(Lanes16Bits256.place(0, 2), (8, 0));
        assert_eq!(Lanes16Bits256.place(0, 4), (0, 8));
        assert_eq!(Lanes16Bits32Twice(32).place(17, 3), (1, 35));
    }

    #[test]
    fn copies_reach_the_lanes_of_their_warps() {
        let lanes = |to: CopyLanes, row| to.lanes(row).collect::<Vec<u32>>();
        assert_eq!(lanes(CopyLanes::All, 5), [5, 37, 69, 101]);
        assert_eq!(lanes(CopyLanes::Pairs02, 40), [40, 104]);
        assert_eq!(lanes(CopyLanes::Pairs01, 40), [72, 104]);
        assert_eq!(lanes(CopyLanes::Apart, 3), [96]);
    }
}
