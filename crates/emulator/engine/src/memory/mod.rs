//! Global memory of the emulated device: allocations with names, exact bounds and guard gaps, ranges
//! that the host registers, and the lock of all this ([`MemoryLock`]).

pub mod allocation;
pub(crate) mod device_range;
pub mod guest;
pub(crate) mod host_bytes;
pub mod host_memory;
pub mod pools;
pub mod saved;

pub use crate::memory::allocation::{Addresses, Allocation, BadAddress};

use crate::fault::MemoryError;
use crate::instructions::access::site::Region;
use crate::instructions::texture::object::Objects;
use crate::memory::allocation::{GRAIN, in_windows};
use crate::memory::host_bytes::Fresh;
use crate::memory::pools::PoolRegions;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

/// Where the first allocation starts; the shared, local and parameter windows are below.
const FIRST_ADDRESS: u64 = 0x10_0000_0000;

/// Bytes between two allocations where accesses are checked: an out-of-bounds 32-bit index of 16-byte elements does
/// not reach another allocation.
const APART: u64 = 1 << 36;

/// Before an allocation larger than this, the host is asked for its free memory.
const ASK_HOST: u64 = 64 << 20;

/// Contents of fresh memory.
pub const POISON: u8 = 0xCD;

/// Freed ranges remembered, to distinguish use after free from a wild address.
const QUARANTINE: usize = 4096;

/// Addresses below this are a null pointer plus an offset.
const NULL_PAGE: u64 = 4096;

/// Regions start at multiples of this: handlers assume that a distance from the start of a region
/// is as aligned as the address itself.
const REGION_ALIGN: u64 = 16;

/// The end of a host program's addresses.
const HOST_END: u64 = if cfg!(target_arch = "x86_64") { 1 << 47 } else { 1 << 48 };

/// The table of allocations.
pub struct Memory {
    addresses: Addresses,
    /// Ranges that the host has registered.
    registered: usize,
    /// Whether any host address is valid while nothing is registered.
    trusting: bool,
    live: BTreeMap<u64, Allocation>,
    freed: Vec<(u64, u64, String)>,
    /// Address and bytes of allocations freed since the last query, if they are queried.
    ended: Mutex<Option<Vec<(u64, u64)>>>,
    next: u64,
    used: u64,
    total: u64,
    /// Whether accesses are checked: allocations then are far apart.
    checked: bool,
    fresh: Fresh,
    /// Textures, samplers and surfaces.
    pub objects: Objects,
    /// Pools of the program's own allocators.
    pub pools: Mutex<PoolRegions>,
}

impl Memory {
    /// Empty memory of `total` bytes. Where accesses are checked, allocations are far apart.
    pub fn new(total: u64, addresses: Addresses, checked: bool, fresh: Fresh) -> Self {
        Memory {
            addresses,
            registered: 0,
            trusting: false,
            live: BTreeMap::new(),
            freed: Vec::new(),
            ended: Mutex::default(),
            next: FIRST_ADDRESS,
            used: 0,
            total,
            checked,
            fresh,
            objects: Objects::default(),
            pools: Mutex::default(),
        }
    }

    /// A copy of the memory: every allocation at its address, with its bytes. `None` where addresses are the
    /// host's, or the host has no room.
    pub fn copy(&mut self) -> Option<Memory> {
        if self.addresses == Addresses::Host || self.used > host_free() {
            return None;
        }
        let mut live = BTreeMap::new();
        for (address, from) in &self.live {
            let mut to =
                Allocation::new(&from.name, from.bytes, Addresses::Own, false, self.fresh)?;
            (to.of_module, to.constant) = (from.of_module, from.constant);
            // SAFETY: both own `bytes` bytes and are distinct. Launches and `PinnedBytes` borrow the memory, so `&mut
            // self` rules out a race.
            unsafe { to.data.copy_from_nonoverlapping(from.data, from.bytes as usize) };
            live.insert(*address, to);
        }
        Some(Memory {
            addresses: self.addresses,
            registered: 0,
            trusting: false,
            live,
            freed: self.freed.clone(),
            ended: Mutex::default(),
            next: self.next,
            used: self.used,
            total: self.total,
            checked: self.checked,
            fresh: self.fresh,
            objects: self.objects.clone(),
            pools: Mutex::default(),
        })
    }

    /// The bytes of every allocation that belongs to this memory, for [`Memory::restore`].
    pub fn save(&mut self) -> Vec<(u64, Vec<u8>)> {
        let owned = self.live.iter().filter(|(_, allocation)| allocation.own.is_some());
        let bytes = |(&address, from): (&u64, &Allocation)| {
            let mut bytes = vec![0; from.bytes as usize];
            // SAFETY: both own `from.bytes` bytes and are distinct. Launches borrow the memory, so `&mut self` rules out a race.
            unsafe { from.data.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
            (address, bytes)
        };
        owned.map(bytes).collect()
    }

    /// Writes the bytes of [`Memory::save`] back, of allocations that are still live.
    pub fn restore(&mut self, saved: &[(u64, Vec<u8>)]) {
        for (address, bytes) in saved {
            if let Some(to) = self.live.get(address).filter(|to| to.bytes == bytes.len() as u64) {
                // SAFETY: as in `save`.
                unsafe { to.data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            }
        }
    }

    /// The live allocations, by address.
    pub fn live(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        self.live.iter().map(|(start, allocation)| (*start, allocation))
    }

    /// Counts every byte as written, after a kernel whose writes were not followed. Does nothing if
    /// accesses are not checked: a program may have tens of thousands of allocations, because each
    /// variable of a module is one.
    pub fn take_as_written(&self) {
        if self.checked {
            self.live.values().filter_map(|a| a.written.as_ref()).for_each(|w| w.set(0, u64::MAX));
        }
    }

    /// Where its addresses come from.
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Bytes allocated.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// The device's memory in bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Allocates and returns the address.
    ///
    /// # Errors
    /// If the device or the host does not have enough memory.
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
        let allocation = Allocation::new(name, bytes, self.addresses, self.checked, self.fresh)
            .ok_or_else(refuse)?;
        let address = match self.addresses {
            Addresses::Own => self.next,
            Addresses::Host => allocation.data as u64,
        };
        match self.addresses {
            Addresses::Own => self.next = (address + bytes).next_multiple_of(GRAIN) + self.apart(),
            Addresses::Host if in_windows(address, bytes) => return Err(refuse()),
            Addresses::Host => self.reopen(address, bytes),
        }
        self.used += bytes;
        self.live.insert(address, allocation);
        Ok(address)
    }

    /// Minimum bytes between two allocations.
    fn apart(&self) -> u64 {
        if self.checked { APART } else { GRAIN }
    }

    /// Forgets freed ranges that are allocated again.
    fn reopen(&mut self, address: u64, bytes: u64) {
        self.freed.retain(|(start, size, _)| start + size <= address || address + bytes <= *start);
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// If none starts at `address`.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let own = self.live.get(&address).filter(|a| a.own.is_some());
        self.used -= own.ok_or(MemoryError::NotAllocated { address })?.bytes;
        self.quarantine(address);
        Ok(())
    }

    /// Frees an allocation and remembers its range, to distinguish use after free from a wild address.
    fn quarantine(&mut self, address: u64) {
        let Some(gone) = self.live.remove(&address) else { return };
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        ended.iter_mut().for_each(|ended| ended.push((address, gone.bytes)));
        if self.freed.len() == QUARANTINE {
            self.freed.remove(0);
        }
        self.freed.push((address, gone.bytes, gone.name.clone()));
    }

    /// Address and bytes of allocations freed since the last call; nothing on the first call.
    pub fn take_ended(&self) -> Vec<(u64, u64)> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.replace(Vec::new()).unwrap_or_default()
    }

    /// Marks an allocation as a variable of a module, in constant memory or not.
    pub fn keep_for_module(&mut self, address: u64, constant: bool) {
        if let Some(allocation) = self.live.get_mut(&address) {
            (allocation.of_module, allocation.constant) = (true, constant);
        }
    }

    /// Renames an allocation.
    ///
    /// # Errors
    /// If none starts at `address`.
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

    /// The region that holds `address`, which handlers check accesses against. The first bytes of a range
    /// registered at an odd address are in none: [`Memory::locate`] finds them.
    pub fn region(&self, address: u64) -> Option<Region> {
        let Some((start, allocation)) = self.find(address) else { return self.trusted(address) };
        let skip = start.next_multiple_of(REGION_ALIGN) - start;
        (address - start >= skip).then(|| Region {
            start: start + skip,
            bytes: allocation.bytes - skip,
            host: allocation.data.wrapping_add(skip as usize),
        })
    }

    /// The host address of `bytes` bytes that a kernel may use.
    pub fn locate(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        if self.find(address).is_some() {
            return self.inside(address, bytes);
        }
        let region = self.trusted(address)?;
        region
            .holds(address, address, bytes)
            .then(|| region.host.wrapping_add((address - region.start) as usize))
    }

    /// The host address of `bytes` bytes of one allocation.
    fn inside(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let (start, allocation) = self.live.range(..=address).next_back()?;
        let offset = address - start;
        (offset <= allocation.bytes && bytes <= allocation.bytes - offset)
            .then(|| allocation.data.wrapping_add(offset as usize))
    }

    /// The host address of `bytes` bytes inside one allocation.
    pub(crate) fn host(&self, address: u64, bytes: u64) -> Result<*mut u8, MemoryError> {
        match self.inside(address, bytes) {
            Some(host) => Ok(host),
            None => Err(MemoryError::OutOfBounds {
                address,
                bytes,
                nearest: self.nearest(address, bytes).map_or("none".to_owned(), |n| {
                    format!("`{}`, {} bytes at {:#x}", n.name, n.bytes, n.address)
                }),
            }),
        }
    }

    /// Copies bytes from the host.
    ///
    /// # Errors
    /// If they are not in one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let to = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked that the range is in one allocation. Launches and `PinnedBytes` borrow the memory, so
        // `&mut self` rules out a race.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.mark(address, bytes.len() as u64);
        Ok(())
    }

    /// Copies bytes to the host. If kernels write them at the same time, each aligned element of up to 8 bytes is the old
    /// or the new one.
    ///
    /// # Errors
    /// If they are not in one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let from = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked that the range is in one allocation, which lives as long as `self` is borrowed.
        // Launches that write it meanwhile do so by guest accesses, and so do holders of its `PinnedBytes`.
        unsafe { guest::read_bytes(from, bytes) };
        Ok(())
    }

    /// Sets bytes to one value.
    ///
    /// # Errors
    /// If they are not in one allocation.
    pub fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        let to = self.host(address, bytes)?;
        // SAFETY: `host` checked that the range is in one allocation. Launches and `PinnedBytes` borrow the memory, so
        // `&mut self` rules out a race.
        unsafe { to.write_bytes(value, bytes as usize) };
        self.mark(address, bytes);
        Ok(())
    }

    /// Notes that the host wrote these bytes of one allocation.
    pub(crate) fn mark(&self, address: u64, bytes: u64) {
        if let Some((start, allocation)) = self.find(address)
            && let Some(written) = &allocation.written
        {
            written.set(address - start, bytes);
        }
    }
}

/// Bytes that the host can allocate, if known. A device may be configured with more memory than its host has;
/// without this check a large allocation would end the process.
fn host_free() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes * 1024)
}

/// Attempts to get exclusive access before the first sleep.
const ATTEMPTS: u32 = 64;

/// The sleep between two later attempts.
const REST: Duration = Duration::from_micros(20);

/// Memory under its lock. Launches and readers of memory share the lock; allocation and copies take it exclusively.
///
/// The lock has no queue. A launch may wait for a write by the host, and the host shares the lock to write. With the
/// standard library's lock, the host would wait behind a thread that wants exclusive access, and the launch would never end.
pub struct MemoryLock(RwLock<Memory>);

impl MemoryLock {
    /// Locks new memory.
    pub fn new(memory: Memory) -> MemoryLock {
        MemoryLock(RwLock::new(memory))
    }

    /// Locks the memory, shared with launches.
    pub fn shared(&self) -> RwLockReadGuard<'_, Memory> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for running launches and locks the memory exclusively.
    pub fn alone(&self) -> RwLockWriteGuard<'_, Memory> {
        let mut attempts = 0;
        loop {
            match self.0.try_write() {
                Ok(guard) => return guard,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if attempts < ATTEMPTS => std::hint::spin_loop(),
                Err(TryLockError::WouldBlock) => std::thread::sleep(REST),
            }
            attempts += 1;
        }
    }
}
