//! What programs ask of functions and set on them.

use crate::api::api;
use crate::handles::Handle;
use crate::modules::function::Function;
use crate::pointers::Out;
use crate::state::table;
use crate::status::{Result, Status};
use std::ffi::c_char;
use std::sync::Arc;

/// Stores the place and the size of a parameter.
fn parameter(
    function: Handle,
    index: usize,
    offset: Out<'_, usize>,
    bytes: Out<'_, usize>,
) -> Result {
    let function = table::<Function>().get(function)?;
    let (at, size) = *function.entry()?.parameters.get(index).ok_or(Status::InvalidValue)?;
    offset.store(at)?;
    bytes.offer(size);
    Ok(())
}

/// The function of a handle; without one the call is wrong.
fn named(function: Handle) -> Result<Arc<Function>> {
    if function == 0 { Err(Status::InvalidValue) } else { table::<Function>().get(function) }
}

api! {
    fn cuFuncGetAttribute(value: Out<'_, i32>, attribute: i32, function: Handle) {
        value.store(table::<Function>().get(function)?.attribute(attribute)?)
    }

    fn cuFuncSetAttribute(function: Handle, attribute: i32, value: i32) {
        table::<Function>().get(function)?.set_attribute(attribute, value)
    }

    fn cuKernelGetAttribute(value: Out<'_, i32>, attribute: i32, kernel: Handle, _device: i32) {
        value.store(table::<Function>().get(kernel)?.attribute(attribute)?)
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

    fn cuFuncGetModule(module: Out<'_, Handle>, function: Handle) {
        let found = table::<Function>().get(function)?.module()?.0;
        module.store(found)
    }

    fn cuFuncGetName(name: Out<'_, *const c_char>, function: Handle) {
        name.store(named(function)?.name.as_ptr())
    }

    fn cuKernelGetName(name: Out<'_, *const c_char>, kernel: Handle) {
        name.store(named(kernel)?.name.as_ptr())
    }

    fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<'_, usize>, bytes: Out<'_, usize>) {
        parameter(function, index, offset, bytes)
    }

    fn cuKernelGetParamInfo(kernel: Handle, index: usize, offset: Out<'_, usize>, bytes: Out<'_, usize>) {
        parameter(kernel, index, offset, bytes)
    }

    fn cuFuncGetParamCount(function: Handle, count: Out<'_, usize>) {
        count.store(table::<Function>().get(function)?.entry()?.parameters.len())
    }

    fn cuKernelGetParamCount(kernel: Handle, count: Out<'_, usize>) {
        count.store(table::<Function>().get(kernel)?.entry()?.parameters.len())
    }

    fn cuFuncIsLoaded(state: Out<'_, i32>, function: Handle) {
        table::<Function>().get(function)?;
        state.store(1)
    }

    fn cuFuncLoad(function: Handle) {
        table::<Function>().get(function).map(drop)
    }
}
