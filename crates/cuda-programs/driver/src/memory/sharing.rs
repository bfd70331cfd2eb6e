//! Memory that other processes of this host map, too: blocks of slabs, larger allocations whose pages became those of a file without a name, and
//! the files of others that are mapped here. A process opens another's file through `/proc`, so that nothing is left behind when one ends.

use crate::lock::lock;
use crate::memory::shared::{Pages, SharedFile, map_over, map_private};
use crate::memory::slabs::Block;
use crate::pointers::abi;
use crate::state::Driver;
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::os::fd::AsFd;
use std::sync::Mutex;

/// Files are mapped by pages. An allocation of fewer bytes shares its page with others ([`crate::memory::slabs`]).
const PAGE: u64 = 4096;

/// What tells another process where memory is (`CUipcMemHandle`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Ticket {
    mark: [u8; 8],
    process: u32,
    file: i32,
    bytes: u64,
    /// The pool that the memory is of, by its handle there.
    pool: u64,
    /// Where in the file it lies.
    offset: u64,
    rest: [u8; 24],
}

abi!(Ticket = 64, 8 { mark: 0, process: 8, file: 12, bytes: 16, pool: 24, offset: 32, rest: 40 });

const MARK: [u8; 8] = *b"LWSHARED";

/// Files of this process's allocations, by their addresses, with the pages that they lie on.
static GIVEN: Mutex<BTreeMap<u64, (SharedFile, usize)>> = Mutex::new(BTreeMap::new());

/// Another process's memory that is mapped here.
struct Taken {
    ticket: Ticket,
    _pages: Pages,
    times: u32,
}

static TAKEN: Mutex<BTreeMap<u64, Taken>> = Mutex::new(BTreeMap::new());

impl Ticket {
    /// A ticket for something else than memory: a number of this process.
    pub fn of_number(number: u64) -> Ticket {
        let process = std::process::id();
        Ticket { mark: MARK, process, file: -1, bytes: number, pool: 0, offset: 0, rest: [0; 24] }
    }

    /// A ticket for the bytes of a block.
    pub fn of_block(block: &Block, bytes: u64, pool: u64) -> Ticket {
        let (file, offset) = block.share();
        let (process, offset) = (std::process::id(), offset as u64);
        Ticket { mark: MARK, process, file, bytes, pool, offset, rest: [0; 24] }
    }

    /// The process and the pool that the memory is of.
    pub fn of_pool(&self) -> (u32, u64) {
        (self.process, self.pool)
    }

    /// Whether some bytes are a ticket.
    pub fn is_one(&self) -> bool {
        self.mark == MARK
    }
}

impl Driver {
    /// Lets other processes map an allocation that has its pages for itself: its bytes, and those with the rest of its unit.
    pub fn share(&self, address: u64, [bytes, whole]: [u64; 2], pool: u64) -> Result<Ticket> {
        if whole < PAGE {
            crate::api::say(
                "memory is not shared",
                &"the system gave no file for small allocations (memfd_create); allocate 4096 bytes or more",
            );
            return Err(Status::NotSupported);
        }
        let mut given = lock(&GIVEN);
        let file = match given.entry(address) {
            Entry::Occupied(shared) => shared.get().0.number(),
            Entry::Vacant(vacant) => {
                let length = bytes.next_multiple_of(PAGE) as usize;
                let file = SharedFile::new(length).ok_or(Status::OutOfMemory)?;
                self.copy_to(&file, address, bytes)?;
                // SAFETY: an allocation of a page or more has its pages for itself, and what they held is in the file.
                unsafe { map_over(address as usize, length, &file, 0) }
                    .ok_or(Status::OutOfMemory)?;
                vacant.insert((file, length)).0.number()
            }
        };
        let process = std::process::id();
        Ok(Ticket { mark: MARK, process, file, bytes, pool, offset: 0, rest: [0; 24] })
    }

    /// Copies memory to a file of zeros, part by part: what was never written takes no memory there, either.
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

    /// Maps another process's memory, or counts that it is used once more.
    pub fn take(&self, ticket: Ticket) -> Result<u64> {
        if !ticket.is_one() || ticket.file < 0 {
            return Err(Status::InvalidValue);
        }
        if ticket.process == std::process::id() {
            return Err(Status::InvalidContext);
        }
        self.finish_detached()?;
        let mut taken = lock(&TAKEN);
        if let Some((&address, found)) = taken.iter_mut().find(|(_, taken)| taken.ticket == ticket)
        {
            found.times += 1;
            return Ok(address);
        }
        let place = format!("/proc/{}/fd/{}", ticket.process, ticket.file);
        let opened = std::fs::File::options().read(true).write(true).open(place);
        let opened = opened.map_err(|_| Status::InvalidValue)?;
        let file = SharedFile::of(opened.as_fd()).ok_or(Status::InvalidValue)?;
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
        // SAFETY: these pages are mapped, and stay so until they are unregistered.
        unsafe {
            self.device.register_host(address as *mut u8, ticket.bytes, "cuIpcOpenMemHandle")
        }
        .map_err(|_| Status::Unknown)?;
        taken.insert(address, Taken { ticket, _pages: pages, times: 1 });
        Ok(address)
    }

    /// Whether an address is another process's memory.
    pub fn is_taken(&self, address: u64) -> bool {
        lock(&TAKEN).contains_key(&address)
    }

    /// Ends one use of another process's memory.
    pub fn give_back(&self, address: u64) -> Result {
        self.finish_detached()?;
        let mut taken = lock(&TAKEN);
        let found = taken.get_mut(&address).ok_or(Status::InvalidValue)?;
        found.times -= 1;
        if found.times == 0 {
            self.device.unregister_host(address as *const u8).map_err(|_| Status::Unknown)?;
            taken.remove(&address);
        }
        Ok(())
    }
}

/// Takes an allocation that is about to be freed away from the processes that share it: they keep what they mapped.
pub fn end(address: u64) {
    if let Some((_, length)) = lock(&GIVEN).remove(&address) {
        // SAFETY: as in `share`; nobody uses what is being freed.
        let _ = unsafe { map_private(address as usize, length) };
    }
}
