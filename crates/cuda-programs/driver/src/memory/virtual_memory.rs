//! Virtual memory management: addresses that are reserved, memory that is made, and which is mapped where. Memory is a file without a
//! name, so that it can be mapped at several places and handed to other processes; what is mapped and may be accessed is registered with
//! the emulator, neighbours as one range.

mod reservations;

pub use reservations::is_reserved;

use self::reservations::{
    Location, Part, Physical, Properties, Reservation, holding, reservations,
};
use crate::api::api;
use crate::handles::Handle;
use crate::memory::shared::{Pages, SharedFile};
use crate::pointers::{In, Out, abi};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// Sizes and addresses are multiples of this.
const GRANULARITY: usize = 2 << 20;
/// The kind of handle that other processes take: a file descriptor (`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`).
const FILE_DESCRIPTOR: i32 = 1;

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Access {
    location: Location,
    /// 0 none, 1 reads, 3 reads and writes.
    flags: i32,
}

abi!(Access = 12, 4 { location: 0, flags: 8 });

fn fits(bytes: usize) -> Result {
    if bytes > 0 && bytes.is_multiple_of(GRANULARITY) { Ok(()) } else { Err(Status::InvalidValue) }
}

/// Refuses properties of memory that is not there.
fn check(properties: &Properties) -> Result {
    match properties.location {
        _ if properties.kind != 1 => Err(Status::InvalidValue),
        Location { kind: 1, id } => driver()?.gpu(id).map(drop),
        Location { kind: 2..=4, .. } => Ok(()),
        _ => Err(Status::InvalidValue),
    }
}

api! {
    fn cuMemGetAllocationGranularity(bytes: Out<'_, usize>, properties: In<'_, Properties>, _option: i32) {
        check(&properties.get()?)?;
        bytes.store(GRANULARITY)
    }

    fn cuMemAddressReserve(address: Out<'_, u64>, bytes: usize, alignment: usize, _wish: u64, _flags: u64) {
        driver()?;
        fits(bytes)?;
        if alignment != 0 && !alignment.is_power_of_two() {
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

    fn cuMemCreate(handle: Out<'_, Handle>, bytes: usize, properties: In<'_, Properties>, _flags: u64) {
        let properties = properties.get()?;
        check(&properties)?;
        fits(bytes)?;
        if properties.handle_kinds & !FILE_DESCRIPTOR != 0 {
            return Err(Status::NotSupported);
        }
        let file = SharedFile::new(bytes).ok_or(Status::OutOfMemory)?;
        let made = table::<Physical>().add(Physical { file, properties, retained: AtomicU32::new(1) });
        handle.store(made)
    }

    fn cuMemRelease(handle: Handle) {
        driver()?;
        if table::<Physical>().get(handle)?.retained.fetch_sub(1, Ordering::AcqRel) == 1 {
            table::<Physical>().remove(handle)?;
        }
        Ok(())
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: Handle, _flags: u64) {
        driver()?;
        fits(bytes)?;
        let physical = table::<Physical>().get(handle)?;
        let mut all = reservations();
        let found = holding(&mut all, address, bytes)?;
        let end = address + bytes as u64;
        let overlaps = found.parts.range(..end).next_back().is_some_and(|(start, part)| start + part.bytes as u64 > address);
        if offset != 0 || overlaps || bytes > physical.file.bytes() || !address.is_multiple_of(GRANULARITY as u64) {
            return Err(Status::InvalidValue);
        }
        found.pages.map(address as usize, bytes, &physical.file).ok_or(Status::OutOfMemory)?;
        found.parts.insert(address, Part { bytes, handle, physical, flags: 0 });
        Ok(())
    }

    fn cuMemUnmap(address: u64, bytes: usize) {
        let driver = driver()?;
        driver.finish_detached()?;
        let mut all = reservations();
        let found = holding(&mut all, address, bytes)?;
        for start in found.parts_of(address, bytes)? {
            found.parts.remove(&start);
        }
        found.register(driver)?;
        found.pages.unmap(address as usize, bytes).ok_or(Status::Unknown)
    }

    fn cuMemSetAccess(address: u64, bytes: usize, access: In<'_, Access>, count: usize) {
        let driver = driver()?;
        let access = access.list(count)?;
        for of in &access {
            if !matches!(of.flags, 0 | 1 | 3) || of.location.kind == 1 && driver.gpu(of.location.id).is_err() {
                return Err(Status::InvalidValue);
            }
        }
        driver.finish_detached()?;
        let mut all = reservations();
        let found = holding(&mut all, address, bytes)?;
        for start in found.parts_of(address, bytes)? {
            if let Some(part) = found.parts.get_mut(&start) {
                // What one device may do, all may: they share one memory.
                part.flags = access.iter().map(|of| of.flags).max().unwrap_or(0);
            }
        }
        found.register(driver)
    }

    fn cuMemGetAccess(flags: Out<'_, u64>, _location: In<'_, Location>, address: u64) {
        driver()?;
        let mut all = reservations();
        let found = holding(&mut all, address, 1)?;
        let part = found.part_at(address)?;
        flags.store(part.flags as u64)
    }

    fn cuMemGetAllocationPropertiesFromHandle(properties: Out<'_, Properties>, handle: Handle) {
        let found = table::<Physical>().get(handle)?.properties;
        properties.store(found)
    }

    fn cuMemRetainAllocationHandle(handle: Out<'_, Handle>, address: u64) {
        driver()?;
        let mut all = reservations();
        let found = holding(&mut all, address, 1)?;
        let part = found.part_at(address)?;
        if table::<Physical>().find(part.handle).is_none() {
            return Err(Status::InvalidValue);
        }
        part.physical.retained.fetch_add(1, Ordering::AcqRel);
        handle.store(part.handle)
    }

    fn cuMemExportToShareableHandle(to: Out<'_, i32>, handle: Handle, kind: i32, _flags: u64) {
        let physical = table::<Physical>().get(handle)?;
        if kind != FILE_DESCRIPTOR || physical.properties.handle_kinds & FILE_DESCRIPTOR == 0 {
            return Err(Status::NotSupported);
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
        // SAFETY: the caller's descriptor, open for the time of this call.
        let file = SharedFile::of(unsafe { BorrowedFd::borrow_raw(number) }).ok_or(Status::InvalidValue)?;
        let location = Location { kind: 1, id: 0 };
        let properties = Properties {
            kind: 1,
            handle_kinds: FILE_DESCRIPTOR,
            location,
            windows: std::ptr::null(),
            compression: 0,
            direct_access: 0,
            usage: 0,
            reserved: [0; 4],
        };
        let made = table::<Physical>().add(Physical { file, properties, retained: AtomicU32::new(1) });
        handle.store(made)
    }
}
