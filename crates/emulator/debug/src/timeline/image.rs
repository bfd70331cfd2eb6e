//! Copies of device memory: the contents before the launch, and each snapshot's changes to them.

use lanework_emulator::{Device, MemoryError};
use lanework_engine::memory::Memory;

/// Bytes per page. A snapshot stores changed memory in pages.
const PAGE: usize = 4096;

/// The contents of all allocations.
pub struct MemoryImage {
    allocations: Vec<(u64, Vec<u8>)>,
    /// The bytes of each allocation that were never written, as offsets and lengths; only if accesses are checked.
    unwritten: Vec<(u64, Vec<(u64, u64)>)>,
}

/// The pages whose memory differs from an image.
#[derive(Default)]
pub struct ChangedPages {
    pages: Vec<(u64, Vec<u8>)>,
}

impl MemoryImage {
    /// A copy of a device's memory.
    ///
    /// # Errors
    /// If an allocation cannot be read.
    pub fn of(memory: &Memory) -> Result<MemoryImage, MemoryError> {
        let (mut allocations, mut unwritten) = (Vec::new(), Vec::new());
        for (address, allocation) in memory.live() {
            let mut bytes = vec![0; allocation.bytes as usize];
            memory.read(address, &mut bytes)?;
            allocations.push((address, bytes));
            let runs = memory.unwritten_runs(address, allocation.bytes);
            if !runs.is_empty() {
                unwritten.push((address, runs));
            }
        }
        Ok(MemoryImage { allocations, unwritten })
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.allocations.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }

    /// The pages whose memory differs from the image. `read` reads memory at an address; false if it cannot.
    pub fn changes(&self, read: impl Fn(u64, &mut [u8]) -> bool) -> ChangedPages {
        let mut pages = Vec::new();
        let mut now = vec![0; PAGE];
        for (address, before) in &self.allocations {
            for (index, page) in before.chunks(PAGE).enumerate() {
                let at = address + (index * PAGE) as u64;
                let now = &mut now[..page.len()];
                if read(at, now) && *now != *page {
                    pages.push((at, now.to_vec()));
                }
            }
        }
        ChangedPages { pages }
    }

    /// Writes the image, and then `changes`, to the device.
    ///
    /// # Errors
    /// If an allocation is gone.
    pub fn restore(&self, changes: &ChangedPages, device: &Device) -> Result<(), MemoryError> {
        for (address, bytes) in self.allocations.iter().chain(&changes.pages) {
            device.write(*address, bytes)?;
        }
        let memory = device.memory();
        for (address, runs) in &self.unwritten {
            memory.forget(*address, runs);
        }
        Ok(())
    }
}

impl ChangedPages {
    /// The size of this image in bytes.
    pub fn bytes(&self) -> u64 {
        self.pages.iter().map(|(_, bytes)| bytes.len() as u64 + 32).sum()
    }
}
