//! NVRTC's functions for machine code. A program that asks NVRTC for a cubin gets PTX instead, which the emulator's driver loads. When this
//! library is preloaded, its functions override NVRTC's, and call NVRTC's functions for PTX.

use std::ffi::{CStr, c_char, c_void};

/// NVRTC's `NVRTC_ERROR_INTERNAL_ERROR`.
const INTERNAL_ERROR: i32 = 11;
/// `RTLD_NEXT`: search the libraries loaded after this one.
const NEXT: *mut c_void = -1isize as *mut c_void;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// NVRTC's own function of a name, if NVRTC is loaded.
fn real(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string.
    let found = unsafe { dlsym(NEXT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// Calls an NVRTC function that takes a program and an output pointer.
///
/// # Safety
/// `program` and `to` are valid for the NVRTC function `name`.
unsafe fn forward<T>(name: &CStr, program: *mut c_void, to: *mut T) -> i32 {
    let Some(function) = real(name) else { return INTERNAL_ERROR };
    // SAFETY: NVRTC's functions of these names have this signature, and the arguments are valid by contract.
    unsafe {
        let function: unsafe extern "C" fn(*mut c_void, *mut T) -> i32 =
            std::mem::transmute(function);
        function(program, to)
    }
}

/// NVRTC's `nvrtcGetCUBINSize`: the size of the PTX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetCUBINSize(program: *mut c_void, bytes: *mut usize) -> i32 {
    // SAFETY: the caller passes the arguments of `nvrtcGetPTXSize`, which has the same ones.
    unsafe { forward(c"nvrtcGetPTXSize", program, bytes) }
}

/// NVRTC's `nvrtcGetCUBIN`: the PTX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvrtcGetCUBIN(program: *mut c_void, to: *mut c_char) -> i32 {
    // SAFETY: the caller passes the arguments of `nvrtcGetPTX`, which has the same ones.
    unsafe { forward(c"nvrtcGetPTX", program, to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_nvrtc_there_is_an_error() {
        let mut bytes = 7;
        // SAFETY: NVRTC is not loaded, so nothing is called.
        let code = unsafe { nvrtcGetCUBINSize(std::ptr::null_mut(), &mut bytes) };
        assert_eq!((code, bytes), (INTERNAL_ERROR, 7));
    }
}
