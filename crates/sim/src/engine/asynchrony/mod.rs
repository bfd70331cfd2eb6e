//! What goes on beside a warp's instructions: mbarriers, bulk copies, clusters.
//!
//! A bulk copy is checked when it is started and done later: at the end of the round of turns in which
//! it was started, or when its thread waits for its group. A kernel that reads what it has not waited
//! for thus finds what was there before, as it may on a GPU. A wait for an mbarrier suspends the warp
//! until the phase has ended; `test_wait` and `try_wait` give `false` only when nothing else in the
//! cluster can go on, as if the time limit had passed.

pub mod cluster;
pub mod copies;
mod handler;
pub mod mbarrier;
mod sync;
mod tensor;

use crate::engine::lanes::Slot;
use crate::ir::kernel::{Combine, MemorySpace};

pub use handler::{Async, waits_for};

/// An address operand: its space and what is added to it.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// Where.
    pub space: MemorySpace,
    /// Bytes added.
    pub offset: i64,
}

/// An instruction of this family. The order of its sources is said with each.
#[derive(Clone, Copy, Debug)]
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
        combine: Option<Combine>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug)]
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
    pub combine: Option<(Combine, u8)>,
}

/// A copy of a tile of a tensor. Its sources: place in shared memory, map, mbarrier, mask of blocks,
/// coordinates.
#[derive(Clone, Copy, Debug)]
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
    /// What a store does with what is there, by PTX's name.
    pub reduction: Option<&'static str>,
}

/// An instruction with its registers; operations point to it with their immediate.
pub struct Plan {
    /// What it does.
    pub op: AsyncOp,
    /// Destinations.
    pub dst: Vec<Slot>,
    /// Sources.
    pub src: Vec<Slot>,
}
