//! The table of handles that C programs hold for devices and modules.

use crate::host::{OpenDevice, ptx_run_device};
use crate::status::Failure;
use lanework_runtime::PtxModule;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A loaded module and the handle of its device.
pub(crate) struct OpenModule {
    pub module: PtxModule,
    pub device: u64,
}

#[derive(Clone)]
enum Object {
    Device(Arc<OpenDevice>),
    Module(Arc<OpenModule>),
}

#[derive(Default)]
struct Table {
    /// The last handle; handles are never reused, and 0 is not a handle of the table.
    last: u64,
    objects: HashMap<u64, Object>,
}

fn table() -> &'static RwLock<Table> {
    static TABLE: OnceLock<RwLock<Table>> = OnceLock::new();
    TABLE.get_or_init(RwLock::default)
}

fn insert(object: Object) -> u64 {
    let mut table = table().write().unwrap_or_else(PoisonError::into_inner);
    table.last += 1;
    let number = table.last;
    table.objects.insert(number, object);
    number
}

fn find(number: u64) -> Option<Object> {
    table().read().unwrap_or_else(PoisonError::into_inner).objects.get(&number).cloned()
}

/// Registers a device and returns its handle.
pub(crate) fn insert_device(device: OpenDevice) -> u64 {
    insert(Object::Device(Arc::new(device)))
}

/// Registers a module and returns its handle.
pub(crate) fn insert_module(module: OpenModule) -> u64 {
    insert(Object::Module(Arc::new(module)))
}

/// The device of a handle; 0 is the device of `ptx_run`.
pub(crate) fn device(number: u64) -> Result<Arc<OpenDevice>, Failure> {
    if number == 0 {
        return Ok(Arc::clone(ptx_run_device()));
    }
    match find(number) {
        Some(Object::Device(device)) => Ok(device),
        Some(Object::Module(_)) => {
            Err(Failure::argument(format!("{number} is a module, not a device")))
        }
        None => Err(Failure::argument(format!("no device {number} is open"))),
    }
}

/// The module of a handle.
pub(crate) fn module(number: u64) -> Result<Arc<OpenModule>, Failure> {
    match find(number) {
        Some(Object::Module(module)) => Ok(module),
        Some(Object::Device(_)) => {
            Err(Failure::argument(format!("{number} is a device, not a module")))
        }
        None => Err(Failure::argument(format!("no module {number} is loaded"))),
    }
}

/// Closes a device, its modules and its buffers, after running launches have finished.
pub(crate) fn close_device(number: u64) -> Result<(), Failure> {
    if number == 0 {
        return Err(Failure::argument("device 0 is always open"));
    }
    device(number)?;
    let gone: Vec<Object> = {
        let mut table = table().write().unwrap_or_else(PoisonError::into_inner);
        let ours = |(other, object): (&u64, &Object)| match object {
            Object::Device(_) => (*other == number).then_some(*other),
            Object::Module(module) => (module.device == number).then_some(*other),
        };
        let numbers: Vec<u64> = table.objects.iter().filter_map(ours).collect();
        numbers.iter().filter_map(|number| table.objects.remove(number)).collect()
    };
    // Dropped after the table's lock is released, so that other calls do not wait.
    drop(gone);
    Ok(())
}

/// Closes a module.
pub(crate) fn close_module(number: u64) -> Result<(), Failure> {
    module(number)?;
    let mut table = table().write().unwrap_or_else(PoisonError::into_inner);
    let gone = table.objects.remove(&number);
    drop(table);
    drop(gone);
    Ok(())
}
