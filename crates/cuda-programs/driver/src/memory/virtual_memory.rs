//! Virtual memory management: reserved addresses, physical memory, and mappings. Physical memory is an anonymous file, so it can be mapped
//! several times and shared with other processes. Accessible mappings are registered with the emulator, adjacent ones as one range.

use crate::api::{api, warn};
use crate::devices::gpus::memory_bytes;
use crate::memory::shared_pages::{Pages, SharedFile};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once};

/// `CUmemLocation`: 1 a device, 2 the host, 3 and 4 a host NUMA node.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct MemoryLocation {
    pub kind: i32,
    pub id: i32,
}

abi!(MemoryLocation = 8, 4 { kind: 0, id: 4 });

/// `CUmemAllocationProp`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AllocationProperties {
    /// 1: pinned.
    pub kind: i32,
    pub handle_kinds: i32,
    pub location: MemoryLocation,
    pub windows: *const c_void,
    pub compression: u8,
    pub direct_access: u8,
    pub usage: u16,
    pub reserved: [u8; 4],
}

abi!(AllocationProperties = 32, 8 { kind: 0, handle_kinds: 4, location: 8, windows: 16, compression: 24, direct_access: 25, usage: 26, reserved: 28 });

// SAFETY: the pointer is Windows metadata, which is copied and never dereferenced.
unsafe impl Send for AllocationProperties {}
// SAFETY: the pointer is copied and never dereferenced.
unsafe impl Sync for AllocationProperties {}

/// Physical memory.
struct PhysicalMemory {
    pub file: SharedFile,
    pub properties: AllocationProperties,
    /// Reference count. At 0 the handle becomes invalid; mappings keep the memory.
    pub retained: AtomicU32,
}

/// A mapping.
struct Mapping {
    pub bytes: usize,
    pub handle: Handle,
    /// Kept alive even after its handle is released.
    pub physical: Arc<PhysicalMemory>,
    pub flags: i32,
}

/// A reserved address range.
struct Reservation {
    pub pages: Pages,
    /// Mappings by address.
    pub parts: BTreeMap<u64, Mapping>,
    /// Registered ranges: start and bytes.
    pub registered: BTreeMap<u64, u64>,
}

static RESERVATIONS: Mutex<BTreeMap<u64, Reservation>> = Mutex::new(BTreeMap::new());

/// All reservations by start address.
fn reservations() -> MutexGuard<'static, BTreeMap<u64, Reservation>> {
    lock(&RESERVATIONS)
}

/// The reservation that contains a range.
fn holding(
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
    /// The mapping that contains an address.
    fn part_at(&self, address: u64) -> Result<&Mapping> {
        let (start, part) = self.parts.range(..=address).next_back().ok_or(Status::InvalidValue)?;
        if address - start < part.bytes as u64 { Ok(part) } else { Err(Status::InvalidValue) }
    }

    /// Starts of the mappings that exactly fill a range.
    fn parts_of(&self, address: u64, bytes: usize) -> Result<Vec<u64>> {
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

    /// Registers accessible mappings, merging adjacent ones, and unregisters inaccessible ones.
    pub fn register(&mut self, driver: &Driver) -> Result {
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
            // SAFETY: `parts` are mapped, and a mapping is only removed after its range is unregistered here.
            unsafe { driver.device.register_host(start as *mut u8, bytes, "cuMemMap") }
                .map_err(|_| Status::Unknown)?;
            self.registered.insert(start, bytes);
        }
        Ok(())
    }
}

/// Granularity of sizes and addresses.
const GRANULARITY: usize = 2 << 20;
/// Shareable handle type: `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const FILE_DESCRIPTOR: i32 = 1;

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AccessDescription {
    location: MemoryLocation,
    /// 0 none, 1 read, 3 read and write.
    flags: i32,
}

abi!(AccessDescription = 12, 4 { location: 0, flags: 8 });

fn fits(bytes: usize) -> Result {
    if bytes > 0 && bytes.is_multiple_of(GRANULARITY) { Ok(()) } else { Err(Status::InvalidValue) }
}

/// Checks properties of an allocation.
fn check(properties: &AllocationProperties) -> Result {
    match properties.location {
        _ if properties.kind != 1 => Err(Status::InvalidValue),
        MemoryLocation { kind: 1, id } => driver()?.gpu(id).map(drop),
        MemoryLocation { kind: 2..=4, .. } => Ok(()),
        _ => Err(Status::InvalidValue),
    }
}

/// Reports, once per process, what to do instead.
fn refuse() -> Result {
    static SAID: Once = Once::new();
    driver()?;
    SAID.call_once(|| {
        warn(
            "multicast objects are not emulated",
            &"query CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, which is 0, and access the memory of each peer GPU by its own address",
        );
    });
    Err(Status::NotSupported)
}

api! {
    fn cuMemGetAllocationGranularity(bytes: Out<'_, usize>, properties: In<'_, AllocationProperties>, option: i32) {
        properties.get()?;
        if !matches!(option, 0 | 1) {
            return Err(Status::InvalidValue);
        }
        bytes.store(GRANULARITY)
    }

    fn cuMemAddressReserve(address: Out<'_, u64>, bytes: usize, alignment: usize, _wish: u64, flags: u64) {
        driver()?;
        fits(bytes)?;
        if flags != 0 || alignment != 0 && !alignment.is_power_of_two() {
            return Err(Status::InvalidValue);
        }
        let pages = Pages::reserve(bytes, alignment.max(GRANULARITY)).ok_or(Status::OutOfMemory)?;
        let start = pages.start() as u64;
        reservations().insert(start, Reservation { pages, parts: BTreeMap::new(), registered: BTreeMap::new() });
        address.store(start)
    }

    fn cuMemAddressFree(address: u64, bytes: usize) {
        driver()?;
        let mut all = reservations();
        match all.get(&address) {
            Some(found) if found.pages.bytes() == bytes && found.parts.is_empty() => drop(all.remove(&address)),
            _ => return Err(Status::InvalidValue),
        }
        Ok(())
    }

    fn cuMemCreate(handle: Out<'_, Handle>, bytes: usize, properties: In<'_, AllocationProperties>, flags: u64) {
        let properties = properties.get()?;
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        check(&properties)?;
        fits(bytes)?;
        if properties.handle_kinds & !FILE_DESCRIPTOR != 0 {
            return Err(Status::NotSupported);
        }
        if bytes as u64 > memory_bytes()?.1 {
            return Err(Status::OutOfMemory);
        }
        let file = SharedFile::new(bytes).ok_or(Status::OutOfMemory)?;
        let made = table::<PhysicalMemory>().add(PhysicalMemory { file, properties, retained: AtomicU32::new(1) });
        handle.store(made)
    }

    fn cuMemRelease(handle: Handle) {
        driver()?;
        if table::<PhysicalMemory>().find(handle).ok_or(Status::InvalidValue)?.retained.fetch_sub(1, Ordering::AcqRel) == 1 {
            table::<PhysicalMemory>().remove(handle)?;
        }
        Ok(())
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: Handle, flags: u64) {
        driver()?;
        if bytes == 0 || flags != 0 {
            return Err(Status::InvalidValue);
        }
        let physical = table::<PhysicalMemory>().some(handle)?;
        if offset != 0 || bytes != physical.file.bytes() {
            return Err(Status::NotSupported);
        }
        let mut all = reservations();
        let found = holding(&mut all, address, bytes)?;
        let end = address + bytes as u64;
        let overlaps = found.parts.range(..end).next_back().is_some_and(|(start, part)| start + part.bytes as u64 > address);
        if overlaps || !address.is_multiple_of(GRANULARITY as u64) {
            return Err(Status::InvalidValue);
        }
        found.pages.map(address as usize, bytes, &physical.file).ok_or(Status::OutOfMemory)?;
        found.parts.insert(address, Mapping { bytes, handle, physical, flags: 0 });
        Ok(())
    }

    fn cuMemUnmap(address: u64, bytes: usize) {
        let driver = driver()?;
        driver.finish_detached()?;
        let mut all = reservations();
        let found = holding(&mut all, address, bytes)?;
        fits(bytes)?;
        // Unmapping twice is allowed.
        if found.parts.range(..address + bytes as u64).next_back().is_none_or(|(start, part)| start + part.bytes as u64 <= address) {
            return Ok(());
        }
        for start in found.parts_of(address, bytes)? {
            found.parts.remove(&start);
        }
        found.register(driver)?;
        found.pages.unmap(address as usize, bytes).ok_or(Status::Unknown)
    }

    fn cuMemSetAccess(address: u64, bytes: usize, access: In<'_, AccessDescription>, count: usize) {
        let driver = driver()?;
        access.find().filter(|_| count > 0).ok_or(Status::InvalidValue)?;
        let access = access.list(count)?;
        for of in &access {
            if of.location.kind == 2 {
                return Err(Status::NotSupported);
            }
            if of.location.kind == 0 || !matches!(of.flags, 0 | 1 | 3) || of.location.kind == 1 && driver.gpu(of.location.id).is_err() {
                return Err(Status::InvalidValue);
            }
        }
        driver.finish_detached()?;
        let mut all = reservations();
        let found = holding(&mut all, address, bytes)?;
        for start in found.parts_of(address, bytes)? {
            if let Some(part) = found.parts.get_mut(&start) {
                // All devices share one memory, so access is granted to all of them.
                part.flags = access.iter().map(|of| of.flags).max().unwrap_or(0);
            }
        }
        found.register(driver)
    }

    fn cuMemGetAccess(flags: Out<'_, u64>, location: In<'_, MemoryLocation>, address: u64) {
        let driver = driver()?;
        if let Some(location) = location.find().filter(|location| location.kind == 1) {
            driver.gpu(location.id)?;
        }
        let mut all = reservations();
        let found = holding(&mut all, address, 1)?;
        let part = found.part_at(address)?;
        flags.store(part.flags as u64)
    }

    fn cuMemGetAllocationPropertiesFromHandle(properties: Out<'_, AllocationProperties>, handle: Handle) {
        let found = table::<PhysicalMemory>().get(handle)?.properties;
        properties.store(found)
    }

    fn cuMemRetainAllocationHandle(handle: Out<'_, Handle>, address: u64) {
        driver()?;
        let mut all = reservations();
        let found = holding(&mut all, address, 1)?;
        let part = found.part_at(address)?;
        if table::<PhysicalMemory>().find(part.handle).is_none() {
            return Err(Status::InvalidValue);
        }
        part.physical.retained.fetch_add(1, Ordering::AcqRel);
        handle.store(part.handle)
    }

    fn cuMemExportToShareableHandle(to: Out<'_, i32>, handle: Handle, kind: i32, _flags: u64) {
        let physical = table::<PhysicalMemory>().get(handle)?;
        if kind != FILE_DESCRIPTOR {
            return Err(Status::NotSupported);
        }
        if physical.properties.handle_kinds & FILE_DESCRIPTOR == 0 {
            return Err(Status::InvalidValue);
        }
        let descriptor = physical.file.duplicate().ok_or(Status::OutOfMemory)?;
        to.store(descriptor.into_raw_fd())
    }

    fn cuMemImportFromShareableHandle(handle: Out<'_, Handle>, from: *const c_void, kind: i32) {
        driver()?;
        if kind != FILE_DESCRIPTOR {
            return Err(Status::NotSupported);
        }
        let number = i32::try_from(from as usize).ok().filter(|number| *number >= 0).ok_or(Status::InvalidValue)?;
        // SAFETY: the caller passes a descriptor that stays open during the call.
        let file = SharedFile::from_descriptor(unsafe { BorrowedFd::borrow_raw(number) }).ok_or(Status::InvalidValue)?;
        let location = MemoryLocation { kind: 1, id: 0 };
        let properties = AllocationProperties {
            kind: 1,
            handle_kinds: FILE_DESCRIPTOR,
            location,
            windows: std::ptr::null(),
            compression: 0,
            direct_access: 0,
            usage: 0,
            reserved: [0; 4],
        };
        let made = table::<PhysicalMemory>().add(PhysicalMemory { file, properties, retained: AtomicU32::new(1) });
        handle.store(made)
    }

    fn cuMulticastCreate(_object: Out<'_, u64>, _properties: *const c_void) {
        refuse()
    }

    fn cuMulticastGetGranularity(_bytes: Out<'_, usize>, _properties: *const c_void, _option: i32) {
        refuse()
    }

    fn cuMulticastAddDevice(_object: u64, _device: i32) {
        refuse()
    }

    fn cuMulticastBindMem(_object: u64, _offset: usize, _memory: u64, _memory_offset: usize, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastBindAddr(_object: u64, _offset: usize, _address: u64, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastBindMem_v2(_object: u64, _device: i32, _offset: usize, _memory: u64, _memory_offset: usize, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastBindAddr_v2(_object: u64, _device: i32, _offset: usize, _address: u64, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastUnbind(_object: u64, _device: i32, _offset: usize, _bytes: usize) {
        refuse()
    }
}
