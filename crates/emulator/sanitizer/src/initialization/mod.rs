//! Initialization: reads of uninitialized memory and registers.
//!
//! *Algorithm.* An initialized-byte bitmap per memory, similar to the validity bits of Valgrind's
//! Memcheck and MemorySanitizer. Global allocations carry their bitmap, which uploads by the host
//! set as well; the bitmaps of shared and local memory are here. [`registers`] tracks uninitialized
//! registers.
//!
//! *Limits.* A read is reported where it happens, not where its value matters, except for values that are
//! only copied ([`copied_values`]; in local memory, `copies` of a load's order), padding that CUB and
//! Thrust copy in other ways (the suppression list), and reads that race with the missed write, which are
//! reported as the race.

pub mod bits;
pub mod copied_values;
pub mod registers;

use crate::bounds::MemoryId;
use crate::findings::{Finding, place};
use lanework_engine::fault::NearAllocation;
use lanework_engine::initialized::InitializedBytes;
use std::sync::Arc;

/// Initialized-byte bitmaps of all memories.
pub struct Initialization {
    ranks: usize,
    /// By memory; `None` if it is not tracked.
    memories: Vec<Option<Arc<InitializedBytes>>>,
    /// Local memory of all threads of the cluster, thread by thread.
    pub local: InitializedBytes,
}

impl Initialization {
    /// Uninitialized shared memories of these sizes, by rank, and `local_bytes` of local memory.
    pub fn new(shared: impl Iterator<Item = u64>, local_bytes: u64) -> Initialization {
        let memories: Vec<_> =
            shared.map(|bytes| Some(Arc::new(InitializedBytes::new(bytes)))).collect();
        Initialization {
            ranks: memories.len(),
            memories,
            local: InitializedBytes::new(local_bytes),
        }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.memories[..self.ranks].iter().flatten().for_each(|written| written.clear());
        self.local.clear();
    }

    /// Swaps shared and local memory with another cluster's.
    pub fn exchange(&mut self, other: &mut Initialization) {
        self.memories[..self.ranks].swap_with_slice(&mut other.memories);
        std::mem::swap(&mut self.local, &mut other.local);
    }

    /// Adds the next memory, an allocation.
    pub fn track(&mut self, written: Option<Arc<InitializedBytes>>) {
        self.memories.push(written);
    }

    /// The bitmap of a memory, if it is tracked.
    #[inline(always)]
    pub fn written(&self, id: MemoryId) -> Option<&InitializedBytes> {
        self.memories[id].as_deref()
    }

    /// The finding of a read of uninitialized bytes.
    pub fn unwritten(
        verb: &str,
        space: &str,
        (address, bytes): (u64, u64),
        near: Option<NearAllocation>,
    ) -> Finding {
        let at = place(near.as_ref(), address);
        let help = match space {
            "global" => "upload or fill the buffer, or write it in a kernel that runs before",
            "shared" => {
                "write the element before any thread reads it: shared memory starts undefined"
            }
            _ => "initialize the array before reading it",
        };
        Finding {
            message: format!(
                "uninitialized {space} {verb}: {bytes} bytes at {at} were never written"
            ),
            help: help.into(),
            address: Some(address),
            size: bytes,
            allocation: near,
            race: None,
        }
    }
}
