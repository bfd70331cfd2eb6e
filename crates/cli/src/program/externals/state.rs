//! Data that a program carries for the functions of the driver.

use lanework_host::{Process, Stop};
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;

/// Device memory of the program.
#[derive(Default)]
pub struct DeviceMemory {
    /// Size in bytes of each allocation and variable, by address.
    pub ranges: BTreeMap<u64, u64>,
    /// How often the memory was opened and not closed.
    pub depth: u32,
    /// The ranges that `open` made accessible.
    pub opened: Vec<u64>,
    /// Under a check: the contents of the ranges when the memory was opened.
    pub before: Vec<(u64, Vec<u8>)>,
}

impl DeviceMemory {
    /// Adds an allocation or a variable.
    pub fn add(&mut self, address: u64, bytes: u64) {
        self.ranges.insert(address, bytes);
    }

    /// Removes an allocation.
    pub fn remove(&mut self, address: u64) {
        self.ranges.remove(&address);
    }
}

/// A source that the program gave to NVRTC.
#[derive(Default)]
pub struct RuntimeSource {
    pub text: String,
    pub name: String,
    /// Names and texts.
    pub headers: Vec<(String, String)>,
    /// The PTX; empty until it was compiled.
    pub ptx: String,
    /// Errors and warnings.
    pub log: String,
}

/// Data of the program for the driver's functions.
pub struct Loaded {
    /// Its device code.
    pub ptx: CString,
    /// The module of each device.
    pub modules: HashMap<u32, u64>,
    /// The device that is current.
    pub device: u32,
    /// Kernels by the address of the program's function.
    pub kernels: HashMap<u64, u64>,
    /// Its memory of the device.
    pub memory: DeviceMemory,
    /// The kernel and the status of a failed launch, if the program has not asked for an error since.
    pub unseen: Option<(String, u64)>,
    /// The sources that it gave to NVRTC.
    pub sources: Vec<RuntimeSource>,
}

impl Loaded {
    /// A program whose device code is this PTX.
    pub fn new(ptx: CString) -> Loaded {
        Loaded {
            ptx,
            modules: HashMap::new(),
            device: 0,
            kernels: HashMap::new(),
            memory: DeviceMemory::default(),
            unseen: None,
            sources: Vec::new(),
        }
    }
}

/// The data of this module that the program carries.
///
/// # Errors
/// If the program has none.
pub fn loaded(process: &mut Process) -> Result<&mut Loaded, Stop> {
    let stop = Stop::Exit(1);
    process.environment.downcast_mut().ok_or(stop)
}

/// Stores a word that the program asked for.
///
/// # Errors
/// If the place is inaccessible.
pub fn put(process: &mut Process, at: u64, value: u64) -> Result<(), Stop> {
    let written = process.memory.write(at, &value.to_le_bytes());
    process.accessed(written, "write")
}
