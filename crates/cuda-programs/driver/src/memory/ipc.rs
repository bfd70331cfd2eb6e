//! Sharing between processes of one host: memory, events, and pools with their memory.

use crate::api::api;
use crate::handles::Handle;
use crate::memory::allocations::{Allocation, Kind};
use crate::memory::pools::Pool;
use crate::memory::shared::SharedFile;
use crate::memory::sharing::Ticket;
use crate::pointers::{In, Out};
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use crate::streams::event::Event;
use std::ffi::c_void;
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

impl Driver {
    /// The ticket of the allocation that holds an address.
    fn ticket(&self, address: u64) -> Result<Ticket> {
        let (start, [bytes, whole], pool) = match self.allocations().find(address) {
            Some((_, Allocation { kind: Kind::Device, block: Some(block), bytes, pool, .. })) => {
                return Ok(Ticket::of_block(block, *bytes, *pool));
            }
            Some((start, found)) if found.kind == Kind::Device => {
                (start, [found.bytes, found.whole()], found.pool)
            }
            _ => return Err(Status::InvalidValue),
        };
        self.share(start, [bytes, whole], pool)
    }
}

api! {
    fn cuIpcGetMemHandle(ticket: Out<'_, Ticket>, address: u64) {
        driver()?.context()?;
        let made = driver()?.ticket(address)?;
        ticket.store(made)
    }

    fn cuIpcOpenMemHandle_v2(address: Out<'_, u64>, ticket: Ticket, _flags: u32) {
        let driver = driver()?;
        driver.context()?;
        let taken = driver.take(ticket)?;
        address.store(taken)
    }

    fn cuIpcCloseMemHandle(address: u64) {
        driver()?.give_back(address)
    }

    fn cuIpcGetEventHandle(ticket: Out<'_, Ticket>, event: Handle) {
        // Only events without a time are shared.
        if !table::<Event>().get(event)?.untimed {
            return Err(Status::InvalidHandle);
        }
        ticket.store(Ticket::of_number(event))
    }

    fn cuIpcOpenEventHandle(event: Out<'_, Handle>, ticket: Ticket) {
        let context = driver()?.context()?.handle;
        if !ticket.is_one() {
            return Err(Status::InvalidHandle);
        }
        // What was recorded has happened, here as there: there is nothing to wait for.
        let made = Event { context, untimed: true, recorded: Mutex::default(), nodes: Mutex::default(), ticket: AtomicU64::new(0), point: Mutex::default() };
        event.store(table::<Event>().add(made))
    }

    fn cuMemPoolExportToShareableHandle(to: Out<'_, i32>, pool: Handle, kind: i32, _flags: u64) {
        table::<Pool>().get(pool)?;
        // A file descriptor.
        if kind != 1 {
            return Err(Status::NotSupported);
        }
        // Its memory is shared by tickets; the file only stands for the pool.
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
        // SAFETY: the caller's descriptor, open for the time of this call.
        let file = SharedFile::of(unsafe { BorrowedFd::borrow_raw(number) }).ok_or(Status::InvalidValue)?;
        let mut words = [[0; 8]; 2];
        file.read(words.as_flattened_mut()).ok_or(Status::InvalidValue)?;
        let [process, of] = words.map(u64::from_le_bytes);
        let mut made = Pool::new(Kind::Device);
        made.origin = Some((process as u32, of));
        pool.store(table::<Pool>().add(made))
    }

    fn cuMemPoolExportPointer(ticket: Out<'_, Ticket>, address: u64) {
        let made = driver()?.ticket(address)?;
        ticket.store(made)
    }

    fn cuMemPoolImportPointer(address: Out<'_, u64>, pool: Handle, ticket: In<'_, Ticket>) {
        let ticket = ticket.get()?;
        // Only what is of this pool.
        if table::<Pool>().get(pool)?.origin != Some(ticket.of_pool()) {
            return Err(Status::InvalidValue);
        }
        let taken = driver()?.take(ticket)?;
        address.store(taken)
    }
}
