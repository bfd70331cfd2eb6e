//! Handles, streams, options and versions.

use crate::handle::{Object, create, destroy, set_sorted, set_stream, sorts, stream};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Out, calls, store};

/// The reported version: 12.0.4, of CUDA 13.0.
const VERSION: [i32; 3] = [12, 0, 4];

/// Creates a handle and stores it.
fn give(to: Out<'_, usize>, held: Object) -> Result {
    let handle = create(held)?;
    store(to, handle)
}

calls! { "cuSOLVER", Status;
    fn cusolverDnCreate(to: Out<'_, usize>) {
        give(to, Object::Context(0))
    }
    fn cusolverDnDestroy(handle: usize) { destroy(handle) }
    fn cusolverDnSetStream(handle: usize, to: usize) { set_stream(handle, to) }
    fn cusolverDnGetStream(handle: usize, to: Out<'_, usize>) {
        store(to, stream(handle)?)
    }
    fn cusolverDnSetDeterministicMode(handle: usize, _mode: i32) { stream(handle).map(drop) }
    fn cusolverDnGetDeterministicMode(handle: usize, to: Out<'_, i32>) {
        stream(handle)?;
        // Results are deterministic.
        store(to, 1)
    }
    fn cusolverDnCreateParams(to: Out<'_, usize>) {
        give(to, Object::Parameters)
    }
    fn cusolverDnDestroyParams(handle: usize) { destroy(handle) }
    fn cusolverDnSetAdvOptions(_parameters: usize, _function: i32, _algorithm: i32) { Ok(()) }
    fn cusolverDnCreateSyevjInfo(to: Out<'_, usize>) {
        give(to, Object::Jacobi(true))
    }
    fn cusolverDnDestroySyevjInfo(handle: usize) { destroy(handle) }
    fn cusolverDnXsyevjSetTolerance(info: usize, _tolerance: f64) { sorts(info).map(drop) }
    fn cusolverDnXsyevjSetMaxSweeps(info: usize, _most: i32) { sorts(info).map(drop) }
    fn cusolverDnXsyevjSetSortEig(info: usize, sorted: i32) { set_sorted(info, sorted != 0) }
    fn cusolverDnXsyevjGetResidual(_handle: usize, info: usize, to: Out<'_, f64>) {
        sorts(info)?;
        store(to, 0.0)
    }
    fn cusolverDnXsyevjGetSweeps(_handle: usize, info: usize, to: Out<'_, i32>) {
        sorts(info)?;
        store(to, 0)
    }
    fn cusolverDnCreateGesvdjInfo(to: Out<'_, usize>) {
        give(to, Object::Jacobi(true))
    }
    fn cusolverDnDestroyGesvdjInfo(handle: usize) { destroy(handle) }
    fn cusolverDnXgesvdjSetTolerance(info: usize, _tolerance: f64) { sorts(info).map(drop) }
    fn cusolverDnXgesvdjSetMaxSweeps(info: usize, _most: i32) { sorts(info).map(drop) }
    fn cusolverDnXgesvdjSetSortEig(info: usize, sorted: i32) { set_sorted(info, sorted != 0) }
    fn cusolverDnXgesvdjGetResidual(_handle: usize, info: usize, to: Out<'_, f64>) {
        sorts(info)?;
        store(to, 0.0)
    }
    fn cusolverDnXgesvdjGetSweeps(_handle: usize, info: usize, to: Out<'_, i32>) {
        sorts(info)?;
        store(to, 0)
    }
    fn cusolverGetVersion(to: Out<'_, i32>) {
        let [major, minor, patch] = VERSION;
        store(to, 1000 * major + 100 * minor + patch)
    }
    fn cusolverGetProperty(number: i32, to: Out<'_, i32>) {
        let part = usize::try_from(number).ok().and_then(|number| VERSION.get(number));
        match part {
            Some(part) => store(to, *part),
            None => refuse(Status::InvalidValue, &format!("the library has no property {number}")),
        }
    }
}
