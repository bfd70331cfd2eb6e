//! The events that an instrument wants, and a type-erased handle to a worker's instrument: the state of the machine
//! must not depend on [`crate::instrument`].

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

/// The instrument of a worker, its type erased; `Attached` makes it.
#[derive(Clone, Copy)]
pub struct Hook {
    /// The events that it wants.
    pub(crate) wants: Wants,
    /// The instrument, for operations that know its type.
    pub(crate) instrument: *mut (),
    /// The `*mut dyn Instrument` of it.
    pub(crate) object: *const (),
}

impl Hook {
    /// Whether the instrument wants any of these events.
    #[inline(always)]
    pub fn wants(self, what: Wants) -> bool {
        self.wants.any(what)
    }
}
