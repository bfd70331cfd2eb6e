//! Shares memory, events and pools between processes of one host.
//!
//! Exported memory consists of the pages of an anonymous file. Slab blocks are in such a file from the start; larger
//! allocations move to one when they are exported. The importing process opens the file through `/proc`, so nothing is
//! left behind when a process exits.

use crate::api::api;
use crate::memory::allocations::{Allocation, AllocationKind};
use crate::memory::pools::Pool;
use crate::memory::shared_pages::{self, Block, Pages, SharedFile, map_over, map_private};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{ArgumentText, Result, Status};
use crate::streams::Event;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::c_void;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Files are mapped in pages. An allocation smaller than a page shares its page with others
/// ([`crate::memory::shared_pages`]).
const PAGE: u64 = 4096;

/// Identifies memory for another process (`CUipcMemHandle`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct IpcHandle {
    mark: [u8; 8],
    process: u32,
    file: i32,
    bytes: u64,
    /// Handle of the pool in the exporting process.
    pool: u64,
    /// Offset in the file.
    offset: u64,
    rest: [u8; 24],
}

abi!(IpcHandle = 64, 8 { mark: 0, process: 8, file: 12, bytes: 16, pool: 24, offset: 32, rest: 40 });

impl ArgumentText for IpcHandle {
    fn shown(&self) -> String {
        "a handle".to_owned()
    }
}

const MARK: [u8; 8] = *b"LWSHARED";

/// Files and mapped lengths of exported allocations, by address.
static EXPORTED: Mutex<BTreeMap<u64, (SharedFile, usize)>> = Mutex::new(BTreeMap::new());

/// Memory of another process, mapped here.
struct ImportedMemory {
    ticket: IpcHandle,
    _pages: Pages,
    times: u32,
}

static IMPORTED: Mutex<BTreeMap<u64, ImportedMemory>> = Mutex::new(BTreeMap::new());

impl IpcHandle {
    /// A handle for an event.
    fn for_event(number: u64) -> IpcHandle {
        let process = std::process::id();
        IpcHandle {
            mark: MARK,
            process,
            file: -1,
            bytes: number,
            pool: 0,
            offset: 0,
            rest: [0; 24],
        }
    }

    /// A handle for a slab block.
    fn for_block(block: &Block, bytes: u64, pool: u64) -> IpcHandle {
        let (file, offset) = block.share();
        let (process, offset) = (std::process::id(), offset as u64);
        IpcHandle { mark: MARK, process, file, bytes, pool, offset, rest: [0; 24] }
    }

    /// The exporting process and its pool.
    pub fn of_pool(&self) -> (u32, u64) {
        (self.process, self.pool)
    }

    /// Whether these bytes are an IPC handle.
    fn is_one(&self) -> bool {
        self.mark == MARK
    }
}

impl Driver {
    /// Exports an allocation that has its own pages. Takes its size without and with padding.
    fn export(&self, address: u64, [bytes, whole]: [u64; 2], pool: u64) -> Result<IpcHandle> {
        // A small allocation is alone on its pages where allocations are far apart.
        let alone = self.device.is_sanitized() && address.is_multiple_of(PAGE);
        if whole < PAGE && !(cfg!(target_os = "linux") && alone) {
            crate::api::warn(
                "memory cannot be shared with another process",
                &"the system provides no file for small allocations (memfd_create); allocate 4096 bytes or more",
            );
            return Err(Status::NotSupported);
        }
        let mut given = lock(&EXPORTED);
        let file = match given.entry(address) {
            Entry::Occupied(shared) => shared.get().0.number(),
            Entry::Vacant(vacant) => {
                let length = bytes.next_multiple_of(PAGE) as usize;
                let file = SharedFile::new(length).ok_or(Status::OutOfMemory)?;
                self.copy_to(&file, address, bytes)?;
                // SAFETY: an allocation of at least a page has its own pages, and the file has a copy of their
                // contents.
                unsafe { map_over(address as usize, length, &file, 0) }
                    .ok_or(Status::OutOfMemory)?;
                vacant.insert((file, length)).0.number()
            }
        };
        let process = std::process::id();
        Ok(IpcHandle { mark: MARK, process, file, bytes, pool, offset: 0, rest: [0; 24] })
    }

    /// Copies exported memory to a zeroed file in chunks. Zero chunks are skipped and take no memory.
    fn copy_to(&self, file: &SharedFile, address: u64, bytes: u64) -> Result {
        const PART: u64 = 1 << 20;
        let mut room = vec![0; bytes.min(PART) as usize];
        for at in (0..bytes).step_by(PART as usize) {
            let part = &mut room[..(bytes - at).min(PART) as usize];
            self.read(address + at, part)?;
            if part.iter().any(|&byte| byte != 0) {
                file.write(at, part).ok_or(Status::OutOfMemory)?;
            }
        }
        Ok(())
    }

    /// Maps another process's memory, or increments its reference count.
    fn import(&self, ticket: IpcHandle) -> Result<u64> {
        if !ticket.is_one() || ticket.file < 0 {
            return Err(Status::InvalidValue);
        }
        if ticket.process == std::process::id() {
            return Err(Status::InvalidContext);
        }
        self.finish_detached()?;
        let mut taken = lock(&IMPORTED);
        if let Some((&address, found)) = taken.iter_mut().find(|(_, taken)| taken.ticket == ticket)
        {
            found.times += 1;
            return Ok(address);
        }
        let place = format!("/proc/{}/fd/{}", ticket.process, ticket.file);
        let opened = std::fs::File::options().read(true).write(true).open(place);
        let opened = opened.map_err(|_| Status::InvalidValue)?;
        let file = SharedFile::from_descriptor(opened.as_fd()).ok_or(Status::InvalidValue)?;
        let end = ticket.offset.checked_add(ticket.bytes).ok_or(Status::InvalidValue)?;
        if ticket.bytes == 0 || end > file.bytes() as u64 {
            return Err(Status::InvalidValue);
        }
        let skipped = ticket.offset % PAGE;
        let length = (skipped + ticket.bytes).next_multiple_of(PAGE) as usize;
        let pages = Pages::reserve(length, PAGE as usize).ok_or(Status::OutOfMemory)?;
        let address = pages.start() as u64 + skipped;
        let from = (ticket.offset - skipped) as usize;
        pages.map_from(pages.start(), length, &file, from).ok_or(Status::OutOfMemory)?;
        // SAFETY: the pages stay mapped until `release_import` has unregistered them.
        unsafe {
            self.device.register_host(address as *mut u8, ticket.bytes, "cuIpcOpenMemHandle")
        }
        .map_err(|_| Status::Unknown)?;
        taken.insert(address, ImportedMemory { ticket, _pages: pages, times: 1 });
        Ok(address)
    }

    /// Whether an address is imported memory.
    pub fn is_imported(&self, address: u64) -> bool {
        lock(&IMPORTED).contains_key(&address)
    }

    /// Drops one reference to imported memory.
    pub fn release_import(&self, address: u64) -> Result {
        self.finish_detached()?;
        let mut taken = lock(&IMPORTED);
        let found = taken.get_mut(&address).ok_or(Status::InvalidValue)?;
        found.times -= 1;
        if found.times == 0 {
            self.device.unregister_host(address as *const u8).map_err(|_| Status::Unknown)?;
            taken.remove(&address);
        }
        Ok(())
    }
}

/// Detaches an allocation that is about to be freed from its file. Other processes keep their mappings.
pub fn end(address: u64) {
    if let Some((_, length)) = lock(&EXPORTED).remove(&address) {
        // SAFETY: the pages are those that `export` mapped, and the allocation on them is being freed.
        let _ = unsafe { map_private(address as usize, length) };
    }
}

impl Driver {
    /// The IPC handle of the allocation that contains an address.
    fn ticket(&self, address: u64) -> Result<IpcHandle> {
        shared_pages::ANY_EXPORTED.store(true, Ordering::Relaxed);
        let (start, [bytes, whole], pool) = match self.allocations().find(address) {
            Some((
                _,
                Allocation {
                    kind: AllocationKind::Device, block: Some(block), bytes, pool, ..
                },
            )) => {
                return Ok(IpcHandle::for_block(block, *bytes, *pool));
            }
            Some((start, found)) if found.kind == AllocationKind::Device => {
                (start, [found.bytes, found.whole()], found.pool)
            }
            _ => return Err(Status::InvalidValue),
        };
        self.export(start, [bytes, whole], pool)
    }
}

api! {
    fn cuIpcGetMemHandle(ticket: Out<'_, IpcHandle>, address: u64) {
        let driver = driver()?;
        driver.context()?;
        // Memory of pools is shared by `cuMemPoolExportPointer`.
        if driver.allocations().find(address).is_some_and(|(_, found)| found.pool != 0) {
            return Err(Status::InvalidValue);
        }
        ticket.store(driver.ticket(address)?)
    }

    fn cuIpcOpenMemHandle_v2(address: Out<'_, u64>, ticket: IpcHandle, _flags: u32) {
        let driver = driver()?;
        driver.context()?;
        let taken = driver.import(ticket)?;
        address.store(taken)
    }

    fn cuIpcCloseMemHandle(address: u64) {
        driver()?.release_import(address)
    }

    fn cuIpcGetEventHandle(ticket: Out<'_, IpcHandle>, event: Handle) {
        // Only events without timing can be shared.
        if !table::<Event>().get(event)?.untimed {
            return Err(Status::InvalidHandle);
        }
        ticket.store(IpcHandle::for_event(event))
    }

    fn cuIpcOpenEventHandle(event: Out<'_, Handle>, ticket: IpcHandle) {
        let context = driver()?.context()?.handle;
        if !ticket.is_one() {
            return Err(Status::InvalidHandle);
        }
        // Work runs at enqueue, so the event has already happened if it was recorded.
        let made = Event { context, untimed: true, recorded: Mutex::default(), nodes: Mutex::default(), ticket: AtomicU64::new(0), point: Mutex::default() };
        event.store(table::<Event>().add(made))
    }

    fn cuMemPoolExportToShareableHandle(to: Out<'_, i32>, pool: Handle, kind: i32, _flags: u64) {
        let exported = table::<Pool>().some(pool)?;
        // File descriptor.
        if kind != 1 {
            return Err(Status::NotSupported);
        }
        if !exported.shareable {
            return Err(Status::InvalidValue);
        }
        // Memory is shared by IPC handles; the file only identifies the pool.
        let file = SharedFile::new(16).ok_or(Status::OutOfMemory)?;
        let words = [u64::from(std::process::id()), pool].map(u64::to_le_bytes);
        file.write(0, words.as_flattened()).ok_or(Status::OutOfMemory)?;
        let descriptor = file.duplicate().ok_or(Status::OutOfMemory)?;
        to.store(descriptor.into_raw_fd())
    }

    fn cuMemPoolImportFromShareableHandle(pool: Out<'_, Handle>, from: *const c_void, kind: i32, _flags: u64) {
        driver()?;
        if kind != 1 {
            return Err(Status::NotSupported);
        }
        let number = i32::try_from(from as usize).ok().filter(|number| *number >= 0).ok_or(Status::InvalidValue)?;
        // SAFETY: the caller passes a descriptor that stays open during the call.
        let file = SharedFile::from_descriptor(unsafe { BorrowedFd::borrow_raw(number) }).ok_or(Status::InvalidValue)?;
        let mut words = [[0; 8]; 2];
        file.read(words.as_flattened_mut()).ok_or(Status::InvalidValue)?;
        let [process, of] = words.map(u64::from_le_bytes);
        let mut made = Pool::new(AllocationKind::Device);
        made.origin = Some((process as u32, of));
        pool.store(table::<Pool>().add(made))
    }

    fn cuMemPoolExportPointer(ticket: Out<'_, IpcHandle>, address: u64) {
        let driver = driver()?;
        let pool = driver.allocations().find(address).map_or(0, |(_, found)| found.pool);
        if !table::<Pool>().find(pool).is_some_and(|pool| pool.shareable) {
            return Err(Status::InvalidValue);
        }
        ticket.store(driver.ticket(address)?)
    }

    fn cuMemPoolImportPointer(address: Out<'_, u64>, pool: Handle, ticket: In<'_, IpcHandle>) {
        let ticket = ticket.get()?;
        // Only memory of this pool can be exported.
        if table::<Pool>().some(pool)?.origin != Some(ticket.of_pool()) {
            return Err(Status::InvalidValue);
        }
        let taken = driver()?.import(ticket)?;
        address.store(taken)
    }
}
