//! What a launch is, as C passes it.

use crate::handles::Handle;
use crate::pointers::{In, abi};
use crate::status::{Result, Status};
use std::ffi::c_void;

/// `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Config {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub stream: Handle,
    attributes: *const Attribute,
    count: u32,
}

abi!(Config = 56, 8 { grid: 0, block: 12, dynamic_shared: 24, stream: 32, attributes: 40, count: 48 });

/// `CUlaunchAttribute`.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub struct Attribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

abi!(Attribute = 72, 8 { id: 0, padding: 4, value: 8 });

/// Attributes that change what a launch does.
pub const COOPERATIVE: u32 = 2;
pub const CLUSTER: u32 = 4;

impl Config {
    fn attributes(&self) -> Result<Vec<Attribute>> {
        // SAFETY: a `Config` comes from a caller of the driver, whose contract is that `attributes` has `count` elements.
        unsafe { In::new(self.attributes) }.list(self.count as usize)
    }

    /// The shape of a cluster that it asks for.
    pub fn cluster(&self) -> Result<Option<[u32; 3]>> {
        let attributes = self.attributes()?;
        let found = attributes.iter().find(|attribute| attribute.id == CLUSTER);
        Ok(found.map(|attribute| [attribute.value[0], attribute.value[1], attribute.value[2]]))
    }

    /// Whether it asks for a cooperative launch.
    pub fn is_cooperative(&self) -> Result<bool> {
        Ok(self
            .attributes()?
            .iter()
            .any(|attribute| attribute.id == COOPERATIVE && attribute.value[0] != 0))
    }
}

/// Where the arguments are: a pointer to each, or a buffer of all.
#[derive(Clone, Copy)]
pub struct Arguments<'call> {
    pub each: In<'call, *const c_void>,
    pub extra: In<'call, *const c_void>,
}

/// Keys of the second form (`CU_LAUNCH_PARAM_...`).
const END: usize = 0;
const BUFFER: usize = 1;
const BUFFER_BYTES: usize = 2;

impl Arguments<'_> {
    /// The bytes of each argument, given place and size of each parameter.
    ///
    /// # Safety
    /// They are as C passes them for an entry of these parameters.
    pub unsafe fn bytes(self, parameters: &[(usize, usize)]) -> Result<Vec<Vec<u8>>> {
        if parameters.is_empty() {
            return Ok(Vec::new());
        }
        if !self.each.is_null() {
            let value = |(index, &(_, size)): (usize, &(usize, usize))| {
                // SAFETY: `each` has a pointer for each parameter of the function, to a value of its size (contract of `bytes`).
                unsafe {
                    let from = self.each.as_ptr().add(index).read();
                    if from.is_null() {
                        Err(Status::InvalidValue)
                    } else {
                        Ok(std::slice::from_raw_parts(from.cast(), size).to_vec())
                    }
                }
            };
            return parameters.iter().enumerate().map(value).collect();
        }
        if self.extra.is_null() {
            return Err(Status::InvalidValue);
        }
        let (mut buffer, mut length) = (std::ptr::null::<u8>(), 0usize);
        for pair in 0.. {
            // SAFETY: `extra` is pairs of a key and a value up to the key `END`, at which the loop stops.
            let (key, value) = unsafe {
                (
                    self.extra.as_ptr().add(2 * pair).read() as usize,
                    self.extra.as_ptr().add(2 * pair + 1),
                )
            };
            match key {
                END => break,
                // SAFETY: the value behind its key.
                BUFFER => buffer = unsafe { value.read() }.cast(),
                // SAFETY: the value behind this key is a pointer to the size.
                BUFFER_BYTES => length = unsafe { value.read().cast::<usize>().read() },
                _ => return Err(Status::InvalidValue),
            }
        }
        // SAFETY: the program passes the buffer with its length.
        let all = unsafe { In::new(buffer) }.list(length)?;
        parameters
            .iter()
            .map(|&(at, size)| {
                at.checked_add(size)
                    .and_then(|end| all.get(at..end))
                    .map(<[u8]>::to_vec)
                    .ok_or(Status::InvalidValue)
            })
            .collect()
    }
}

/// The shape of a launch.
#[derive(Clone)]
pub struct Launch {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub cluster: Option<[u32; 3]>,
    pub cooperative: bool,
    pub stream: Handle,
}
