//! Why the host could not use device memory.

use std::fmt;

/// Why the host could not use device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// The device has not enough memory left.
    OutOfMemory {
        /// The allocation's name.
        name: String,
        /// Its size in bytes.
        bytes: u64,
        /// Bytes free.
        free: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The address does not start a live allocation.
    NotAllocated {
        /// The address.
        address: u64,
    },
    /// A host copy that is not inside one allocation.
    OutOfBounds {
        /// First byte.
        address: u64,
        /// Bytes asked for.
        bytes: u64,
        /// The nearest allocation, in words.
        nearest: String,
    },
    /// A range of host memory that kernels cannot be given.
    NotRegistrable {
        /// First byte.
        address: u64,
        /// Bytes.
        bytes: u64,
        /// Why not.
        why: String,
    },
    /// An image or sampler that a texture or surface cannot be made of.
    BadImage {
        /// Why not.
        why: String,
    },
    /// The address does not start a range that the host registered.
    NotRegistered {
        /// The address.
        address: u64,
    },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryError::OutOfMemory { name, bytes, free, total } => write!(
                f,
                "out of device memory: `{name}` needs {bytes} bytes, {free} of {total} are free; free buffers or make the emulator with a larger `limits.memory`"
            ),
            MemoryError::NotAllocated { address } => write!(
                f,
                "address {address:#x} is not the start of a live allocation; free each allocation once"
            ),
            MemoryError::OutOfBounds { address, bytes, nearest } => write!(
                f,
                "{bytes} bytes at {address:#x} are not inside one allocation; nearest: {nearest}"
            ),
            MemoryError::NotRegistrable { address, bytes, why } => {
                write!(f, "{bytes} bytes at {address:#x} cannot be registered: {why}")
            }
            MemoryError::BadImage { why } => write!(f, "no texture or surface can be made: {why}"),
            MemoryError::NotRegistered { address } => write!(
                f,
                "no registered range starts at {address:#x}; give the address that was registered, once"
            ),
        }
    }
}

impl std::error::Error for MemoryError {}
