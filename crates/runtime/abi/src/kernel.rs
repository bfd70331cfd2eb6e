//! Kernels that the kernel language passes to the runtime: the name, the function that stages the kernel, and the
//! staged module with its parameters, check sites and fault record.

use lanework_ptx::{Module, ScalarType, Swizzle};
use std::fmt;
use std::sync::Arc;

/// A kernel with its generics and constants bound, not staged yet.
#[derive(Clone)]
pub struct Definition {
    /// The Rust function's name.
    pub name: &'static str,
    /// Unique among all kernels of the program: module path, position, types, constants.
    pub key: String,
    /// Builds the module.
    pub stage: Arc<dyn Fn(&StageOptions) -> Staged + Send + Sync>,
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition").field("name", &self.name).field("key", &self.key).finish()
    }
}

/// Options of staging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageOptions {
    /// Whether indices are checked against lengths and extents at run time.
    pub checked: bool,
    /// Whether the kernel is for the debugger: not optimized, with the names of its values.
    pub debug: bool,
}

/// A staged kernel.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The module; requested block and cluster shapes are directives of its entry.
    pub module: Module,
    /// The entry's name in the module.
    pub entry: String,
    /// The parameters as the kernel's author wrote them. A slice becomes two parameters of the entry (`.u64`
    /// address, `.u64` length in elements), a scalar one. A checked entry has an additional last `.u64`
    /// parameter: the address of the [fault record](FaultRecord).
    pub parameters: Vec<Parameter>,
    /// The checked indices, in the order of the fault record's site numbers.
    pub sites: Vec<CheckSite>,
    /// Errors of the kernel for these generics and constants. A launch requires an empty list.
    pub errors: Vec<StageError>,
    /// The names of its values for the debugger, as comments that follow the module's text. Empty unless they were requested.
    pub names: String,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the source.
    pub name: String,
    /// Its kind.
    pub kind: ParameterKind,
}

/// The kind of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Device memory with its length.
    Slice {
        /// Element type, `b8` for structs and arrays.
        element: ScalarType,
        /// Whether the kernel may write it.
        mutable: bool,
    },
    /// A value.
    Scalar(ScalarType),
    /// A tensor map: 128 bytes.
    TensorMap {
        /// Element type.
        element: ScalarType,
        /// Dimensions.
        rank: usize,
        /// Whether the kernel may write the tensor.
        mutable: bool,
        /// The tiles that the kernel copies through it; `None` if it copies none.
        tile: Option<Tile>,
    },
    /// A struct, a tuple or an array, as bytes.
    Bytes {
        /// Size in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u32,
    },
}

/// The tile in shared memory that a kernel copies through a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    extents: [u32; 8],
    rank: usize,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// The permutation of its 16-byte chunks.
    pub swizzle: Swizzle,
}

impl Tile {
    /// A tile of these extents, outermost first, without extents of 1; `None` for more than 8 extents.
    pub fn new(
        shape: impl Iterator<Item = u32>,
        swizzle: Swizzle,
        element_bytes: u32,
    ) -> Option<Tile> {
        let mut tile = Tile { extents: [1; 8], rank: 0, element_bytes, swizzle };
        for extent in shape {
            *tile.extents.get_mut(tile.rank)? = extent;
            tile.rank += 1;
        }
        Some(tile)
    }

    /// The extents, outermost first, without extents of 1.
    pub fn shape(&self) -> &[u32] {
        &self.extents[..self.rank]
    }
}

/// A tile as written in messages.
impl std::fmt::Display for Tile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape: Vec<_> = self.shape().iter().map(u32::to_string).collect();
        write!(f, "{}", if shape.is_empty() { "1".to_owned() } else { shape.join(" x ") })?;
        match self.swizzle {
            Swizzle::None => write!(f, " without a swizzle"),
            swizzle => write!(f, " with the swizzle {swizzle:?}"),
        }
    }
}

/// A place in the source where an index is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSite {
    /// Source file as rustc names it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The array's name in the source; empty if unknown.
    pub array: String,
    /// The kind of the indexed object.
    pub what: IndexKind,
}

/// The kind of object that a checked index refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// A slice in global memory.
    Slice,
    /// No index: an assertion failed. The site's `array` is its text.
    Assertion,
    /// A thread's array, or a table of constants.
    Array,
    /// Axis `k` (0 is the outermost) of an array in shared memory.
    SharedAxis(u8),
}

/// An error of a kernel that depends on its generics and constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageError {
    /// The error.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// Source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl std::fmt::Display for StageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let StageError { message, file, line, column, help } = self;
        write!(f, "{message}\n  --> {file}:{line}:{column}\n   = help: {help}")
    }
}

impl std::error::Error for StageError {}

/// The record of the first index out of range: 16 little-endian `u32` words of device memory, all
/// zero before the launch. The thread that writes it exits; the others continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// Index into [`Staged::sites`].
    pub site: u32,
    /// The index, sign-extended.
    pub index: i64,
    /// The length or extent that the index reached.
    pub length: u64,
    /// `block_idx` of the thread: x, y, z.
    pub block: [u32; 3],
    /// `thread_idx` of the thread: x, y, z.
    pub thread: [u32; 3],
}

impl FaultRecord {
    /// Bytes of the record in device memory.
    pub const BYTES: u64 = 64;

    /// Decodes the record; `None` if no index was out of range.
    pub fn decode(words: &[u32; 16]) -> Option<FaultRecord> {
        let long = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        (words[0] != 0).then(|| FaultRecord {
            site: words[1].wrapping_sub(1),
            index: long(words[2], words[3]) as i64,
            length: long(words[4], words[5]),
            block: [words[6], words[7], words[8]],
            thread: [words[9], words[10], words[11]],
        })
    }
}
