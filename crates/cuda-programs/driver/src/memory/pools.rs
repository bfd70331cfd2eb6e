//! Stream-ordered allocation and memory pools. Memory is allocated and freed immediately.

use crate::api::api;
use crate::graphs::work::Work;
use crate::memory::allocations::AllocationKind;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

/// A memory pool.
pub struct Pool {
    /// Kind of its memory.
    kind: AllocationKind,
    /// Attributes set by the program, by number.
    attributes: Mutex<BTreeMap<i32, u64>>,
    /// Maximum bytes in use.
    high: Mutex<u64>,
    /// For an imported pool: the exporting process and the handle there.
    pub origin: Option<(u32, Handle)>,
    /// Whether it can be exported.
    pub shareable: bool,
}

/// Location of a pool's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoolLocation {
    /// Device memory of a GPU.
    Gpu(i32),
    /// Host or managed memory: allocation type, location type, and id.
    Other([i32; 3]),
}

impl PoolLocation {
    /// Converts a `CUmemLocation` and an allocation type (1 pinned, 2 managed).
    fn new(location: Option<[i32; 2]>, kind: i32) -> Result<PoolLocation> {
        match (location, kind) {
            (Some([1, device]), 1) => Ok(PoolLocation::Gpu(device)),
            // The host has one id, and managed memory may have no preferred location.
            (Some([2, _]), 1 | 2) => Ok(PoolLocation::Other([kind, 2, 0])),
            (Some([0, _]), 2) => Ok(PoolLocation::Other([2, 0, 0])),
            (Some([3, node]), 1 | 2) => Ok(PoolLocation::Other([kind, 3, node])),
            (Some([1, device]), 2) => {
                driver()?.gpu(device)?;
                Ok(PoolLocation::Other([2, 1, device]))
            }
            (Some([4, _]), 1 | 2) => Err(Status::NotSupported),
            _ => Err(Status::InvalidValue),
        }
    }

    /// Kind of the memory.
    fn kind(self) -> AllocationKind {
        match self {
            PoolLocation::Gpu(_) => AllocationKind::Device,
            PoolLocation::Other([1, ..]) => AllocationKind::Host,
            PoolLocation::Other(_) => AllocationKind::Managed,
        }
    }
}

/// Default and current pools of the other locations.
static OTHERS: Mutex<BTreeMap<[i32; 3], [Handle; 2]>> = Mutex::new(BTreeMap::new());

impl Driver {
    /// The default (0) or current (1) pool of a location.
    fn pool_at(&self, place: PoolLocation, which: usize) -> Result<Handle> {
        match place {
            PoolLocation::Gpu(ordinal) => self.pool_of(ordinal, which),
            PoolLocation::Other(key) => {
                let make = || [table::<Pool>().add(Pool::new(place.kind())); 2];
                Ok(lock(&OTHERS).entry(key).or_insert_with(make)[which])
            }
        }
    }

    /// Sets the current pool of a location.
    fn set_pool_at(&self, place: PoolLocation, pool: Handle) -> Result {
        let key = match place {
            PoolLocation::Gpu(ordinal) => return self.set_pool(ordinal, pool),
            PoolLocation::Other(key) => key,
        };
        table::<Pool>().some(pool)?;
        self.pool_at(place, 0)?;
        if let Some(pools) = lock(&OTHERS).get_mut(&key) {
            pools[1] = pool;
        }
        Ok(())
    }

    /// The default (0) or current (1) pool of a GPU.
    fn pool_of(&self, ordinal: i32, which: usize) -> Result<Handle> {
        let gpu = self.gpu(ordinal)?;
        let mut pools = lock(&gpu.pools);
        if pools[0] == 0 {
            pools[0] = table::<Pool>().add(Pool::new(AllocationKind::Device));
        }
        if pools[1] == 0 {
            pools[1] = pools[0];
        }
        Ok(pools[which])
    }

    /// Sets the current pool of a GPU.
    fn set_pool(&self, ordinal: i32, pool: Handle) -> Result {
        table::<Pool>().some(pool)?;
        self.pool_of(ordinal, 0)?;
        lock(&self.gpu(ordinal)?.pools)[1] = pool;
        Ok(())
    }

    /// Destroys a pool, unless it is a default pool. Locations that used it return to their default pools.
    fn end_pool(&self, pool: Handle) -> Result {
        table::<Pool>().some(pool)?;
        let mut others = lock(&OTHERS);
        let of_other = others.values().any(|pools| pools[0] == pool);
        if of_other || self.gpus.iter().any(|gpu| lock(&gpu.pools)[0] == pool) {
            return Err(Status::InvalidValue);
        }
        for pools in others.values_mut().filter(|pools| pools[1] == pool) {
            pools[1] = pools[0];
        }
        for gpu in &self.gpus {
            let mut pools = lock(&gpu.pools);
            if pools[1] == pool {
                pools[1] = pools[0];
            }
        }
        table::<Pool>().remove(pool).map(drop)
    }

    fn allocate_from(&self, pool: Handle, bytes: usize, stream: Handle) -> Result<u64> {
        self.stream(stream)?;
        if self.captured(stream)?.is_some() {
            let address = self.reserve_for_graph(bytes.max(1))?;
            self.submit(stream, Work::Allocate(address, bytes))?;
            return Ok(address);
        }
        self.check_legacy(stream)?;
        self.check_unsafe()?;
        if bytes == 0 {
            return Ok(0);
        }
        let of_pool = table::<Pool>().some(pool)?;
        // Managed pool memory is attached to no stream.
        let flags = u32::from(of_pool.kind == AllocationKind::Managed);
        let address = self.allocate(bytes, of_pool.kind, pool, flags)?;
        let used = self.used_of(pool);
        let mut high = lock(&of_pool.high);
        *high = used.max(*high);
        self.allocated_on(stream, address, bytes as u64)?;
        Ok(address)
    }
}

impl Pool {
    pub fn new(kind: AllocationKind) -> Pool {
        // Reuse by all three kinds of dependencies is allowed (1 to 3), and the release threshold is 0 (4).
        Pool {
            kind,
            attributes: Mutex::new(BTreeMap::from([(1, 1), (2, 1), (3, 1), (4, 0)])),
            high: Mutex::new(0),
            origin: None,
            shareable: false,
        }
    }
}

api! {
    fn cuMemAllocAsync(address: Out<'_, u64>, bytes: usize, stream: Handle) {
        let driver = driver()?;
        let pool = driver.pool_of(driver.context()?.gpu, 1)?;
        let at = driver.allocate_from(pool, bytes, stream)?;
        address.store(at)
    }

    fn cuMemAllocFromPoolAsync(address: Out<'_, u64>, bytes: usize, pool: Handle, stream: Handle) {
        let at = driver()?.allocate_from(pool, bytes, stream)?;
        address.store(at)
    }

    fn cuMemFreeAsync(address: u64, stream: Handle) {
        driver()?.stream(stream)?;
        match address {
            // Null is freed as by `cuMemFree`: NVIDIA's cuSPARSE 12.9.4 frees null, and returns any error as its own.
            0 => Ok(()),
            address if driver()?.is_imported(address) => driver()?.release_import(address),
            address if driver()?.is_of_graph(address) => driver()?.submit(stream, Work::Release(address)),
            _ if driver()?.captured(stream)?.is_some() => Err(Status::InvalidValue),
            address if driver()?.is_managed(address) => Err(Status::NotSupported),
            address => driver()?.queue(stream, Work::Free(address)).map(drop),
        }
    }

    fn cuDeviceGetDefaultMemPool(pool: Out<'_, Handle>, device: i32) {
        pool.store(driver()?.pool_of(device, 0)?)
    }

    fn cuDeviceGetMemPool(pool: Out<'_, Handle>, device: i32) {
        pool.store(driver()?.pool_of(device, 1)?)
    }

    fn cuDeviceSetMemPool(device: i32, pool: Handle) {
        driver()?.gpu(device).map_err(|_| Status::InvalidValue)?;
        driver()?.set_pool(device, pool)
    }

    fn cuMemGetDefaultMemPool(pool: Out<'_, Handle>, location: In<'_, [i32; 2]>, kind: i32) {
        pool.store(driver()?.pool_at(PoolLocation::new(location.find(), kind)?, 0)?)
    }

    fn cuMemGetMemPool(pool: Out<'_, Handle>, location: In<'_, [i32; 2]>, kind: i32) {
        pool.store(driver()?.pool_at(PoolLocation::new(location.find(), kind)?, 1)?)
    }

    fn cuMemSetMemPool(location: In<'_, [i32; 2]>, kind: i32, pool: Handle) {
        let place = PoolLocation::new(location.find(), kind)?;
        driver()?.set_pool_at(place, pool)
    }

    fn cuMemPoolCreate(pool: Out<'_, Handle>, properties: In<'_, [i32; 4]>) {
        let properties = properties.find();
        match properties {
            // No export, or as a file descriptor; 8 is a fabric handle.
            Some([1 | 2, 0 | 1 | 8, 1, device]) => drop(driver()?.gpu(device).map_err(|_| Status::InvalidValue)?),
            Some([1 | 2, 0 | 1 | 8, 2..=4, _] | [2, 0 | 1 | 8, 0, _]) => {}
            _ => return Err(Status::InvalidValue),
        }
        let kind = match properties {
            // IPC pools have device memory, which the host can also access.
            Some([kind, 0, location, id]) => PoolLocation::new(Some([location, id]), kind).map_or(AllocationKind::Device, PoolLocation::kind),
            _ => AllocationKind::Device,
        };
        let shareable = properties.is_some_and(|[_, handle, ..]| handle == 1);
        pool.store(table::<Pool>().add(Pool { shareable, ..Pool::new(kind) }))
    }

    fn cuMemPoolDestroy(pool: Handle) {
        driver()?.end_pool(pool)
    }

    fn cuMemPoolTrimTo(pool: Handle, _bytes: usize) {
        table::<Pool>().some(pool).map(drop)
    }

    fn cuMemPoolSetAttribute(pool: Handle, attribute: i32, value: *const c_void) {
        let driver = driver()?;
        let of_pool = table::<Pool>().some(pool)?;
        if value.is_null() {
            return Err(Status::InvalidValue);
        }
        match attribute {
            // SAFETY: not null, and CUDA gives this attribute an `int` (1 to 3) or 64 bits (4).
            1..=3 => of_pool.set(attribute, u64::from(unsafe { value.cast::<u32>().read() })),
            // SAFETY: not null, and CUDA gives this attribute an `int` (1 to 3) or 64 bits (4).
            4 => of_pool.set(attribute, unsafe { value.cast::<u64>().read() }),
            // Resets the maximum bytes in use.
            // SAFETY: not null, and CUDA gives these attributes 64 bits.
            6 | 8 if unsafe { value.cast::<u64>().read() } == 0 => *lock(&of_pool.high) = driver.used_of(pool),
            _ => return Err(Status::InvalidValue),
        }
        Ok(())
    }

    fn cuMemPoolGetAttribute(pool: Handle, attribute: i32, value: *mut c_void) {
        let driver = driver()?;
        let of_pool = table::<Pool>().some(pool)?;
        // SAFETY: each arm stores the type that CUDA's documentation gives the attribute.
        unsafe {
            match attribute {
                1..=3 => Out::new(value.cast::<i32>()).store(of_pool.attribute(attribute) as i32),
                4 => Out::new(value.cast::<u64>()).store(of_pool.attribute(attribute)),
                5 | 7 => Out::new(value.cast::<u64>()).store(driver.used_of(pool)),
                6 | 8 => Out::new(value.cast::<u64>()).store(*lock(&of_pool.high)),
                _ => Err(Status::InvalidValue),
            }
        }
    }

    fn cuMemPoolSetAccess(pool: Handle, access: In<'_, [i32; 3]>, count: usize) {
        table::<Pool>().some(pool)?;
        access.find().ok_or(Status::InvalidValue)?;
        for of in access.list(count)? {
            // Location, and access: none (0), or reads and writes (3). 2 is invalid; read-only
            // access (1) is not supported.
            let [1, device, flags @ (0 | 2 | 3)] = of else { return Err(Status::NotSupported) };
            driver()?.gpu(device)?;
            match flags {
                2 => return Err(Status::InvalidValue),
                // A device keeps the access to its own memory.
                0 if driver()?.gpu(1).is_err() => return Err(Status::InvalidDevice),
                _ => {}
            }
        }
        Ok(())
    }

    fn cuMemPoolGetAccess(flags: Out<'_, i32>, pool: Handle, location: In<'_, [i32; 2]>) {
        table::<Pool>().some(pool)?;
        if let [1, device] = location.get()? {
            driver()?.gpu(device).map_err(|_| Status::InvalidValue)?;
        }
        // Read and write access.
        flags.store(3)
    }
}

impl Pool {
    fn set(&self, attribute: i32, value: u64) {
        lock(&self.attributes).insert(attribute, value);
    }

    fn attribute(&self, attribute: i32) -> u64 {
        lock(&self.attributes).get(&attribute).copied().unwrap_or(0)
    }
}
