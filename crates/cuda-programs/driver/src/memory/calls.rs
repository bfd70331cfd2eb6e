//! Memory that programs allocate, register and free.

use crate::api::api;
use crate::devices::calls::memory_bytes;
use crate::devices::contexts::current;
use crate::memory::allocations::Kind;
use crate::ordering;
use crate::pointers::Out;
use crate::state::driver;
use crate::status::Status;
use std::ffi::c_void;

/// Bytes from one row to the next of pitched memory.
const PITCH: usize = 512;

api! {
    fn cuMemGetInfo_v2(free: Out<'_, usize>, total: Out<'_, usize>) {
        driver()?.context()?;
        let (of_free, of_total) = memory_bytes()?;
        free.offer(of_free as usize);
        total.offer(of_total as usize);
        Ok(())
    }

    fn cuMemAlloc_v2(address: Out<'_, u64>, bytes: usize) {
        let at = driver()?.allocate(bytes, Kind::Device, 0, 0)?;
        address.store(at)
    }

    fn cuMemAllocPitch_v2(address: Out<'_, u64>, pitch: Out<'_, usize>, width: usize, height: usize, _element: u32) {
        let of_pitch = width.max(1).checked_next_multiple_of(PITCH).ok_or(Status::OutOfMemory)?;
        let bytes = of_pitch.checked_mul(height).ok_or(Status::OutOfMemory)?;
        let at = driver()?.allocate(bytes, Kind::Device, 0, 0)?;
        pitch.store(of_pitch)?;
        address.store(at)
    }

    fn cuMemFree_v2(address: u64) {
        // What streams have to do may use it.
        let context = driver()?.context()?.handle;
        driver()?.finish_context(context)?;
        match address {
            0 => Ok(()),
            address if driver()?.is_of_graph(address) => driver()?.free_of_graph(address),
            address => driver()?.free(address, &[Kind::Device, Kind::Managed]),
        }
    }

    fn cuMemAllocHost_v2(address: Out<'_, u64>, bytes: usize) {
        let at = driver()?.allocate(bytes, Kind::Host, 0, 0)?;
        address.store(at)
    }

    fn cuMemHostAlloc(address: Out<'_, u64>, bytes: usize, flags: u32) {
        let at = driver()?.allocate(bytes, Kind::Host, 0, flags)?;
        address.store(at)
    }

    fn cuMemFreeHost(address: u64) {
        match address {
            0 => Ok(()),
            address => {
                // As `cuMemFree`, it waits for what streams have to do.
                let waited = ordering::waited_for_context(current());
                driver()?.free(address, &[Kind::Host])?;
                ordering::synchronised(&waited);
                Ok(())
            }
        }
    }

    fn cuMemAllocManaged(address: Out<'_, u64>, bytes: usize, flags: u32) {
        if !(1..=2).contains(&flags) {
            return Err(Status::InvalidValue);
        }
        let at = driver()?.allocate(bytes, Kind::Managed, 0, flags)?;
        address.store(at)
    }

    fn cuMemHostRegister_v2(start: u64, bytes: usize, flags: u32) {
        // SAFETY: the program says that the range is its own until it unregisters it.
        unsafe { driver()?.register(start, bytes as u64, flags) }
    }

    fn cuMemHostUnregister(start: *mut c_void) {
        let driver = driver()?;
        driver.context()?;
        // An address inside a range that was registered is wrong; others were never registered.
        let inside = driver.allocations().find(start as u64).is_some_and(|(first, found)| found.kind == Kind::Registered && first != start as u64);
        let unknown = if inside { Status::InvalidValue } else { Status::HostMemoryNotRegistered };
        driver.free(start as u64, &[Kind::Registered]).map_err(|_| unknown)?;
        driver.device.unregister_host(start.cast()).map_err(|_| Status::HostMemoryNotRegistered)
    }
}
