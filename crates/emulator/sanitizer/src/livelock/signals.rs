//! Ends a warp's time slice after a signal, so that the warps that wait for it run first.
//!
//! *Purpose.* If a warp signaled twice in one slice, the other warps would see only the second signal, and with it all that
//! the warp did in between: a missing wait would stay hidden. So a warp pauses before its first weak access after a signal.
//! It does not pause before it polls: by then all other warps would have signaled, which hides a wait for too few signals.
//!
//! *Signals.* In a kernel that polls memory in a loop, a signal is a strong write that changes memory and that either
//! releases earlier writes or writes an address that a warp has polled twice in a row.
//!
//! *Other clusters.* When a warp pauses, its cluster yields to the clusters that a signal has woken, and to a few that have
//! not started. In a large grid, the remaining clusters start when earlier ones have ended or wait.

use crate::livelock::memory_changes::ByteSnapshot;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::memory_layout::SHARED_WINDOW;
use std::collections::HashSet;

/// Maximum number of addresses that are remembered as polled.
const MOST_POLLED: usize = 1 << 16;

/// A strong write that was about to execute.
struct Signal {
    rank: u32,
    warp: u32,
    /// The bytes that its first and its last lane write, before the write.
    before: [Option<ByteSnapshot>; 2],
}

impl Signal {
    fn is_of(&self, rank: u32, warp: &Warp) -> bool {
        self.rank == rank && self.warp == warp.index
    }

    /// Whether the write has changed memory.
    fn changed(&self) -> bool {
        // SAFETY: the bytes are in global memory, which a launch keeps, or in the shared memory of a block of the running
        // cluster: `Signals::restart` forgets signals of others.
        self.before.iter().flatten().any(|bytes| unsafe { !bytes.unchanged() })
    }
}

/// A warp of the running cluster: its last poll, and whether it has executed a fence since its last signal.
#[derive(Clone, Copy, Default)]
struct WarpSignals {
    look: (u32, u64),
    fenced: bool,
}

/// The signals of a launch's kernel.
#[derive(Default)]
pub struct Signals {
    /// Whether the kernel polls memory in a loop.
    waits: bool,
    /// Rank of the block that has the time slice.
    rank: u32,
    /// By rank and warp.
    warps: Vec<Vec<WarpSignals>>,
    /// Addresses that a warp has polled twice in a row.
    polled: HashSet<u64>,
    pending: Option<Signal>,
}

impl Signals {
    /// For a kernel that may wait in loops, or that does not.
    pub fn new(waits: bool) -> Signals {
        Signals { waits, ..Signals::default() }
    }

    /// A cluster starts, or the worker switches to another one.
    pub fn restart(&mut self) {
        self.warps.clear();
        self.pending = None;
    }

    /// Switches to the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.rank = rank;
    }

    /// Whether a signal may have ended a wait.
    #[inline(always)]
    pub fn pending(&self) -> bool {
        self.pending.is_some()
    }

    fn warp(&mut self, index: u32) -> &mut WarpSignals {
        let (rank, index) = (self.rank as usize, index as usize);
        if self.warps.len() <= rank {
            self.warps.resize_with(rank + 1, Vec::new);
        }
        let warps = &mut self.warps[rank];
        if warps.len() <= index {
            warps.resize(index + 1, WarpSignals::default());
        }
        &mut warps[index]
    }

    /// A warp executes a fence.
    pub fn fence(&mut self, warp: u32) {
        if self.waits {
            self.warp(warp).fenced = true;
        }
    }

    /// Notes a warp's access before it executes.
    #[inline(always)]
    pub fn note(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        if self.waits && site.order.strong.is_some() {
            self.note_strong(warp, instruction, site, at);
        }
    }

    #[inline(never)]
    fn note_strong(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        let lanes = [warp.mask.trailing_zeros() & 31, 31 - (warp.mask.leading_zeros() & 31)];
        let window = if site.space == MemorySpace::Shared { SHARED_WINDOW } else { 0 };
        let place = at[lanes[0] as usize].wrapping_add(window);
        if site.kind != AccessKind::Store {
            let look = std::mem::replace(&mut self.warp(warp.index).look, (instruction, place));
            if look == (instruction, place) && self.polled.len() < MOST_POLLED {
                self.polled.insert(place);
            }
        }
        if site.kind == AccessKind::Load {
            return;
        }
        let fenced = std::mem::take(&mut self.warp(warp.index).fenced);
        if self
            .pending
            .as_ref()
            .is_some_and(|signal| signal.is_of(self.rank, warp) && signal.changed())
        {
            return;
        }
        if fenced || site.order.release || self.polled.contains(&place) {
            let bytes = usize::from(site.bytes) * usize::from(site.count);
            let before = lanes.map(|lane| {
                let host = warp.lane_host(site.space, lane, at[lane as usize], bytes as u64)?;
                // SAFETY: `lane_host` has checked that the bytes are in memory of the launch.
                Some(unsafe { ByteSnapshot::capture(host, bytes) })
            });
            self.pending = Some(Signal { rank: self.rank, warp: warp.index, before });
        }
    }

    /// Whether the warp has signaled others, so that it pauses before this access. Forgets the signal.
    #[cold]
    pub fn pauses(&mut self, warp: &Warp) -> bool {
        let signal = self.pending.take();
        signal.is_some_and(|signal| signal.is_of(self.rank, warp) && signal.changed())
    }
}
