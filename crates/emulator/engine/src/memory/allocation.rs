//! One allocation: raw bytes with a name, in memory of its own or of the host's.

use super::places::{Addresses, GRAIN, PAGE};
use crate::host_bytes::{Fresh, HostBytes};
use crate::initialised::InitialisedBytes;
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
    pub written: Option<Arc<InitialisedBytes>>,
    pub(super) data: *mut u8,
    /// What it lies in; `None` for a range that the host registered.
    pub(super) own: Option<HostBytes>,
}

// SAFETY: the bytes are reached only through raw pointers under `Memory`'s lock: the host exclusively,
// kernels shared, where a guest race is a race on plain bytes that no Rust reference ever covers.
unsafe impl Send for Allocation {}
// SAFETY: see `Send`: the bytes are reached by raw pointers and guest accesses only, never by a reference.
unsafe impl Sync for Allocation {}

impl Allocation {
    pub(super) fn new(
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

    pub(super) fn of(name: &str, bytes: u64, checked: bool, own: HostBytes) -> Self {
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
