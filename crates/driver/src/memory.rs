//! Memory: what programs allocate, register and ask about.

use crate::api::api;
use crate::contexts::current;
use crate::devices::memory_bytes;
use crate::handles::Handle;
use crate::pointers::{offer, store};
use crate::state::{Driver, driver};
use crate::status::{Result, Status};
use lanework::Buffer;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard};

/// What a range of memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Device,
    /// Page-locked memory of the host.
    Host,
    Managed,
    /// The program's own memory, registered.
    Registered,
}

/// A range of memory that a program allocated or registered.
pub struct Allocation {
    pub bytes: u64,
    pub kind: Kind,
    pub context: Handle,
    pub gpu: i32,
    /// Unique in this process.
    pub id: u64,
    /// The pool it is of; 0 for none.
    pub pool: Handle,
    pub flags: u32,
    /// `None` for registered memory.
    _memory: Option<Buffer<u8>>,
}

/// All ranges by their addresses.
pub struct Allocations {
    live: BTreeMap<u64, Allocation>,
    made: u64,
}

/// The memory of this process's programs.
static ALLOCATIONS: Mutex<Allocations> = Mutex::new(Allocations { live: BTreeMap::new(), made: 0 });

impl Allocations {
    /// The range that holds an address.
    pub fn find(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (&start, allocation) = self.live.range(..=address).next_back()?;
        (address - start < allocation.bytes).then_some((start, allocation))
    }
}

impl Driver {
    pub fn allocations(&self) -> MutexGuard<'_, Allocations> {
        ALLOCATIONS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Allocates memory of the current context.
    pub fn allocate(&self, bytes: usize, kind: Kind, pool: Handle, flags: u32) -> Result<u64> {
        let context = self.context()?;
        if bytes == 0 {
            return Err(Status::InvalidValue);
        }
        let name = match kind {
            Kind::Device => "cuMemAlloc",
            Kind::Host => "cuMemAllocHost",
            Kind::Managed | Kind::Registered => "cuMemAllocManaged",
        };
        let mut memory =
            self.device.uninit_named::<u8>(bytes, name).map_err(|_| Status::OutOfMemory)?;
        if kind != Kind::Device {
            // The host writes it without a call that could tell the sanitizer.
            memory.fill_bytes(0).map_err(|_| Status::Unknown)?;
        }
        let address = memory.address();
        let mut allocations = self.allocations();
        allocations.made += 1;
        let (id, bytes) = (allocations.made, bytes as u64);
        let (context, gpu) = (context.handle, context.gpu);
        allocations.live.insert(
            address,
            Allocation { bytes, kind, context, gpu, id, pool, flags, _memory: Some(memory) },
        );
        Ok(address)
    }

    /// Frees what starts at an address, if it is of a kind.
    pub fn free(&self, address: u64, kinds: &[Kind]) -> Result {
        let mut allocations = self.allocations();
        match allocations.live.get(&address) {
            Some(allocation) if kinds.contains(&allocation.kind) => {
                let removed = allocations.live.remove(&address);
                drop(allocations);
                drop(removed);
                Ok(())
            }
            _ => Err(Status::InvalidValue),
        }
    }

    /// Frees everything of a context.
    pub fn free_all_of(&self, context: Handle) {
        let mut allocations = self.allocations();
        let of_context: Vec<u64> = allocations
            .live
            .iter()
            .filter(|(_, allocation)| allocation.context == context)
            .map(|(&address, _)| address)
            .collect();
        for address in of_context {
            if let Some(allocation) = allocations.live.remove(&address)
                && allocation.kind == Kind::Registered
            {
                let _ = self.device.unregister_host(address as *const u8);
            }
        }
    }

    /// Bytes in use of a pool.
    pub fn used_of(&self, pool: Handle) -> u64 {
        self.allocations()
            .live
            .values()
            .filter(|allocation| allocation.pool == pool)
            .map(|allocation| allocation.bytes)
            .sum()
    }
}

/// Bytes from one row to the next of pitched memory.
const PITCH: usize = 512;

api! {
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        driver()?.context()?;
        let (of_free, of_total) = memory_bytes()?;
        // SAFETY: by the caller.
        unsafe {
            offer(free, of_free as usize);
            offer(total, of_total as usize);
        }
        Ok(())
    }

    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        let at = driver()?.allocate(bytes, Kind::Device, 0, 0)?;
        // SAFETY: by the caller.
        unsafe { store(address, at) }
    }

    fn cuMemAllocPitch_v2(address: *mut u64, pitch: *mut usize, width: usize, height: usize, _element: u32) {
        let of_pitch = width.max(1).next_multiple_of(PITCH);
        let bytes = of_pitch.checked_mul(height).ok_or(Status::OutOfMemory)?;
        let at = driver()?.allocate(bytes, Kind::Device, 0, 0)?;
        // SAFETY: by the caller.
        unsafe {
            store(pitch, of_pitch)?;
            store(address, at)
        }
    }

    fn cuMemFree_v2(address: u64) {
        driver()?.context()?;
        match address {
            0 => Ok(()),
            address => driver()?.free(address, &[Kind::Device, Kind::Managed]),
        }
    }

    fn cuMemAllocHost_v2(address: *mut u64, bytes: usize) {
        let at = driver()?.allocate(bytes, Kind::Host, 0, 0)?;
        // SAFETY: by the caller.
        unsafe { store(address, at) }
    }

    fn cuMemHostAlloc(address: *mut u64, bytes: usize, flags: u32) {
        let at = driver()?.allocate(bytes, Kind::Host, 0, flags)?;
        // SAFETY: by the caller.
        unsafe { store(address, at) }
    }

    fn cuMemFreeHost(address: u64) {
        match address {
            0 => Ok(()),
            address => driver()?.free(address, &[Kind::Host]),
        }
    }

    fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32) {
        if !(1..=2).contains(&flags) {
            return Err(Status::InvalidValue);
        }
        let at = driver()?.allocate(bytes, Kind::Managed, 0, flags)?;
        // SAFETY: by the caller.
        unsafe { store(address, at) }
    }

    fn cuMemHostGetDevicePointer_v2(device: *mut u64, host: u64, _flags: u32) {
        let driver = driver()?;
        driver.context()?;
        match driver.allocations().find(host) {
            // SAFETY: by the caller.
            Some((_, allocation)) if allocation.kind != Kind::Device => unsafe { store(device, host) },
            _ => Err(Status::InvalidValue),
        }
    }

    fn cuMemHostGetFlags(flags: *mut u32, host: u64) {
        let driver = driver()?;
        driver.context()?;
        let found = driver.allocations().find(host).map(|(_, allocation)| allocation.flags);
        // SAFETY: by the caller. Mapping is always on (2).
        unsafe { store(flags, found.ok_or(Status::InvalidValue)? | 2) }
    }

    fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: u32) {
        let driver = driver()?;
        let context = driver.context()?;
        if start.is_null() || bytes == 0 {
            return Err(Status::InvalidValue);
        }
        // SAFETY: the program says that the range is its own until it unregisters it.
        let registered = unsafe { driver.device.register_host(start.cast(), bytes as u64, "cuMemHostRegister") };
        registered.map_err(|_| Status::HostMemoryAlreadyRegistered)?;
        let mut allocations = driver.allocations();
        allocations.made += 1;
        let allocation = Allocation {
            bytes: bytes as u64,
            kind: Kind::Registered,
            context: context.handle,
            gpu: context.gpu,
            id: allocations.made,
            pool: 0,
            flags,
            _memory: None,
        };
        allocations.live.insert(start as u64, allocation);
        Ok(())
    }

    fn cuMemHostUnregister(start: *mut c_void) {
        let driver = driver()?;
        driver.context()?;
        driver.free(start as u64, &[Kind::Registered]).map_err(|_| Status::HostMemoryNotRegistered)?;
        driver.device.unregister_host(start.cast()).map_err(|_| Status::HostMemoryNotRegistered)
    }

    fn cuMemGetAddressRange_v2(base: *mut u64, bytes: *mut usize, address: u64) {
        let driver = driver()?;
        driver.context()?;
        let (start, length) = driver.device.allocation_at(address).ok_or(Status::NotFound)?;
        // SAFETY: by the caller.
        unsafe {
            offer(base, start);
            offer(bytes, length as usize);
        }
        Ok(())
    }

    fn cuMemAdvise(_address: u64, _bytes: usize, _advice: i32, _device: i32) {
        driver()?.context().map(drop)
    }

    fn cuMemAdvise_v2(_address: u64, _bytes: usize, _advice: i32, _location: u64) {
        driver()?.context().map(drop)
    }

    fn cuMemPrefetchAsync(address: u64, bytes: usize, _device: i32, stream: Handle) {
        prefetch(address, bytes, stream)
    }

    fn cuMemPrefetchAsync_v2(address: u64, bytes: usize, _location: u64, _flags: u32, stream: Handle) {
        prefetch(address, bytes, stream)
    }

    fn cuPointerGetAttribute(data: *mut c_void, attribute: i32, address: u64) {
        // SAFETY: by the caller.
        unsafe { attribute_of(data, attribute, address) }
    }

    fn cuPointerGetAttributes(count: u32, attributes: *const i32, data: *const *mut c_void, address: u64) {
        for index in 0..count as usize {
            // SAFETY: the caller says that both have `count` elements.
            let (attribute, to) = unsafe { (attributes.add(index).read(), data.add(index).read()) };
            // SAFETY: by the caller. What is not known is left out.
            let _ = unsafe { attribute_of_any(to, attribute, address) };
        }
        Ok(())
    }

    fn cuPointerSetAttribute(_value: *const c_void, attribute: i32, address: u64) {
        // Only that copies of this memory are synchronous (6), which all are.
        match attribute == 6 && driver()?.allocations().find(address).is_some() {
            true => Ok(()),
            false => Err(Status::InvalidValue),
        }
    }
}

fn prefetch(address: u64, bytes: usize, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    match driver.allocations().find(address) {
        Some((start, allocation))
            if allocation.kind != Kind::Device
                && address - start + bytes as u64 <= allocation.bytes =>
        {
            Ok(())
        }
        _ => Err(Status::InvalidValue),
    }
}

/// Stores an attribute of a pointer.
///
/// # Safety
/// `data` is null or valid for the attribute's type.
unsafe fn attribute_of(data: *mut c_void, attribute: i32, address: u64) -> Result {
    let driver = driver()?;
    if driver.device.allocation_at(address).is_none() {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by the caller.
    unsafe { attribute_of_any(data, attribute, address) }
}

/// As [`attribute_of`], where a pointer that nobody knows has attributes of nothing.
///
/// # Safety
/// As [`attribute_of`].
unsafe fn attribute_of_any(data: *mut c_void, attribute: i32, address: u64) -> Result {
    let driver = driver()?;
    let allocations = driver.allocations();
    let found = allocations.find(address);
    let variable = driver.device.allocation_at(address);
    let known = found.is_some() || variable.is_some();
    let (start, bytes) =
        found.map(|(start, allocation)| (start, allocation.bytes)).or(variable).unwrap_or((0, 0));
    let kind = found.map(|(_, allocation)| allocation.kind);
    let host = matches!(kind, Some(Kind::Host | Kind::Registered));
    // SAFETY: by the caller, each of the type that CUDA's documentation gives the attribute.
    unsafe {
        match attribute {
            1 => store(
                data.cast(),
                if known {
                    found.map_or_else(current, |(_, allocation)| allocation.context)
                } else {
                    0
                },
            ),
            // Host 1, device 2.
            2 => store(
                data.cast(),
                if !known {
                    0u32
                } else if host {
                    1
                } else {
                    2
                },
            ),
            3 => store(data.cast(), if known { address } else { 0 }),
            4 => store(
                data.cast(),
                if matches!(kind, Some(Kind::Host | Kind::Registered | Kind::Managed)) {
                    address
                } else {
                    0
                },
            ),
            6 => store(data.cast(), true),
            7 => store(data.cast(), found.map_or(0, |(_, allocation)| allocation.id)),
            8 => store(data.cast(), kind == Some(Kind::Managed)),
            9 => store(
                data.cast(),
                if known { found.map_or(0, |(_, allocation)| allocation.gpu) } else { -2 },
            ),
            10 => store(data.cast(), false),
            11 => store(data.cast(), start),
            12 => store(data.cast(), bytes as usize),
            13 => store(data.cast(), known),
            14 => store(data.cast(), 0u32),
            15 => store(data.cast(), 0u64),
            16 => store(data.cast(), 3u32),
            17 => store(data.cast(), found.map_or(0, |(_, allocation)| allocation.pool)),
            _ => Err(Status::InvalidValue),
        }
    }
}
