//! What programs ask of functions and set on them.

use crate::api::api;
use crate::handles::Handle;
use crate::modules::function::Function;
use crate::pointers::{offer, store};
use crate::state::table;
use crate::status::{Result, Status};
use std::ffi::c_char;
use std::sync::Arc;

/// Stores the place and the size of a parameter.
///
/// # Safety
/// As C's callers promise.
unsafe fn parameter(
    function: Handle,
    index: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> Result {
    let function = table::<Function>().get(function)?;
    let (at, size) = *function.entry()?.parameters.get(index).ok_or(Status::InvalidValue)?;
    // SAFETY: by the caller.
    unsafe {
        store(offset, at)?;
        offer(bytes, size);
    }
    Ok(())
}

/// The function of a handle; without one the call is wrong.
fn named(function: Handle) -> Result<Arc<Function>> {
    if function == 0 { Err(Status::InvalidValue) } else { table::<Function>().get(function) }
}

api! {
    fn cuFuncGetAttribute(value: *mut i32, attribute: i32, function: Handle) {
        // SAFETY: by the caller.
        unsafe { store(value, table::<Function>().get(function)?.attribute(attribute)?) }
    }

    fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) {
        table::<Function>().get(function)?.set_attribute(attribute, value)
    }

    fn cuKernelGetAttribute(value: *mut i32, attribute: i32, kernel: Handle, _device: i32) {
        // SAFETY: by the caller.
        unsafe { store(value, table::<Function>().get(kernel)?.attribute(attribute)?) }
    }

    fn cuKernelSetAttribute(attribute: i32, value: i32, kernel: Handle, _device: i32) {
        table::<Function>().get(kernel)?.set_attribute(attribute, value)
    }

    fn cuFuncSetCacheConfig(function: Handle, _config: i32) {
        table::<Function>().get(function).map(drop)
    }

    fn cuKernelSetCacheConfig(kernel: Handle, _config: i32, _device: i32) {
        table::<Function>().get(kernel).map(drop)
    }

    fn cuFuncSetSharedMemConfig(function: Handle, _config: i32) {
        table::<Function>().get(function).map(drop)
    }

    fn cuFuncGetModule(module: *mut Handle, function: Handle) {
        let found = table::<Function>().get(function)?.module()?.0;
        // SAFETY: by the caller.
        unsafe { store(module, found) }
    }

    fn cuFuncGetName(name: *mut *const c_char, function: Handle) {
        // SAFETY: by the caller; the text lives as long as the function.
        unsafe { store(name, named(function)?.name.as_ptr()) }
    }

    fn cuKernelGetName(name: *mut *const c_char, kernel: Handle) {
        // SAFETY: as above.
        unsafe { store(name, named(kernel)?.name.as_ptr()) }
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: *mut usize, bytes: *mut usize) {
        // SAFETY: by the caller.
        unsafe { parameter(function, index, offset, bytes) }
    }

    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: *mut usize, bytes: *mut usize) {
        // SAFETY: by the caller.
        unsafe { parameter(kernel, index, offset, bytes) }
    }

    fn cuFuncGetParamCount(function: Handle, count: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(count, table::<Function>().get(function)?.entry()?.parameters.len()) }
    }

    fn cuKernelGetParamCount(kernel: Handle, count: *mut usize) {
        // SAFETY: by the caller.
        unsafe { store(count, table::<Function>().get(kernel)?.entry()?.parameters.len()) }
    }

    fn cuFuncIsLoaded(state: *mut i32, function: Handle) {
        table::<Function>().get(function)?;
        // SAFETY: by the caller.
        unsafe { store(state, 1) }
    }

    fn cuFuncLoad(function: Handle) {
        table::<Function>().get(function).map(drop)
    }
}
