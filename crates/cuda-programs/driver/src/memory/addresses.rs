//! Queries about addresses: ranges and pointer attributes.

use crate::api::api;
use crate::devices::contexts::current;
use crate::memory::allocations::{Allocation, AllocationKind};
use crate::pointers::*;
use crate::state::driver;
use crate::status::{Result, Status};
use std::ffi::c_void;

/// Stores an attribute of a pointer.
///
/// # Safety
/// `data` is null or valid for the attribute's type.
unsafe fn attribute_of(data: *mut c_void, attribute: i32, address: u64) -> Result {
    let driver = driver()?;
    if driver.range_at(address).is_none() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: the caller passed memory for the attribute's type.
    unsafe { attribute_of_any(data, attribute, address) }
}

/// As [`attribute_of`], but an unknown pointer has default attributes.
///
/// # Safety
/// As [`attribute_of`].
unsafe fn attribute_of_any(data: *mut c_void, attribute: i32, address: u64) -> Result {
    let driver = driver()?;
    let variable = driver.range_at(address);
    let allocations = driver.allocations();
    let found = allocations.find(address);
    let known = found.is_some() || variable.is_some();
    let (start, bytes) =
        found.map(|(start, allocation)| (start, allocation.bytes)).or(variable).unwrap_or((0, 0));
    let kind = found.map(|(_, allocation)| allocation.kind);
    let host = matches!(kind, Some(AllocationKind::Host | AllocationKind::Registered));
    // Booleans are stored as 32-bit words, because NVIDIA's runtime does not clear the word before the call.
    // SAFETY: each arm stores the type that CUDA's documentation gives the attribute.
    unsafe {
        match attribute {
            1 => Out::new(data.cast()).store(if known {
                found.map_or_else(current, |(_, allocation)| allocation.context)
            } else {
                0
            }),
            // Host 1, device 2.
            2 => Out::new(data.cast()).store(if !known {
                0u32
            } else if host {
                1
            } else {
                2
            }),
            3 => Out::new(data.cast()).store(if known { address } else { 0 }),
            4 if kind == Some(AllocationKind::Device) => Err(Status::InvalidValue),
            4 => Out::new(data.cast()).store(
                if matches!(
                    kind,
                    Some(
                        AllocationKind::Host | AllocationKind::Registered | AllocationKind::Managed
                    )
                ) {
                    address
                } else {
                    0
                },
            ),
            // Tokens for direct access by other devices.
            5 if matches!(kind, Some(AllocationKind::Device | AllocationKind::Managed)) => {
                Out::new(data.cast()).store([0u64; 2])
            }
            6 => Out::new(data.cast())
                .store(u32::from(found.is_some_and(|(_, allocation)| allocation.synchronous))),
            7 => Out::new(data.cast()).store(found.map_or(0, |(_, allocation)| allocation.id)),
            8 => Out::new(data.cast()).store(u32::from(kind == Some(AllocationKind::Managed))),
            9 => Out::new(data.cast()).store(if known {
                found.map_or(0, |(_, allocation)| allocation.gpu)
            } else {
                -2
            }),
            // Memory of `cuMemAlloc` can be shared by IPC, and accessed by other devices on the bus (15).
            10 | 15 => {
                Out::new(data.cast()).store(u32::from(found.is_some_and(|(_, allocation)| {
                    allocation.kind == AllocationKind::Device && allocation.pool == 0
                })))
            }
            11 => Out::new(data.cast()).store(start),
            12 => Out::new(data.cast()).store(bytes as usize),
            13 => Out::new(data.cast()).store(u32::from(known)),
            14 => Out::new(data.cast()).store(0u32),
            16 => Out::new(data.cast()).store(3u32),
            17 => Out::new(data.cast()).store(found.map_or(0, |(_, allocation)| allocation.pool)),
            // Size and base of the mapping, the block, and decompression by the GPU.
            18 => Out::new(data.cast()).store(bytes),
            19 => Out::new(data.cast()).store(start),
            20 => Out::new(data.cast()).store(found.map_or(0, |(_, allocation)| allocation.id)),
            21 => Out::new(data.cast()).store(0u32),
            _ => Err(Status::InvalidValue),
        }
    }
}

api! {
    fn cuMemHostGetDevicePointer_v2(device: Out<'_, u64>, host: u64, flags: u32) {
        let driver = driver()?;
        driver.context()?;
        match driver.allocations().find(host) {
            Some((_, allocation)) if flags == 0 && matches!(allocation.kind, AllocationKind::Host | AllocationKind::Registered) => device.store(host),
            _ => Err(Status::InvalidValue),
        }
    }

    fn cuMemHostGetFlags(flags: Out<'_, u32>, host: u64) {
        let driver = driver()?;
        driver.context()?;
        // Memory is always mapped (2), and may be write-combined (4).
        let of = |(_, allocation): (u64, &Allocation)| match allocation.kind {
            AllocationKind::Device => None,
            AllocationKind::Host => Some(allocation.flags & 4 | 2),
            AllocationKind::Managed => Some(2),
            // For all contexts (1).
            AllocationKind::Registered => Some(allocation.flags & 1 | 2),
        };
        flags.store(driver.allocations().find(host).and_then(of).ok_or(Status::InvalidValue)?)
    }

    fn cuMemGetAddressRange_v2(base: Out<'_, u64>, bytes: Out<'_, usize>, address: u64) {
        let driver = driver()?;
        driver.context()?;
        let (start, length) = driver.range_at(address).ok_or(Status::NotFound)?;
        base.store_optional(start);
        bytes.store_optional(length as usize);
        Ok(())
    }

    fn cuPointerGetAttribute(data: *mut c_void, attribute: i32, address: u64) {
        // SAFETY: the caller passed memory for the attribute's type.
        unsafe { attribute_of(data, attribute, address) }
    }

    fn cuPointerGetAttributes(count: u32, attributes: In<'_, i32>, data: In<'_, *mut c_void>, address: u64) {
        driver()?;
        if count == 0 || attributes.is_null() || data.is_null() {
            return Err(Status::InvalidValue);
        }
        for index in 0..count as usize {
            // SAFETY: the caller promises that both have `count` elements.
            let (attribute, to) = unsafe { (attributes.at(index).get()?, data.at(index).get()?) };
            if !(1..=21).contains(&attribute) {
                return Err(Status::InvalidValue);
            }
            // SAFETY: the caller passed memory for each attribute's type. Attributes that an address does not have
            // are skipped, except the host's pointer (`CU_POINTER_ATTRIBUTE_HOST_POINTER`), which is then null.
            let found = unsafe { attribute_of_any(to, attribute, address) };
            if found.is_err() && attribute == 4 {
                // SAFETY: the caller passed memory for a pointer.
                unsafe { Out::new(to.cast()) }.store(0u64)?;
            }
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: *const c_void, attribute: i32, address: u64) {
        let driver = driver()?;
        let mut allocations = driver.allocations();
        // Only `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS` (6).
        match (allocations.find_mut(address), attribute, value.is_null()) {
            (Some(found), 6, false) => {
                // SAFETY: not null, and a C boolean, whose first byte is enough.
                found.synchronous = unsafe { value.cast::<u8>().read() } != 0;
                Ok(())
            }
            _ => Err(Status::InvalidValue),
        }
    }
}
