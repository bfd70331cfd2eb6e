//! Calls about handles, versions, statuses and copies.

use crate::handle::{self, Handle};
use crate::status::{Result, Status, refuse, words};
use lanework_standin::{calls, is_allocated, store, write};
use std::ffi::c_char;

/// The version that is stood in for: 13.0.
const VERSION: i32 = 130_000;

/// The version of one part: major, minor, patch.
unsafe fn property(kind: i32, value: *mut i32) -> Result {
    let part =
        [13, 0, 0].get(usize::try_from(kind).unwrap_or(3)).copied().ok_or(Status::InvalidValue)?;
    // SAFETY: by the caller.
    unsafe { store(value, part) }
}

fn get<T>(handle: usize, part: impl FnOnce(&Handle) -> T) -> Result<T> {
    handle::get(handle as i64).map(|handle| part(&handle))
}

calls! {
    "cuBLAS", Status;

    fn cublasCreate_v2(to: *mut usize) {
        let made = handle::create()?;
        // SAFETY: by the caller.
        unsafe { store(to, made) }
    }
    fn cublasLtCreate(to: *mut usize) {
        let made = handle::create()?;
        // SAFETY: by the caller.
        unsafe { store(to, made) }
    }
    fn cublasDestroy_v2(handle: usize) { handle::destroy(handle) }
    fn cublasLtDestroy(handle: usize) { handle::destroy(handle) }
    fn cublasGetVersion_v2(_handle: usize, version: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(version, VERSION) }
    }
    fn cublasGetProperty(kind: i32, value: *mut i32) {
        // SAFETY: by the caller.
        unsafe { property(kind, value) }
    }
    fn cublasLtGetProperty(kind: i32, value: *mut i32) {
        // SAFETY: by the caller.
        unsafe { property(kind, value) }
    }
    fn cublasSetWorkspace_v2(handle: usize, _memory: usize, _bytes: usize) { get(handle, |_| ()) }
    fn cublasSetStream_v2(handle: usize, stream: usize) { handle::set(handle, |held| held.stream = stream) }
    fn cublasGetStream_v2(handle: usize, stream: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(stream, get(handle, |held| held.stream)?) }
    }
    fn cublasSetPointerMode_v2(handle: usize, mode: i32) { handle::set(handle, |held| held.on_device = mode == 1) }
    fn cublasGetPointerMode_v2(handle: usize, mode: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(mode, get(handle, |held| i32::from(held.on_device))?) }
    }
    fn cublasSetAtomicsMode(handle: usize, mode: i32) { handle::set(handle, |held| held.atomics = mode) }
    fn cublasGetAtomicsMode(handle: usize, mode: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(mode, get(handle, |held| held.atomics)?) }
    }
    fn cublasSetMathMode(handle: usize, mode: i32) { handle::set(handle, |held| held.math = mode) }
    fn cublasGetMathMode(handle: usize, mode: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(mode, get(handle, |held| held.math)?) }
    }
    fn cublasSetSmCountTarget(handle: usize, count: i32) { handle::set(handle, |held| held.multiprocessors = count) }
    fn cublasGetSmCountTarget(handle: usize, count: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(count, get(handle, |held| held.multiprocessors)?) }
    }
    fn cublasLoggerConfigure(_on: i32, _out: i32, _err: i32, _file: *const c_char) { Ok(()) }
    fn cublasSetLoggerCallback(_callback: usize) { Ok(()) }
    fn cublasGetLoggerCallback(callback: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(callback, 0) }
    }
    fn cublasSetMatrix(rows: i32, columns: i32, size: i32, from: usize, lda: i32, to: usize, ldb: i32) {
        // SAFETY: by the caller.
        unsafe { copy([rows, columns, size, lda, ldb], from, to) }
    }
    fn cublasGetMatrix(rows: i32, columns: i32, size: i32, from: usize, lda: i32, to: usize, ldb: i32) {
        // SAFETY: by the caller.
        unsafe { copy([rows, columns, size, lda, ldb], from, to) }
    }
    fn cublasSetVector(count: i32, size: i32, from: usize, incx: i32, to: usize, incy: i32) {
        // SAFETY: by the caller.
        unsafe { copy([1, count, size, incx, incy], from, to) }
    }
    fn cublasGetVector(count: i32, size: i32, from: usize, incx: i32, to: usize, incy: i32) {
        // SAFETY: by the caller.
        unsafe { copy([1, count, size, incx, incy], from, to) }
    }
}

/// Copies columns between the host and a device.
unsafe fn copy(extents: [i32; 5], from: usize, to: usize) -> Result {
    let [rows, columns, size, lda, ldb] = extents.map(|value| usize::try_from(value).unwrap_or(0));
    if extents.iter().any(|value| *value < 0) || lda < rows || ldb < rows {
        return refuse(
            Status::InvalidValue,
            "a copy has a negative extent, or a leading dimension below its rows",
        );
    }
    for column in 0..columns {
        let (source, target) = (from + column * lda * size, to + column * ldb * size);
        // SAFETY: by the caller, memory of the host or of a device, which is host memory.
        let bytes = unsafe { std::slice::from_raw_parts(source as *const u8, rows * size) };
        if is_allocated(target)? {
            write(target, bytes, "a copy")?;
            continue;
        }
        // SAFETY: memory of the host, by the caller.
        unsafe { (target as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
    Ok(())
}

/// cuBLAS's `cublasGetCudartVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cublasGetCudartVersion() -> usize {
    13_000
}

/// cuBLASLt's `cublasLtGetVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cublasLtGetVersion() -> usize {
    VERSION as usize
}

/// cuBLASLt's `cublasLtGetCudartVersion`.
#[unsafe(no_mangle)]
pub extern "C" fn cublasLtGetCudartVersion() -> usize {
    13_000
}

macro_rules! texts {
    ($($name:ident $part:tt)*) => {$(
        #[doc = concat!("cuBLAS's `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(status: i32) -> *const c_char {
            words(status).$part.as_ptr()
        }
    )*};
}
texts!(cublasGetStatusName 0 cublasGetStatusString 1 cublasLtGetStatusName 0 cublasLtGetStatusString 1);
