//! The driver library, loaded and initialized once, and the errors of the GPU backend: what, where, the nearest cause,
//! and the remedy.

pub(crate) mod ledger;
pub(crate) mod library;
pub(crate) mod sys;

use self::sys::CUresult;
use ledger::Suspects;
use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Functions this crate requires; every driver since CUDA 11.4 has them.
const REQUIRED: [&str; 12] = [
    "cuInit",
    "cuCtxSetCurrent",
    "cuDevicePrimaryCtxRetain",
    "cuMemAlloc_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyDtoH_v2",
    "cuModuleLoadDataEx",
    "cuLaunchKernel",
    "cuStreamBeginCapture_v2",
    "cuGraphInstantiateWithFlags",
    "cuEventElapsedTime",
    "cuMemHostAlloc",
];

/// Loads the driver, checks it and initializes it; later calls return the first result.
///
/// # Errors
/// [`CudaError::Unavailable`] if there is no driver, no GPU, or the two are incompatible.
pub(crate) fn start() -> Result<(), CudaError> {
    static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
    STARTED.get_or_init(probe).clone().map_err(|why| CudaError::Unavailable { why })
}

fn probe() -> Result<(), String> {
    if sys::library().is_none() {
        return Err("the NVIDIA driver library (libcuda.so.1) was not found; install the NVIDIA driver, or use the emulator".into());
    }
    if let Some(missing) = REQUIRED.iter().find(|name| !has(name)) {
        return Err(format!(
            "the NVIDIA driver is too old: it lacks {missing}; install one for CUDA 11.4 or later"
        ));
    }
    // SAFETY: cuInit takes no pointers and was found above.
    let result = unsafe { sys::cuInit(0) };
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let (name, text) = describe(result);
    let remedy = match result {
        CUresult::CUDA_ERROR_NO_DEVICE => "check `nvidia-smi` and CUDA_VISIBLE_DEVICES",
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            "the library found is the toolkit's stub; take its folder out of LD_LIBRARY_PATH"
        }
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "the library and the kernel module differ in version; restart the machine after an update"
        }
        _ => "check `nvidia-smi`",
    };
    Err(format!("the driver failed to initialize: {text} ({name}); {remedy}"))
}

/// Whether the driver exports a function. Call only after [`start`] found the library.
pub(crate) fn has(function: &str) -> bool {
    // SAFETY: the symbol is only looked up, never called.
    let found = |library: &libloading::Library| unsafe {
        library.get::<*const ()>(function.as_bytes()).is_ok()
    };
    sys::library().is_some_and(found)
}

/// The driver's name and description of an error code.
pub(crate) fn describe(result: CUresult) -> (String, String) {
    let mut name = std::ptr::null();
    let mut text = std::ptr::null();
    // SAFETY: both functions store a pointer to a static, NUL-terminated string, or null.
    unsafe {
        let _ = sys::cuGetErrorName(result, &mut name);
        let _ = sys::cuGetErrorString(result, &mut text);
    }
    let owned = |string: *const std::ffi::c_char, otherwise: &str| {
        if string.is_null() {
            return otherwise.to_string();
        }
        // SAFETY: not null, hence the driver's static string.
        unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
    };
    (owned(name, "unknown error"), owned(text, "no description"))
}

/// Converts a result code to an error. Does not detect lost contexts.
pub(crate) fn check(result: CUresult, call: &'static str) -> Result<(), CudaError> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let (name, text) = describe(result);
    Err(CudaError::Driver { call, code: result.0, name, text })
}

/// Whether the error destroys its context.
pub(crate) fn loses_context(result: CUresult) -> bool {
    use CUresult as R;
    matches!(
        result,
        R::CUDA_ERROR_ILLEGAL_ADDRESS
            | R::CUDA_ERROR_LAUNCH_TIMEOUT
            | R::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | R::CUDA_ERROR_ASSERT
            | R::CUDA_ERROR_HARDWARE_STACK_ERROR
            | R::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | R::CUDA_ERROR_MISALIGNED_ADDRESS
            | R::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | R::CUDA_ERROR_INVALID_PC
            | R::CUDA_ERROR_LAUNCH_FAILED
            | R::CUDA_ERROR_ECC_UNCORRECTABLE
            | R::CUDA_ERROR_NVLINK_UNCORRECTABLE
    )
}

/// A description of a fault for a kernel's author.
pub(crate) fn fault_words(result: CUresult) -> String {
    use CUresult as R;
    let (name, text) = describe(result);
    let words = match result {
        R::CUDA_ERROR_ILLEGAL_ADDRESS => "a load or store outside every allocation",
        R::CUDA_ERROR_MISALIGNED_ADDRESS => "a misaligned load or store",
        R::CUDA_ERROR_ILLEGAL_INSTRUCTION => "an illegal instruction",
        R::CUDA_ERROR_INVALID_ADDRESS_SPACE => "an instruction used on the wrong memory space",
        R::CUDA_ERROR_LAUNCH_FAILED => "a trap or an unspecified failure",
        R::CUDA_ERROR_ASSERT => "a failed device assertion",
        R::CUDA_ERROR_LAUNCH_TIMEOUT => "a kernel that ran past the display's time limit",
        _ => &text,
    };
    format!("{words} ({name})")
}

/// A driver handle: an opaque token the driver checks and locks for itself.
#[derive(Debug)]
pub(crate) struct Handle<T>(pub *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: any thread may call the driver API with any handle. The one exception, concurrent launches of one executable
// graph, is under a lock.
unsafe impl<T> Send for Handle<T> {}

// SAFETY: the pointer is never followed on the host, and the driver locks what its calls share; see `Send`.
unsafe impl<T> Sync for Handle<T> {}

/// Locks, ignoring poison: every table here is valid between its updates.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An error of the GPU backend. Its text names the cause and the remedy. Boxed strings keep the type small, because
/// every call returns it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CudaError {
    /// This machine has no usable driver.
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

    /// The GPU is out of memory.
    OutOfMemory {
        /// Requested bytes.
        requested: usize,
        /// Bytes free when the allocation failed.
        free: usize,
        /// Total bytes of the GPU.
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

    /// A launch exceeds a limit; it did not reach the GPU.
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

    /// A kernel failed on the GPU. A later call reports it and names the launch.
    Fault {
        /// The fault as text, with the driver's name for it.
        error: String,
        /// The launches that may have raised it.
        suspects: Suspects,
    },

    /// An earlier fault destroyed the context.
    ContextLost {
        /// The first line of that fault's error.
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
    /// The error's first line, which later errors quote.
    pub(crate) fn headline(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_string()
    }

    /// Whether the GPU context is lost. Only a new process can then use the GPU.
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
