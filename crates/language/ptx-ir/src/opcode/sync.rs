//! Barriers, fences, and what else orders accesses or is demanded of lanes (PTX manual, "Parallel
//! Synchronization and Communication Instructions").

use crate::opcode::memory::Scope;
use crate::opcode::warp::ShuffleMode;

/// What a barrier instruction does.
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

/// What orders accesses, or is demanded of lanes, beside what an instruction computes. Only checks
/// listen.
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
    /// `fence.mbarrier_init`: orders initialisations of mbarriers, and nothing else.
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
