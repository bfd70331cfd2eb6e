//! The functions of nvJitLink, and their exported names: plain ones, which programs look up, and versioned ones, which
//! `nvJitLink.h` uses.

use crate::linking::{Input, Linker, Outcome, known};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a call without unwinding into C.
fn call(body: impl FnOnce() -> Outcome) -> i32 {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(Outcome::Internal) as i32
}

/// The linker of a handle.
///
/// # Safety
/// The handle is null, or `create` made it and `destroy` has not freed it.
unsafe fn linker<'a>(handle: *mut c_void) -> Option<&'a mut Linker> {
    // SAFETY: null becomes `None`; otherwise `create` made the pointer from a `Box<Linker>` that still lives, and only
    // one thread at a time uses an nvJitLink handle.
    unsafe { handle.cast::<Linker>().as_mut() }
}

/// Creates a linker with options such as `-arch=sm_90` and `-ptx`.
pub unsafe extern "C" fn create(
    handle: *mut *mut c_void,
    count: u32,
    options: *const *const c_char,
) -> i32 {
    call(|| {
        if handle.is_null() {
            return Outcome::NullInput;
        }
        if options.is_null() && count != 0 {
            return Outcome::NullInput;
        }
        let options = (0..count as usize).map(|index| {
            // SAFETY: not null, and the caller passes `count` options, which are zero-terminated unless they are null.
            unsafe {
                let option = options.add(index).read();
                (!option.is_null()).then(|| CStr::from_ptr(option).to_string_lossy().into_owned())
            }
        });
        let Some(options) = options.collect::<Option<Vec<String>>>() else {
            return Outcome::NullInput;
        };
        if !options.iter().all(|option| known(option)) {
            return Outcome::UnrecognizedOption;
        }
        let made = Box::new(Linker::new(options));
        // SAFETY: not null (checked above), so by nvJitLink's contract memory for a handle.
        unsafe { handle.write(Box::into_raw(made).cast()) };
        Outcome::Success
    })
}

/// Destroys a linker.
pub unsafe extern "C" fn destroy(handle: *mut *mut c_void) -> i32 {
    call(|| {
        // SAFETY: null becomes `None`; otherwise by nvJitLink's contract memory that holds a handle.
        match unsafe { handle.as_mut() } {
            Some(linker) if !linker.is_null() => {
                // SAFETY: `create` made it, and the handle is nulled below so that it is freed once.
                drop(unsafe { Box::from_raw(linker.cast::<Linker>()) });
                *linker = std::ptr::null_mut();
                Outcome::Success
            }
            _ => Outcome::NullInput,
        }
    })
}

/// Adds an input.
pub unsafe extern "C" fn add_data(
    handle: *mut c_void,
    kind: i32,
    data: *const c_void,
    bytes: usize,
    name: *const c_char,
) -> i32 {
    call(|| {
        // SAFETY: the caller passes null or a live handle.
        let Some(linker) = (unsafe { linker(handle) }) else { return Outcome::NullInput };
        if data.is_null() {
            return Outcome::NullInput;
        }
        // SAFETY: not null, and the caller passes `bytes` bytes.
        let data = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) }.to_vec();
        // A missing name is allowed.
        let name = if name.is_null() {
            String::new()
        } else {
            // SAFETY: not null, and names are zero-terminated.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        };
        linker.add(Input { kind, data, name })
    })
}

/// Adds a file.
pub unsafe extern "C" fn add_file(handle: *mut c_void, kind: i32, file: *const c_char) -> i32 {
    call(|| {
        // SAFETY: the caller passes null or a live handle.
        let Some(linker) = (unsafe { linker(handle) }) else { return Outcome::NullInput };
        if file.is_null() {
            return Outcome::NullInput;
        }
        // SAFETY: not null, and file names are zero-terminated.
        let name = unsafe { CStr::from_ptr(file) }.to_string_lossy().into_owned();
        match std::fs::read(&name) {
            Ok(data) => linker.add(Input { kind, data, name }),
            Err(why) => {
                linker.refuse(Outcome::InvalidInput, format!("{name} cannot be read: {why}"))
            }
        }
    })
}

/// Links all inputs.
pub unsafe extern "C" fn complete(handle: *mut c_void) -> i32 {
    call(|| {
        // SAFETY: the caller passes null or a live handle.
        unsafe { linker(handle) }.map_or(Outcome::NullInput, Linker::complete)
    })
}

/// Reports version 13.0.
pub unsafe extern "C" fn version(major: *mut u32, minor: *mut u32) -> i32 {
    call(|| {
        // SAFETY: null becomes `None`; otherwise by nvJitLink's contract memory for the numbers.
        match unsafe { (major.as_mut(), minor.as_mut()) } {
            (Some(major), Some(minor)) => {
                (*major, *minor) = (13, 0);
                Outcome::Success
            }
            _ => Outcome::NullInput,
        }
    })
}

/// Stores the size of a result.
///
/// # Safety
/// `handle` is null or live; `size` is null or valid for a write.
unsafe fn size_of_result(
    handle: *mut c_void,
    size: *mut usize,
    result: fn(&Linker) -> &[u8],
) -> i32 {
    call(|| {
        // SAFETY: the contract of this function.
        match unsafe { (linker(handle), size.as_mut()) } {
            (Some(linker), Some(size)) => {
                *size = result(linker).len();
                Outcome::Success
            }
            _ => Outcome::NullInput,
        }
    })
}

/// Copies a result to a buffer of its size.
///
/// # Safety
/// `handle` is null or live; `to` is null or has as many bytes as the result.
unsafe fn copy_result(handle: *mut c_void, to: *mut c_char, result: fn(&Linker) -> &[u8]) -> i32 {
    call(|| {
        // SAFETY: the contract of this function.
        match unsafe { linker(handle) } {
            Some(linker) if !to.is_null() => {
                let bytes = result(linker);
                // SAFETY: not null, and the caller allocates the size that the matching size function stored.
                unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                Outcome::Success
            }
            _ => Outcome::NullInput,
        }
    })
}

macro_rules! results {
    ($($size:ident $copy:ident $result:expr, $doc:literal;)*) => {$(
        #[doc = concat!("Stores the size of ", $doc, ".")]
        pub unsafe extern "C" fn $size(handle: *mut c_void, size: *mut usize) -> i32 {
            // SAFETY: the caller passes null or a live handle, and null or memory for a size.
            unsafe { size_of_result(handle, size, $result) }
        }

        #[doc = concat!("Copies ", $doc, ".")]
        pub unsafe extern "C" fn $copy(handle: *mut c_void, to: *mut c_char) -> i32 {
            // SAFETY: the caller passes null or a live handle, and null or a buffer of the result's size.
            unsafe { copy_result(handle, to, $result) }
        }
    )*};
}

results! {
    cubin_size cubin |linker| &linker.linked, "the linked code, which is PTX";
    ptx_size ptx |linker| &linker.linked, "the linked PTX";
    ltoir_size ltoir |_| &[], "linked LTO-IR, of which there is none";
    error_log_size error_log |linker| &linker.errors, "the errors";
    info_log_size info_log |_| b"\0", "the information log, which is empty";
}

/// Exports a function by its plain name and by the name of each version of nvJitLink.
macro_rules! names {
    ($($function:ident $arguments:tt: $name:literal;)*) => {$(
        names!(@ $function $arguments $name: "12_0" "12_1" "12_2" "12_3" "12_4" "12_5" "12_6" "12_7" "12_8" "12_9"
            "13_0" "13_1" "13_2" "13_3" "13_4" "13_5");
        names!(@ $function $arguments, $name);
    )*};
    (@ $function:ident $arguments:tt $name:literal: $($version:literal)*) => {
        $(names!(@ $function $arguments, concat!("__", $name, "_", $version));)*
    };
    (@ $function:ident ($($argument:ident: $type:ty),*), $name:expr) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            unsafe extern "C" fn exported($($argument: $type),*) -> i32 {
                // SAFETY: forwards the arguments that this function's own caller passed.
                unsafe { $function($($argument),*) }
            }
        };
    };
}

names! {
    create(handle: *mut *mut c_void, count: u32, options: *const *const c_char): "nvJitLinkCreate";
    destroy(handle: *mut *mut c_void): "nvJitLinkDestroy";
    add_data(handle: *mut c_void, kind: i32, data: *const c_void, bytes: usize, name: *const c_char): "nvJitLinkAddData";
    add_file(handle: *mut c_void, kind: i32, file: *const c_char): "nvJitLinkAddFile";
    complete(handle: *mut c_void): "nvJitLinkComplete";
    cubin_size(handle: *mut c_void, size: *mut usize): "nvJitLinkGetLinkedCubinSize";
    cubin(handle: *mut c_void, to: *mut c_char): "nvJitLinkGetLinkedCubin";
    ptx_size(handle: *mut c_void, size: *mut usize): "nvJitLinkGetLinkedPtxSize";
    ptx(handle: *mut c_void, to: *mut c_char): "nvJitLinkGetLinkedPtx";
    ltoir_size(handle: *mut c_void, size: *mut usize): "nvJitLinkGetLinkedLTOIRSize";
    ltoir(handle: *mut c_void, to: *mut c_char): "nvJitLinkGetLinkedLTOIR";
    error_log_size(handle: *mut c_void, size: *mut usize): "nvJitLinkGetErrorLogSize";
    error_log(handle: *mut c_void, to: *mut c_char): "nvJitLinkGetErrorLog";
    info_log_size(handle: *mut c_void, size: *mut usize): "nvJitLinkGetInfoLogSize";
    info_log(handle: *mut c_void, to: *mut c_char): "nvJitLinkGetInfoLog";
}

names!(@ version(major: *mut u32, minor: *mut u32), "nvJitLinkVersion");
