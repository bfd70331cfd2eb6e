//! Memory that programs allocate, register and free.

use crate::api::api;
use crate::devices::contexts::current;
use crate::devices::gpus::memory_bytes;
use crate::interface::call_sites::CallSite;
use crate::interface::caller::Caller;
use crate::memory::shared_pages::{Block, Pages};
use crate::memory::{Access, ipc, is_mapped};
use crate::ordering;
use crate::ordering::host_access;
use crate::ordering::touched_pages::{follow_touched_pages, shows_touched_pages, untouch};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock};
use crate::status::{Result, Status, refuse};
use lanework::Buffer;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard};

/// Kind of a memory range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationKind {
    Device,
    /// Page-locked host memory.
    Host,
    Managed,
    /// Memory of the program, registered.
    Registered,
}

impl AllocationKind {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            AllocationKind::Device => "device",
            AllocationKind::Host => "page-locked host",
            AllocationKind::Managed => "managed",
            AllocationKind::Registered => "registered host",
        }
    }

    /// The driver's call that allocates it.
    pub fn call(self) -> &'static str {
        match self {
            AllocationKind::Device => "cuMemAlloc",
            AllocationKind::Host => "cuMemAllocHost",
            AllocationKind::Managed | AllocationKind::Registered => "cuMemAllocManaged",
        }
    }

    /// The kind that a call of the driver allocates.
    pub fn of_call(call: &str) -> Option<AllocationKind> {
        use AllocationKind::{Device, Host, Managed};
        [Device, Host, Managed].into_iter().find(|kind| kind.call() == call)
    }

    /// The runtime's call that allocates it.
    pub fn runtime_call(self) -> &'static str {
        match self {
            AllocationKind::Device => "cudaMalloc",
            AllocationKind::Host => "cudaMallocHost",
            AllocationKind::Managed | AllocationKind::Registered => "cudaMallocManaged",
        }
    }
}

/// The rows of a pitched allocation: bytes that the program asked for in each row, and bytes from one row to the next.
#[derive(Clone, Copy, Debug)]
pub struct PitchedRows {
    pub width: usize,
    pub pitch: usize,
}

/// A range that the program allocated or registered.
pub struct Allocation {
    pub bytes: u64,
    pub kind: AllocationKind,
    pub context: Handle,
    pub gpu: i32,
    /// Number of the range, unique in the process.
    pub id: u64,
    /// Handle of its pool; 0 if none.
    pub pool: Handle,
    pub flags: u32,
    /// Whether the program requested synchronous copies (all copies are synchronous here).
    pub synchronous: bool,
    /// `None` for registered memory.
    memory: Option<Buffer<u8>>,
    /// The slab block of a small allocation.
    pub block: Option<Arc<Block>>,
    /// Whether it has its own pages.
    pub has_pages: bool,
    /// The call that allocated it, if a tool checks.
    pub site: Option<CallSite>,
    /// The rows of a pitched allocation.
    pub rows: Option<PitchedRows>,
}

/// The place of the current call, if findings name it.
fn call_site() -> Option<CallSite> {
    ordering::active().then(CallSite::here)
}

/// An allocation that a finding names.
pub struct NamedAllocation {
    /// Its number in the process.
    pub id: u64,
    pub kind: AllocationKind,
    pub bytes: u64,
    /// The call that allocated it.
    pub site: Option<CallSite>,
    /// The call that freed it, if it was freed.
    pub freed: Option<CallSite>,
    /// Bytes from one row to the next, if it has rows.
    pub pitch: Option<usize>,
}

/// Memory of one kind that one place in the program allocated and nothing freed.
pub struct Leak {
    pub kind: AllocationKind,
    /// Number of blocks.
    pub count: usize,
    /// Their size in total.
    pub bytes: u64,
    /// The place; `None` if it is unknown.
    pub caller: Option<Caller>,
}

/// Maximum number of leaked blocks whose place is looked up, which is slow.
const MOST_LOCATED: usize = 1000;

/// Maximum number of freed allocations that findings can name.
const MOST_FREED: usize = 256;

/// Pages for page-locked memory. If races are checked, they are protected while copies use them.
fn own_pages(bytes: usize) -> Option<Pages> {
    const PAGE: usize = 4096;
    let whole = bytes.checked_next_multiple_of(PAGE).filter(|_| ordering::active())?;
    let pages = Pages::reserve_apart(whole, PAGE)?;
    pages.map_private()?;
    Some(pages)
}

impl Allocation {
    fn named(&self, freed: Option<CallSite>) -> NamedAllocation {
        let Allocation { id, kind, bytes, site, rows, .. } = self;
        let (site, pitch) = (site.clone(), rows.map(|rows| rows.pitch));
        NamedAllocation { id: *id, kind: *kind, bytes: *bytes, site, freed, pitch }
    }

    /// Size including the padding of the last unit.
    pub fn whole(&self) -> u64 {
        self.memory.as_ref().map_or(self.bytes, |memory| memory.len() as u64)
    }
}

/// All ranges by address.
pub struct Allocations {
    live: BTreeMap<u64, Allocation>,
    made: u64,
    /// Allocations freed last, by address, newest first.
    freed: VecDeque<(u64, NamedAllocation)>,
}

/// All memory of the process.
static ALLOCATIONS: Mutex<Allocations> =
    Mutex::new(Allocations { live: BTreeMap::new(), made: 0, freed: VecDeque::new() });

impl Allocations {
    /// The range that holds an address.
    pub fn find(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (&start, allocation) = self.live.range(..=address).next_back()?;
        (address - start < allocation.bytes).then_some((start, allocation))
    }

    /// The allocation that contains an address, or the last one that did.
    pub fn named(&self, address: u64) -> Option<NamedAllocation> {
        if let Some((_, found)) = self.find(address) {
            return Some(found.named(None));
        }
        let held =
            |(start, one): &&(u64, NamedAllocation)| address.wrapping_sub(*start) < one.bytes;
        let (_, one) = self.freed.iter().find(held)?;
        Some(NamedAllocation { site: one.site.clone(), freed: one.freed.clone(), ..*one })
    }

    /// The call that made the allocation of this number, if it is live or was freed not long ago.
    pub fn site_of(&self, number: u64) -> Option<CallSite> {
        let freed = || self.freed.iter().find(|(_, one)| one.id == number);
        match self.live.values().find(|one| one.id == number) {
            Some(live) => live.site.clone(),
            None => freed().and_then(|(_, one)| one.site.clone()),
        }
    }

    /// Whether an allocation at this address was freed, as far as findings can name it.
    fn was_freed(&self, address: u64) -> bool {
        self.freed.iter().any(|(start, _)| *start == address)
    }

    /// Remembers a freed allocation.
    fn end(&mut self, start: u64, gone: &Allocation) {
        if gone.site.is_some() {
            self.freed.truncate(MOST_FREED - 1);
            self.freed.push_front((start, gone.named(Some(CallSite::here()))));
        }
    }

    /// Like [`Self::find`], but mutable.
    pub fn find_mut(&mut self, address: u64) -> Option<&mut Allocation> {
        let (&start, allocation) = self.live.range_mut(..=address).next_back()?;
        (address - start < allocation.bytes).then_some(allocation)
    }

    /// Memory that the program allocated and has not freed, by its kind and the place of the allocation, in the order of
    /// the allocations.
    pub fn leaks(&self) -> Vec<Leak> {
        let mut live: Vec<&Allocation> = self.live.values().collect();
        live.retain(|one| one.kind != AllocationKind::Registered);
        live.sort_by_key(|one| one.id);
        let mut leaks: Vec<Leak> = Vec::new();
        for (number, one) in live.into_iter().enumerate() {
            let site = one.site.as_ref().filter(|_| number < MOST_LOCATED);
            let caller = site.map(CallSite::caller);
            let place = |caller: &Option<Caller>| {
                caller.as_ref().map(|at| (at.function.clone(), at.location.clone()))
            };
            let same =
                |leak: &&mut Leak| leak.kind == one.kind && place(&leak.caller) == place(&caller);
            match leaks.iter_mut().find(same) {
                Some(leak) => (leak.count, leak.bytes) = (leak.count + 1, leak.bytes + one.bytes),
                None => leaks.push(Leak { kind: one.kind, count: 1, bytes: one.bytes, caller }),
            }
        }
        leaks
    }

    /// Start and size of the host-accessible ranges between two addresses.
    pub fn of_host(&self, low: u64, high: u64) -> impl Iterator<Item = (u64, u64)> {
        let near = self.find(low).map_or(low, |(start, _)| start);
        let host = |(_, found): &(&u64, &Allocation)| found.kind != AllocationKind::Device;
        let found = self.live.range(near..high.max(near)).filter(host);
        found.map(|(start, found)| (*start, found.bytes))
    }

    /// Adds a range with a new id.
    fn keep(&mut self, start: u64, allocation: Allocation) {
        self.made += 1;
        self.live.insert(start, Allocation { id: self.made, ..allocation });
    }
}

/// Whether the emulator can place allocations far apart.
const APART: bool = cfg!(target_os = "linux");

/// Allocation granularity of a GPU in bytes.
const UNIT: usize = 512;

impl Driver {
    /// Start and size of the allocation, registered range or module variable that contains an address.
    pub fn range_at(&self, address: u64) -> Option<(u64, u64)> {
        if let Some((start, allocation)) = self.allocations().find(address) {
            return Some((start, allocation.bytes));
        }
        let (start, bytes) = self.device.allocation_at(address)?;
        // The padding at the end of a unit belongs to no allocation.
        (!self.allocations().live.contains_key(&start)).then_some((start, bytes))
    }

    /// Checks that bytes are inside one range.
    pub fn check_range(&self, address: u64, bytes: usize) -> Result {
        match self.range_at(address) {
            _ if bytes == 0 => Ok(()),
            Some((start, length)) if bytes as u64 <= length - (address - start) => {
                if self.device.is_sanitized() {
                    check_parts(self, address, bytes as u64);
                }
                Ok(())
            }
            Some((start, length)) => Err(refuse(
                Status::InvalidValue,
                format!(
                    "{bytes} bytes at {address:#x} exceed the allocation, which has {length} bytes from {start:#x} on"
                ),
                "pass at most the bytes that were allocated, counted in bytes and not in elements",
            )),
            None => Err(refuse(
                Status::InvalidValue,
                format!("{address:#x} is not in an allocation of the device"),
                "pass an address of allocated device memory, not of freed memory or host memory",
            )),
        }
    }

    pub fn allocations(&self) -> MutexGuard<'_, Allocations> {
        lock(&ALLOCATIONS)
    }

    /// Allocates memory in the current context.
    pub fn allocate(
        &self,
        bytes: usize,
        kind: AllocationKind,
        pool: Handle,
        flags: u32,
    ) -> Result<u64> {
        let context = self.context()?;
        if bytes == 0 {
            return Err(Status::InvalidValue);
        }
        self.finish_detached()?;
        let name = kind.call();
        let whole = match self.device.is_sanitized() {
            true => bytes,
            // A GPU allocates whole units, and does not detect accesses to the padding.
            false => bytes.checked_next_multiple_of(UNIT).ok_or(Status::OutOfMemory)?,
        };
        // Device memory may be exported, so it uses pages that can be shared. Where accesses are checked, each allocation has
        // its own pages, far from others.
        let packed = kind == AllocationKind::Device && !(APART && self.device.is_sanitized());
        let block = if packed { Block::new(whole) } else { None };
        let of_host = matches!(kind, AllocationKind::Host | AllocationKind::Managed);
        let pages = if of_host { own_pages(whole) } else { None };
        let has_pages = pages.is_some();
        let made = match &block {
            // SAFETY: the pages belong to this allocation for its whole lifetime.
            None if let Some(of) = pages => unsafe {
                self.device.buffer_in(of.start() as *mut u8, whole as u64, name, Arc::new(of))
            },
            // SAFETY: the block belongs to this allocation for its whole lifetime.
            Some(of) => unsafe {
                self.device.buffer_in(of.start(), whole as u64, name, of.clone())
            },
            None => self.device.uninit_named::<u8>(whole, name),
        };
        let mut memory = made.map_err(|_| Status::OutOfMemory)?;
        let address = memory.address();
        // The host writes it directly. Only touched pages show that.
        let follows = kind == AllocationKind::Managed && has_pages && shows_touched_pages();
        // SAFETY: the pages are this allocation's own, and nothing has used them yet.
        if follows && unsafe { untouch(address as usize, whole) } {
            follow_touched_pages(address, whole as u64);
        } else if kind != AllocationKind::Device && self.device.is_sanitized() {
            memory.fill_bytes(0).map_err(|_| Status::Unknown)?;
        }
        let (context, gpu) = (context.handle, context.gpu);
        let bytes = bytes as u64;
        self.allocations().keep(
            address,
            Allocation {
                bytes,
                kind,
                context,
                gpu,
                id: 0,
                pool,
                flags,
                // Copies of device memory are synchronous.
                synchronous: kind != AllocationKind::Host,
                memory: Some(memory),
                block,
                has_pages,
                site: call_site(),
                rows: None,
            },
        );
        Ok(address)
    }

    /// Registers memory of the program for kernels.
    ///
    /// # Safety
    /// The range belongs to the program until it is unregistered, and stays mapped.
    pub unsafe fn register(&self, start: u64, bytes: u64, flags: u32) -> Result {
        let context = self.context()?;
        let is_ours = |(_, found): (u64, &Allocation)| found.kind != AllocationKind::Registered;
        // Portable (1), mapped (2), read-only (8).
        if flags & !0xb != 0 || self.allocations().find(start).is_some_and(is_ours) {
            return Err(Status::InvalidValue);
        }
        if bytes == 0 || !is_mapped(start, bytes as usize, Access::Write) {
            return Err(Status::InvalidValue);
        }
        self.finish_detached()?;
        // SAFETY: mapped and writable, as checked above, and the program's own until it is unregistered (contract of this function).
        let registered =
            unsafe { self.device.register_host(start as *mut u8, bytes, "cuMemHostRegister") };
        registered.map_err(|_| Status::HostMemoryAlreadyRegistered)?;
        let (context, gpu, kind) = (context.handle, context.gpu, AllocationKind::Registered);
        let made = Allocation {
            bytes,
            kind,
            context,
            gpu,
            id: 0,
            pool: 0,
            flags,
            synchronous: false,
            memory: None,
            block: None,
            has_pages: false,
            site: call_site(),
            rows: None,
        };
        self.allocations().keep(start, made);
        Ok(())
    }

    /// Frees the allocation at an address, if it is of one of these kinds.
    pub fn free(&self, address: u64, kinds: &[AllocationKind]) -> Result {
        self.finish_detached()?;
        let mut allocations = self.allocations();
        match allocations.live.get(&address) {
            Some(allocation) if kinds.contains(&allocation.kind) => {
                let removed = allocations.live.remove(&address);
                if let Some(removed) = &removed {
                    allocations.end(address, removed);
                }
                ipc::end(address);
                drop(allocations);
                let whole = removed.as_ref().map_or(0, Allocation::whole);
                host_access::forget(address..address + whole);
                let _ = self.device.with_pools(|pools| pools.end_pools(address, whole));
                drop(removed);
                Ok(())
            }
            found => {
                let (why, help) = match (found, allocations.find(address)) {
                    (Some(found), _) => (
                        format!("{address:#x} is {} memory", found.kind.name()),
                        "free it with the function that matches its allocation",
                    ),
                    (None, Some((start, _))) => (
                        format!("{address:#x} is inside the allocation at {start:#x}"),
                        "pass the address that the allocation returned",
                    ),
                    (None, None) if allocations.was_freed(address) => (
                        format!("nothing is allocated at {address:#x}: it was freed before"),
                        "free it once; set the pointer to null after that",
                    ),
                    (None, None) => (
                        format!(
                            "nothing is allocated at {address:#x}: it is not from CUDA, or was freed before"
                        ),
                        "pass an address that CUDA's allocation returned, once; free memory of `malloc` by `free`, and of `new` by `delete`",
                    ),
                };
                Err(refuse(Status::InvalidValue, why, help))
            }
        }
    }

    /// Reports work that still uses memory of a pool when the host frees that memory: the call does not
    /// wait for such work.
    fn check_free_of_pool(&self, context: Handle, address: u64) {
        let found = self.allocations().live.get(&address).map(|found| (found.pool, found.bytes));
        if let Some((_, bytes)) = found.filter(|(pool, _)| *pool != 0) {
            ordering::freed_by_host(context, address, bytes);
        }
    }

    /// Whether an address is in managed memory that is of no pool.
    pub fn is_managed(&self, address: u64) -> bool {
        let allocations = self.allocations();
        let found = allocations.find(address);
        found.is_some_and(|(_, found)| found.kind == AllocationKind::Managed && found.pool == 0)
    }

    /// Frees memory in stream order: device memory, or memory of a pool.
    pub fn free_in_order(&self, address: u64) -> Result {
        let of_pool = self.allocations().live.get(&address).is_some_and(|found| found.pool != 0);
        let kinds = [AllocationKind::Device, AllocationKind::Managed, AllocationKind::Host];
        self.free(address, if of_pool { &kinds } else { &kinds[..2] })
    }

    /// Frees all memory of a context.
    pub fn free_all_of(&self, context: Handle) {
        let mut allocations = self.allocations();
        let of_context: Vec<u64> = allocations
            .live
            .iter()
            .filter(|(_, allocation)| allocation.context == context)
            .map(|(&address, _)| address)
            .collect();
        let removed: Vec<(u64, Allocation)> = of_context
            .into_iter()
            .filter_map(|address| Some((address, allocations.live.remove(&address)?)))
            .collect();
        // Freeing waits for running launches, which may wait for other threads' calls.
        drop(allocations);
        for (address, allocation) in removed {
            host_access::forget(address..address + allocation.whole());
            ipc::end(address);
            if allocation.kind == AllocationKind::Registered {
                let _ = self.device.unregister_host(address as *const u8);
            }
        }
    }

    /// Bytes in use in a pool.
    pub fn used_of(&self, pool: Handle) -> u64 {
        self.allocations()
            .live
            .values()
            .filter(|allocation| allocation.pool == pool)
            .map(|allocation| allocation.bytes)
            .sum()
    }
}

/// Row alignment of pitched memory in bytes.
const PITCH: usize = 512;

/// Allocates page-locked memory. A size of 0 gives null.
fn allocate_host(address: Out<'_, u64>, bytes: usize, flags: u32) -> Result {
    // Portable (1), mapped (2), write-combined (4).
    if flags > 7 || address.is_null() {
        return Err(Status::InvalidValue);
    }
    driver()?.context()?;
    let at =
        if bytes == 0 { 0 } else { driver()?.allocate(bytes, AllocationKind::Host, 0, flags)? };
    address.store(at)
}

api! {
    fn cuMemGetInfo_v2(free: Out<'_, usize>, total: Out<'_, usize>) {
        driver()?.context()?;
        let (of_free, of_total) = memory_bytes()?;
        free.store_optional(of_free as usize);
        total.store_optional(of_total as usize);
        Ok(())
    }

    fn cuMemAlloc_v2(address: Out<'_, u64>, bytes: usize) {
        let at = driver()?.allocate(bytes, AllocationKind::Device, 0, 0)?;
        address.store(at)
    }

    fn cuMemAllocPitch_v2(address: Out<'_, u64>, pitch: Out<'_, usize>, width: usize, height: usize, element: u32) {
        if width == 0 || !matches!(element, 4 | 8 | 16) {
            return Err(Status::InvalidValue);
        }
        let of_pitch = width.max(1).checked_next_multiple_of(PITCH).ok_or(Status::OutOfMemory)?;
        let bytes = of_pitch.checked_mul(height).ok_or(Status::OutOfMemory)?;
        let at = driver()?.allocate(bytes, AllocationKind::Device, 0, 0)?;
        if let Some(made) = driver()?.allocations().find_mut(at) {
            made.rows = Some(PitchedRows { width, pitch: of_pitch });
        }
        pitch.store(of_pitch)?;
        address.store(at)
    }

    fn cuMemFree_v2(address: u64) {
        let driver_of = driver()?;
        if address == 0 {
            return Ok(());
        }
        if current() == 0 && driver_of.range_at(address).is_none() {
            return Err(Status::InvalidValue);
        }
        // Queued work may use the memory, so wait for it.
        let context = driver_of.context()?.handle;
        driver_of.check_free_of_pool(context, address);
        driver()?.finish_context(context)?;
        match address {
            address if driver()?.is_of_graph(address) => driver()?.free_of_graph(address),
            address => driver()?.free(address, &[AllocationKind::Device, AllocationKind::Managed]),
        }
    }

    fn cuMemAllocHost_v2(address: Out<'_, u64>, bytes: usize) {
        allocate_host(address, bytes, 0)
    }

    fn cuMemHostAlloc(address: Out<'_, u64>, bytes: usize, flags: u32) {
        allocate_host(address, bytes, flags)
    }

    fn cuMemFreeHost(address: u64) {
        match address {
            0 => Ok(()),
            address => {
                // Waits for queued work, as `cuMemFree` does.
                let waited = ordering::waited_for_context(current());
                driver()?.free(address, &[AllocationKind::Host])?;
                ordering::synchronized(&waited);
                Ok(())
            }
        }
    }

    fn cuMemAllocManaged(address: Out<'_, u64>, bytes: usize, flags: u32) {
        if !(1..=2).contains(&flags) {
            return Err(Status::InvalidValue);
        }
        let at = driver()?.allocate(bytes, AllocationKind::Managed, 0, flags)?;
        address.store(at)
    }

    fn cuMemHostRegister_v2(start: u64, bytes: usize, flags: u32) {
        // SAFETY: CUDA's contract: the range stays allocated until the program unregisters it.
        unsafe { driver()?.register(start, bytes as u64, flags) }
    }

    fn cuMemHostUnregister(start: *mut c_void) {
        let driver = driver()?;
        if start.is_null() {
            return Err(Status::InvalidValue);
        }
        // An address inside one of our ranges is invalid; others were never registered.
        let ours = driver.allocations().find(start as u64).is_some_and(|(first, found)| found.kind != AllocationKind::Registered || first != start as u64);
        let unknown = if ours { Status::InvalidValue } else { Status::HostMemoryNotRegistered };
        driver.free(start as u64, &[AllocationKind::Registered]).map_err(|_| unknown)?;
        driver.device.unregister_host(start.cast()).map_err(|_| Status::HostMemoryNotRegistered)
    }
}

/// Reports bytes of a copy or fill outside of the parts that the program's allocator has allocated from a pool.
fn check_parts(driver: &Driver, address: u64, bytes: u64) {
    let violation = driver.device.with_pools(|pools| pools.violation(address, bytes));
    let Ok(Some((freed, near))) = violation else { return };
    let place = match near {
        Some(near) => {
            format!("{:+} of `{}`, which has {} bytes", near.offset, near.name, near.bytes)
        }
        None => format!("{address:#x}, which is in no allocated part of the pool"),
    };
    match freed {
        true => crate::api::find(
            lanework::emulator::sanitize::ReportKind::UseAfterFree,
            &format!(
                "use after free: a copy or fill of {bytes} bytes at {place}; this part was returned to its memory pool"
            ),
            "return the memory to the pool after its last use",
        ),
        false => crate::api::find(
            lanework::emulator::sanitize::ReportKind::OutOfBounds,
            &format!("out-of-bounds copy or fill in a memory pool: {bytes} bytes at {place}"),
            "pass at most the bytes of the sub-allocation, counted in bytes and not in elements",
        ),
    }
}
