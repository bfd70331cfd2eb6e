//! Names of earlier versions, for programs that look a function up by its plain name. Only those are here whose
//! arguments did not change; what took 32-bit addresses is gone.

use crate::api::api;
use crate::devices::contexts::{
    cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuDevicePrimaryCtxSetFlags_v2,
};
use crate::devices::ending::{
    cuCtxDestroy_v2, cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxReset_v2,
};
use crate::graphs::calls::cuGraphInstantiate_v2;
use crate::handles::Handle;
use crate::memory::calls::cuMemHostRegister_v2;
use crate::memory::copies::cuMemcpyDtoDAsync_v2;
use crate::pointers::{Address, Out};
use crate::status::{Result, of_code};
use crate::streams::calls::cuStreamDestroy_v2;
use crate::streams::events::cuEventDestroy_v2;
use std::ffi::c_void;

fn as_result(code: i32) -> Result {
    of_code(code).map_or(Ok(()), Err)
}

api! {
    fn cuCtxDestroy(context: Handle) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuCtxDestroy_v2(context) })
    }

    fn cuCtxPushCurrent(context: Handle) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuCtxPushCurrent_v2(context) })
    }

    fn cuCtxPopCurrent(context: Out<'_, Handle>) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuCtxPopCurrent_v2(context) })
    }

    fn cuDevicePrimaryCtxRelease(device: i32) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuDevicePrimaryCtxRelease_v2(device) })
    }

    fn cuDevicePrimaryCtxReset(device: i32) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuDevicePrimaryCtxReset_v2(device) })
    }

    fn cuDevicePrimaryCtxSetFlags(device: i32, flags: u32) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuDevicePrimaryCtxSetFlags_v2(device, flags) })
    }

    fn cuEventDestroy(event: Handle) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuEventDestroy_v2(event) })
    }

    fn cuGraphInstantiate(executable: Out<'_, Handle>, graph: Handle, node: Out<'_, Handle>, log: *mut c_void, bytes: usize) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphInstantiate_v2(executable, graph, node, log, bytes) })
    }

    fn cuMemHostRegister(start: u64, bytes: usize, flags: u32) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuMemHostRegister_v2(start, bytes, flags) })
    }

    fn cuMemcpyDtoDAsync(to: Address, from: Address, bytes: usize, stream: Handle) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuMemcpyDtoDAsync_v2(to, from, bytes, stream) })
    }

    fn cuStreamDestroy(stream: Handle) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuStreamDestroy_v2(stream) })
    }
}
