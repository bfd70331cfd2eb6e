//! Functions: kernels of modules and of libraries, their attributes, and how many blocks fit a multiprocessor.

use crate::api::api;
use crate::attributes;
use crate::handles::Handle;
use crate::launch::Config;
use crate::module::Module;
use crate::pointers::{offer, store};
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use lanework::Resources;
use lanework::ptx::{Function as Entry, FunctionDirective};
use lanework::sim::Multiprocessor;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex};

/// Gives the module of a function in the current context, and its handle.
pub type Source = Box<dyn Fn() -> Result<(Handle, Arc<Module>)> + Send + Sync>;

/// A function: the name of an entry.
pub struct Function {
    source: Source,
    /// The library that it is a kernel of; 0 for none.
    pub library: Handle,
    pub name: CString,
    /// Attributes that programs set, by their numbers.
    set: Mutex<BTreeMap<i32, i32>>,
}

/// Attributes of functions (`CUfunction_attribute`).
const DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;
const CLUSTER_MUST_BE_SET: i32 = 10;
const CLUSTER: [i32; 3] = [11, 12, 13];
const NON_PORTABLE_CLUSTER: i32 = 14;
const CLUSTER_POLICY: i32 = 15;

/// Shared memory of a block without an attribute that asks for more.
const PORTABLE_SHARED: u32 = 48 << 10;
/// Bytes of constant memory that a module may use.
const MOST_SHARED: u32 = 227 << 10;

impl Function {
    pub fn new(source: Source, library: Handle, name: &str) -> Function {
        Function {
            source,
            library,
            name: CString::new(name).unwrap_or_default(),
            set: Mutex::default(),
        }
    }

    /// The entry's name.
    pub fn name(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }

    /// Its module in the current context.
    pub fn module(&self) -> Result<Arc<Module>> {
        Ok((self.source)()?.1)
    }

    /// Most bytes of dynamic shared memory that a launch may have.
    pub fn most_dynamic_shared(&self, resources: &Resources) -> u32 {
        self.get(DYNAMIC_SHARED)
            .map_or(PORTABLE_SHARED.saturating_sub(resources.static_shared), |bytes| bytes as u32)
    }

    fn get(&self, attribute: i32) -> Option<i32> {
        self.set.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get(&attribute).copied()
    }

    /// The value of an attribute.
    fn attribute(&self, attribute: i32) -> Result<i32> {
        let module = self.module()?;
        let entry = module.code.module().entry(self.name()).ok_or(Status::NotFound)?;
        let resources = resources(&module, self.name());
        let cluster = entry.directives.iter().find_map(|directive| match directive {
            FunctionDirective::RequiredCluster(cluster) => Some(*cluster),
            _ => None,
        });
        Ok(match attribute {
            0 => most_threads(entry, &resources) as i32,
            1 => resources.static_shared as i32,
            2 => constant_bytes(&module) as i32,
            3 => resources.local_bytes as i32,
            4 => resources.registers as i32,
            5 => target(&module),
            6 => 10 * attributes::CAPABILITY.0 + attributes::CAPABILITY.1,
            7 => 0,
            DYNAMIC_SHARED => self.most_dynamic_shared(&resources) as i32,
            CARVEOUT => self.get(CARVEOUT).unwrap_or(-1),
            CLUSTER_MUST_BE_SET => self.get(CLUSTER_MUST_BE_SET).unwrap_or(0),
            axis @ 11..=13 => self.get(axis).unwrap_or(
                cluster.map_or(0, |cluster| cluster[(axis - CLUSTER[0]) as usize] as i32),
            ),
            other @ (NON_PORTABLE_CLUSTER | CLUSTER_POLICY) => self.get(other).unwrap_or(0),
            _ => return Err(Status::InvalidValue),
        })
    }

    fn set_attribute(&self, attribute: i32, value: i32) -> Result {
        let resources = resources(&*self.module()?, self.name());
        let good = match attribute {
            DYNAMIC_SHARED => value >= 0 && value as u32 + resources.static_shared <= MOST_SHARED,
            CARVEOUT => (-1..=100).contains(&value),
            CLUSTER_MUST_BE_SET | 11..=15 => value >= 0,
            _ => false,
        };
        if !good {
            return Err(Status::InvalidValue);
        }
        self.set.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(attribute, value);
        Ok(())
    }

    /// Blocks that a multiprocessor holds at once.
    fn resident_blocks(&self, threads: u32, dynamic_shared: usize) -> Result<u32> {
        let module = self.module()?;
        let resources = resources(&module, self.name());
        let entry = module.code.module().entry(self.name()).ok_or(Status::NotFound)?;
        if threads == 0 {
            return Err(Status::InvalidValue);
        }
        if threads > most_threads(entry, &resources) {
            return Ok(0);
        }
        let shared = u32::try_from(dynamic_shared)
            .unwrap_or(u32::MAX)
            .saturating_add(resources.static_shared);
        Ok(Multiprocessor::HOPPER.resident_blocks(threads, resources.registers, shared).0)
    }
}

/// The estimated resources of an entry.
pub fn resources(module: &Module, entry: &str) -> Resources {
    module.code.resources(entry).unwrap_or(Resources {
        registers: 0,
        local_bytes: 0,
        estimated: true,
        static_shared: 0,
    })
}

/// Most threads of a block, by its directives and the registers of a multiprocessor.
fn most_threads(entry: &Entry, resources: &Resources) -> u32 {
    let by_registers = 65_536 / resources.registers.max(1).next_multiple_of(8) / 32 * 32;
    entry.max_threads().unwrap_or(1024).min(by_registers.max(32)).min(1024)
}

/// Bytes of the module's variables in constant memory.
fn constant_bytes(module: &Module) -> u64 {
    let constant =
        |variable: &&lanework::ptx::Variable| variable.space == lanework::ptx::StateSpace::Const;
    module.code.module().variables().filter(constant).map(lanework::ptx::Variable::size).sum()
}

/// The architecture that the module was compiled for, as 90.
fn target(module: &Module) -> i32 {
    module.code.module().target.architecture as i32
}

impl Driver {
    /// The size of block, up to a limit, that fills a multiprocessor best, and the blocks that then fill the GPU.
    fn best_block(
        &self,
        function: &Function,
        dynamic: &dyn Fn(i32) -> usize,
        limit: i32,
    ) -> Result<(i32, i32)> {
        let most = function.attribute(0)?;
        let limit = if limit > 0 { limit.min(most) } else { most };
        let (mut best, mut held) = (0, (0, 0));
        // The largest multiple of a warp first, so that of equally good ones the largest is taken.
        for threads in (1..=(limit + 31) / 32).rev().map(|warps| (32 * warps).min(limit)) {
            let blocks = function.resident_blocks(threads as u32, dynamic(threads))? as i32;
            if blocks * threads > held.0 {
                held = (blocks * threads, blocks);
                best = threads;
            }
        }
        Ok((held.1 * attributes::MULTIPROCESSORS, best))
    }
}

type DynamicShared = unsafe extern "C" fn(threads: i32) -> usize;

/// Stores the best size of block and how many of those fill the GPU.
///
/// # Safety
/// As C's callers promise.
unsafe fn potential(
    blocks: *mut i32,
    threads: *mut i32,
    function: Handle,
    callback: Option<DynamicShared>,
    bytes: usize,
    limit: i32,
) -> Result {
    let driver = driver()?;
    let function = table::<Function>().get(function)?;
    // SAFETY: by the caller.
    let dynamic = |threads| callback.map_or(bytes, |callback| unsafe { callback(threads) });
    let (of_blocks, of_threads) = driver.best_block(&function, &dynamic, limit)?;
    // SAFETY: by the caller.
    unsafe {
        store(blocks, of_blocks)?;
        store(threads, of_threads)
    }
}

fn blocks(function: Handle, threads: i32, bytes: usize) -> Result<i32> {
    let threads = u32::try_from(threads).map_err(|_| Status::InvalidValue)?;
    Ok(table::<Function>().get(function)?.resident_blocks(threads, bytes)? as i32)
}

api! {
    fn cuFuncGetAttribute(value: *mut i32, attribute: i32, function: Handle) {
        // SAFETY: by the caller.
        unsafe { store(value, table::<Function>().get(function)?.attribute(attribute)?) }
    }

    fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) {
        table::<Function>().get(function)?.set_attribute(attribute, value)
    }

    fn cuKernelGetAttribute(value: *mut i32, attribute: i32, kernel: Handle, _device: i32) {
        // SAFETY: by the caller.
        unsafe { store(value, table::<Function>().get(kernel)?.attribute(attribute)?) }
    }

    fn cuKernelSetAttribute(attribute: i32, value: i32, kernel: Handle, _device: i32) {
        table::<Function>().get(kernel)?.set_attribute(attribute, value)
    }

    fn cuFuncSetCacheConfig(function: Handle, _config: i32) {
        table::<Function>().get(function).map(drop)
    }

    fn cuKernelSetCacheConfig(kernel: Handle, _config: i32, _device: i32) {
        table::<Function>().get(kernel).map(drop)
    }

    fn cuFuncSetSharedMemConfig(function: Handle, _config: i32) {
        table::<Function>().get(function).map(drop)
    }

    fn cuFuncGetModule(module: *mut Handle, function: Handle) {
        let found = (table::<Function>().get(function)?.source)()?.0;
        // SAFETY: by the caller.
        unsafe { store(module, found) }
    }

    fn cuFuncGetName(name: *mut *const c_char, function: Handle) {
        // SAFETY: by the caller; the text lives as long as the function.
        unsafe { store(name, table::<Function>().get(function)?.name.as_ptr()) }
    }

    fn cuKernelGetName(name: *mut *const c_char, kernel: Handle) {
        // SAFETY: as above.
        unsafe { store(name, table::<Function>().get(kernel)?.name.as_ptr()) }
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, bytes: *mut usize) {
        // SAFETY: by the caller.
        unsafe { parameter(function, index, offset, bytes) }
    }

    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: *mut usize, bytes: *mut usize) {
        // SAFETY: by the caller.
        unsafe { parameter(kernel, index, offset, bytes) }
    }

    fn cuFuncIsLoaded(state: *mut i32, function: Handle) {
        table::<Function>().get(function)?;
        // SAFETY: by the caller.
        unsafe { store(state, 1) }
    }

    fn cuFuncLoad(function: Handle) {
        table::<Function>().get(function).map(drop)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut i32, function: Handle, threads: i32, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { store(count, blocks(function, threads, bytes)?) }
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut i32, function: Handle, threads: i32, bytes: usize, _flags: u32) {
        // SAFETY: by the caller.
        unsafe { store(count, blocks(function, threads, bytes)?) }
    }

    fn cuOccupancyMaxPotentialBlockSize(grid: *mut i32, block: *mut i32, function: Handle, callback: Option<DynamicShared>, bytes: usize, limit: i32) {
        // SAFETY: by the caller.
        unsafe { potential(grid, block, function, callback, bytes, limit) }
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(grid: *mut i32, block: *mut i32, function: Handle, callback: Option<DynamicShared>, bytes: usize, limit: i32, _flags: u32) {
        // SAFETY: by the caller.
        unsafe { potential(grid, block, function, callback, bytes, limit) }
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: Handle, blocks: i32, _threads: i32) {
        let function = table::<Function>().get(function)?;
        let resources = resources(&*function.module()?, function.name());
        let each = Multiprocessor::HOPPER.shared / u32::try_from(blocks.max(1)).unwrap_or(1);
        let left = each.saturating_sub(1024 + resources.static_shared).min(MOST_SHARED);
        // SAFETY: by the caller.
        unsafe { store(bytes, left as usize) }
    }

    fn cuOccupancyMaxPotentialClusterSize(size: *mut i32, function: Handle, _config: *const Config) {
        let largest = if table::<Function>().get(function)?.get(NON_PORTABLE_CLUSTER).is_some_and(|value| value != 0) { 16 } else { 8 };
        // SAFETY: by the caller.
        unsafe { store(size, largest) }
    }

    fn cuOccupancyMaxActiveClusters(count: *mut i32, function: Handle, config: *const Config) {
        // SAFETY: by the caller.
        let config = unsafe { config.as_ref() }.ok_or(Status::InvalidValue)?;
        let threads = config.block.iter().product::<u32>() as i32;
        let each = blocks(function, threads, config.dynamic_shared as usize)?;
        // SAFETY: by the caller.
        let cluster = unsafe { config.cluster() }.map_or(1, |cluster| cluster.iter().product::<u32>()).max(1) as i32;
        // SAFETY: by the caller.
        unsafe { store(count, each * attributes::MULTIPROCESSORS / cluster) }
    }
}

/// Stores the place and the size of a parameter.
///
/// # Safety
/// As C's callers promise.
unsafe fn parameter(
    function: Handle,
    index: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> Result {
    let function = table::<Function>().get(function)?;
    let module = function.module()?;
    let entry = module.code.module().entry(function.name()).ok_or(Status::NotFound)?;
    let (at, size) = crate::launch::offsets(entry).nth(index).ok_or(Status::InvalidValue)?;
    // SAFETY: by the caller.
    unsafe {
        store(offset, at)?;
        offer(bytes, size);
    }
    Ok(())
}
