//! Common parts of the functions: the result of a call (a status and a message, never a panic), the table of handles that C
//! programs hold for devices and modules, and the open devices, among them the emulator on host memory that `ptx_run` uses.

use lanework_runtime::emulator::{FaultKind, Options};
use lanework_runtime::{Buffer, Device, Error, PtxModule};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// Incremented when the meaning of a function's arguments or a structure's fields changes.
const ABI_VERSION: u32 = 1;

/// Status of a call, numbered as `lanework_status` in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Status {
    BadArgument = 1,
    NoDevice = 2,
    BadPtx = 3,
    Unsupported = 4,
    NoMemory = 5,
    Refused = 6,
    Fault = 7,
    Driver = 8,
    Internal = 9,
}

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: Status,
    pub text: String,
}

impl Failure {
    /// The caller passed an invalid argument.
    pub fn argument(text: impl Into<String>) -> Failure {
        Failure { status: Status::BadArgument, text: text.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        use lanework_runtime::emulator::MemoryError;
        let status = match &error {
            Error::Ptx(_) => Status::BadPtx,
            Error::Load(_) | Error::Unsupported { .. } => Status::Unsupported,
            Error::Fault(fault) if fault.kind == FaultKind::Unsupported => Status::Unsupported,
            Error::Memory(MemoryError::OutOfMemory { .. }) | Error::Size { .. } => Status::NoMemory,
            Error::Memory(_) => Status::BadArgument,
            Error::Device { .. } => Status::NoDevice,
            error if error.is_kernel_fault() => Status::Fault,
            Error::Cuda(_) => Status::Driver,
            _ => Status::Refused,
        };
        Failure { status, text: error.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Stores the message of a failure for [`lanework_last_error`].
fn remember(text: String) {
    // Messages contain no zero bytes, except in quoted strings of the caller.
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // If this fails, the thread is ending, so no caller can read the message.
    let _ = LAST.try_with(|last| last.replace(text));
}

/// Runs the body of an exported function. Converts a failure or a panic to a status and a message.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return 0,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned());
            let what = what.unwrap_or_else(|| "no text".to_owned());
            Failure { status: Status::Internal, text: format!("a bug in Lanework: {what}") }
        }
    };
    remember(failure.text);
    failure.status as c_int
}

/// Converts a C string to text; replaces bytes that are not UTF-8.
///
/// # Safety
/// `text` is null or points to a string that ends with a zero byte.
pub(crate) unsafe fn text(text: *const c_char, what: &str) -> Result<String, Failure> {
    if text.is_null() {
        return Err(Failure::argument(format!("{what} is NULL")));
    }
    // SAFETY: not null (checked above), so by this function's contract a string that ends with a zero byte.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// Converts an output parameter to a reference.
///
/// # Safety
/// `out` is null or valid for writes until the call ends.
pub(crate) unsafe fn out<'a, T>(out: *mut T, what: &str) -> Result<&'a mut T, Failure> {
    if out.is_null() || !out.is_aligned() {
        return Err(Failure::argument(format!("{what} is NULL or not aligned")));
    }
    // SAFETY: not null and aligned (checked above), so by this function's contract valid for writes until the call ends.
    Ok(unsafe { &mut *out })
}

/// The version of the library, such as `0.1.0`; never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// The version of the library's binary interface: `LANEWORK_ABI_VERSION` of its header.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_abi_version() -> u32 {
    ABI_VERSION
}

/// The message of this thread's last failed call; valid until the next failure.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

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

/// Default number of instructions after which a warp is stopped as stuck: minutes of emulation.
const STUCK_AFTER: u64 = 10_000_000_000;

/// An open device and its buffers by address.
pub(crate) struct OpenDevice {
    pub device: Device,
    pub buffers: Mutex<BTreeMap<u64, Buffer<u8>>>,
}

impl OpenDevice {
    pub fn new(device: Device) -> OpenDevice {
        OpenDevice { device, buffers: Mutex::default() }
    }
}

/// Creates an emulator on host memory. Kernels may use any address until a range is registered.
pub(crate) fn host_device(options: Options) -> Device {
    let device = Device::emulator_on_host_memory(options);
    // SAFETY: the header requires that kernels on such a device only access valid memory, and the functions
    // that launch them are unsafe.
    let trusted = unsafe { device.trust_host_addresses() };
    debug_assert!(trusted.is_ok(), "an emulator");
    device
}

/// The default options.
pub(crate) fn default_options() -> Options {
    Options { max_instructions: Some(STUCK_AFTER), ..Options::default() }
}

/// The device of `ptx_run`; its handle is 0.
pub(crate) fn ptx_run_device() -> &'static Arc<OpenDevice> {
    static DEVICE: OnceLock<Arc<OpenDevice>> = OnceLock::new();
    DEVICE.get_or_init(|| Arc::new(OpenDevice::new(host_device(default_options()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the text ends with a zero byte and stays until the next failure.
        unsafe { CStr::from_ptr(lanework_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn panics_and_failures_become_statuses() {
        assert_eq!(guard(|| panic!("seven of {}", 9)), Status::Internal as c_int);
        assert_eq!(last(), "a bug in Lanework: seven of 9");
        assert_eq!(guard(|| Err(Failure::argument("a\0b"))), Status::BadArgument as c_int);
        assert_eq!(last(), "a b");
        assert_eq!(guard(|| Ok(())), 0);
        assert_eq!(last(), "a b", "a success keeps the message");
    }
}
