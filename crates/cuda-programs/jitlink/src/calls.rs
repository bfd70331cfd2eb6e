//! The calls, whatever name a program finds them by.

use crate::input::Input;
use crate::linking::Linker;
use crate::options::known;
use crate::outcome::Outcome;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a call without unwinding into the caller.
fn call(body: impl FnOnce() -> Outcome) -> i32 {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(Outcome::Internal) as i32
}

/// The linker of a handle.
///
/// # Safety
/// The handle is null, or of a linker that was not destroyed.
unsafe fn linker<'a>(handle: *mut c_void) -> Option<&'a mut Linker> {
    // SAFETY: by the caller.
    unsafe { handle.cast::<Linker>().as_mut() }
}

/// Makes a linker with options such as `-arch=sm_90` and `-ptx`.
pub unsafe extern "C" fn create(
    handle: *mut *mut c_void,
    count: u32,
    options: *const *const c_char,
) -> i32 {
    call(|| {
        if handle.is_null() {
            return Outcome::NullInput;
        }
        // SAFETY: by the caller, `count` texts.
        let options = (0..count as usize).map(|index| {
            // SAFETY: as above.
            unsafe { CStr::from_ptr(options.add(index).read()) }.to_string_lossy().into_owned()
        });
        let options: Vec<String> = options.collect();
        if !options.iter().all(|option| known(option)) {
            return Outcome::UnrecognizedOption;
        }
        let made = Box::new(Linker::new(options));
        // SAFETY: not null.
        unsafe { handle.write(Box::into_raw(made).cast()) };
        Outcome::Success
    })
}

/// Destroys a linker.
pub unsafe extern "C" fn destroy(handle: *mut *mut c_void) -> i32 {
    call(|| {
        // SAFETY: by the caller.
        match unsafe { handle.as_mut() } {
            Some(linker) if !linker.is_null() => {
                // SAFETY: made by `create` and not destroyed yet.
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
        // SAFETY: by the caller.
        let Some(linker) = (unsafe { linker(handle) }) else { return Outcome::NullInput };
        if data.is_null() {
            return Outcome::NullInput;
        }
        // SAFETY: by the caller.
        let data = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) }.to_vec();
        // SAFETY: by the caller, null or a text.
        let name = if name.is_null() {
            String::new()
        } else {
            // SAFETY: as above.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        };
        linker.add(Input { kind, data, name })
    })
}

/// Adds a file.
pub unsafe extern "C" fn add_file(handle: *mut c_void, kind: i32, file: *const c_char) -> i32 {
    call(|| {
        // SAFETY: by the caller.
        let Some(linker) = (unsafe { linker(handle) }) else { return Outcome::NullInput };
        if file.is_null() {
            return Outcome::NullInput;
        }
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_ptr(file) }.to_string_lossy().into_owned();
        match std::fs::read(&name) {
            Ok(data) => linker.add(Input { kind, data, name }),
            Err(why) => {
                linker.refuse(Outcome::InvalidInput, format!("{name} cannot be read: {why}"))
            }
        }
    })
}

/// Links what was added.
pub unsafe extern "C" fn complete(handle: *mut c_void) -> i32 {
    call(|| {
        // SAFETY: by the caller.
        unsafe { linker(handle) }.map_or(Outcome::NullInput, Linker::complete)
    })
}

/// Version 13.0.
pub unsafe extern "C" fn version(major: *mut u32, minor: *mut u32) -> i32 {
    call(|| {
        // SAFETY: by the caller.
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
/// The pointers are null or valid.
unsafe fn size_of_result(
    handle: *mut c_void,
    size: *mut usize,
    result: fn(&Linker) -> &[u8],
) -> i32 {
    call(|| {
        // SAFETY: by the caller.
        match unsafe { (linker(handle), size.as_mut()) } {
            (Some(linker), Some(size)) => {
                *size = result(linker).len();
                Outcome::Success
            }
            _ => Outcome::NullInput,
        }
    })
}

/// Copies a result to memory of its size.
///
/// # Safety
/// `to` is null or has the size.
unsafe fn copy_result(handle: *mut c_void, to: *mut c_char, result: fn(&Linker) -> &[u8]) -> i32 {
    call(|| {
        // SAFETY: by the caller.
        match unsafe { linker(handle) } {
            Some(linker) if !to.is_null() => {
                let bytes = result(linker);
                // SAFETY: by the caller.
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
            // SAFETY: by the caller.
            unsafe { size_of_result(handle, size, $result) }
        }

        #[doc = concat!("Copies ", $doc, ".")]
        pub unsafe extern "C" fn $copy(handle: *mut c_void, to: *mut c_char) -> i32 {
            // SAFETY: by the caller.
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
