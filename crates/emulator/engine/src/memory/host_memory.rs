//! Host memory that a device uses at its own address: registered ranges, bytes borrowed from a lender, and, if the host vouches for
//! all addresses, any memory.

use crate::device::Device;
use crate::fault::MemoryError;
use crate::instructions::access::site::Region;
use crate::memory::allocation::{Addresses, in_windows};
use crate::memory::host_bytes::HostBytes;
use crate::memory::{Allocation, HOST_END, Memory, NULL_PAGE};
use lanework_ptx_ir::memory_layout::{PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::any::Any;
use std::sync::{Arc, RwLockReadGuard};

/// Whole zeroed pages of the host's memory.
struct OwnPages {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the pages belong to this value, which only frees them.
unsafe impl Send for OwnPages {}
// SAFETY: as above.
unsafe impl Sync for OwnPages {}

impl OwnPages {
    /// Pages for some bytes; `None` if the host lacks memory.
    fn new(bytes: u64) -> Option<OwnPages> {
        const PAGE: usize = 4096;
        let size = usize::try_from(bytes.max(1)).ok()?.checked_next_multiple_of(PAGE)?;
        let layout = Layout::from_size_align(size, PAGE).ok()?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        (!start.is_null()).then_some(OwnPages { start, layout })
    }
}

impl Drop for OwnPages {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the pages with this layout, and nothing else frees them.
        unsafe { dealloc(self.start, self.layout) };
    }
}

impl Memory {
    /// Allocates bytes borrowed from a lender, at their own address.
    ///
    /// # Errors
    /// If the device has no room for them, or they cannot be an allocation at their own address.
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
        // SAFETY: the bytes stay usable and unused by others until `lender` is dropped (`Device::allocate_in`).
        let own = unsafe { HostBytes::lent(start, bytes as usize, self.fresh, lender) };
        self.reopen(address, bytes);
        self.used += bytes;
        self.live.insert(address, Allocation::over(name, bytes, self.checked, own));
        Ok(())
    }

    /// Allocates pages that hold nothing else, so that the host program can protect them.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn allocate_pages(&mut self, bytes: u64, name: &str) -> Result<u64, MemoryError> {
        let pages = match self.addresses {
            Addresses::Host => OwnPages::new(bytes),
            Addresses::Own => None,
        };
        let Some(pages) = pages else { return self.allocate(bytes, name) };
        let start = pages.start;
        // SAFETY: `OwnPages` owns the bytes until it is dropped, and nothing else uses them.
        unsafe { self.allocate_in(start, bytes, name, Arc::new(pages))? };
        Ok(start as u64)
    }

    /// Refuses a range that cannot be an allocation at its own address.
    fn registrable(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        let refuse = |why: String| Err(MemoryError::NotRegistrable { address, bytes, why });
        if self.addresses == Addresses::Own {
            return refuse("this emulator has its own addresses; create it on host memory".into());
        }
        if bytes == 0 || address < NULL_PAGE || bytes > HOST_END || address > HOST_END - bytes {
            return refuse("the host program has no memory there".into());
        }
        if in_windows(address, bytes) {
            return refuse(
                "the range holds the generic addresses of shared and local memory".into(),
            );
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
    /// # Errors
    /// If it is empty, overlaps an allocation, or if the emulator does not use host addresses.
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
        // Memory that the host registers counts as written.
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
    ///
    /// # Errors
    /// If no registered range starts at the address.
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

    /// The region of an address that is valid only because the host vouched for all addresses.
    pub(crate) fn trusted(&self, address: u64) -> Option<Region> {
        if !self.trusting || self.registered > 0 {
            return None;
        }
        // The generic windows are between the two.
        let [low, high] = [NULL_PAGE..SHARED_WINDOW, PARAMETER_WINDOW + WINDOW..HOST_END];
        let range = [low, high].into_iter().find(|range| range.contains(&address))?;
        let host = std::ptr::with_exposed_provenance_mut(range.start as usize);
        Some(Region { start: range.start, bytes: range.end - range.start, host })
    }
}

/// Bytes of device memory that the host uses during launches. Nothing is freed while it lives.
pub struct PinnedBytes<'a> {
    memory: RwLockReadGuard<'a, Memory>,
    start: *mut u8,
    address: u64,
    bytes: u64,
}

impl PinnedBytes<'_> {
    /// Where the host finds them. Launches may access them at any time.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Notes that the host has written them all.
    pub fn wrote(&self) {
        self.memory.mark(self.address, self.bytes);
    }
}

impl Device {
    /// Bytes of one allocation, which stays alive while launches continue; does not wait for them.
    ///
    /// # Errors
    /// When the bytes are not inside one allocation.
    pub fn pin(&self, address: u64, bytes: u64) -> Result<PinnedBytes<'_>, MemoryError> {
        let memory = self.memory();
        let start = memory.host(address, bytes)?;
        Ok(PinnedBytes { memory, start, address, bytes })
    }
}
