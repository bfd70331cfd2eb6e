//! Barriers, fences, annotations for checks, and instructions that exchange values within a warp (PTX manual, "Parallel
//! Synchronization and Communication Instructions"); clocks, and calls that the driver provides.

use crate::opcode::memory::Scope;

/// The kind of barrier instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    /// Arrives and waits.
    Sync,
    /// Arrives only.
    Arrive,
    /// Arrives, waits, and combines a predicate of all threads.
    Reduce(Reduction),
}

/// How a barrier combines predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Counts the true ones.
    Count,
    /// Whether all are true.
    All,
    /// Whether one is true.
    Any,
}

/// Synchronization facts for checks: ordering of accesses, and lanes that must take part. No effect on results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncAnnotation {
    /// `bar.warp.sync`: `src` is the member mask.
    WarpSync,
    /// A `.sync` instruction of lanes: `src` is the member mask.
    Members,
    /// `shfl`: `src` are the member mask, the operands `b` and `c`.
    Shuffle(ShuffleMode),
    /// A fence.
    Fence(Scope),
    /// `fence.mbarrier_init`: orders only initializations of mbarriers.
    InitFence,
    /// `fence.proxy.async`.
    ProxyFence,
    /// `cp.async.commit_group`.
    Commit,
    /// `wgmma.fence`.
    ProductFence,
    /// `wgmma.commit_group`.
    ProductCommit,
    /// `wgmma.wait_group`: all but this many groups.
    ProductWait(u32),
    /// `cp.async.wait_group`: all but this many groups; `u32::MAX` waits for everything.
    Wait(u32),
}

/// A warp-wide instruction that is not a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpOp {
    /// `shfl`: sources are the value and the operands `b` and `c`; results are the value and whether
    /// the source lane was in range.
    Shuffle(ShuffleMode),
    /// `vote`: sources are the predicate and the members.
    Vote {
        /// How the predicates are combined.
        mode: VoteMode,
        /// Whether the predicate is negated.
        negated: bool,
    },
    /// `match`: sources are the value and the members.
    Match {
        /// Gives all members if they agree, instead of those that agree with each lane.
        all: bool,
    },
    /// `activemask`.
    ActiveMask,
    /// `elect`: the source is the members; results are the leader and whether the lane is the leader.
    Elect,
    /// `redux`: sources are the value and the members.
    Reduce(WarpReduction),
    /// Reads a clock: the lower 64 bits, or the upper word.
    Clock {
        /// The upper word.
        high: bool,
    },
    /// `vprintf`: sources are the addresses of the format and of its arguments.
    Print,
    /// `malloc`: sources are the size and the heap.
    Malloc,
    /// `free`: sources are the address and the heap.
    Free,
}

/// Where a lane of `shfl` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// From a lower lane.
    Up,
    /// From a higher lane.
    Down,
    /// From the lane whose number differs by a mask.
    Butterfly,
    /// From a lane by its number.
    Index,
}

/// The result of `vote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    /// Whether all are true.
    All,
    /// Whether one is true.
    Any,
    /// Whether all are the same.
    Uniform,
    /// The mask of those that are true.
    Ballot,
}

/// How `redux` combines words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum WarpReduction {
    Add,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
}

impl WarpOp {
    /// Whether all active lanes get the same results. `constant`: the member mask is a constant; lanes with different masks
    /// would get different results.
    pub fn is_uniform(self, constant: bool) -> bool {
        match self {
            WarpOp::ActiveMask | WarpOp::Clock { .. } => true,
            WarpOp::Vote { .. } | WarpOp::Reduce(_) => constant,
            _ => false,
        }
    }
}
