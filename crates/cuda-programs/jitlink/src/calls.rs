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

macro_rules! names {
    (($($argument:ident: $type:ty),*) $function:ident: $first:ident $($name:ident)*) => {
        #[unsafe(no_mangle)]
        #[doc = concat!("nvJitLink's `", stringify!($first), "`.")]
        pub unsafe extern "C" fn $first($($argument: $type),*) -> i32 {
            // SAFETY: forwards the arguments that this function's own caller passed.
            unsafe { crate::calls::$function($($argument),*) }
        }
        names!(($($argument: $type),*) $function: $($name)*);
    };
    (($($argument:ident: $type:ty),*) $function:ident:) => {};
}

names!((handle: *mut *mut c_void, count: u32, options: *const *const c_char) create:
    nvJitLinkCreate __nvJitLinkCreate_12_0 __nvJitLinkCreate_12_1 __nvJitLinkCreate_12_2 __nvJitLinkCreate_12_3
    __nvJitLinkCreate_12_4 __nvJitLinkCreate_12_5 __nvJitLinkCreate_12_6 __nvJitLinkCreate_12_7 __nvJitLinkCreate_12_8
    __nvJitLinkCreate_12_9 __nvJitLinkCreate_13_0 __nvJitLinkCreate_13_1 __nvJitLinkCreate_13_2 __nvJitLinkCreate_13_3
    __nvJitLinkCreate_13_4 __nvJitLinkCreate_13_5
);

names!((handle: *mut *mut c_void) destroy:
    nvJitLinkDestroy __nvJitLinkDestroy_12_0 __nvJitLinkDestroy_12_1 __nvJitLinkDestroy_12_2 __nvJitLinkDestroy_12_3
    __nvJitLinkDestroy_12_4 __nvJitLinkDestroy_12_5 __nvJitLinkDestroy_12_6 __nvJitLinkDestroy_12_7
    __nvJitLinkDestroy_12_8 __nvJitLinkDestroy_12_9 __nvJitLinkDestroy_13_0 __nvJitLinkDestroy_13_1
    __nvJitLinkDestroy_13_2 __nvJitLinkDestroy_13_3 __nvJitLinkDestroy_13_4 __nvJitLinkDestroy_13_5
);

names!((handle: *mut c_void, kind: i32, data: *const c_void, bytes: usize, name: *const c_char) add_data:
    nvJitLinkAddData __nvJitLinkAddData_12_0 __nvJitLinkAddData_12_1 __nvJitLinkAddData_12_2 __nvJitLinkAddData_12_3
    __nvJitLinkAddData_12_4 __nvJitLinkAddData_12_5 __nvJitLinkAddData_12_6 __nvJitLinkAddData_12_7
    __nvJitLinkAddData_12_8 __nvJitLinkAddData_12_9 __nvJitLinkAddData_13_0 __nvJitLinkAddData_13_1
    __nvJitLinkAddData_13_2 __nvJitLinkAddData_13_3 __nvJitLinkAddData_13_4 __nvJitLinkAddData_13_5
);

names!((handle: *mut c_void, kind: i32, file: *const c_char) add_file:
    nvJitLinkAddFile __nvJitLinkAddFile_12_0 __nvJitLinkAddFile_12_1 __nvJitLinkAddFile_12_2 __nvJitLinkAddFile_12_3
    __nvJitLinkAddFile_12_4 __nvJitLinkAddFile_12_5 __nvJitLinkAddFile_12_6 __nvJitLinkAddFile_12_7
    __nvJitLinkAddFile_12_8 __nvJitLinkAddFile_12_9 __nvJitLinkAddFile_13_0 __nvJitLinkAddFile_13_1
    __nvJitLinkAddFile_13_2 __nvJitLinkAddFile_13_3 __nvJitLinkAddFile_13_4 __nvJitLinkAddFile_13_5
);

names!((handle: *mut c_void) complete:
    nvJitLinkComplete __nvJitLinkComplete_12_0 __nvJitLinkComplete_12_1 __nvJitLinkComplete_12_2
    __nvJitLinkComplete_12_3 __nvJitLinkComplete_12_4 __nvJitLinkComplete_12_5 __nvJitLinkComplete_12_6
    __nvJitLinkComplete_12_7 __nvJitLinkComplete_12_8 __nvJitLinkComplete_12_9 __nvJitLinkComplete_13_0
    __nvJitLinkComplete_13_1 __nvJitLinkComplete_13_2 __nvJitLinkComplete_13_3 __nvJitLinkComplete_13_4
    __nvJitLinkComplete_13_5
);

names!((handle: *mut c_void, size: *mut usize) cubin_size:
    nvJitLinkGetLinkedCubinSize __nvJitLinkGetLinkedCubinSize_12_0 __nvJitLinkGetLinkedCubinSize_12_1
    __nvJitLinkGetLinkedCubinSize_12_2 __nvJitLinkGetLinkedCubinSize_12_3 __nvJitLinkGetLinkedCubinSize_12_4
    __nvJitLinkGetLinkedCubinSize_12_5 __nvJitLinkGetLinkedCubinSize_12_6 __nvJitLinkGetLinkedCubinSize_12_7
    __nvJitLinkGetLinkedCubinSize_12_8 __nvJitLinkGetLinkedCubinSize_12_9 __nvJitLinkGetLinkedCubinSize_13_0
    __nvJitLinkGetLinkedCubinSize_13_1 __nvJitLinkGetLinkedCubinSize_13_2 __nvJitLinkGetLinkedCubinSize_13_3
    __nvJitLinkGetLinkedCubinSize_13_4 __nvJitLinkGetLinkedCubinSize_13_5
);

names!((handle: *mut c_void, to: *mut c_char) cubin:
    nvJitLinkGetLinkedCubin __nvJitLinkGetLinkedCubin_12_0 __nvJitLinkGetLinkedCubin_12_1
    __nvJitLinkGetLinkedCubin_12_2 __nvJitLinkGetLinkedCubin_12_3 __nvJitLinkGetLinkedCubin_12_4
    __nvJitLinkGetLinkedCubin_12_5 __nvJitLinkGetLinkedCubin_12_6 __nvJitLinkGetLinkedCubin_12_7
    __nvJitLinkGetLinkedCubin_12_8 __nvJitLinkGetLinkedCubin_12_9 __nvJitLinkGetLinkedCubin_13_0
    __nvJitLinkGetLinkedCubin_13_1 __nvJitLinkGetLinkedCubin_13_2 __nvJitLinkGetLinkedCubin_13_3
    __nvJitLinkGetLinkedCubin_13_4 __nvJitLinkGetLinkedCubin_13_5
);

names!((handle: *mut c_void, size: *mut usize) ptx_size:
    nvJitLinkGetLinkedPtxSize __nvJitLinkGetLinkedPtxSize_12_0 __nvJitLinkGetLinkedPtxSize_12_1
    __nvJitLinkGetLinkedPtxSize_12_2 __nvJitLinkGetLinkedPtxSize_12_3 __nvJitLinkGetLinkedPtxSize_12_4
    __nvJitLinkGetLinkedPtxSize_12_5 __nvJitLinkGetLinkedPtxSize_12_6 __nvJitLinkGetLinkedPtxSize_12_7
    __nvJitLinkGetLinkedPtxSize_12_8 __nvJitLinkGetLinkedPtxSize_12_9 __nvJitLinkGetLinkedPtxSize_13_0
    __nvJitLinkGetLinkedPtxSize_13_1 __nvJitLinkGetLinkedPtxSize_13_2 __nvJitLinkGetLinkedPtxSize_13_3
    __nvJitLinkGetLinkedPtxSize_13_4 __nvJitLinkGetLinkedPtxSize_13_5
);

names!((handle: *mut c_void, to: *mut c_char) ptx:
    nvJitLinkGetLinkedPtx __nvJitLinkGetLinkedPtx_12_0 __nvJitLinkGetLinkedPtx_12_1 __nvJitLinkGetLinkedPtx_12_2
    __nvJitLinkGetLinkedPtx_12_3 __nvJitLinkGetLinkedPtx_12_4 __nvJitLinkGetLinkedPtx_12_5
    __nvJitLinkGetLinkedPtx_12_6 __nvJitLinkGetLinkedPtx_12_7 __nvJitLinkGetLinkedPtx_12_8
    __nvJitLinkGetLinkedPtx_12_9 __nvJitLinkGetLinkedPtx_13_0 __nvJitLinkGetLinkedPtx_13_1
    __nvJitLinkGetLinkedPtx_13_2 __nvJitLinkGetLinkedPtx_13_3 __nvJitLinkGetLinkedPtx_13_4
    __nvJitLinkGetLinkedPtx_13_5
);

names!((handle: *mut c_void, size: *mut usize) ltoir_size:
    nvJitLinkGetLinkedLTOIRSize __nvJitLinkGetLinkedLTOIRSize_12_0 __nvJitLinkGetLinkedLTOIRSize_12_1
    __nvJitLinkGetLinkedLTOIRSize_12_2 __nvJitLinkGetLinkedLTOIRSize_12_3 __nvJitLinkGetLinkedLTOIRSize_12_4
    __nvJitLinkGetLinkedLTOIRSize_12_5 __nvJitLinkGetLinkedLTOIRSize_12_6 __nvJitLinkGetLinkedLTOIRSize_12_7
    __nvJitLinkGetLinkedLTOIRSize_12_8 __nvJitLinkGetLinkedLTOIRSize_12_9 __nvJitLinkGetLinkedLTOIRSize_13_0
    __nvJitLinkGetLinkedLTOIRSize_13_1 __nvJitLinkGetLinkedLTOIRSize_13_2 __nvJitLinkGetLinkedLTOIRSize_13_3
    __nvJitLinkGetLinkedLTOIRSize_13_4 __nvJitLinkGetLinkedLTOIRSize_13_5
);

names!((handle: *mut c_void, to: *mut c_char) ltoir:
    nvJitLinkGetLinkedLTOIR __nvJitLinkGetLinkedLTOIR_12_0 __nvJitLinkGetLinkedLTOIR_12_1
    __nvJitLinkGetLinkedLTOIR_12_2 __nvJitLinkGetLinkedLTOIR_12_3 __nvJitLinkGetLinkedLTOIR_12_4
    __nvJitLinkGetLinkedLTOIR_12_5 __nvJitLinkGetLinkedLTOIR_12_6 __nvJitLinkGetLinkedLTOIR_12_7
    __nvJitLinkGetLinkedLTOIR_12_8 __nvJitLinkGetLinkedLTOIR_12_9 __nvJitLinkGetLinkedLTOIR_13_0
    __nvJitLinkGetLinkedLTOIR_13_1 __nvJitLinkGetLinkedLTOIR_13_2 __nvJitLinkGetLinkedLTOIR_13_3
    __nvJitLinkGetLinkedLTOIR_13_4 __nvJitLinkGetLinkedLTOIR_13_5
);

names!((handle: *mut c_void, size: *mut usize) error_log_size:
    nvJitLinkGetErrorLogSize __nvJitLinkGetErrorLogSize_12_0 __nvJitLinkGetErrorLogSize_12_1
    __nvJitLinkGetErrorLogSize_12_2 __nvJitLinkGetErrorLogSize_12_3 __nvJitLinkGetErrorLogSize_12_4
    __nvJitLinkGetErrorLogSize_12_5 __nvJitLinkGetErrorLogSize_12_6 __nvJitLinkGetErrorLogSize_12_7
    __nvJitLinkGetErrorLogSize_12_8 __nvJitLinkGetErrorLogSize_12_9 __nvJitLinkGetErrorLogSize_13_0
    __nvJitLinkGetErrorLogSize_13_1 __nvJitLinkGetErrorLogSize_13_2 __nvJitLinkGetErrorLogSize_13_3
    __nvJitLinkGetErrorLogSize_13_4 __nvJitLinkGetErrorLogSize_13_5
);

names!((handle: *mut c_void, to: *mut c_char) error_log:
    nvJitLinkGetErrorLog __nvJitLinkGetErrorLog_12_0 __nvJitLinkGetErrorLog_12_1 __nvJitLinkGetErrorLog_12_2
    __nvJitLinkGetErrorLog_12_3 __nvJitLinkGetErrorLog_12_4 __nvJitLinkGetErrorLog_12_5 __nvJitLinkGetErrorLog_12_6
    __nvJitLinkGetErrorLog_12_7 __nvJitLinkGetErrorLog_12_8 __nvJitLinkGetErrorLog_12_9 __nvJitLinkGetErrorLog_13_0
    __nvJitLinkGetErrorLog_13_1 __nvJitLinkGetErrorLog_13_2 __nvJitLinkGetErrorLog_13_3 __nvJitLinkGetErrorLog_13_4
    __nvJitLinkGetErrorLog_13_5
);

names!((handle: *mut c_void, size: *mut usize) info_log_size:
    nvJitLinkGetInfoLogSize __nvJitLinkGetInfoLogSize_12_0 __nvJitLinkGetInfoLogSize_12_1
    __nvJitLinkGetInfoLogSize_12_2 __nvJitLinkGetInfoLogSize_12_3 __nvJitLinkGetInfoLogSize_12_4
    __nvJitLinkGetInfoLogSize_12_5 __nvJitLinkGetInfoLogSize_12_6 __nvJitLinkGetInfoLogSize_12_7
    __nvJitLinkGetInfoLogSize_12_8 __nvJitLinkGetInfoLogSize_12_9 __nvJitLinkGetInfoLogSize_13_0
    __nvJitLinkGetInfoLogSize_13_1 __nvJitLinkGetInfoLogSize_13_2 __nvJitLinkGetInfoLogSize_13_3
    __nvJitLinkGetInfoLogSize_13_4 __nvJitLinkGetInfoLogSize_13_5
);

names!((handle: *mut c_void, to: *mut c_char) info_log:
    nvJitLinkGetInfoLog __nvJitLinkGetInfoLog_12_0 __nvJitLinkGetInfoLog_12_1 __nvJitLinkGetInfoLog_12_2
    __nvJitLinkGetInfoLog_12_3 __nvJitLinkGetInfoLog_12_4 __nvJitLinkGetInfoLog_12_5 __nvJitLinkGetInfoLog_12_6
    __nvJitLinkGetInfoLog_12_7 __nvJitLinkGetInfoLog_12_8 __nvJitLinkGetInfoLog_12_9 __nvJitLinkGetInfoLog_13_0
    __nvJitLinkGetInfoLog_13_1 __nvJitLinkGetInfoLog_13_2 __nvJitLinkGetInfoLog_13_3 __nvJitLinkGetInfoLog_13_4
    __nvJitLinkGetInfoLog_13_5
);

names!((major: *mut u32, minor: *mut u32) version: nvJitLinkVersion);
