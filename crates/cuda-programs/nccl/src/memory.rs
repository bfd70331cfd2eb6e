//! Memory that programs allocate through NCCL, and announce to it, which changes nothing here.

use crate::communicator::get;
use crate::status::{Failure, Result, Status, refuse};
use lanework_standin::{DeviceContext, Memory, allocate, calls, free, store};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Handles of announced memory.
static ANNOUNCED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn announced<T>(use_it: impl FnOnce(&mut BTreeSet<usize>) -> T) -> T {
    use_it(&mut ANNOUNCED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// Announces memory of a communicator's device.
///
/// # Safety
/// The pointer is null or valid.
unsafe fn announce(communicator: usize, memory: Memory, to: *mut usize) -> Result {
    let communicator = get(communicator)?;
    communicator.place.enter(|| memory.check("the memory that is registered"))?;
    let handle = announced(|handles| {
        let handle = handles.last().map_or(0x3000_0000, |last| last + 16);
        handles.insert(handle);
        handle
    });
    // SAFETY: by the caller.
    unsafe { store(to, handle) }
}

fn withdraw(communicator: usize, handle: usize) -> Result {
    get(communicator)?;
    match handle == 0 || announced(|handles| handles.remove(&handle)) {
        true => Ok(()),
        false => refuse(Status::InvalidArgument, format!("{handle:#x} is not registered memory")),
    }
}

calls! {
    "NCCL", Failure;

    fn ncclMemAlloc(to: *mut u64, bytes: usize) {
        let at = DeviceContext::current()?.enter(|| allocate(bytes))?;
        // SAFETY: by the caller.
        unsafe { store(to, at) }
    }

    fn ncclMemFree(at: u64) {
        if at == 0 { Ok(()) } else { Ok(DeviceContext::current()?.enter(|| free(at))?) }
    }

    fn ncclCommRegister(communicator: usize, at: usize, bytes: usize, to: *mut usize) {
        // SAFETY: by the caller.
        unsafe { announce(communicator, Memory { at, bytes }, to) }
    }

    fn ncclCommDeregister(communicator: usize, handle: usize) { withdraw(communicator, handle) }

    fn ncclCommWindowRegister(communicator: usize, at: usize, bytes: usize, to: *mut usize, _flags: i32) {
        // SAFETY: by the caller.
        unsafe { announce(communicator, Memory { at, bytes }, to) }
    }

    fn ncclCommWindowDeregister(communicator: usize, handle: usize) { withdraw(communicator, handle) }
}
