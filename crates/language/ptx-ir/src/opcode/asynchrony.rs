//! Asynchronous instructions: mbarriers, bulk copies, clusters (PTX manual, "Data Movement and Conversion Instructions:
//! Asynchronous copy", "mbarrier", "barrier.cluster").

use crate::opcode::memory::{AtomicKind, AtomicOp};
use crate::opcode::tensor_memory::TmemOp;

pub use crate::types::AddressOperand;

/// An asynchronous instruction, or a wait for one. Operands are listed with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncOp {
    /// `mbarrier`; the first operand is its address.
    Mbarrier(MbarrierOp, AddressOperand),
    /// `barrier.cluster.arrive`.
    ClusterArrive {
        /// The whole warp must arrive together.
        aligned: bool,
        /// The arrival orders none of the thread's earlier accesses.
        relaxed: bool,
    },
    /// `barrier.cluster.wait`.
    ClusterWait {
        /// The whole warp must wait together.
        aligned: bool,
    },
    /// `setmaxnreg`: a warp returns registers to its block's pool or takes some from it.
    Registers {
        /// Registers of each thread from here on.
        count: u32,
        /// `.inc`: more registers; may wait for them.
        more: bool,
    },
    /// `cp.async.bulk` and `cp.reduce.async.bulk`.
    Copy(CopyOp),
    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`.
    Tensor(TensorOp),
    /// `st.async` and `red.async`; operands: address, mbarrier, then the values.
    Store {
        /// Bytes of one value.
        bytes: u8,
        /// The operation of `red.async`.
        reduction: Option<AtomicOp>,
        /// The target address.
        to: AddressOperand,
        /// The mbarrier.
        barrier: AddressOperand,
        /// Whether the values go to this offset in the shared memory of every block of the cluster,
        /// and signal the mbarrier there.
        everywhere: bool,
    },
    /// `wgmma.commit_group`: no effect, because products are computed at issue.
    ProductCommit,
    /// `wgmma.wait_group`; the number of groups in flight does not matter, because products are computed at
    /// issue.
    ProductWait,
    /// `cp.async.bulk.commit_group`.
    Commit,
    /// `cp.async.bulk.wait_group`.
    WaitGroup {
        /// Groups that may still be in flight.
        pending: u32,
        /// Only until their copies have read their sources (`.read`).
        read: bool,
    },
    /// `tcgen05`.
    Tmem(TmemOp),
}

/// An mbarrier operation. Operands after the address are listed with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarrierOp {
    /// Initializes the barrier for `count` arrivals; operand: the count.
    Init,
    /// Ends its life; no operand.
    Invalidate,
    /// Counts arrivals; operands: how many, and expected bytes.
    Arrive {
        /// `arrive_drop`: later phases expect this many fewer arrivals.
        drop: bool,
        /// `.expect_tx`: bytes to wait for are added first.
        expect: bool,
        /// `.noComplete`: the arrival must not complete the phase.
        stay: bool,
        /// `.relaxed`: it publishes only what a fence has published before.
        relaxed: bool,
    },
    /// `expect_tx`: adds bytes to wait for; operand: how many.
    Expect,
    /// `complete_tx`: as if bytes had arrived; operand: how many.
    Complete,
    /// `test_wait` and `try_wait`; operand: the phase, as a state or a parity.
    Wait {
        /// The phase is given by its parity.
        parity: bool,
        /// `.relaxed`: only a later fence makes visible what the arrivals have published.
        relaxed: bool,
        /// Whether the result decides a branch or goes to memory or other lanes. Only then does the thread know that the
        /// phase has ended.
        observes: bool,
    },
    /// `cp.async.mbarrier.arrive`: arrives when the thread's copies so far are complete.
    CopyArrive {
        /// `.noinc`: the barrier was initialized to expect this arrival.
        counted: bool,
    },
}

/// A bulk copy. Operands: target, source, bytes, mbarrier, mask of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopyOp {
    /// The target.
    pub to: AddressOperand,
    /// The source.
    pub from: AddressOperand,
    /// The mbarrier that counts the bytes; without one, the thread's bulk group does.
    pub barrier: Option<AddressOperand>,
    /// To several blocks of the cluster.
    pub multicast: bool,
    /// The reduction with the old value, and the element size in bytes.
    pub reduction: Option<(AtomicOp, u8)>,
}

/// Which rows of a tensor are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TensorMode {
    /// A box; there are as many coordinates as dimensions.
    Tile,
    /// `tile::gather4` and `tile::scatter4`: four rows of two dimensions, whose numbers follow the column.
    Rows,
    /// `im2col`: pixels through a box; after the coordinates come the offsets, two fewer.
    Pixels,
    /// `im2col_no_offs`: the same, without offsets.
    PixelsInPlace,
}

impl TensorMode {
    /// The numbers of coordinates and offsets among the operands, by tensor dimensions.
    pub fn numbers(self, dimensions: usize) -> (usize, usize) {
        match self {
            TensorMode::Rows => (5, 0),
            TensorMode::Pixels => (dimensions, dimensions.saturating_sub(2)),
            _ => (dimensions, 0),
        }
    }
}

/// A copy of a tile of a tensor. Operands: place in shared memory, map, mbarrier, mask of blocks,
/// coordinates, offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorOp {
    /// Dimensions of the tensor.
    pub dimensions: usize,
    /// Which rows of the tensor the tile has.
    pub mode: TensorMode,
    /// The tile in shared memory.
    pub shared: AddressOperand,
    /// The tensor map.
    pub map: AddressOperand,
    /// The mbarrier that counts the bytes of a load. A store has none: the thread's bulk group
    /// counts its bytes.
    pub barrier: Option<AddressOperand>,
    /// To several blocks of the cluster.
    pub multicast: bool,
    /// The reduction of a store; the tensor map has the element type.
    pub reduction: Option<AtomicKind>,
}
