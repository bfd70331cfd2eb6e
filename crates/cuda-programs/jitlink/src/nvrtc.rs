//! NVRTC of the process. A program that requests a cubin from NVRTC gets PTX instead, which the emulator's driver loads.
//! If this library is preloaded, its functions override NVRTC's functions for cubins and call NVRTC's functions for PTX.

use libloading::os::unix;
use std::ffi::{CStr, c_char, c_void};

/// NVRTC's `NVRTC_ERROR_INTERNAL_ERROR`.
const INTERNAL_ERROR: i32 = 11;

/// `RTLD_NEXT`: search the libraries loaded after this one.
const NEXT: *mut c_void = -1isize as *mut c_void;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// NVRTC's own function of this name, if NVRTC is loaded.
pub fn real(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string.
    let found = unsafe { dlsym(NEXT, name.as_ptr()) };
    if found.is_null() { in_local_library(name) } else { Some(found) }
}

/// A function of an NVRTC that was loaded with `RTLD_LOCAL`, as Python loads extensions and what they need:
/// `RTLD_NEXT` does not search it.
fn in_local_library(name: &CStr) -> Option<*mut c_void> {
    /// `RTLD_NOLOAD`: only a library that is loaded already.
    const LOADED: i32 = 4;
    let map = std::fs::read_to_string("/proc/self/maps").ok()?;
    let is_nvrtc = |path: &&str| {
        path.rsplit_once('/').is_some_and(|(_, file)| file.starts_with("libnvrtc.so"))
    };
    let mut paths = map.lines().filter_map(|line| line.splitn(6, ' ').nth(5)).map(str::trim);
    let path = paths.find(is_nvrtc)?;
    // SAFETY: the library is loaded already, so no code of it runs.
    let library = unsafe { unix::Library::open(Some(path), unix::RTLD_LAZY | LOADED) }.ok()?;
    // SAFETY: the symbol is only used as an address. It stays valid because whoever loaded the library keeps it.
    let function = unsafe { library.get::<*mut c_void>(name.to_bytes_with_nul()) }.ok()?;
    Some(*function)
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

    #[test]
    fn an_nvrtc_that_was_loaded_locally_is_found() {
        let folder =
            std::env::temp_dir().join(format!("lanework-local-nvrtc-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (source, library) = (folder.join("nvrtc.c"), folder.join("libnvrtc.so.13"));
        std::fs::write(&source, "int nvrtcLocalAnswer(void) { return 42; }").expect("a file");
        let made = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(&source)
            .status();
        if !made.is_ok_and(|status| status.success()) {
            return lanework_testing::skip("a local NVRTC", "there is no C compiler");
        }
        assert!(real(c"nvrtcLocalAnswer").is_none());
        // SAFETY: the library has no initialization.
        let open =
            unsafe { unix::Library::open(Some(&library), unix::RTLD_LAZY | unix::RTLD_LOCAL) };
        let _open = open.expect("a library");
        let found = real(c"nvrtcLocalAnswer").expect("a function");
        // SAFETY: the function takes nothing and returns an `int`.
        let answer = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> i32>(found)() };
        std::fs::remove_dir_all(&folder).expect("a folder");
        assert_eq!(answer, 42);
    }
}
