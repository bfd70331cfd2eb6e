//! The events of a run as plain data, the set of events that an instrument wants, and a type-erased handle to a worker's
//! instrument. The state of the machine uses these and must not depend on [`crate::instrument`].

use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::memory_layout::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};

/// The state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory.
    Global,
    /// Shared memory of the block.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Constant memory and kernel parameters.
    Constant,
}

impl Space {
    /// Every space.
    pub const ALL: [Space; 4] = [Space::Global, Space::Shared, Space::Local, Space::Constant];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Constant => "constant",
        }
    }
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write.
    Atomic,
}

impl AccessKind {
    /// Every kind.
    pub const ALL: [AccessKind; 3] = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
        }
    }
}

/// One warp's memory access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// The state space.
    pub space: Space,
    /// The kind of access.
    pub kind: AccessKind,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// The active lanes.
    pub mask: u32,
    /// The address of each lane: global and constant ones are device addresses, shared and local
    /// ones offsets. The addresses of inactive lanes are meaningless.
    pub addresses: &'a [u64; 32],
    /// The instruction, and the block and warp that execute it.
    pub place: Place,
}

/// The location of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// Linear index of the block.
    pub block: u64,
    /// Index of the warp in its block.
    pub warp: u32,
    /// Index of the PTX instruction in the kernel, for [`crate::program::Program::instruction_name`] and
    /// [`crate::program::Program::location`].
    pub instruction: u32,
}

/// An asynchronous event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asynchronous {
    /// A bulk copy is started: until a thread waits for it, no thread may access its target or change its source. A
    /// copy with several targets is reported once for each.
    Started {
        /// Its id, unique in its worker.
        copy: u64,
        /// The source, if it is one contiguous run of bytes.
        from: Option<Span>,
        /// The target, if it is one contiguous run of bytes.
        to: Option<Span>,
        /// The phase that it completes; `None` if it belongs to its thread's bulk group.
        phase: Option<Phase>,
    },
    /// A bulk copy is complete. Only threads that wait for it may rely on that.
    Done {
        /// Its id.
        copy: u64,
    },
    /// A thread arrives at an mbarrier.
    Arrived(Phase),
    /// A thread has waited for the end of an mbarrier's phase.
    Waited(Phase),
    /// A thread makes a group of the copies that it has started.
    Committed,
    /// A thread has waited for its groups.
    GroupsWaited {
        /// Number of the latest groups that may still be in flight.
        pending: u32,
    },
}

/// A run of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The state space.
    pub space: Space,
    /// In shared memory, the rank of its block in the cluster.
    pub rank: u32,
    /// The device address, or the offset in the block's shared memory.
    pub address: u64,
    /// The length.
    pub bytes: u64,
}

/// A phase of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// The rank of the block that it is in.
    pub rank: u32,
    /// Its offset in that block's shared memory.
    pub offset: u64,
    /// The phase's parity.
    pub parity: bool,
}

/// A range of host memory: its first byte and its length.
pub type Run = (*const u8, u64);

/// The bytes that a bulk copy reads and writes.
pub struct Moved {
    /// The source, if it is one run.
    pub reads: Option<Run>,
    /// The target, if it is one run.
    pub writes: Option<Run>,
    /// The global side of a tile, which is not one run: addresses and bytes. It is the source if it is not the
    /// target.
    pub global: Vec<(u64, u64)>,
    /// The bytes that the copy completes at its mbarrier: a tile counts without the padding of its rows.
    pub completes: u64,
    /// Whether the old contents are combined with the new.
    pub combines: bool,
}

/// The traffic of a bulk copy, a tensor copy or an asynchronous store, for counting. One with several
/// targets reads its source once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkTraffic {
    /// The direction between global and shared memory; `None` if it stays in the shared memories of the cluster.
    pub global: Option<BulkDirection>,
    /// Whether it is the first target of the copy, or the only one.
    pub first: bool,
    /// The bytes of global memory: addresses and lengths. Empty for a further target.
    pub runs: Vec<(u64, u64)>,
    /// Bytes of shared memory that it reads or writes, including parts outside of a tensor.
    pub shared_bytes: u64,
}

/// The direction of a bulk copy from or to global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkDirection {
    /// From global memory.
    Load,
    /// To global memory.
    Store,
    /// To global memory, combined with the old contents.
    Reduce,
}

/// A matrix that a warp loads or stores by `wmma`.
pub struct MatrixTile<'a> {
    /// The space.
    pub space: MemorySpace,
    /// The operation.
    pub kind: AccessKind,
    /// The start of the matrix, by lane.
    pub base: &'a [u64; 32],
    /// Bits from one row to the next, or from column to column.
    pub pitch: u64,
    /// Bytes of a lane's registers of the matrix, which its rows should be aligned to.
    pub fragment: u64,
}

/// An event of the heap of `malloc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapEvent {
    /// A warp calls `malloc` or `free`.
    Called,
    /// `malloc` returned a block.
    Allocated {
        /// Its address.
        address: u64,
        /// The bytes asked for.
        bytes: u64,
    },
    /// `free` took a block back.
    Freed {
        /// Its address.
        address: u64,
    },
}

/// The space of a generic address.
pub fn generic_space(address: u64) -> Space {
    if address.wrapping_sub(SHARED_WINDOW) < WINDOW {
        Space::Shared
    } else if address.wrapping_sub(LOCAL_WINDOW) < WINDOW {
        Space::Local
    } else if address.wrapping_sub(PARAMETER_WINDOW) < WINDOW {
        Space::Constant
    } else {
        Space::Global
    }
}

/// A set of events that an instrument may request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wants(u32);

impl Wants {
    /// No events: no operation is inserted, and the run is as fast as one without an instrument.
    pub const NOTHING: Wants = Wants(0);
    /// Each instruction of each warp: `Instrument::instruction`.
    pub const INSTRUCTIONS: Wants = Wants(1);
    /// Each access: `Instrument::memory` and, by its default, `Instrument::access`.
    pub const ACCESSES: Wants = Wants(1 << 1);
    /// Counter slots: accesses that follow a pattern, and visits of basic blocks, are summed in place and
    /// passed on at the end (`Instrument::flush`); `Instrument::memory` reports other accesses, and
    /// `Instrument::bulk_traffic` bulk copies. Not to be combined with `ACCESSES`.
    pub const COUNTS: Wants = Wants(1 << 2);
    /// Branches at which a warp diverges, and, in any order, barrier arrivals.
    pub const BRANCHES: Wants = Wants(1 << 3);
    /// Barrier arrivals as they happen: `Instrument::barrier`.
    pub const BARRIERS: Wants = Wants(1 << 4);
    /// Phases of mbarriers, and bulk copies from their start to the wait for them:
    /// `Instrument::asynchronous`.
    pub const ASYNCHRONOUS: Wants = Wants(1 << 5);
    /// All that orders threads: barriers, member masks and warp synchronization, fences, mbarriers,
    /// cluster barriers, commits and waits.
    pub const SYNCHRONIZATION: Wants = Wants(1 << 6);
    /// Asynchronous copies with the bytes that they read and write, and the shared memory that `wgmma` reads.
    pub const COPIES: Wants = Wants(1 << 7);
    /// `malloc` and `free` of kernels. Their blocks are then far apart, and freed blocks are reused only when
    /// the heap is full.
    pub const HEAP: Wants = Wants(1 << 8);
    /// Starts and ends of clusters, blocks and warps, and whose time slice it is.
    pub const EDGES: Wants = Wants(1 << 9);
    /// The cluster after each scheduler pass: `Instrument::scheduler_pass`.
    pub const PASSES: Wants = Wants(1 << 10);
    /// The instrument keeps the bitmaps of initialized bytes up to date; else all memory counts as
    /// initialized after the launch.
    pub const INITIALIZED: Wants = Wants(1 << 11);
    /// One worker runs all blocks, in order.
    pub const ONE_WORKER: Wants = Wants(1 << 12);
    /// Each instruction of each warp, before it runs and with access to the state of its block: `Instrument::step`. The
    /// instrument may skip steps.
    pub const STEPS: Wants = Wants(1 << 13);
    /// Tensor products compute nothing: their destinations keep what they held. For a trace whose control flow and addresses
    /// do not depend on the products.
    pub const NO_PRODUCTS: Wants = Wants(1 << 14);
    /// The events of a plain observer: instructions, accesses, barriers and asynchronous copies.
    pub const EVENTS: Wants = Wants(
        Wants::INSTRUCTIONS.0 | Wants::ACCESSES.0 | Wants::BARRIERS.0 | Wants::ASYNCHRONOUS.0,
    );

    /// Both sets.
    pub const fn with(self, other: Wants) -> Wants {
        Wants(self.0 | other.0)
    }

    /// This set without the other.
    pub const fn without(self, other: Wants) -> Wants {
        Wants(self.0 & !other.0)
    }

    /// Whether the sets have anything in common.
    #[inline(always)]
    pub const fn any(self, of: Wants) -> bool {
        self.0 & of.0 != 0
    }
}

impl std::ops::BitOr for Wants {
    type Output = Wants;
    #[inline(always)]
    fn bitor(self, other: Wants) -> Wants {
        self.with(other)
    }
}

/// The steps of a worker.
#[derive(Debug, Default)]
pub(crate) struct StepCounter {
    /// The number of the next step.
    pub(crate) next: u64,
    /// The next step that the instrument sees.
    pub(crate) seen: u64,
}

/// The instrument of a worker, its type erased; `Attached` makes it.
#[derive(Clone, Copy)]
pub struct Hook {
    /// The events that it wants.
    pub(crate) wants: Wants,
    /// The instrument, for operations that know its type.
    pub(crate) instrument: *mut (),
    /// The `*mut dyn Instrument` of it.
    pub(crate) object: *const (),
    /// The worker's steps.
    pub(crate) steps: *mut StepCounter,
}

impl Hook {
    /// Whether the instrument wants any of these events.
    #[inline(always)]
    pub fn wants(self, what: Wants) -> bool {
        self.wants.any(what)
    }
}
