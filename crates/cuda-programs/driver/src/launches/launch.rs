//! What a launch is, as C passes it.

use crate::handles::Handle;
use crate::pointers::slice;
use crate::status::{Result, Status};
use std::ffi::c_void;

/// `CUlaunchConfig`.
#[repr(C)]
pub struct Config {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub stream: Handle,
    attributes: *const Attribute,
    count: u32,
}

/// `CUlaunchAttribute`.
#[repr(C)]
pub struct Attribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

/// Attributes that change what a launch does.
pub const COOPERATIVE: u32 = 2;
pub const CLUSTER: u32 = 4;

impl Config {
    /// The attributes.
    ///
    /// # Safety
    /// The config is as C passes it.
    unsafe fn attributes(&self) -> Result<&[Attribute]> {
        // SAFETY: by the caller.
        unsafe { slice(self.attributes, self.count as usize) }
    }

    /// The shape of a cluster that it asks for.
    ///
    /// # Safety
    /// The config is as C passes it.
    pub unsafe fn cluster(&self) -> Result<Option<[u32; 3]>> {
        // SAFETY: by the caller.
        let attributes = unsafe { self.attributes() }?;
        let found = attributes.iter().find(|attribute| attribute.id == CLUSTER);
        Ok(found.map(|attribute| [attribute.value[0], attribute.value[1], attribute.value[2]]))
    }

    /// Whether it asks for a cooperative launch.
    ///
    /// # Safety
    /// The config is as C passes it.
    pub unsafe fn is_cooperative(&self) -> Result<bool> {
        // SAFETY: by the caller.
        Ok(unsafe { self.attributes() }?
            .iter()
            .any(|attribute| attribute.id == COOPERATIVE && attribute.value[0] != 0))
    }
}

/// Where the arguments are: a pointer to each, or a buffer of all.
#[derive(Clone, Copy)]
pub struct Arguments {
    pub each: *const *const c_void,
    pub extra: *const *const c_void,
}

/// Keys of the second form (`CU_LAUNCH_PARAM_...`).
const END: usize = 0;
const BUFFER: usize = 1;
const BUFFER_BYTES: usize = 2;

impl Arguments {
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
                // SAFETY: by the caller, there is a pointer for each parameter to as many bytes.
                unsafe {
                    let from = self.each.add(index).read();
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
            // SAFETY: by the caller, pairs of a key and a value, up to the end's key.
            let (key, value) =
                unsafe { (self.extra.add(2 * pair).read() as usize, self.extra.add(2 * pair + 1)) };
            match key {
                END => break,
                // SAFETY: as above.
                BUFFER => buffer = unsafe { value.read() }.cast(),
                // SAFETY: as above, a pointer to the size.
                BUFFER_BYTES => length = unsafe { value.read().cast::<usize>().read() },
                _ => return Err(Status::InvalidValue),
            }
        }
        // SAFETY: by the caller, the buffer has the length.
        let all = unsafe { slice(buffer, length) }?;
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
