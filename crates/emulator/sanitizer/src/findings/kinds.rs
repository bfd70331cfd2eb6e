//! The kinds of findings: one table for names, SARIF rules and documentation.
//!
//! A new kind needs one row of `kinds!`, and a place that reports it by [`Reports::add`](super::Reports::add).

use lanework_engine::fault::FaultKind;
use std::fmt;

/// Severity of a finding, named as in SARIF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The kernel relies on behavior that the programming model does not guarantee; its results may
    /// still be right.
    Warning,
    /// The kernel is wrong: its result is undefined, or it does not terminate.
    Error,
}

impl Level {
    /// The name in SARIF.
    pub fn name(self) -> &'static str {
        match self {
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// A row of the table of kinds.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: ReportKind,
    /// Its name on the command line and in JSON.
    pub name: &'static str,
    /// Its severity.
    pub level: Level,
    /// Description of the finding.
    pub what: &'static str,
    /// General remedy; a finding's own help is more specific.
    pub help: &'static str,
}

/// Declares the kinds and their table from one list.
macro_rules! kinds {
    ($($kind:ident $name:literal $level:ident $what:literal $help:literal)*) => {
        /// The kinds of errors that the sanitizer finds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ReportKind {
            $(#[doc = $what] $kind,)*
        }

        impl ReportKind {
            /// All kinds.
            pub const ALL: [ReportKind; ReportKind::TABLE.len()] = [$(ReportKind::$kind),*];

            /// Details of each kind, in the order of the variants.
            pub const TABLE: &'static [KindInfo] = &[$(KindInfo {
                kind: ReportKind::$kind,
                name: $name,
                level: Level::$level,
                what: $what,
                help: $help,
            }),*];
        }
    };
}

kinds! {
    OutOfBounds "out-of-bounds" Error
        "An access outside its allocation, variable or block of `malloc`, or a write to constant memory."
        "Guard the access so that its index stays inside the array."
    Misaligned "misaligned" Error
        "An address that is not a multiple of the access's size."
        "Align the pointer, or access smaller elements."
    UseAfterFree "use-after-free" Error
        "An access to memory already freed, or to shared memory of a block that has ended."
        "Free the memory after its last use."
    Leak "leak" Error
        "Memory that was never freed."
        "Drop the buffer, or free what was allocated by hand."
    Uninitialized "uninitialized" Error
        "A read of uninitialized memory or of an uninitialized register."
        "Write the value before anything reads it."
    Race "race" Error
        "Two unordered accesses, at least one of which writes."
        "Put a barrier between the two, or use atomics."
    StreamRace "stream-race" Error
        "Unordered launches, copies or fills of two streams, or of two nodes of a graph, that access the same bytes, at least one of which writes."
        "Record an event after the first and let the stream of the second wait for it, or synchronize before the second is issued."
    PageableCopy "pageable-copy" Warning
        "A `cudaMemcpy` from pageable memory, and an operation of a stream that does not wait for the default stream, on the same bytes. CUDA's documentation lets the call return before the data has reached the device."
        "Synchronize the default stream after the copy, or copy in the stream that uses the data."
    WarpSynchronous "warp-synchronous" Warning
        "Lanes of a warp that rely on lockstep: data passed by `volatile` accesses, or a lane that signals or waits for its warp, without `__syncwarp` in between."
        "Put `__syncwarp()` between the steps, or shuffle the values."
    WgmmaRegisters "wgmma-registers" Warning
        "A register of a `wgmma` product that is accessed before the wait for the product, or written without a `wgmma.fence` before it. The PTX manual leaves that undefined; ptxas adds the wait or the fence, and serializes the products."
        "Commit the product and wait for its group before accessing its registers, and run `wgmma.fence` after writing them."
    ProxyFence "proxy-fence" Warning
        "A copy into shared memory that threads have read before, without a `fence.proxy.async` in between. The PTX memory model then leaves open whether the reads see the copied bytes."
        "Run `fence.proxy.async` in the threads that read, before they arrive at the barrier that orders them with the copy."
    UnsetConstant "unset-constant" Warning
        "A read of a `__constant__` variable that has no initializer and that no call has set: it is zero."
        "Copy the values to the variable before the launch (`cudaMemcpyToSymbol`)."
    LostOutput "lost-output" Warning
        "A kernel's `printf` output that the program does not wait for. CUDA does not print it at the end of the program, so it may be lost."
        "Call `cudaDeviceSynchronize()` after the launch."
    BarrierDivergence "barrier-divergence" Error
        "A barrier that part of a warp reached, or whose threads disagree about it."
        "Let every thread of the block reach the same barrier, outside of divergent branches."
    Deadlock "deadlock" Error
        "Threads that wait forever."
        "Find out what should end the wait: a barrier, an mbarrier's phase, a write to a flag."
    InactiveLane "inactive-lane" Error
        "A shuffle that reads from a lane that does not take part, or a wrong member mask."
        "Use the mask of the lanes that execute the instruction, and let every source lane take part."
    AsyncOrder "async-order" Error
        "A use of an asynchronous operation's result before waiting for it, or a missing fence between proxies."
        "Wait for the operation before using its result, and fence the data that it reads."
    FailedCall "failed-call" Error
        "A call of CUDA's driver or runtime that fails: wrong sizes or addresses, a double free, an invalid launch configuration, a call that is illegal during a capture."
        "Check the return code of each call, and correct the arguments of this one."
}

impl ReportKind {
    /// Its row of the table.
    pub fn info(self) -> &'static KindInfo {
        &ReportKind::TABLE[self as usize]
    }

    /// Its name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it concerns two stream operations.
    pub fn is_of_streams(self) -> bool {
        matches!(self, ReportKind::StreamRace | ReportKind::PageableCopy)
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<ReportKind> {
        ReportKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a fault; `None` if the fault is not a finding.
    pub fn from_fault(fault: FaultKind) -> Option<ReportKind> {
        match fault {
            FaultKind::OutOfBounds
            | FaultKind::Null
            | FaultKind::BadFree
            | FaultKind::SurfacePlace => Some(ReportKind::OutOfBounds),
            FaultKind::Misaligned | FaultKind::TilePlace => Some(ReportKind::Misaligned),
            FaultKind::UseAfterFree => Some(ReportKind::UseAfterFree),
            FaultKind::Deadlock => Some(ReportKind::Deadlock),
            FaultKind::NoMbarrier => Some(ReportKind::Uninitialized),
            FaultKind::BarrierDivergence | FaultKind::Mbarrier => {
                Some(ReportKind::BarrierDivergence)
            }
            _ => None,
        }
    }
}

impl fmt::Display for ReportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The enabled kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks(u32);

/// Flag: check reads by the host.
const HOST_READS: u32 = 1 << 31;
/// Flag: check each access lane by lane.
const BY_LANE: u32 = 1 << 30;
/// Flag: keep the launch's shadow of global memory.
const SHADOW: u32 = 1 << 29;

impl Default for Checks {
    /// All but leaks and missing proxy fences after reads, which are opt-in.
    fn default() -> Self {
        Checks::all().without(ReportKind::Leak).without(ReportKind::ProxyFence)
    }
}

impl Checks {
    /// All kinds.
    pub fn all() -> Checks {
        Checks(!(HOST_READS | BY_LANE | SHADOW))
    }

    /// No kind.
    pub fn none() -> Checks {
        Checks(0)
    }

    /// Adds a kind.
    #[must_use]
    pub fn with(self, kind: ReportKind) -> Checks {
        Checks(self.0 | 1 << kind as u16)
    }

    /// Removes a kind.
    #[must_use]
    pub fn without(self, kind: ReportKind) -> Checks {
        Checks(self.0 & !(1 << kind as u16))
    }

    /// Also checks reads by the host: a copy to the host of uninitialized bytes is an
    /// [`ReportKind::Uninitialized`] error.
    #[must_use]
    pub fn with_host_reads(self) -> Checks {
        Checks(self.with(ReportKind::Uninitialized).0 | HOST_READS)
    }

    /// Whether reads by the host are checked.
    pub fn has_host_reads(self) -> bool {
        self.0 & HOST_READS != 0
    }

    /// Checks every access lane by lane: slow, the reference for the fast paths.
    #[must_use]
    pub fn by_lane(self) -> Checks {
        Checks(self.0 | BY_LANE)
    }

    /// Keeps the launch's shadow of global memory for its footprint
    /// ([`Checked::shadow`](crate::Checked::shadow)).
    #[must_use]
    pub fn with_shadow(self) -> Checks {
        Checks(self.0 | SHADOW)
    }

    /// Whether the launch's shadow of global memory is kept; requires the race check.
    pub fn keeps_shadow(self) -> bool {
        self.0 & SHADOW != 0 && self.has(ReportKind::Race)
    }

    /// Whether each access is checked lane by lane.
    pub fn is_by_lane(self) -> bool {
        self.0 & BY_LANE != 0
    }

    /// Whether a kind is enabled.
    pub fn has(self, kind: ReportKind) -> bool {
        self.0 >> kind as u16 & 1 != 0
    }
}
