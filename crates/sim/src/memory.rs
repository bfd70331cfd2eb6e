//! Global memory of the emulated device: allocations with names, exact bounds and guard gaps.

use crate::fault::{MemoryError, NearAllocation};
use crate::sanitize::Written;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the first allocation starts; the shared, local and parameter windows lie below.
const FIRST_ADDRESS: u64 = 0x10_0000_0000;
/// Addresses are multiples of this, and at least as many bytes lie between two allocations.
const GRAIN: u64 = 256;
/// Bytes between two allocations where accesses are checked: no 32-bit index of 16 bytes each that
/// leaves one reaches another.
const APART: u64 = 1 << 36;
/// Allocations larger than this ask the host first.
const ASK_HOST: u64 = 64 << 20;
/// What fresh memory holds.
pub(crate) const POISON: u8 = 0xCD;
/// Freed ranges remembered, to tell use after free from a wild address.
const GRAVES: usize = 4096;

/// One allocation: raw bytes that kernels and the host reach by pointer only.
pub(crate) struct Allocation {
    pub name: String,
    pub bytes: u64,
    /// Whether it is a variable of a module.
    pub of_module: bool,
    /// Which bytes have been written, where accesses are checked.
    pub written: Option<Arc<Written>>,
    data: *mut u8,
    layout: std::alloc::Layout,
}

// SAFETY: the bytes are reached only through raw pointers under `Memory`'s lock: the host exclusively,
// kernels shared, where a guest race is a race on plain bytes that no Rust reference ever covers.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: `data` came from `alloc` with this layout and is released once.
        unsafe { std::alloc::dealloc(self.data, self.layout) }
    }
}

impl Allocation {
    fn new(name: &str, bytes: u64, checked: bool) -> Option<Self> {
        // Slack for vector moves that may touch, never use, bytes after the end.
        let size = usize::try_from(bytes.checked_add(GRAIN)?).ok()?;
        let layout = std::alloc::Layout::from_size_align(size, GRAIN as usize).ok()?;
        // SAFETY: the layout's size is at least GRAIN, so not zero.
        let data = unsafe { std::alloc::alloc(layout) };
        if data.is_null() {
            return None;
        }
        // SAFETY: `data` owns `size` bytes.
        unsafe { data.write_bytes(POISON, size) };
        let written = checked.then(|| Arc::new(Written::new(bytes)));
        Some(Allocation { name: name.to_owned(), bytes, of_module: false, written, data, layout })
    }

    /// The host address of its first byte.
    pub fn data(&self) -> *mut u8 {
        self.data
    }
}

/// Why an address cannot be accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BadAddress {
    Null,
    Freed(NearAllocation),
    Outside(Option<NearAllocation>),
}

/// The table of allocations. Guest addresses are never reused.
pub(crate) struct Memory {
    live: BTreeMap<u64, Allocation>,
    freed: Vec<(u64, u64, String)>,
    next: u64,
    used: u64,
    total: u64,
    /// Whether accesses are checked: allocations then lie far apart.
    checked: bool,
}

impl Memory {
    pub fn new(total: u64, checked: bool) -> Self {
        let (live, freed) = (BTreeMap::new(), Vec::new());
        Memory { live, freed, next: FIRST_ADDRESS, used: 0, total, checked }
    }

    /// The live allocations, by address.
    pub fn live(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        self.live.iter().map(|(start, allocation)| (*start, allocation))
    }

    pub fn used(&self) -> u64 {
        self.used
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn allocate(&mut self, bytes: u64, name: &str) -> Result<u64, MemoryError> {
        let free = self.total - self.used;
        let host_free = || if bytes > ASK_HOST { host_free() } else { u64::MAX };
        let refuse = || MemoryError::OutOfMemory {
            name: name.to_owned(),
            bytes,
            free: free.min(host_free()),
            total: self.total,
        };
        if bytes > free || bytes > host_free() {
            return Err(refuse());
        }
        let allocation = Allocation::new(name, bytes, self.checked).ok_or_else(refuse)?;
        let address = self.next;
        let apart = if self.checked { APART } else { GRAIN };
        self.next = (address + bytes).next_multiple_of(GRAIN) + apart;
        self.used += bytes;
        self.live.insert(address, allocation);
        Ok(address)
    }

    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let gone = self.live.remove(&address).ok_or(MemoryError::NotAllocated { address })?;
        self.used -= gone.bytes;
        if self.freed.len() == GRAVES {
            self.freed.remove(0);
        }
        self.freed.push((address, gone.bytes, gone.name.clone()));
        Ok(())
    }

    /// Says that an allocation is a variable of a module.
    pub fn keep_for_module(&mut self, address: u64) {
        if let Some(allocation) = self.live.get_mut(&address) {
            allocation.of_module = true;
        }
    }

    pub fn rename(&mut self, address: u64, name: &str) -> Result<(), MemoryError> {
        let found = self.live.get_mut(&address).ok_or(MemoryError::NotAllocated { address })?;
        name.clone_into(&mut found.name);
        Ok(())
    }

    /// The allocation that holds `address`, with its start.
    pub fn find(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (start, allocation) = self.live.range(..=address).next_back()?;
        (address - start < allocation.bytes).then_some((*start, allocation))
    }

    /// The host address of `bytes` bytes inside one allocation.
    fn host(&self, address: u64, bytes: u64) -> Result<*mut u8, MemoryError> {
        let inside = self.live.range(..=address).next_back().filter(|(start, allocation)| {
            let offset = address - **start;
            offset <= allocation.bytes && bytes <= allocation.bytes - offset
        });
        match inside {
            Some((start, allocation)) => {
                // SAFETY: the offset lies inside the allocation, as was just checked.
                Ok(unsafe { allocation.data.add((address - start) as usize) })
            }
            None => Err(MemoryError::OutOfBounds {
                address,
                bytes,
                nearest: self.nearest(address, bytes).map_or("none".to_owned(), |n| {
                    format!("`{}`, {} bytes at {:#x}", n.name, n.bytes, n.address)
                }),
            }),
        }
    }

    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let to = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked the range; the exclusive borrow keeps kernels out.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.mark(address, bytes.len() as u64);
        Ok(())
    }

    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let from = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked the range.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(from, bytes.len()) };
        Ok(())
    }

    pub fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        let to = self.host(address, bytes)?;
        // SAFETY: `host` checked the range; the exclusive borrow keeps kernels out.
        unsafe { to.write_bytes(value, bytes as usize) };
        self.mark(address, bytes);
        Ok(())
    }

    /// Notes that the host wrote these bytes of one allocation.
    fn mark(&self, address: u64, bytes: u64) {
        if let Some((start, allocation)) = self.find(address)
            && let Some(written) = &allocation.written
        {
            written.set(address - start, bytes);
        }
    }

    /// The live allocation nearest to an access.
    pub fn nearest(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        let before = self.live.range(..=address).next_back();
        let after = self.live.range(address..).next();
        before
            .into_iter()
            .chain(after)
            .map(|(start, a)| near(&a.name, *start, a.bytes, address, bytes))
            .min_by_key(|n| n.distance)
    }

    /// Why an access is bad; call it for bad ones only.
    pub fn diagnose(&self, address: u64, bytes: u64) -> BadAddress {
        if address < 4096 {
            return BadAddress::Null;
        }
        let grave =
            self.freed.iter().rev().find(|(start, size, _)| {
                address >= *start && address < start.saturating_add(*size)
            });
        match grave {
            Some((start, size, name)) => {
                BadAddress::Freed(near(name, *start, *size, address, bytes))
            }
            None => BadAddress::Outside(self.nearest(address, bytes)),
        }
    }
}

/// Bytes that the host can lend, as far as it tells. A device may be told to have more memory than its
/// host; without this check a large allocation would end the process.
fn host_free() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1024)
}

fn near(name: &str, start: u64, size: u64, address: u64, bytes: u64) -> NearAllocation {
    let distance = if address >= start {
        address.saturating_sub(start + size)
    } else {
        start.saturating_sub(address.saturating_add(bytes))
    };
    NearAllocation {
        name: name.to_owned(),
        address: start,
        bytes: size,
        offset: address.wrapping_sub(start) as i64,
        distance,
    }
}
