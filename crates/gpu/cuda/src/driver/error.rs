//! Errors of the GPU backend: what, where, the nearest cause, the remedy.

use crate::driver::ledger::Suspects;

/// An error of the GPU backend. Its text is complete: it names the cause and the remedy.
/// (Boxed strings keep it small, as every call returns it.)
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CudaError {
    /// No usable driver on this machine. `why` is one line.
    Unavailable {
        /// The cause and the remedy, in one line.
        why: String,
    },

    /// The machine has fewer GPUs than the index requires.
    NoSuchDevice {
        /// The requested index.
        index: usize,
        /// The number of GPUs that the driver lists.
        count: usize,
    },

    /// The driver or the GPU is too old for the request.
    Unsupported {
        /// The feature that is missing.
        what: String,
        /// The package that provides it.
        remedy: String,
    },

    /// The GPU's memory does not hold the allocation.
    OutOfMemory {
        /// Requested bytes.
        requested: usize,
        /// Bytes free when the allocation failed.
        free: usize,
        /// Bytes the GPU has.
        total: usize,
    },

    /// A host access to GPU memory outside every live allocation.
    Address {
        /// The rejected operation.
        operation: &'static str,
        /// First requested byte.
        address: u64,
        /// Requested bytes.
        bytes: usize,
        /// A description of the nearest live or freed allocation.
        nearest: String,
    },

    /// The driver's assembler rejected a module.
    Compile {
        /// The name given to the module.
        module: Box<str>,
        /// The driver's error message.
        reason: Box<str>,
        /// The offending lines of PTX, with line numbers; empty when the log names none.
        excerpt: Box<str>,
        /// The assembler's error log.
        log: Box<str>,
        /// The remedy.
        remedy: Box<str>,
    },

    /// A module has no function or variable of the name.
    NoSuchSymbol {
        /// `kernel` or `variable`.
        kind: &'static str,
        /// The requested name.
        name: String,
        /// The module's name.
        module: String,
        /// The existing names, as text.
        available: String,
    },

    /// A launch was rejected before it reached the GPU, as it exceeds a limit.
    Limit {
        /// The kernel's name.
        kernel: Box<str>,
        /// The quantity at fault.
        what: Box<str>,
        /// The requested value.
        asked: Box<str>,
        /// The largest value allowed, or the violated rule.
        limit: Box<str>,
        /// The remedy.
        remedy: Box<str>,
    },

    /// The arguments of a launch do not fit the kernel's parameters.
    Arguments {
        /// The kernel's name.
        kernel: String,
        /// The mismatch, as text.
        what: String,
    },

    /// A kernel failed on the GPU. Found at a later call, attributed to its launch.
    Fault {
        /// The fault as text, with the driver's name for it.
        error: String,
        /// The launches that may have raised it.
        suspects: Suspects,
    },

    /// The context was lost to an earlier fault.
    ContextLost {
        /// The first line of the error that lost it.
        cause: String,
    },

    /// Two objects of different GPUs were used together.
    WrongGpu {
        /// The object at fault.
        what: String,
    },

    /// Work could not be captured into a graph.
    Capture {
        /// The cause and the remedy.
        why: String,
    },

    /// An invalid request, detected before the driver call.
    Invalid {
        /// The mistake and the remedy.
        what: String,
    },

    /// Any other error of the driver.
    Driver {
        /// The driver function.
        call: &'static str,
        /// The driver's error code.
        code: u32,
        /// The driver's name for it.
        name: String,
        /// The driver's description.
        text: String,
    },
}

impl std::fmt::Display for CudaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CudaError::Unavailable { why } => write!(f, "no CUDA GPU can be used: {why}"),
            CudaError::NoSuchDevice { index, count } => {
                write!(f, "there is no GPU {index}: this machine has {count}, numbered from 0")
            }
            CudaError::Unsupported { what, remedy } => {
                write!(f, "{what} is not supported here\n  = help: {remedy}")
            }
            CudaError::OutOfMemory { requested, free, total } => write!(
                f,
                "out of GPU memory: {requested} bytes requested, {free} of {total} bytes are free\n  \
         = help: free buffers first, or use a smaller size"
            ),
            CudaError::Address { operation, address, bytes, nearest } => write!(
                f,
                "bad GPU address in {operation}: {bytes} bytes at {address:#x}\n  = note: {nearest}"
            ),
            CudaError::Compile { module, reason, excerpt, log, remedy } => write!(
                f,
                "the driver could not compile module `{module}`: {reason}{excerpt}\n{log}\n  = help: {remedy}"
            ),
            CudaError::NoSuchSymbol { kind, name, module, available } => {
                write!(f, "module `{module}` has no {kind} `{name}`\n  = help: it has {available}")
            }
            CudaError::Limit { kernel, what, asked, limit, remedy } => write!(
                f,
                "invalid launch of `{kernel}`: {what} is {asked}, the limit is {limit}\n  = help: {remedy}"
            ),
            CudaError::Arguments { kernel, what } => {
                write!(f, "invalid launch of `{kernel}`: {what}")
            }
            CudaError::Fault { error, suspects } => {
                write!(
                    f,
                    "{error} on the GPU, in {suspects}\n  = note: the GPU context is lost: every later call on this GPU fails, and its memory cannot be read\n  = help: {}",
                    crate::driver::ledger::remedy(suspects)
                )
            }
            CudaError::ContextLost { cause } => write!(
                f,
                "the GPU context was lost to an earlier fault: {cause}\n  = help: end this process and start it again"
            ),
            CudaError::WrongGpu { what } => write!(
                f,
                "{what} belongs to another GPU\n  = help: create it from the `Gpu` it is used with"
            ),
            CudaError::Capture { why } => write!(f, "graph capture failed: {why}"),
            CudaError::Invalid { what } => write!(f, "{what}"),
            CudaError::Driver { call, code, name, text } => {
                write!(f, "the CUDA driver call {call} failed: {text} ({name}, code {code})")
            }
        }
    }
}

impl std::error::Error for CudaError {}

impl CudaError {
    /// The error's first line, to be quoted by later errors.
    pub(crate) fn headline(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_string()
    }

    /// Whether the GPU context is lost, so that only a new process can use the GPU again.
    pub fn context_lost(&self) -> bool {
        matches!(self, CudaError::Fault { .. } | CudaError::ContextLost { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_small() {
        assert!(size_of::<CudaError>() < 128, "{} bytes", size_of::<CudaError>());
    }

    #[test]
    fn every_text_names_the_cause_and_the_remedy() {
        let error = CudaError::OutOfMemory { requested: 10, free: 3, total: 8 };
        assert_eq!(
            error.to_string(),
            "out of GPU memory: 10 bytes requested, 3 of 8 bytes are free\n  \
             = help: free buffers first, or use a smaller size"
        );
        assert!(!error.context_lost());
        assert!(CudaError::ContextLost { cause: "x".into() }.context_lost());
    }
}
