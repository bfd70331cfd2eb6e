//! Functions for handles, versions, statuses and copies.

use crate::handle::{self, Handle};
use crate::status::{Result, Status, refuse, words};
use lanework_standin::{In, Out, calls, is_allocated, store, write};
use std::ffi::c_char;

/// The reported version: 13.0.
const VERSION: i32 = 130_000;

/// Stores one part of the version: major, minor or patch.
fn property(kind: i32, value: Out<'_, i32>) -> Result {
    let part =
        [13, 0, 0].get(usize::try_from(kind).unwrap_or(3)).copied().ok_or(Status::InvalidValue)?;
    store(value, part)
}

fn get<T>(handle: usize, part: impl FnOnce(&Handle) -> T) -> Result<T> {
    handle::get(handle as i64).map(|handle| part(&handle))
}

calls! {
    "cuBLAS", Status;

    fn cublasCreate_v2(to: Out<'_, usize>) {
        let made = handle::create()?;
        store(to, made)
    }
    fn cublasLtCreate(to: Out<'_, usize>) {
        let made = handle::create()?;
        store(to, made)
    }
    fn cublasDestroy_v2(handle: usize) { handle::destroy(handle) }
    fn cublasLtDestroy(handle: usize) { handle::destroy(handle) }
    fn cublasGetVersion_v2(_handle: usize, version: Out<'_, i32>) {
        store(version, VERSION)
    }
    fn cublasGetProperty(kind: i32, value: Out<'_, i32>) {
        property(kind, value)
    }
    fn cublasLtGetProperty(kind: i32, value: Out<'_, i32>) {
        property(kind, value)
    }
    fn cublasSetWorkspace_v2(handle: usize, _memory: usize, _bytes: usize) { get(handle, |_| ()) }
    fn cublasSetStream_v2(handle: usize, stream: usize) { handle::set(handle, |held| held.stream = stream) }
    fn cublasGetStream_v2(handle: usize, stream: Out<'_, usize>) {
        store(stream, get(handle, |held| held.stream)?)
    }
    fn cublasSetPointerMode_v2(handle: usize, mode: i32) { handle::set(handle, |held| held.on_device = mode == 1) }
    fn cublasGetPointerMode_v2(handle: usize, mode: Out<'_, i32>) {
        store(mode, get(handle, |held| i32::from(held.on_device))?)
    }
    fn cublasSetAtomicsMode(handle: usize, mode: i32) { handle::set(handle, |held| held.atomics = mode) }
    fn cublasGetAtomicsMode(handle: usize, mode: Out<'_, i32>) {
        store(mode, get(handle, |held| held.atomics)?)
    }
    fn cublasSetMathMode(handle: usize, mode: i32) { handle::set(handle, |held| held.math = mode) }
    fn cublasGetMathMode(handle: usize, mode: Out<'_, i32>) {
        store(mode, get(handle, |held| held.math)?)
    }
    fn cublasSetSmCountTarget(handle: usize, count: i32) { handle::set(handle, |held| held.multiprocessors = count) }
    fn cublasGetSmCountTarget(handle: usize, count: Out<'_, i32>) {
        store(count, get(handle, |held| held.multiprocessors)?)
    }
    fn cublasLoggerConfigure(_on: i32, _out: i32, _err: i32, _file: *const c_char) { Ok(()) }
    fn cublasSetLoggerCallback(_callback: usize) { Ok(()) }
    fn cublasGetLoggerCallback(callback: Out<'_, usize>) {
        store(callback, 0)
    }
    fn cublasSetMatrix(rows: i32, columns: i32, size: i32, from: In<'_, u8>, lda: i32, to: Out<'_, u8>, ldb: i32) {
        copy([rows, columns, size, lda, ldb], from, to)
    }
    fn cublasGetMatrix(rows: i32, columns: i32, size: i32, from: In<'_, u8>, lda: i32, to: Out<'_, u8>, ldb: i32) {
        copy([rows, columns, size, lda, ldb], from, to)
    }
    fn cublasSetVector(count: i32, size: i32, from: In<'_, u8>, incx: i32, to: Out<'_, u8>, incy: i32) {
        copy([1, count, size, incx, incy], from, to)
    }
    fn cublasGetVector(count: i32, size: i32, from: In<'_, u8>, incx: i32, to: Out<'_, u8>, incy: i32) {
        copy([1, count, size, incx, incy], from, to)
    }
}

/// Copies columns between host and device.
fn copy(extents: [i32; 5], from: In<'_, u8>, to: Out<'_, u8>) -> Result {
    let [rows, columns, size, lda, ldb] = extents.map(|value| usize::try_from(value).unwrap_or(0));
    if extents.iter().any(|value| *value < 0) || lda < rows || ldb < rows {
        return refuse(
            Status::InvalidValue,
            "a copy has a negative extent, or a leading dimension below its rows",
        );
    }
    for column in 0..columns {
        // SAFETY: by cuBLAS's documentation, the source has `columns` columns, `lda` elements apart, of `rows` elements. It is host memory or
        // device memory, which on the emulator is host memory, too.
        let bytes = unsafe { from.skip(column * lda * size).bytes(rows * size) };
        let target = to.address() + column * ldb * size;
        if is_allocated(target)? {
            write(target, bytes, "a copy")?;
            continue;
        }
        // SAFETY: not device memory, so host memory with `columns` columns, `ldb` elements apart, of at least `rows` elements.
        unsafe { to.at(column * ldb * size).write_bytes(bytes) };
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
