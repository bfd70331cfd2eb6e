//! What can go wrong: while loading a module, in host access to memory, and in a running kernel.

mod kind;
mod memory_error;

use crate::event::AccessKind;
use lanework_ptx_ir::error::text_place;
use lanework_ptx_ir::kernel::MemorySpace;
use std::fmt;

pub use kind::FaultKind;
pub use lanework_ptx_ir::error::{LoadError, SourceLocation};
pub use memory_error::MemoryError;

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
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What happened, in one line.
    pub message: String,
    /// The source position of the instruction, where the module tells.
    pub location: Option<SourceLocation>,
    /// The file of the PTX text, where it is known.
    pub text_file: Option<String>,
    /// The line in the PTX text, 0 when unknown.
    pub text_line: u32,
    /// The calls that the instruction is inside of, the innermost first.
    pub callers: Vec<SourceLocation>,
    /// The instruction, as PTX writes its name; empty when there is none.
    pub instruction: String,
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread in the block.
    pub thread: [u32; 3],
    /// The address accessed, for memory faults.
    pub address: Option<u64>,
    /// The size of the access in bytes, 0 when there is none.
    pub size: u32,
    /// The allocation nearest to the address.
    pub allocation: Option<NearAllocation>,
    /// What to do about it.
    pub help: String,
}

impl Fault {
    /// A fault that has no place in a kernel.
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
            write!(f, "\n   = in the launch of `{}`", self.kernel)?;
        } else {
            let ([x, y, z], [bx, by, bz]) = (self.thread, self.block);
            write!(f, "\n   = thread ({x},{y},{z}) of block ({bx},{by},{bz})")?;
            write!(f, " in `{}`", self.kernel)?;
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
    /// What kind.
    pub kind: FaultKind,
    /// The lane.
    pub lane: u32,
    /// The guest address, if it has to do with one.
    pub address: Option<u64>,
    /// Bytes accessed.
    pub bytes: u32,
    /// The space accessed.
    pub space: MemorySpace,
    /// What the access did.
    pub access: Option<AccessKind>,
    /// More in words.
    pub note: String,
}

impl RawFault {
    /// A fault of executing lanes that has to do with no address; the lowest of them stands for all.
    pub fn of_lanes(kind: FaultKind, space: MemorySpace, mask: u32, note: String) -> RawFault {
        let lane = mask.trailing_zeros() & 31;
        RawFault { kind, lane, address: None, bytes: 0, space, access: None, note }
    }
}

/// A fault and where it happened.
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
