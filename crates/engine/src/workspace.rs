//! The workspace of a cooperative launch.

use crate::device::Device;
use crate::fault::{Fault, FaultKind, MemoryError};
use crate::outside;
use std::sync::PoisonError;

/// The bytes of [`Workspace`]: its size, and the word at which blocks arrive.
const FRESH: [u8; 8] = [8, 0, 0, 0, 0, 0, 0, 0];
/// Workspaces that are allocated at once where launches run beside each other: memory is not allocated while one runs.
const AT_ONCE: usize = 16;

/// What the driver gives a cooperative launch for barriers of the whole grid: cooperative groups find its address in
/// `%envreg1` and `%envreg2`, its size in its first word, and let blocks arrive at its second.
pub struct Workspace<'a> {
    device: &'a Device,
    /// Its address.
    pub address: u64,
    /// Whether another launch may have it next.
    kept: bool,
}

impl<'a> Workspace<'a> {
    /// One for a launch of a kernel.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn new(device: &'a Device, kernel: &str) -> Result<Workspace<'a>, Fault> {
        let kept = outside::is_there();
        let address = Workspace::find(device, kept).map_err(|error| {
            let kind = FaultKind::LimitExceeded;
            Fault::before_launch(kind, kernel, error.to_string(), "free buffers before the launch")
        })?;
        Ok(Workspace { device, address, kept })
    }

    fn find(device: &Device, kept: bool) -> Result<u64, MemoryError> {
        let bytes = FRESH.len() as u64;
        let allocate = || device.allocate(bytes, "grid workspace");
        if !kept {
            let address = allocate()?;
            return device.write(address, &FRESH).map(|()| address);
        }
        let mut spare = device.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.is_empty() {
            for _ in 0..AT_ONCE {
                spare.push(allocate()?);
            }
        }
        let address = spare.pop().map_or_else(allocate, Ok)?;
        drop(spare);
        let held = device.hold(address, bytes)?;
        // SAFETY: the range holds as many bytes, and no launch has this workspace.
        unsafe { held.start().copy_from_nonoverlapping(FRESH.as_ptr(), FRESH.len()) };
        held.wrote();
        Ok(address)
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        if self.kept {
            let spare = &self.device.workspaces;
            spare.lock().unwrap_or_else(PoisonError::into_inner).push(self.address);
        } else {
            // A kernel cannot free it: it is there.
            let _ = self.device.free(self.address);
        }
    }
}
