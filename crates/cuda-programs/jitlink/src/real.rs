//! NVIDIA's own libraries, if installed: nvJitLink compiles LTO-IR to PTX on the host.
//!
//! A program that requests a cubin from NVRTC gets PTX instead, which the emulator's driver loads. If this library
//! is preloaded, its functions override NVRTC's functions for cubins and call NVRTC's functions for PTX.

use crate::linking::Input;
use libloading::os::unix;
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;

/// The environment variable that names the real library.
const VARIABLE: &str = "LANEWORK_NVJITLINK";

/// Paths of the real library: first the variable's value, then the folders of other CUDA libraries.
fn candidates() -> Vec<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let folders = ["/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"];
    let names = ["libnvJitLink.so.13", "libnvJitLink.so.12"];
    let installed = folders
        .iter()
        .flat_map(|folder| names.iter().map(move |name| PathBuf::from(folder).join(name)));
    named.into_iter().chain(installed).chain(from_python()).filter(|path| path.exists()).collect()
}

/// Libraries installed by pip: `nvidia/.../lib` in Python's package folders.
fn from_python() -> Vec<PathBuf> {
    let executable = std::env::current_exe().ok();
    let environment = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let arguments = std::env::args_os().next().map(PathBuf::from);
    let roots = [
        environment,
        executable.and_then(|path| Some(path.parent()?.parent()?.to_owned())),
        arguments.and_then(|path| Some(path.parent()?.parent()?.to_owned())),
    ];
    let mut found = Vec::new();
    for root in roots.into_iter().flatten() {
        let Ok(versions) = std::fs::read_dir(root.join("lib")) else { continue };
        for version in versions
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
        {
            let packages = version.path().join("site-packages/nvidia");
            for part in ["cu13/lib/libnvJitLink.so.13", "nvjitlink/lib/libnvJitLink.so.12"] {
                found.push(packages.join(part));
            }
        }
    }
    found
}

type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> i32;

type AddData = unsafe extern "C" fn(*mut c_void, i32, *const c_void, usize, *const c_char) -> i32;

type One = unsafe extern "C" fn(*mut c_void) -> i32;

type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> i32;

type Copy = unsafe extern "C" fn(*mut c_void, *mut c_char) -> i32;

/// Compiles LTO-IR to PTX. The result is then linked with other PTX, because the real library does not accept PTX
/// inputs for PTX output.
///
/// # Errors
/// A message if the library is missing, or its error log.
pub fn compile(options: &[String], inputs: &[Input]) -> Result<String, String> {
    let path = candidates().into_iter().next().ok_or_else(|| {
        format!("LTO-IR needs NVIDIA's nvJitLink, which is not installed; install it, or say where it is by {VARIABLE}")
    })?;
    let text = |why: libloading::Error| format!("{} is not nvJitLink: {why}", path.display());
    // SAFETY: loading nvJitLink runs no code with preconditions. The signatures are from its header; handles, buffers and sizes are created here and
    // outlive the calls.
    unsafe {
        let library = Library::new(&path).map_err(text)?;
        let create: Symbol<Create> = library.get(b"nvJitLinkCreate").map_err(text)?;
        let add: Symbol<AddData> = library.get(b"nvJitLinkAddData").map_err(text)?;
        let complete: Symbol<One> = library.get(b"nvJitLinkComplete").map_err(text)?;
        let size: Symbol<Size> = library.get(b"nvJitLinkGetLinkedPtxSize").map_err(text)?;
        let copy: Symbol<Copy> = library.get(b"nvJitLinkGetLinkedPtx").map_err(text)?;
        let error_size: Symbol<Size> = library.get(b"nvJitLinkGetErrorLogSize").map_err(text)?;
        let error: Symbol<Copy> = library.get(b"nvJitLinkGetErrorLog").map_err(text)?;

        let mut words: Vec<CString> =
            options.iter().filter_map(|option| CString::new(option.as_str()).ok()).collect();
        for wanted in [c"-lto", c"-ptx"] {
            if !words.iter().any(|word| word.as_c_str() == wanted) {
                words.push(wanted.to_owned());
            }
        }
        let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let mut handle = std::ptr::null_mut();
        if create(&mut handle, pointers.len() as u32, pointers.as_ptr()) != 0 {
            return Err("nvJitLink does not take the options".to_owned());
        }
        let fail = |handle: *mut c_void, what: &str| {
            let mut bytes = 0;
            error_size(handle, &mut bytes);
            let mut log = vec![0u8; bytes.max(1)];
            error(handle, log.as_mut_ptr().cast());
            Err(format!("{what}: {}", String::from_utf8_lossy(&log).trim_end_matches('\0')))
        };
        for input in inputs {
            if add(
                handle,
                input.kind,
                input.data.as_ptr().cast(),
                input.data.len(),
                std::ptr::null(),
            ) != 0
            {
                return fail(handle, "nvJitLink refuses an input");
            }
        }
        if complete(handle) != 0 {
            return fail(handle, "nvJitLink fails");
        }
        let mut bytes = 0;
        if size(handle, &mut bytes) != 0 {
            return fail(handle, "nvJitLink gives no PTX");
        }
        let mut linked = vec![0u8; bytes];
        copy(handle, linked.as_mut_ptr().cast());
        Ok(String::from_utf8_lossy(&linked).trim_end_matches('\0').to_owned())
    }
}

/// NVRTC's `NVRTC_ERROR_INTERNAL_ERROR`.
const INTERNAL_ERROR: i32 = 11;

/// `RTLD_NEXT`: search the libraries loaded after this one.
const NEXT: *mut c_void = -1isize as *mut c_void;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// NVRTC's own function of this name, if NVRTC is loaded.
fn real(name: &CStr) -> Option<*mut c_void> {
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
