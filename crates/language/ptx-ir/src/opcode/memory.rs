//! Opcodes of memory and of communication between threads:
//!
//! - loads, stores and atomics, and their place in the memory model (PTX manual, "Data Movement and Conversion Instructions",
//!   "Memory Consistency Model", `atom`, `red`, `cp.reduce.async.bulk`);
//! - barriers, fences, annotations for checks, and exchanges of values within a warp (PTX manual, "Parallel Synchronization and
//!   Communication Instructions"); clocks, and calls that the driver provides.

use crate::opcode::integer::IntegerSize;
use crate::types::MemorySpace;
use lanework_ptx::ScalarType::{self, *};

/// A memory instruction. `src[0]` is the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOp {
    /// Load, store or atomic.
    pub kind: MemoryKind,
    /// The state space.
    pub space: MemorySpace,
    /// Type of one element in memory.
    pub ty: ScalarType,
    /// Elements per lane: 1, 2, 4 or 8.
    pub count: u8,
    /// Bytes added to the address.
    pub offset: i64,
    /// Whether lanes that read one address may get different values.
    pub volatile: bool,
    /// Its memory order.
    pub order: MemoryOrder,
    /// Which part of a vector it is, for an atomic on one element of a vector.
    pub part: AccessPart,
}

/// Which part of an instruction's access an operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessPart {
    /// All of it.
    Whole,
    /// The first of this many elements.
    First(u8),
    /// A further element.
    Rest,
}

/// The kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Reads into the destinations.
    Load,
    /// Writes the sources after the address.
    Store,
    /// Replaces a word by a function of it and two sources, and returns the old one.
    Atomic(AtomicOp),
}

/// The scope of an instruction's ordering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// The blocks of the cluster.
    Cluster,
    /// The threads of the GPU.
    Device,
    /// The host and other GPUs, too.
    System,
}

/// The memory ordering of an access. The race detector uses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryOrder {
    /// A strong access (`.volatile`, `.relaxed` or more) and its scope; `None` for a weak one.
    pub strong: Option<Scope>,
    /// Whether earlier accesses of the thread are visible to threads that read the result.
    pub release: bool,
    /// Whether later accesses of the thread see what was released by the writer of the value that it reads.
    pub acquire: bool,
    /// A `.volatile` access to data: a write, or a read that no branch depends on. Two of them race.
    pub data: bool,
    /// Whether the result of an atomic decides a branch or goes to memory or other lanes. Only then does the thread know
    /// what happened before it. `false` for `red`.
    pub observes: bool,
    /// A load through the non-coherent cache (`.nc`), of data that must not change while the kernel runs.
    pub read_only: bool,
    /// A bit per loaded element whose value is only moved and stored in local memory.
    pub copies: u8,
}

/// The kind of atomic, for any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicKind {
    /// Adds.
    Add,
    /// Keeps the smaller.
    Min,
    /// Keeps the larger.
    Max,
    /// Adds 1, or wraps to 0 at a limit.
    Increment,
    /// Subtracts 1, or wraps to a limit at 0.
    Decrement,
    /// Replaces the word if it equals an expected value.
    CompareAndSwap,
    /// Replaces the word.
    Exchange,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// The value that an atomic writes, from the word `m` in memory and its operands `b` and `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// `b`.
    Exchange,
    /// `m & b`.
    And,
    /// `m | b`.
    Or,
    /// `m ^ b`.
    Xor,
    /// `c` if `m` is `b`, else `m`.
    CompareAndSwap(IntegerSize),
    /// 0 if `m >= b`, else `m + 1`.
    Increment,
    /// `b` if `m` is 0 or above `b`, else `m - 1`.
    Decrement,
    /// `m + b` of integers.
    Add,
    /// The smaller integer.
    Min {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
        /// Whether they are signed.
        signed: bool,
    },
    /// The larger integer.
    Max {
        /// Whether the operand has 64 bits instead of 32.
        wide: bool,
        /// Whether they are signed.
        signed: bool,
    },
    /// `m + b` of f32.
    AddSingle {
        /// Subnormals are zeros, as in global memory's unit; shared memory's sums keep them.
        flush: bool,
    },
    /// `m + b` of f64.
    AddDouble {
        /// A NaN is made quiet, as in shared memory; else a NaN operand replaces the word.
        quiet: bool,
    },
    /// On 16-bit floats.
    Narrow {
        /// The operation.
        what: NarrowAtomic,
        /// `bf16`; else `f16`.
        bf16: bool,
        /// On two of them in a word.
        pair: bool,
    },
}

/// Operations of atomics on 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NarrowAtomic {
    /// The sum.
    Add,
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

impl AtomicOp {
    /// The operation of a kind on a type, in `shared` memory or in global memory; `None` if the
    /// emulator has none.
    pub fn new(kind: AtomicKind, ty: ScalarType, shared: bool) -> Option<AtomicOp> {
        let narrow = |what| match ty {
            F16 => Some(AtomicOp::Narrow { what, bf16: false, pair: false }),
            Bf16 => Some(AtomicOp::Narrow { what, bf16: true, pair: false }),
            F16x2 => Some(AtomicOp::Narrow { what, bf16: false, pair: true }),
            Bf16x2 => Some(AtomicOp::Narrow { what, bf16: true, pair: true }),
            _ => None,
        };
        let integer = match ty {
            U32 => Some((false, false)),
            S32 => Some((false, true)),
            U64 => Some((true, false)),
            S64 => Some((true, true)),
            _ => None,
        };
        match kind {
            AtomicKind::Exchange => Some(AtomicOp::Exchange),
            AtomicKind::And => Some(AtomicOp::And),
            AtomicKind::Or => Some(AtomicOp::Or),
            AtomicKind::Xor => Some(AtomicOp::Xor),
            AtomicKind::CompareAndSwap => Some(AtomicOp::CompareAndSwap(match ty.size() {
                8 => IntegerSize::Wide,
                4 => IntegerSize::Word,
                _ => IntegerSize::Half,
            })),
            AtomicKind::Increment => Some(AtomicOp::Increment),
            AtomicKind::Decrement => Some(AtomicOp::Decrement),
            AtomicKind::Add => match ty {
                U32 | S32 | U64 | S64 => Some(AtomicOp::Add),
                F32 => Some(AtomicOp::AddSingle { flush: !shared }),
                F64 => Some(AtomicOp::AddDouble { quiet: shared }),
                _ => narrow(NarrowAtomic::Add),
            },
            AtomicKind::Min => match integer {
                Some((wide, signed)) => Some(AtomicOp::Min { wide, signed }),
                None => narrow(NarrowAtomic::Min),
            },
            AtomicKind::Max => match integer {
                Some((wide, signed)) => Some(AtomicOp::Max { wide, signed }),
                None => narrow(NarrowAtomic::Max),
            },
        }
    }

    /// A reduction by the copy engine, into memory of any space: its sums of f32 keep subnormals, as
    /// shared memory's do and global memory's atomics do not (seen on an H200).
    pub fn for_copy(kind: AtomicKind, ty: ScalarType) -> Option<AtomicOp> {
        AtomicOp::new(kind, ty, ty == F32)
    }

    /// Whether it computes with floats.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            AtomicOp::AddSingle { .. } | AtomicOp::AddDouble { .. } | AtomicOp::Narrow { .. }
        )
    }
}

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
    /// A `.sync` instruction between the lanes of a warp: `src` is the member mask.
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
