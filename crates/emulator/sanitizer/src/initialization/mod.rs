//! Initialisation: reads of memory and of registers that nothing has written.
//!
//! *Algorithm.* As Valgrind's memcheck has bits for addressability and MemorySanitizer for definedness, a
//! bit per byte says whether anything has written it: of global memory beside each allocation, where
//! the host's uploads set them too, of shared and local memory here. Unwritten registers are followed by
//! [`registers`].
//!
//! *Limits.* A read is reported where it happens, not where its value matters, but for three idioms that
//! right programs have: padding that CUB and Thrust move (the suppression list), elements of local memory
//! that are only moved on (`copies` of a load's order), and reads that race with the write they come
//! before, which are one error, the race.

pub mod bits;
pub mod registers;

use crate::bounds::MemoryId;
use crate::findings::{Finding, place};
use lanework_engine::fault::NearAllocation;
use lanework_engine::initialised::InitialisedBytes;
use std::sync::Arc;

/// Which bytes have been written, of all memories.
pub struct Initialisation {
    ranks: usize,
    /// By number of the memory; none where it is not known.
    memories: Vec<Option<Arc<InitialisedBytes>>>,
    /// Local memory of all threads of the cluster, thread by thread.
    pub local: InitialisedBytes,
}

impl Initialisation {
    /// Nothing has been written in shared memory, of these sizes by rank, and in so many bytes of local.
    pub fn new(shared: impl Iterator<Item = u64>, local_bytes: u64) -> Initialisation {
        let memories: Vec<_> =
            shared.map(|bytes| Some(Arc::new(InitialisedBytes::new(bytes)))).collect();
        Initialisation {
            ranks: memories.len(),
            memories,
            local: InitialisedBytes::new(local_bytes),
        }
    }

    /// A cluster starts.
    pub fn start(&mut self) {
        self.memories[..self.ranks].iter().flatten().for_each(|written| written.clear());
        self.local.clear();
    }

    /// Exchanges shared and local memory with those of another cluster.
    pub fn exchange(&mut self, other: &mut Initialisation) {
        self.memories[..self.ranks].swap_with_slice(&mut other.memories);
        std::mem::swap(&mut self.local, &mut other.local);
    }

    /// The next memory, an allocation.
    pub fn track(&mut self, written: Option<Arc<InitialisedBytes>>) {
        self.memories.push(written);
    }

    /// The bytes written of a memory, where it is known.
    #[inline(always)]
    pub fn written(&self, id: MemoryId) -> Option<&InitialisedBytes> {
        self.memories[id].as_deref()
    }

    /// A read of bytes that nothing has written.
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
            _ => "give the array its values before reading it",
        };
        Finding {
            message: format!(
                "uninitialised {space} {verb}: {bytes} bytes at {at} that nothing has written"
            ),
            help,
            address: Some(address),
            size: bytes,
            allocation: near,
        }
    }
}
