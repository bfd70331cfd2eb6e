//! Handles, streams, options and versions.

use crate::handle::{Object, create, destroy, set_sorted, set_stream, sorts, stream};
use crate::status::{Result, Status, refuse};
use lanework_standin::{calls, store};

/// What the stand-in follows: 12.0.4 of CUDA 13.0.
const VERSION: [i32; 3] = [12, 0, 4];

/// Stores a new handle.
unsafe fn give(to: *mut usize, held: Object) -> Result {
    let handle = create(held)?;
    // SAFETY: by the caller.
    unsafe { store(to, handle) }
}

calls! { "cuSOLVER", Status;
    fn cusolverDnCreate(to: *mut usize) {
        // SAFETY: by the caller.
        unsafe { give(to, Object::Context(0)) }
    }
    fn cusolverDnDestroy(handle: usize) { destroy(handle) }
    fn cusolverDnSetStream(handle: usize, to: usize) { set_stream(handle, to) }
    fn cusolverDnGetStream(handle: usize, to: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(to, stream(handle)?) }
    }
    fn cusolverDnSetDeterministicMode(handle: usize, _mode: i32) { stream(handle).map(drop) }
    fn cusolverDnGetDeterministicMode(handle: usize, to: *mut i32) {
        stream(handle)?;
        // Every result is the same in every run.
        // SAFETY: by the caller.
        unsafe { store(to, 1) }
    }
    fn cusolverDnCreateParams(to: *mut usize) {
        // SAFETY: by the caller.
        unsafe { give(to, Object::Parameters) }
    }
    fn cusolverDnDestroyParams(handle: usize) { destroy(handle) }
    fn cusolverDnSetAdvOptions(_parameters: usize, _function: i32, _algorithm: i32) { Ok(()) }
    fn cusolverDnCreateSyevjInfo(to: *mut usize) {
        // SAFETY: by the caller.
        unsafe { give(to, Object::Jacobi(true)) }
    }
    fn cusolverDnDestroySyevjInfo(handle: usize) { destroy(handle) }
    fn cusolverDnXsyevjSetTolerance(info: usize, _tolerance: f64) { sorts(info).map(drop) }
    fn cusolverDnXsyevjSetMaxSweeps(info: usize, _most: i32) { sorts(info).map(drop) }
    fn cusolverDnXsyevjSetSortEig(info: usize, sorted: i32) { set_sorted(info, sorted != 0) }
    fn cusolverDnXsyevjGetResidual(_handle: usize, info: usize, to: *mut f64) {
        sorts(info)?;
        // SAFETY: by the caller.
        unsafe { store(to, 0.0) }
    }
    fn cusolverDnXsyevjGetSweeps(_handle: usize, info: usize, to: *mut i32) {
        sorts(info)?;
        // SAFETY: by the caller.
        unsafe { store(to, 0) }
    }
    fn cusolverDnCreateGesvdjInfo(to: *mut usize) {
        // SAFETY: by the caller.
        unsafe { give(to, Object::Jacobi(true)) }
    }
    fn cusolverDnDestroyGesvdjInfo(handle: usize) { destroy(handle) }
    fn cusolverDnXgesvdjSetTolerance(info: usize, _tolerance: f64) { sorts(info).map(drop) }
    fn cusolverDnXgesvdjSetMaxSweeps(info: usize, _most: i32) { sorts(info).map(drop) }
    fn cusolverDnXgesvdjSetSortEig(info: usize, sorted: i32) { set_sorted(info, sorted != 0) }
    fn cusolverDnXgesvdjGetResidual(_handle: usize, info: usize, to: *mut f64) {
        sorts(info)?;
        // SAFETY: by the caller.
        unsafe { store(to, 0.0) }
    }
    fn cusolverDnXgesvdjGetSweeps(_handle: usize, info: usize, to: *mut i32) {
        sorts(info)?;
        // SAFETY: by the caller.
        unsafe { store(to, 0) }
    }
    fn cusolverGetVersion(to: *mut i32) {
        let [major, minor, patch] = VERSION;
        // SAFETY: by the caller.
        unsafe { store(to, 1000 * major + 100 * minor + patch) }
    }
    fn cusolverGetProperty(number: i32, to: *mut i32) {
        let part = usize::try_from(number).ok().and_then(|number| VERSION.get(number));
        match part {
            // SAFETY: by the caller.
            Some(part) => unsafe { store(to, *part) },
            None => refuse(Status::InvalidValue, &format!("the library has no property {number}")),
        }
    }
}
