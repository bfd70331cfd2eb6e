//! Functions under older names or with older parameters, for programs that look up these names. Functions with 32-bit
//! addresses are not provided.

use crate::api::api;
use crate::devices::contexts::{
    cuCtxDestroy_v2, cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuDevicePrimaryCtxRelease_v2,
    cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxSetFlags_v2,
};
use crate::graphs::calls::{cuGraphExecUpdate_v2, cuGraphInstantiate_v2};
use crate::graphs::nodes::{
    cuGraphAddKernelNode_v2, cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeSetParams_v2,
    shown_launch,
};
use crate::graphs::work::Node;
use crate::graphs::{
    cuGraphAddDependencies_v2, cuGraphGetEdges_v2, cuGraphNodeGetDependencies_v2,
    cuGraphNodeGetDependentNodes_v2, cuGraphRemoveDependencies_v2,
};
use crate::launches::launch::KernelNodeParameters;
use crate::memory::allocations::cuMemHostRegister_v2;
use crate::memory::copies::cuMemcpyDtoDAsync_v2;
use crate::pointers::*;
use crate::state::{Handle, table};
use crate::status::{Result, of_code};
use crate::streams::captures::{cuStreamBeginCapture_v2, cuStreamGetCaptureInfo_v2};
use crate::streams::cuEventDestroy_v2;
use crate::streams::stream::cuStreamDestroy_v2;
use std::ffi::c_void;

fn as_result(code: i32) -> Result {
    of_code(code).map_or(Ok(()), Err)
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct KernelNodeParametersV1 {
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    each: *const *const c_void,
    extra: *const *const c_void,
}

abi!(KernelNodeParametersV1 = 56, 8 { function: 0, grid: 8, block: 20, dynamic_shared: 32, each: 40, extra: 48 });

impl KernelNodeParametersV1 {
    /// Converts to the current struct.
    fn read(from: In<'_, KernelNodeParametersV1>) -> Result<KernelNodeParameters> {
        let from = from.get()?;
        let KernelNodeParametersV1 { function, grid, block, dynamic_shared, each, extra } = from;
        Ok(KernelNodeParameters {
            function,
            grid,
            block,
            dynamic_shared,
            each,
            extra,
            kernel: 0,
            context: 0,
        })
    }
}

/// A kernel node's parameters as the current struct.
fn kernel_parameters(node: Handle) -> Result<KernelNodeParameters> {
    shown_launch(&*table::<Node>().some(node)?)
}

api! {
    fn cuStreamBeginCapture(stream: Handle) {
        // SAFETY: `cuStreamBeginCapture_v2` in its default mode, with the stream that this function's caller passed.
        as_result(unsafe { cuStreamBeginCapture_v2(stream, 0) })
    }

    fn cuStreamGetCaptureInfo(stream: Handle, status: Out<'_, i32>, id: Out<'_, u64>) {
        // SAFETY: `cuStreamGetCaptureInfo_v2` with the pointers that this function's caller passed, and without the other results.
        as_result(unsafe { cuStreamGetCaptureInfo_v2(stream, status, id, Out::NULL, Out::NULL, Out::NULL) })
    }

    fn cuCtxDestroy(context: Handle) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuCtxDestroy_v2(context) })
    }

    fn cuCtxPushCurrent(context: Handle) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuCtxPushCurrent_v2(context) })
    }

    fn cuCtxPopCurrent(context: Out<'_, Handle>) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuCtxPopCurrent_v2(context) })
    }

    fn cuDevicePrimaryCtxRelease(device: i32) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuDevicePrimaryCtxRelease_v2(device) })
    }

    fn cuDevicePrimaryCtxReset(device: i32) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuDevicePrimaryCtxReset_v2(device) })
    }

    fn cuDevicePrimaryCtxSetFlags(device: i32, flags: u32) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuDevicePrimaryCtxSetFlags_v2(device, flags) })
    }

    fn cuEventDestroy(event: Handle) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuEventDestroy_v2(event) })
    }

    fn cuGraphInstantiate(executable: Out<'_, Handle>, graph: Handle, node: Out<'_, Handle>, log: *mut c_void, bytes: usize) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuGraphInstantiate_v2(executable, graph, node, log, bytes) })
    }

    fn cuMemHostRegister(start: u64, bytes: usize, flags: u32) {
        // SAFETY: forwards the ranges that this function's own caller passed.
        as_result(unsafe { cuMemHostRegister_v2(start, bytes, flags) })
    }

    fn cuMemcpyDtoDAsync(to: Address, from: Address, bytes: usize, stream: Handle) {
        // SAFETY: forwards the ranges that this function's own caller passed.
        as_result(unsafe { cuMemcpyDtoDAsync_v2(to, from, bytes, stream) })
    }

    fn cuStreamDestroy(stream: Handle) {
        // SAFETY: the function takes no pointer.
        as_result(unsafe { cuStreamDestroy_v2(stream) })
    }

    fn cuGraphAddKernelNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, KernelNodeParametersV1>) {
        let parameters = KernelNodeParametersV1::read(parameters)?;
        // SAFETY: `parameters` outlives the call, and the other pointers are this function's own arguments.
        as_result(unsafe { cuGraphAddKernelNode_v2(node, graph, after, count, In::new(&raw const parameters)) })
    }

    fn cuGraphKernelNodeSetParams(node: Handle, parameters: In<'_, KernelNodeParametersV1>) {
        let parameters = KernelNodeParametersV1::read(parameters)?;
        // SAFETY: `parameters` outlives the call, and the other pointers are this function's own arguments.
        as_result(unsafe { cuGraphKernelNodeSetParams_v2(node, In::new(&raw const parameters)) })
    }

    fn cuGraphExecKernelNodeSetParams(executable: Handle, node: Handle, parameters: In<'_, KernelNodeParametersV1>) {
        let parameters = KernelNodeParametersV1::read(parameters)?;
        // SAFETY: `parameters` outlives the call, and the other pointers are this function's own arguments.
        as_result(unsafe { cuGraphExecKernelNodeSetParams_v2(executable, node, In::new(&raw const parameters)) })
    }

    fn cuGraphKernelNodeGetParams(node: Handle, to: Out<'_, KernelNodeParametersV1>) {
        let all = kernel_parameters(node)?;
        let KernelNodeParameters { function, grid, block, dynamic_shared, each, extra, .. } = all;
        to.store(KernelNodeParametersV1 { function, grid, block, dynamic_shared, each, extra })
    }

    fn cuGraphAddDependencies(graph: Handle, from: In<'_, Handle>, to: In<'_, Handle>, count: usize) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuGraphAddDependencies_v2(graph, from, to, In::NULL, count) })
    }

    fn cuGraphRemoveDependencies(graph: Handle, from: In<'_, Handle>, to: In<'_, Handle>, count: usize) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuGraphRemoveDependencies_v2(graph, from, to, In::NULL, count) })
    }

    fn cuGraphGetEdges(graph: Handle, from: Out<'_, Handle>, to: Out<'_, Handle>, count: Out<'_, usize>) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuGraphGetEdges_v2(graph, from, to, Out::NULL, count) })
    }

    fn cuGraphNodeGetDependencies(node: Handle, nodes: Out<'_, Handle>, count: Out<'_, usize>) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuGraphNodeGetDependencies_v2(node, nodes, Out::NULL, count) })
    }

    fn cuGraphNodeGetDependentNodes(node: Handle, nodes: Out<'_, Handle>, count: Out<'_, usize>) {
        // SAFETY: forwards the pointers that this function's own caller passed.
        as_result(unsafe { cuGraphNodeGetDependentNodes_v2(node, nodes, Out::NULL, count) })
    }

    fn cuGraphExecUpdate(executable: Handle, graph: Handle, node: Out<'_, Handle>, result: Out<'_, i32>) {
        let mut all = [0u64; 3];
        // SAFETY: `all` has room for the three words of the result.
        let code = unsafe { cuGraphExecUpdate_v2(executable, graph, Out::new(&raw mut all)) };
        node.store_optional(0);
        result.store_optional(all[0] as i32);
        as_result(code)
    }
}
