//! The memory-change tracker, while warps of a checked launch spin: what is written is compared with
//! what was there, and what is read is remembered. A spin that returns to where it was while memory did
//! not change goes on for ever.

use lanework_engine::event::{AccessKind, Space, generic_space};
use lanework_engine::machine::Warp;
use lanework_engine::site::Site;
use lanework_engine::worker_context::Context;
use lanework_ptx_ir::kernel::MemorySpace;
use std::collections::HashMap;

/// Bytes of one lane's access at most.
const MOST_BYTES: usize = 32;
/// Runs of global bytes remembered; who reads more does not only spin.
const MOST_READS: usize = 1 << 12;

/// Some bytes on the host, and what they held.
#[derive(Clone, Copy)]
struct ByteSnapshot {
    host: *const u8,
    bytes: usize,
    value: [u8; MOST_BYTES],
}

// SAFETY: the bytes are those of a launch, which holds the memory's lock and moves its workers' instruments
// between threads only before and after they run.
unsafe impl Send for ByteSnapshot {}

impl ByteSnapshot {
    /// # Safety
    /// So many bytes are there to be read.
    unsafe fn capture(host: *const u8, bytes: usize) -> ByteSnapshot {
        let mut value = [0; MOST_BYTES];
        // SAFETY: by the caller; the array is as long.
        unsafe { value.as_mut_ptr().copy_from_nonoverlapping(host, bytes.min(MOST_BYTES)) };
        ByteSnapshot { host, bytes: bytes.min(MOST_BYTES), value }
    }

    /// # Safety
    /// As for [`ByteSnapshot::of`].
    unsafe fn unchanged(&self) -> bool {
        // SAFETY: by the caller.
        unsafe { ByteSnapshot::capture(self.host, self.bytes).value == self.value }
    }
}

/// What a warp looks at while it spins.
#[derive(Clone, Copy)]
pub struct SpinRead {
    /// The instruction.
    pub instruction: u32,
    /// Its lowest lane.
    pub lane: u32,
    /// Where that one reads.
    pub address: u64,
    /// In which space.
    pub space: MemorySpace,
    /// How many bytes.
    pub bytes: u32,
    strong: bool,
}

/// The bytes of global memory that spinning warps read, and what they held.
pub struct SpinReads(Vec<ByteSnapshot>);

impl SpinReads {
    /// Whether none was read: other blocks then have no part in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These and others.
    pub fn with(mut self, others: SpinReads) -> SpinReads {
        self.0.extend(others.0);
        self
    }

    /// Whether all hold what they held.
    ///
    /// # Safety
    /// The launch still holds the memory's lock.
    pub unsafe fn unchanged(&self) -> bool {
        // SAFETY: nothing is freed during a launch.
        self.0.iter().all(|held| unsafe { held.unchanged() })
    }
}

/// What the warps of one block do with memory.
pub struct MemoryChanges {
    changed: bool,
    /// What is being written, with what is there before.
    under_way: Vec<ByteSnapshot>,
    reads: HashMap<(u64, usize), *const u8>,
    /// By warp.
    pub looks: Vec<Option<SpinRead>>,
}

// SAFETY: as for `ByteSnapshot`.
unsafe impl Send for MemoryChanges {}

impl MemoryChanges {
    /// For a block of this many warps.
    pub fn new(warps: usize) -> MemoryChanges {
        MemoryChanges {
            changed: false,
            under_way: Vec::new(),
            reads: HashMap::new(),
            looks: vec![None; warps],
        }
    }

    /// Something changes in another way than by an access.
    pub fn disturb(&mut self) {
        self.changed = true;
    }

    /// Whether memory has changed since.
    pub fn changed(&mut self) -> bool {
        for held in self.under_way.drain(..) {
            // SAFETY: the bytes belong to the block, or to global memory that nobody frees meanwhile.
            self.changed |= unsafe { !held.unchanged() };
        }
        self.changed || self.reads.len() > MOST_READS
    }

    /// The bytes of global memory that were read, with what they hold now.
    pub fn reads(&self) -> SpinReads {
        // SAFETY: as above.
        let held = self
            .reads
            .iter()
            .map(|((_, bytes), host)| unsafe { ByteSnapshot::capture(*host, *bytes) });
        SpinReads(held.collect())
    }

    /// A warp's access, before it is done.
    pub fn access(
        &mut self,
        context: &Context,
        warp: &Warp,
        instruction: u32,
        site: &Site,
        at: &[u64; 32],
    ) {
        let bytes = usize::from(site.bytes) * usize::from(site.count);
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        if self.changed() {
            return;
        }
        if reads && site.space != MemorySpace::Parameter && site.space != MemorySpace::Constant {
            let strong = site.order.strong.is_some();
            let look = &mut self.looks[warp.index as usize];
            if strong || look.is_none_or(|look| !look.strong) {
                let lane = warp.mask.trailing_zeros() & 31;
                let (address, space) = (at[lane as usize], site.space);
                let bytes = bytes as u32;
                *look = Some(SpinRead { instruction, lane, address, space, bytes, strong });
            }
        }
        for lane in (0..32).filter(|lane| warp.mask >> lane & 1 != 0) {
            let address = at[lane as usize];
            let host = context.lane_host(site.space, warp.index, lane, address, bytes as u64);
            let Some(host) = host else { continue };
            if writes {
                self.changed |= bytes > MOST_BYTES;
                // SAFETY: so many bytes are there.
                self.under_way.push(unsafe { ByteSnapshot::capture(host, bytes) });
            }
            if reads && is_global(site.space, address) {
                self.reads.insert((host as u64, bytes), host);
            }
        }
    }
}

/// Whether an address is one of global memory.
fn is_global(space: MemorySpace, address: u64) -> bool {
    match space {
        MemorySpace::Global => true,
        MemorySpace::Generic => generic_space(address) == Space::Global,
        _ => false,
    }
}
