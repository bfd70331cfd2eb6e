//! Errors: of loading a module, of host access to memory, and of a running kernel.

pub mod report;

use crate::instrument::event::AccessKind;
use lanework_ptx_ir::cpp_names::readable;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::text_place;
pub use lanework_ptx_ir::{LoadError, SourceLocation};
use std::fmt;

/// The allocation nearest to a bad address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearAllocation {
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Signed bytes from its start to the bad address.
    pub offset: i64,
    /// Bytes between the access and the allocation; 0 if they overlap.
    pub distance: u64,
}

/// An error in a launch, by its kernel's fault or before it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The message, in one line.
    pub message: String,
    /// The source position of the instruction, if the module has line information.
    pub location: Option<SourceLocation>,
    /// The file of the PTX text, if known.
    pub text_file: Option<String>,
    /// The line in the PTX text, 0 when unknown.
    pub text_line: u32,
    /// The calls around the instruction, the innermost first.
    pub callers: Vec<SourceLocation>,
    /// The PTX name of the instruction; empty if the fault has no instruction.
    pub instruction: String,
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread in the block.
    pub thread: [u32; 3],
    /// The address accessed, for memory faults.
    pub address: Option<u64>,
    /// The size of the access in bytes; 0 if the fault is not an access.
    pub size: u32,
    /// The allocation nearest to the address.
    pub allocation: Option<NearAllocation>,
    /// The remedy.
    pub help: String,
}

impl Fault {
    /// A fault without a place in a kernel.
    pub fn before_launch(
        kind: FaultKind,
        kernel: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Fault {
            kind,
            message: message.into(),
            location: None,
            text_file: None,
            text_line: 0,
            callers: Vec::new(),
            instruction: String::new(),
            kernel: kernel.to_owned(),
            block: [0; 3],
            thread: [0; 3],
            address: None,
            size: 0,
            allocation: None,
            help: help.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        let starts = match self.kind {
            FaultKind::LimitExceeded | FaultKind::BadArguments => true,
            FaultKind::Unsupported => self.instruction.is_empty(),
            _ => false,
        };
        if let Some(location) = &self.location {
            write!(f, "\n  --> {location}")?;
        } else if self.text_line > 0 {
            write!(f, "\n  --> {}", text_place(self.text_file.as_deref(), self.text_line))?;
        }
        write!(f, "{}", called(&self.callers))?;
        if starts {
            write!(f, "\n   = in the launch of `{}`", readable(&self.kernel))?;
        } else {
            let ([x, y, z], [bx, by, bz]) = (self.thread, self.block);
            write!(f, "\n   = thread ({x},{y},{z}) of block ({bx},{by},{bz})")?;
            write!(f, " in `{}`", readable(&self.kernel))?;
            if !self.instruction.is_empty() {
                write!(f, ", `{}`", self.instruction)?;
            }
        }
        if !self.help.is_empty() {
            write!(f, "\n   = help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

/// The calls around an instruction as lines of a message, the innermost first; a recursion is cut short.
fn called(callers: &[SourceLocation]) -> String {
    const MOST: usize = 8;
    let mut text: String =
        callers.iter().take(MOST).map(|at| format!("\n   = called at {at}")).collect();
    if callers.len() > MOST {
        text.push_str(&format!("\n   = and {} calls around it", callers.len() - MOST));
    }
    text
}

/// A fault as a handler sees it.
#[derive(Clone, Debug)]
pub struct RawFault {
    /// The kind.
    pub kind: FaultKind,
    /// The lane.
    pub lane: u32,
    /// The guest address, if the fault concerns one.
    pub address: Option<u64>,
    /// Bytes accessed.
    pub bytes: u32,
    /// The space accessed.
    pub space: MemorySpace,
    /// The kind of access: load, store or atomic.
    pub access: Option<AccessKind>,
    /// Further text.
    pub note: String,
}

impl RawFault {
    /// A fault of the executing lanes without an address, attributed to the lowest lane.
    pub fn of_lanes(kind: FaultKind, space: MemorySpace, mask: u32, note: String) -> RawFault {
        let lane = mask.trailing_zeros() & 31;
        RawFault { kind, lane, address: None, bytes: 0, space, access: None, note }
    }
}

/// A fault and its location.
#[derive(Clone, Debug)]
pub struct Located {
    /// The fault.
    pub raw: RawFault,
    /// The instruction's origin.
    pub origin: u32,
    /// The warp.
    pub warp: u32,
}

/// The fault that stopped a cluster.
pub struct ClusterFault {
    /// The block.
    pub block: [u32; 3],
    /// The fault.
    pub located: Located,
}

/// Name of the memory by which the blocks of a grid wait for each other.
pub const GRID_WORKSPACE: &str = "grid workspace";

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside every allocation.
    OutOfBounds,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// An access near address 0.
    Null,
    /// An access to memory already freed.
    UseAfterFree,
    /// `free` of a pointer that `malloc` did not return.
    BadFree,
    /// Threads wait at a barrier that can never complete.
    Deadlock,
    /// Part of a warp reached a barrier that the whole warp must reach.
    BarrierDivergence,
    /// An mbarrier is used in a way that its counts do not allow.
    Mbarrier,
    /// An mbarrier is used before its initialization.
    NoMbarrier,
    /// An invalid texture, sampler or surface handle, or one that does not fit its instruction.
    Texture,
    /// An access outside of a surface whose instruction traps there.
    SurfacePlace,
    /// An invalid tensor map, or one that does not fit its instruction.
    TensorMap,
    /// A tile of a tensor starts at a position that the copy engine does not support.
    TilePlace,
    /// Tensor memory, or an instruction on it, is used in a way that the manual does not allow.
    TensorMemory,
    /// The launch or kernel asks for more than the device has.
    LimitExceeded,
    /// The kernel executed `trap`.
    Trap,
    /// An assertion of the kernel does not hold.
    Assertion,
    /// A thread's stack has no room for another call or allocation.
    StackOverflow,
    /// Something that the emulator cannot do.
    Unsupported,
    /// A warp, or all of them together, ran more instructions than allowed.
    InstructionLimit,
    /// The launch took longer than allowed.
    TimeLimit,
    /// The arguments do not fit the kernel's parameters, or the module lacks the kernel.
    BadArguments,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 21] = [
        FaultKind::OutOfBounds,
        FaultKind::Misaligned,
        FaultKind::Null,
        FaultKind::UseAfterFree,
        FaultKind::BadFree,
        FaultKind::Deadlock,
        FaultKind::BarrierDivergence,
        FaultKind::Mbarrier,
        FaultKind::NoMbarrier,
        FaultKind::TensorMap,
        FaultKind::TilePlace,
        FaultKind::SurfacePlace,
        FaultKind::LimitExceeded,
        FaultKind::Trap,
        FaultKind::Assertion,
        FaultKind::Unsupported,
        FaultKind::InstructionLimit,
        FaultKind::TimeLimit,
        FaultKind::StackOverflow,
        FaultKind::Texture,
        FaultKind::BadArguments,
    ];

    /// The kind with this name.
    pub fn named(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name, for programs to read.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::OutOfBounds => "out-of-bounds",
            FaultKind::Misaligned => "misaligned",
            FaultKind::Null => "null-pointer",
            FaultKind::UseAfterFree => "use-after-free",
            FaultKind::BadFree => "bad-free",
            FaultKind::Deadlock => "deadlock",
            FaultKind::BarrierDivergence => "barrier-divergence",
            FaultKind::Mbarrier => "mbarrier",
            FaultKind::NoMbarrier => "uninitialized-mbarrier",
            FaultKind::TensorMap => "tensor-map",
            FaultKind::TilePlace => "tile-place",
            FaultKind::SurfacePlace => "surface-place",
            FaultKind::TensorMemory => "tensor-memory",
            FaultKind::LimitExceeded => "limit-exceeded",
            FaultKind::Trap => "trap",
            FaultKind::Assertion => "assertion",
            FaultKind::Unsupported => "unsupported",
            FaultKind::InstructionLimit => "instruction-limit",
            FaultKind::TimeLimit => "time-limit",
            FaultKind::StackOverflow => "stack-overflow",
            FaultKind::Texture => "texture",
            FaultKind::BadArguments => "bad-arguments",
        }
    }
}

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
        /// The nearest allocation, as text.
        nearest: String,
    },
    /// A range of host memory that cannot be registered.
    NotRegistrable {
        /// First byte.
        address: u64,
        /// Bytes.
        bytes: u64,
        /// Why not.
        why: String,
    },
    /// An image or sampler that is invalid for a texture or surface.
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
