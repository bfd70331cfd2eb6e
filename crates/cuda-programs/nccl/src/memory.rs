//! Memory that programs allocate through NCCL or register with it; registration has no effect here.

use crate::communicator::get;
use crate::status::{Failure, Result, Status, refuse};
use lanework_standin::{DeviceContext, Memory, Out, allocate, calls, free, store};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Handles of registered memory.
static ANNOUNCED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

fn announced<T>(use_it: impl FnOnce(&mut BTreeSet<usize>) -> T) -> T {
    use_it(&mut ANNOUNCED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// Registers memory of a communicator's device.
fn announce(communicator: usize, memory: Memory, to: Out<'_, usize>) -> Result {
    let communicator = get(communicator)?;
    communicator.place.enter(|| memory.check("the registered memory"))?;
    let handle = announced(|handles| {
        let handle = handles.last().map_or(0x3000_0000, |last| last + 16);
        handles.insert(handle);
        handle
    });
    store(to, handle)
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

    fn ncclMemAlloc(to: Out<'_, u64>, bytes: usize) {
        let at = DeviceContext::current()?.enter(|| allocate(bytes))?;
        store(to, at)
    }

    fn ncclMemFree(at: u64) {
        if at == 0 { Ok(()) } else { Ok(DeviceContext::current()?.enter(|| free(at))?) }
    }

    fn ncclCommRegister(communicator: usize, at: usize, bytes: usize, to: Out<'_, usize>) {
        announce(communicator, Memory { at, bytes }, to)
    }

    fn ncclCommDeregister(communicator: usize, handle: usize) { withdraw(communicator, handle) }

    fn ncclCommWindowRegister(communicator: usize, at: usize, bytes: usize, to: Out<'_, usize>, _flags: i32) {
        announce(communicator, Memory { at, bytes }, to)
    }

    fn ncclCommWindowDeregister(communicator: usize, handle: usize) { withdraw(communicator, handle) }
}
