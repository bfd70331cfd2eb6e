//! Memory that a launch needs besides its buffers: the workspace of a cooperative launch, and the stack of its threads for
//! recursive calls. A GPU takes the stack's size from the context (`cudaLimitStackSize`); here, the caller sets it for all
//! launches of a host thread.

use crate::device::stall;
use crate::fault::{Fault, FaultKind, GRID_WORKSPACE, MemoryError};
use crate::memory::{MemoryLock, guest};
use lanework_ptx_ir::lower::STACK_BYTES;
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

/// The bytes of [`Workspace`]: its size, and the word at which blocks arrive.
const FRESH: [u8; 8] = [8, 0, 0, 0, 0, 0, 0, 0];

/// Workspaces allocated together when launches run concurrently: memory is not allocated while one runs.
const AT_ONCE: usize = 16;

/// The workspace that the driver passes to a cooperative launch for grid-wide barriers: cooperative groups find its
/// address in `%envreg1` and `%envreg2`, and its size in its first word; blocks arrive at its second word.
pub struct Workspace<'a> {
    memory: &'a MemoryLock,
    /// Workspaces that no launch uses now, when launches run concurrently.
    spare: &'a Mutex<Vec<u64>>,
    /// Its address.
    pub address: u64,
    /// Whether another launch may have it next.
    kept: bool,
}

impl<'a> Workspace<'a> {
    /// Makes a workspace for a launch of a kernel.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn new(
        memory: &'a MemoryLock,
        spare: &'a Mutex<Vec<u64>>,
        kernel: &str,
    ) -> Result<Workspace<'a>, Fault> {
        let kept = stall::has_handler();
        let found = if kept { reused(memory, spare) } else { fresh(memory) };
        let address = found.map_err(|error| {
            let kind = FaultKind::LimitExceeded;
            Fault::before_launch(kind, kernel, error.to_string(), "free buffers before the launch")
        })?;
        Ok(Workspace { memory, spare, address, kept })
    }
}

fn fresh(memory: &MemoryLock) -> Result<u64, MemoryError> {
    let mut memory = memory.alone();
    let address = memory.allocate(FRESH.len() as u64, GRID_WORKSPACE)?;
    memory.write(address, &FRESH).map(|()| address)
}

/// A workspace of an earlier launch, or a new one.
fn reused(memory: &MemoryLock, spare: &Mutex<Vec<u64>>) -> Result<u64, MemoryError> {
    let mut spare = spare.lock().unwrap_or_else(PoisonError::into_inner);
    if spare.is_empty() {
        for _ in 0..AT_ONCE {
            spare.push(fresh(memory)?);
        }
    }
    let Some(address) = spare.pop() else { return fresh(memory) };
    drop(spare);
    let memory = memory.shared();
    let at = memory.host(address, FRESH.len() as u64)?;
    // SAFETY: `host` checked the range, and no launch has this workspace. The host may read it at the same time, by guest
    // accesses.
    unsafe { guest::write_bytes(at, &FRESH) };
    Ok(address)
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        if self.kept {
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(self.address);
        } else {
            // This cannot fail: the workspace is allocated, and kernels cannot free it.
            let _ = self.memory.alone().free(self.address);
        }
    }
}

thread_local! {
    static BYTES: Cell<u32> = const { Cell::new(STACK_BYTES) };
}

/// Runs launches whose threads have a stack of this many bytes, at most 64 KiB.
pub fn with_stack_bytes<R>(bytes: usize, run: impl FnOnce() -> R) -> R {
    struct Restored(u32);
    impl Drop for Restored {
        fn drop(&mut self) {
            BYTES.set(self.0);
        }
    }
    let bytes = u32::try_from(bytes).map_or(STACK_BYTES, |bytes| bytes.min(STACK_BYTES));
    let _restored = Restored(BYTES.replace(bytes));
    run()
}

/// The stack size of launches on this host thread, in bytes.
pub(crate) fn bytes() -> u32 {
    BYTES.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_set_until_its_launches_end() {
        assert_eq!(
            with_stack_bytes(1024, || (bytes(), with_stack_bytes(usize::MAX, bytes))),
            (1024, STACK_BYTES)
        );
        assert_eq!(bytes(), STACK_BYTES);
    }
}
