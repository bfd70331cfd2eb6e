//! The driver library: loaded and initialized once; descriptions of its error codes.

pub(crate) mod error;
pub(crate) mod ledger;
pub(crate) mod library;
pub(crate) mod sys;

use std::ffi::CStr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use self::sys::CUresult;

use crate::CudaError;

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
/// [`CudaError::Unavailable`] when there is no driver, no GPU, or the two are incompatible.
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

/// Whether the driver exports a function. Call only after the library was found.
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

/// Turns a result code into an error, without looking for lost contexts.
pub(crate) fn check(result: CUresult, call: &'static str) -> Result<(), CudaError> {
    if result == CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let (name, text) = describe(result);
    Err(CudaError::Driver { call, code: result.0, name, text })
}

/// Whether the error destroys the context it occurs in.
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

// SAFETY: the driver API may be called from any thread with any handle; what is not thread-safe
// (launching one executable graph twice at once) is locked where it is used.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: the pointer is never followed on the host, and the driver locks what its calls share; see `Send`.
unsafe impl<T> Sync for Handle<T> {}

/// Locks, ignoring poison: every table here is valid between its updates.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
