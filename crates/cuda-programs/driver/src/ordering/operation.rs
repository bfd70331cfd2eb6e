//! Operations of streams as findings name them.

use std::fmt;

/// A stream, as a user knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// The legacy default stream.
    Default,
    /// A thread's own default stream.
    PerThread,
    /// One that the program made.
    Created {
        /// Its place among the streams that the program made, from 1.
        number: u64,
        /// Whether it keeps the order of the default stream.
        blocking: bool,
    },
}

impl fmt::Display for StreamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamName::Default => f.write_str("the default stream"),
            StreamName::PerThread => f.write_str("a per-thread default stream"),
            StreamName::Created { number, .. } => write!(f, "stream {number}"),
        }
    }
}

/// Where an operation comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its stream.
    pub stream: StreamName,
    /// Whether the call is synchronous by its name: `cudaMemcpy`, not `cudaMemcpyAsync`.
    pub synchronous: bool,
    /// Whether it is a node of a graph.
    pub in_graph: bool,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Runs a kernel of a name; the number counts the launches of the process.
    Kernel(String, u64),
    /// Copies so many bytes, by a call.
    Copy(&'static str, u64),
    /// Copies so many bytes from pageable memory, by a call that is synchronous by its name.
    StagedCopy(u64),
    /// Fills so many bytes, by a call.
    Fill(&'static str, u64),
    /// Does what another call says.
    Call(&'static str),
    /// Allocates memory.
    Allocate,
    /// Frees memory.
    Free,
}

/// An operation of a stream.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does.
    pub action: Action,
    /// Its stream.
    pub stream: StreamName,
    /// Whether it may wait for what others write.
    pub polls: bool,
}

impl Operation {
    /// Whether it is a kernel.
    pub fn is_kernel(&self) -> bool {
        matches!(self.action, Action::Kernel(..))
    }

    /// The kernel or the call alone, which several operations may have in common.
    pub fn name(&self) -> &str {
        match &self.action {
            Action::Kernel(name, _) => name,
            Action::Copy(call, _) | Action::Fill(call, _) | Action::Call(call) => call,
            Action::StagedCopy(_) => "cudaMemcpy",
            Action::Allocate => "cudaMallocAsync",
            Action::Free => "cudaFreeAsync",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stream = &self.stream;
        match &self.action {
            Action::Kernel(name, number) => {
                write!(f, "kernel `{name}` (launch {number}, {stream})")
            }
            Action::StagedCopy(bytes) => {
                write!(f, "`cudaMemcpy` of {bytes} bytes from pageable memory ({stream})")
            }
            Action::Copy(call, bytes) | Action::Fill(call, bytes) => {
                write!(f, "`{call}` of {bytes} bytes ({stream})")
            }
            _ => write!(f, "`{}` ({stream})", self.name()),
        }
    }
}
