//! Functions (kernels of modules and libraries) and their attributes.

use crate::api::api;
use crate::devices::gpus::model;
use crate::modules::kernel_entry::KernelEntry;
use crate::modules::module::Module;
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use lanework::ptx::{StateSpace, Variable};
use std::collections::BTreeMap;
use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex};

/// Returns the module in the current context, with its handle.
type Source = Box<dyn Fn() -> Result<(Handle, Arc<Module>)> + Send + Sync>;

/// A kernel, identified by its entry name.
pub struct Function {
    source: Source,
    /// Handle of its library; 0 if none.
    pub library: Handle,
    pub name: CString,
    /// Attributes set by the program, by number.
    set: Mutex<BTreeMap<i32, i32>>,
}

/// Attributes of functions (`CUfunction_attribute`).
const DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;
const CLUSTER_MUST_BE_SET: i32 = 10;
const CLUSTER: [i32; 3] = [11, 12, 13];
const NON_PORTABLE_CLUSTER: i32 = 14;
const CLUSTER_POLICY: i32 = 15;

/// Maximum shared memory per block without opting in.
const PORTABLE_SHARED: u32 = 48 << 10;

impl Function {
    pub fn new(source: Source, library: Handle, name: &str) -> Function {
        let name = CString::new(name).unwrap_or_default();
        Function { source, library, name, set: Mutex::default() }
    }

    /// Name of the entry.
    pub fn name(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }

    /// Its module in the current context, with the module's handle.
    pub fn module(&self) -> Result<(Handle, Arc<Module>)> {
        (self.source)()
    }

    /// Its entry in the current context.
    pub fn entry(&self) -> Result<Arc<KernelEntry>> {
        self.module()?.1.entry(self.name())
    }

    /// Maximum dynamic shared memory of a launch.
    pub fn most_dynamic_shared(&self, entry: &KernelEntry) -> u32 {
        self.get(DYNAMIC_SHARED)
            .map_or(PORTABLE_SHARED.saturating_sub(entry.resources.static_shared), |bytes| {
                bytes as u32
            })
    }

    /// Maximum cluster size.
    pub fn most_cluster(&self) -> i32 {
        if self.get(NON_PORTABLE_CLUSTER).is_some_and(|value| value != 0) { 16 } else { 8 }
    }

    fn get(&self, attribute: i32) -> Option<i32> {
        lock(&self.set).get(&attribute).copied()
    }

    /// The value of an attribute.
    pub fn attribute(&self, attribute: i32) -> Result<i32> {
        let module = self.module()?.1;
        let entry = module.entry(self.name())?;
        let resources = &entry.resources;
        Ok(match attribute {
            0 => entry.most_threads() as i32,
            1 => resources.static_shared as i32,
            2 => constant_bytes(&module) as i32,
            3 => resources.local_bytes as i32,
            4 => resources.registers as i32,
            5 => target(&module),
            6 => model().architecture() as i32,
            7 => 0,
            DYNAMIC_SHARED => self.most_dynamic_shared(&entry) as i32,
            CARVEOUT => self.get(CARVEOUT).unwrap_or(-1),
            CLUSTER_MUST_BE_SET => self.get(CLUSTER_MUST_BE_SET).unwrap_or(0),
            axis @ 11..=13 => self.get(axis).unwrap_or(
                entry.cluster.map_or(0, |cluster| cluster[(axis - CLUSTER[0]) as usize] as i32),
            ),
            other @ (NON_PORTABLE_CLUSTER | CLUSTER_POLICY) => self.get(other).unwrap_or(0),
            _ => return Err(Status::InvalidValue),
        })
    }

    fn set_attribute(&self, attribute: i32, value: i32) -> Result {
        let static_shared = self.entry()?.resources.static_shared;
        let good = match attribute {
            DYNAMIC_SHARED => u32::try_from(value).is_ok_and(|value| {
                value.saturating_add(static_shared) <= model().limits.shared_per_block
            }),
            CARVEOUT => (-1..=100).contains(&value),
            CLUSTER_POLICY => (0..=2).contains(&value),
            11..=13 | NON_PORTABLE_CLUSTER => value >= 0,
            _ => false,
        };
        if !good {
            return Err(Status::InvalidValue);
        }
        // This one is true or false.
        let value = if attribute == NON_PORTABLE_CLUSTER { value.min(1) } else { value };
        lock(&self.set).insert(attribute, value);
        Ok(())
    }

    /// Resident blocks per multiprocessor.
    pub fn resident_blocks(&self, threads: u32, dynamic_shared: usize) -> Result<u32> {
        let entry = self.entry()?;
        if threads == 0 {
            return Err(Status::InvalidValue);
        }
        if threads > entry.most_threads() {
            return Ok(0);
        }
        let resources = &entry.resources;
        let shared = u32::try_from(dynamic_shared)
            .unwrap_or(u32::MAX)
            .saturating_add(resources.static_shared);
        let holds = lanework_report::multiprocessor(model().limits);
        Ok(holds.resident_blocks(threads, resources.registers, shared).0)
    }
}

/// Bytes of constant memory used by the module's variables.
fn constant_bytes(module: &Module) -> u64 {
    let constant = |variable: &&Variable| variable.space == StateSpace::Const;
    module.code.module().variables().filter(constant).map(Variable::size).sum()
}

/// Target architecture of the module, such as 90.
fn target(module: &Module) -> i32 {
    module.code.module().target.architecture as i32
}

/// Stores offset and size of a parameter.
fn parameter(
    function: Handle,
    index: usize,
    offset: Out<'_, usize>,
    bytes: Out<'_, usize>,
) -> Result {
    let function = table::<Function>().get(function)?;
    let (at, size) = *function.entry()?.parameters.get(index).ok_or(Status::InvalidValue)?;
    offset.store(at)?;
    bytes.store_optional(size);
    Ok(())
}

/// The error that a kernel left in the current context, if any.
fn healthy() -> Result {
    driver()?.context().map(drop)
}

/// Looks up a function; null is an invalid value.
fn named(function: Handle) -> Result<Arc<Function>> {
    if function == 0 { Err(Status::InvalidValue) } else { table::<Function>().get(function) }
}

api! {
    fn cuFuncGetAttribute(value: Out<'_, i32>, attribute: i32, function: Handle) {
        healthy()?;
        value.store(table::<Function>().get(function)?.attribute(attribute)?)
    }

    fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) {
        table::<Function>().get(function)?.set_attribute(attribute, value)
    }

    fn cuKernelGetAttribute(value: Out<'_, i32>, attribute: i32, kernel: Handle, device: i32) {
        let kernel = table::<Function>().get(kernel)?;
        value.store(driver()?.in_context_of(device, || kernel.attribute(attribute))?)
    }

    fn cuKernelSetAttribute(attribute: i32, value: i32, kernel: Handle, device: i32) {
        let kernel = table::<Function>().get(kernel)?;
        driver()?.in_context_of(device, || kernel.set_attribute(attribute, value))
    }

    fn cuFuncSetCacheConfig(function: Handle, config: i32) {
        table::<Function>().get(function)?;
        if (0..=3).contains(&config) { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn cuKernelSetCacheConfig(kernel: Handle, config: i32, _device: i32) {
        table::<Function>().get(kernel)?;
        if (0..=3).contains(&config) { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn cuFuncSetSharedMemConfig(function: Handle, config: i32) {
        table::<Function>().get(function)?;
        if (0..=2).contains(&config) { Ok(()) } else { Err(Status::InvalidValue) }
    }

    fn cuFuncGetModule(module: Out<'_, Handle>, function: Handle) {
        let found = named(function)?.module()?.0;
        module.store(found)
    }

    fn cuFuncGetName(name: Out<'_, *const c_char>, function: Handle) {
        name.store(named(function)?.name.as_ptr())
    }

    fn cuKernelGetName(name: Out<'_, *const c_char>, kernel: Handle) {
        name.store(named(kernel)?.name.as_ptr())
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<'_, usize>, bytes: Out<'_, usize>) {
        parameter(function, index, offset, bytes)
    }

    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: Out<'_, usize>, bytes: Out<'_, usize>) {
        parameter(kernel, index, offset, bytes)
    }

    fn cuFuncGetParamCount(function: Handle, count: Out<'_, usize>) {
        count.store(table::<Function>().get(function)?.entry()?.parameters.len())
    }

    fn cuKernelGetParamCount(kernel: Handle, count: Out<'_, usize>) {
        count.store(table::<Function>().get(kernel)?.entry()?.parameters.len())
    }

    fn cuFuncIsLoaded(state: Out<'_, i32>, function: Handle) {
        table::<Function>().get(function)?;
        state.store(1)
    }

    fn cuFuncLoad(function: Handle) {
        table::<Function>().get(function).map(drop)
    }
}
