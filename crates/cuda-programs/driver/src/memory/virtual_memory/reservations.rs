//! Reserved ranges of addresses, the memory that is mapped into them, and what of it is registered with the emulator.

use crate::handles::Handle;
use crate::lock::lock;
use crate::memory::shared::{Pages, SharedFile};
use crate::pointers::abi;
use crate::state::Driver;
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, MutexGuard};

/// `CUmemLocation`: 1 a device, 2 the host, 3 and 4 a node of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Location {
    pub kind: i32,
    pub id: i32,
}

abi!(Location = 8, 4 { kind: 0, id: 4 });

/// `CUmemAllocationProp`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Properties {
    /// 1: pinned.
    pub kind: i32,
    pub handle_kinds: i32,
    pub location: Location,
    pub windows: *const c_void,
    pub compression: u8,
    pub direct_access: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}

abi!(Properties = 32, 8 { kind: 0, handle_kinds: 4, location: 8, windows: 16, compression: 24, direct_access: 25, usage: 26, reserved: 28 });

// SAFETY: the pointer is of Windows, and never followed.
unsafe impl Send for Properties {}
// SAFETY: the pointer is only copied, never followed.
unsafe impl Sync for Properties {}

/// Memory that was made.
pub(super) struct Physical {
    pub file: SharedFile,
    pub properties: Properties,
    /// How often it was retained; 0 ends its handle, not the memory that is mapped.
    pub retained: AtomicU32,
}

/// Memory that is mapped.
pub(super) struct Part {
    pub bytes: usize,
    pub handle: Handle,
    /// Its handle may be gone.
    pub physical: Arc<Physical>,
    pub flags: i32,
}

/// A range of addresses.
pub(super) struct Reservation {
    pub pages: Pages,
    /// By their addresses.
    pub parts: BTreeMap<u64, Part>,
    /// Starts of what is registered, with bytes.
    pub registered: BTreeMap<u64, u64>,
}

static RESERVATIONS: Mutex<BTreeMap<u64, Reservation>> = Mutex::new(BTreeMap::new());

/// All reservations, by their starts.
pub(super) fn reservations() -> MutexGuard<'static, BTreeMap<u64, Reservation>> {
    lock(&RESERVATIONS)
}

/// The reservation that holds a range.
pub(super) fn holding(
    all: &mut BTreeMap<u64, Reservation>,
    address: u64,
    bytes: usize,
) -> Result<&mut Reservation> {
    let (start, found) = all.range_mut(..=address).next_back().ok_or(Status::InvalidValue)?;
    let end = address.checked_add(bytes as u64).ok_or(Status::InvalidValue)?;
    let inside = bytes > 0 && end <= start + found.pages.bytes() as u64;
    if inside { Ok(found) } else { Err(Status::InvalidValue) }
}

/// Whether an address is reserved.
pub fn is_reserved(address: u64) -> bool {
    holding(&mut reservations(), address, 1).is_ok()
}

impl Reservation {
    /// The mapped part that holds an address.
    pub(super) fn part_at(&self, address: u64) -> Result<&Part> {
        let (start, part) = self.parts.range(..=address).next_back().ok_or(Status::InvalidValue)?;
        if address - start < part.bytes as u64 { Ok(part) } else { Err(Status::InvalidValue) }
    }

    /// The starts of the parts that fill a range exactly.
    pub(super) fn parts_of(&self, address: u64, bytes: usize) -> Result<Vec<u64>> {
        let end = address + bytes as u64;
        let found: Vec<u64> = self.parts.range(address..end).map(|(start, _)| *start).collect();
        let mut at = address;
        for start in &found {
            if *start != at {
                return Err(Status::InvalidValue);
            }
            at += self.parts[start].bytes as u64;
        }
        if at == end { Ok(found) } else { Err(Status::InvalidValue) }
    }

    /// Registers what may be accessed, neighbours as one, and what else was registered no longer.
    pub(super) fn register(&mut self, driver: &Driver) -> Result {
        let mut wanted: BTreeMap<u64, u64> = BTreeMap::new();
        for (&start, part) in self.parts.iter().filter(|(_, part)| part.flags != 0) {
            let bytes = part.bytes as u64;
            match wanted.last_entry() {
                Some(mut last) if last.key() + *last.get() == start => *last.get_mut() += bytes,
                _ => drop(wanted.insert(start, bytes)),
            }
        }
        let gone = |(start, bytes): &(&u64, &u64)| wanted.get(start) != Some(bytes);
        let ended: Vec<u64> =
            self.registered.iter().filter(gone).map(|(start, _)| *start).collect();
        for start in ended {
            self.registered.remove(&start);
            driver.device.unregister_host(start as *const u8).map_err(|_| Status::Unknown)?;
        }
        for (&start, &bytes) in &wanted {
            if self.registered.contains_key(&start) {
                continue;
            }
            // SAFETY: these pages are mapped, and stay so until they are unregistered here.
            unsafe { driver.device.register_host(start as *mut u8, bytes, "cuMemMap") }
                .map_err(|_| Status::Unknown)?;
            self.registered.insert(start, bytes);
        }
        Ok(())
    }
}
