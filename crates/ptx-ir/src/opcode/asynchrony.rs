//! Instructions beside a warp's own: mbarriers, bulk copies, clusters (PTX manual, "Data Movement and
//! Conversion Instructions: Asynchronous copy", "mbarrier", "barrier.cluster").

use crate::opcode::atomic::{AtomicKind, AtomicOp};
use crate::types::MemorySpace;

/// An address operand: its space and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At {
    /// Where.
    pub space: MemorySpace,
    /// Bytes added.
    pub offset: i64,
}

/// An instruction of this family. The order of its sources is said with each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncOp {
    /// On an mbarrier, `src[0]`.
    Mbarrier(MbarrierOp, At),
    /// `barrier.cluster.arrive`.
    ClusterArrive {
        /// The whole warp must arrive together.
        aligned: bool,
    },
    /// `barrier.cluster.wait`.
    ClusterWait {
        /// The whole warp must wait together.
        aligned: bool,
    },
    /// A bulk copy.
    Copy(CopyOp),
    /// A copy of a tile.
    Tensor(TensorOp),
    /// `st.async` and `red.async`: address, mbarrier, then the values.
    Store {
        /// Bytes of one value.
        bytes: u8,
        /// What `red.async` writes.
        reduction: Option<AtomicOp>,
        /// Where.
        to: At,
        /// The mbarrier.
        barrier: At,
    },
    /// `wgmma.commit_group`: nothing happens, as products are done when they are issued.
    ProductCommit,
    /// `wgmma.wait_group`; how many groups may still be under way is of no account, as products are done
    /// when they are issued.
    ProductWait,
    /// `cp.async.bulk.commit_group`.
    Commit,
    /// `cp.async.bulk.wait_group`.
    WaitGroup {
        /// Groups that may still be under way.
        pending: u32,
    },
}

/// What an mbarrier instruction does, and its sources after the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarrierOp {
    /// A count.
    Init,
    /// Nothing.
    Invalidate,
    /// A count and bytes.
    Arrive {
        /// The arrivals do not come again.
        drop: bool,
        /// Bytes are announced first.
        expect: bool,
        /// The phase must not end by it.
        stay: bool,
    },
    /// Bytes.
    Expect,
    /// Bytes.
    Complete,
    /// A state or a parity.
    Wait {
        /// It is a parity.
        parity: bool,
    },
    /// `cp.async.mbarrier.arrive`.
    CopyArrive {
        /// The arrival was counted when the mbarrier was made.
        counted: bool,
    },
}

/// A bulk copy. Its sources: target, source, bytes, mbarrier, mask of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopyOp {
    /// Where to.
    pub to: At,
    /// Where from.
    pub from: At,
    /// The mbarrier that is told, or the thread's bulk group.
    pub barrier: Option<At>,
    /// To several blocks of the cluster.
    pub multicast: bool,
    /// What is done with what is there, for elements of so many bytes.
    pub reduction: Option<(AtomicOp, u8)>,
}

/// A copy of a tile of a tensor. Its sources: place in shared memory, map, mbarrier, mask of blocks,
/// coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorOp {
    /// Coordinates.
    pub dimensions: usize,
    /// The tile in shared memory.
    pub shared: At,
    /// The tensor map.
    pub map: At,
    /// The mbarrier that is told of a load; a store has the thread's bulk group.
    pub barrier: Option<At>,
    /// To several blocks of the cluster.
    pub multicast: bool,
    /// What a store does with what is there, whatever the tensor's type.
    pub reduction: Option<AtomicKind>,
}
