//! Global memory of the emulated device: allocations with names, exact bounds and guard gaps, and
//! ranges that the host registers.

use crate::fault::{MemoryError, NearAllocation};
use crate::host_bytes::{Fresh, HostBytes};
use crate::initialised::InitialisedBytes;
use crate::region::Region;
use crate::texture::object::Objects;
use lanework_ptx_ir::window::{PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the first allocation starts; the shared, local and parameter windows lie below.
const FIRST_ADDRESS: u64 = 0x10_0000_0000;
/// Addresses are multiples of this, and at least as many bytes lie between two allocations.
const GRAIN: u64 = 256;
/// An allocation of this size or more has pages of its own, which the host may map anew (to share them with another process).
const PAGE: u64 = 4096;
/// Bytes between two allocations where accesses are checked: no 32-bit index of 16 bytes each that
/// leaves one reaches another.
const APART: u64 = 1 << 36;
/// Allocations larger than this ask the host first.
const ASK_HOST: u64 = 64 << 20;
/// What fresh memory holds.
pub const POISON: u8 = 0xCD;
/// Freed ranges remembered, to tell use after free from a wild address.
const QUARANTINE: usize = 4096;
/// Addresses below are null with an offset.
const NULL_PAGE: u64 = 4096;
/// Regions start at multiples of this: handlers take a distance from the start of a region for as
/// aligned as the address itself.
const REGION_ALIGN: u64 = 16;
/// Past the last address of a host program.
const HOST_END: u64 = if cfg!(target_arch = "x86_64") { 1 << 47 } else { 1 << 48 };

/// Where the addresses of a device come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// They are counted up, and never reused.
    Own,
    /// They are the host's: everything lies where it lies there.
    Host,
}

/// One allocation: raw bytes that kernels and the host reach by pointer only.
pub struct Allocation {
    /// Its name, for reports.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Whether it is a variable of a module.
    pub of_module: bool,
    /// Whether it is constant memory, which kernels must not write.
    pub constant: bool,
    /// Which bytes have been written, where accesses are checked.
    pub written: Option<Arc<InitialisedBytes>>,
    data: *mut u8,
    /// What it lies in; `None` for a range that the host registered.
    own: Option<HostBytes>,
}

// SAFETY: the bytes are reached only through raw pointers under `Memory`'s lock: the host exclusively,
// kernels shared, where a guest race is a race on plain bytes that no Rust reference ever covers.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Allocation {
    fn new(
        name: &str,
        bytes: u64,
        addresses: Addresses,
        checked: bool,
        fresh: Fresh,
    ) -> Option<Self> {
        // Slack for vector moves that may touch, never use, bytes after the end.
        let align = if bytes >= PAGE { PAGE } else { GRAIN };
        let size = bytes.checked_add(GRAIN)?.checked_next_multiple_of(align)?;
        let make = match addresses {
            Addresses::Own => HostBytes::new,
            Addresses::Host => HostBytes::of_device,
        };
        let own = make(usize::try_from(size).ok()?, align as usize, fresh)?;
        Some(Allocation::of(name, bytes, checked, own))
    }

    fn of(name: &str, bytes: u64, checked: bool, own: HostBytes) -> Self {
        Allocation {
            name: name.to_owned(),
            bytes,
            of_module: false,
            constant: false,
            written: checked.then(|| Arc::new(InitialisedBytes::new(bytes))),
            data: own.start(),
            own: Some(own),
        }
    }

    /// The host address of its first byte.
    pub fn data(&self) -> *mut u8 {
        self.data
    }
}

/// Why an address cannot be accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadAddress {
    /// In the null page.
    Null,
    /// In an allocation that was freed.
    Freed(NearAllocation),
    /// In no allocation; the nearest one below, if there is one.
    Outside(Option<NearAllocation>),
}

/// The table of allocations.
pub struct Memory {
    addresses: Addresses,
    /// Ranges that the host has registered.
    registered: usize,
    /// Whether any host address is good while nothing is registered.
    trusting: bool,
    live: BTreeMap<u64, Allocation>,
    freed: Vec<(u64, u64, String)>,
    next: u64,
    used: u64,
    total: u64,
    /// Whether accesses are checked: allocations then lie far apart.
    checked: bool,
    fresh: Fresh,
    /// Textures, samplers and surfaces.
    pub objects: Objects,
}

impl Memory {
    /// Empty memory of `total` bytes. Where accesses are checked, allocations lie far apart.
    pub fn new(total: u64, addresses: Addresses, checked: bool, fresh: Fresh) -> Self {
        Memory {
            addresses,
            registered: 0,
            trusting: false,
            live: BTreeMap::new(),
            freed: Vec::new(),
            next: FIRST_ADDRESS,
            used: 0,
            total,
            checked,
            fresh,
            objects: Objects::default(),
        }
    }

    /// The same memory once more: every allocation at its address, with its bytes. `None` where addresses are the
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
            // SAFETY: both own `bytes` bytes and are distinct; the exclusive borrow keeps kernels out.
            unsafe { to.data.copy_from_nonoverlapping(from.data, from.bytes as usize) };
            live.insert(*address, to);
        }
        Some(Memory {
            addresses: self.addresses,
            registered: 0,
            trusting: false,
            live,
            freed: self.freed.clone(),
            next: self.next,
            used: self.used,
            total: self.total,
            checked: self.checked,
            fresh: self.fresh,
            objects: self.objects.clone(),
        })
    }

    /// The live allocations, by address.
    pub fn live(&self) -> impl Iterator<Item = (u64, &Allocation)> {
        self.live.iter().map(|(start, allocation)| (*start, allocation))
    }

    /// Takes every byte as written, after a kernel whose writes were not followed. A program may have tens of thousands of allocations
    /// (each variable of a module is one), so that a launch that nobody checks walks none of them.
    pub fn take_as_written(&self) {
        if self.checked {
            self.live.values().filter_map(|a| a.written.as_ref()).for_each(|w| w.set(0, u64::MAX));
        }
    }

    /// Whose its addresses are.
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Bytes allocated.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Bytes that the device has.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Allocates and gives the address.
    ///
    /// # Errors
    /// When the device or the host has not enough memory.
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
        let apart = if self.checked { APART } else { GRAIN };
        match self.addresses {
            Addresses::Own => self.next = (address + bytes).next_multiple_of(GRAIN) + apart,
            Addresses::Host if in_windows(address, bytes) => return Err(refuse()),
            Addresses::Host => self.reopen(address, bytes),
        }
        self.used += bytes;
        self.live.insert(address, allocation);
        Ok(address)
    }

    /// Allocates the bytes that a lender keeps, at their own address.
    ///
    /// # Safety
    /// As for [`crate::device::Device::allocate_in`].
    pub unsafe fn allocate_in(
        &mut self,
        start: *mut u8,
        bytes: u64,
        name: &str,
        lender: Arc<dyn Any + Send + Sync>,
    ) -> Result<(), MemoryError> {
        let (address, free) = (start as u64, self.total - self.used);
        if bytes > free {
            let (name, total) = (name.to_owned(), self.total);
            return Err(MemoryError::OutOfMemory { name, bytes, free, total });
        }
        self.registrable(address, bytes)?;
        // SAFETY: by the caller.
        let own = unsafe { HostBytes::lent(start, bytes as usize, self.fresh, lender) };
        self.reopen(address, bytes);
        self.used += bytes;
        self.live.insert(address, Allocation::of(name, bytes, self.checked, own));
        Ok(())
    }

    /// Refuses what cannot be an allocation at its own address.
    fn registrable(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        let refuse = |why: String| Err(MemoryError::NotRegistrable { address, bytes, why });
        if self.addresses == Addresses::Own {
            return refuse("this emulator has addresses of its own; make it on host memory".into());
        }
        if bytes == 0 || address < NULL_PAGE || bytes > HOST_END || address > HOST_END - bytes {
            return refuse("no host program has memory there".into());
        }
        if in_windows(address, bytes) {
            return refuse("generic addresses of shared and local memory lie there".into());
        }
        let before = self.live.range(..address + bytes).next_back();
        if let Some((other, a)) = before
            && other + a.bytes.max(1) > address
        {
            return refuse(format!("it overlaps `{}`, {} bytes at {other:#x}", a.name, a.bytes));
        }
        Ok(())
    }

    /// Registers a range of host memory as an allocation at its own address.
    ///
    /// # Safety
    /// As for [`crate::device::Device::register_host_memory`].
    pub unsafe fn register_host_memory(
        &mut self,
        start: *mut u8,
        bytes: u64,
        name: &str,
    ) -> Result<(), MemoryError> {
        let address = start as u64;
        self.registrable(address, bytes)?;
        self.reopen(address, bytes);
        // What the host registers counts as written.
        let (name, written) = (name.to_owned(), None);
        let registered = Allocation {
            name,
            bytes,
            of_module: false,
            constant: false,
            written,
            data: start,
            own: None,
        };
        self.live.insert(address, registered);
        self.registered += 1;
        Ok(())
    }

    /// Unregisters a range of the host.
    pub fn unregister_host_memory(&mut self, address: u64) -> Result<(), MemoryError> {
        if self.live.get(&address).is_none_or(|a| a.own.is_some()) {
            return Err(MemoryError::NotRegistered { address });
        }
        self.registered -= 1;
        self.quarantine(address);
        Ok(())
    }

    /// Lets kernels use any host address while nothing is registered.
    ///
    /// # Safety
    /// As for [`crate::device::Device::trust_addresses`].
    pub unsafe fn trust(&mut self) {
        self.trusting = self.addresses == Addresses::Host;
    }

    /// Forgets what was freed where something lives again.
    fn reopen(&mut self, address: u64, bytes: u64) {
        self.freed.retain(|(start, size, _)| start + size <= address || address + bytes <= *start);
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// When none starts at `address`.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        let own = self.live.get(&address).filter(|a| a.own.is_some());
        self.used -= own.ok_or(MemoryError::NotAllocated { address })?.bytes;
        self.quarantine(address);
        Ok(())
    }

    /// Ends an allocation and remembers where it was, to tell use after free from a wild address.
    fn quarantine(&mut self, address: u64) {
        let Some(gone) = self.live.remove(&address) else { return };
        if self.freed.len() == QUARANTINE {
            self.freed.remove(0);
        }
        self.freed.push((address, gone.bytes, gone.name.clone()));
    }

    /// Says that an allocation is a variable of a module, in constant memory or not.
    pub fn keep_for_module(&mut self, address: u64, constant: bool) {
        if let Some(allocation) = self.live.get_mut(&address) {
            (allocation.of_module, allocation.constant) = (true, constant);
        }
    }

    /// Gives an allocation another name.
    ///
    /// # Errors
    /// When none starts at `address`.
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

    /// The region that holds `address`, for handlers to check and go by. The first bytes of a range
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

    /// The region of an address that is good only because the host vouched for all.
    fn trusted(&self, address: u64) -> Option<Region> {
        if !self.trusting || self.registered > 0 {
            return None;
        }
        // The generic windows lie between the two.
        let [low, high] = [NULL_PAGE..SHARED_WINDOW, PARAMETER_WINDOW + WINDOW..HOST_END];
        let range = [low, high].into_iter().find(|range| range.contains(&address))?;
        let host = std::ptr::with_exposed_provenance_mut(range.start as usize);
        Some(Region { start: range.start, bytes: range.end - range.start, host })
    }

    /// Where `bytes` bytes that a kernel may use lie on the host.
    pub fn locate(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        if self.find(address).is_some() {
            return self.inside(address, bytes);
        }
        let region = self.trusted(address)?;
        region
            .holds(address, address, bytes)
            .then(|| region.host.wrapping_add((address - region.start) as usize))
    }

    /// Where `bytes` bytes of one allocation lie on the host.
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
    /// When they do not lie in one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let to = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked the range; the exclusive borrow keeps kernels out.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        self.mark(address, bytes.len() as u64);
        Ok(())
    }

    /// Copies bytes to the host.
    ///
    /// # Errors
    /// When they do not lie in one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let from = self.host(address, bytes.len() as u64)?;
        // SAFETY: `host` checked the range.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(from, bytes.len()) };
        Ok(())
    }

    /// Sets bytes to one value.
    ///
    /// # Errors
    /// When they do not lie in one allocation.
    pub fn fill(&mut self, address: u64, value: u8, bytes: u64) -> Result<(), MemoryError> {
        let to = self.host(address, bytes)?;
        // SAFETY: `host` checked the range; the exclusive borrow keeps kernels out.
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

    /// The first of some bytes of one allocation that nothing has written, as far as that is followed.
    pub fn unwritten(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        let (start, allocation) = self.find(address)?;
        let (written, offset) = (allocation.written.as_ref()?, address - start);
        if written.has(offset, bytes) {
            return None;
        }
        let gap = (offset..offset + bytes).find(|at| !written.has(*at, 1))?;
        self.nearest(start + gap, 1)
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
        if address < NULL_PAGE {
            return BadAddress::Null;
        }
        let freed =
            self.freed.iter().rev().find(|(start, size, _)| {
                address >= *start && address < start.saturating_add(*size)
            });
        match freed {
            Some((start, size, name)) => {
                BadAddress::Freed(near(name, *start, *size, address, bytes))
            }
            None => BadAddress::Outside(self.nearest(address, bytes)),
        }
    }
}

/// Whether some of the bytes lie where generic addresses mean shared memory, local memory or
/// parameters.
fn in_windows(address: u64, bytes: u64) -> bool {
    address < PARAMETER_WINDOW + WINDOW && address.saturating_add(bytes) > SHARED_WINDOW
}

/// Bytes that the host can give, as far as it tells. A device may be told to have more memory than its
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
