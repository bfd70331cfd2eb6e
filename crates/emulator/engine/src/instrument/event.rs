//! The events of a run that instruments receive, as plain data.

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The bytes that the copy completes at its mbarrier: those of a tile without the padding of its rows.
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
