//! One allocation: raw bytes with a name, in the device's own memory or in the host's.

use crate::fault::NearAllocation;
use crate::memory::host_bytes::{Fresh, HostBytes};
use crate::memory::initialized::InitializedBytes;
use crate::memory::{Memory, NULL_PAGE};
use lanework_ptx_ir::memory_layout::{PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use std::sync::Arc;

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
    pub written: Option<Arc<InitializedBytes>>,
    pub(crate) data: *mut u8,
    /// The bytes that hold it; `None` for a range that the host registered.
    pub(crate) own: Option<HostBytes>,
}

// SAFETY: the bytes are reached through raw pointers under `Memory`'s lock: by the host exclusively, or by kernels and
// readers, whose guest accesses are relaxed atomics. No reference ever covers them.
unsafe impl Send for Allocation {}
// SAFETY: a shared `Allocation` gives out only its name, sizes and pointer; whoever follows the pointer needs `unsafe`
// and uses guest accesses.
unsafe impl Sync for Allocation {}

impl Allocation {
    pub(crate) fn new(
        name: &str,
        bytes: u64,
        addresses: Addresses,
        checked: bool,
        fresh: Fresh,
    ) -> Option<Self> {
        // Slack for vector moves, which may touch but never use bytes after the end.
        let align = if bytes >= PAGE { PAGE } else { GRAIN };
        let size = bytes.checked_add(GRAIN)?.checked_next_multiple_of(align)?;
        let make = match addresses {
            Addresses::Own => HostBytes::new,
            Addresses::Host => HostBytes::of_device,
        };
        let own = make(usize::try_from(size).ok()?, align as usize, fresh)?;
        Some(Allocation::over(name, bytes, checked, own))
    }

    pub(crate) fn over(name: &str, bytes: u64, checked: bool, own: HostBytes) -> Self {
        Allocation {
            name: name.to_owned(),
            bytes,
            of_module: false,
            constant: false,
            written: checked.then(|| Arc::new(InitializedBytes::new(bytes))),
            data: own.start(),
            own: Some(own),
        }
    }

    /// The host address of its first byte.
    pub fn data(&self) -> *mut u8 {
        self.data
    }
}

/// Addresses are multiples of this, which is also the minimum gap between two allocations, in bytes.
pub const GRAIN: u64 = 256;
/// An allocation of this size or more has its own pages, which the host may remap (to share them with another process).
pub const PAGE: u64 = 4096;

/// The source of a device's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// They are counted up, and never reused.
    Own,
    /// They are host addresses.
    Host,
}

/// Whether some of the bytes are where generic addresses mean shared memory, local memory or
/// parameters.
pub fn in_windows(address: u64, bytes: u64) -> bool {
    address < PARAMETER_WINDOW + WINDOW && address.saturating_add(bytes) > SHARED_WINDOW
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

impl Memory {
    /// The first unwritten byte of a range in one allocation, if that is tracked.
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
