//! Forms of the graph functions before CUDA 12: parameters without a kernel and a context, edges without data.

use crate::api::api;
use crate::graphs::calls::cuGraphExecUpdate_v2;
use crate::graphs::edges::{
    cuGraphAddDependencies_v2, cuGraphGetEdges_v2, cuGraphNodeGetDependencies_v2,
    cuGraphNodeGetDependentNodes_v2, cuGraphRemoveDependencies_v2,
};
use crate::graphs::node_changes::{
    cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeGetParams_v2, cuGraphKernelNodeSetParams_v2,
};
use crate::graphs::nodes::cuGraphAddKernelNode_v2;
use crate::handles::Handle;
use crate::launches::running::NodeParameters;
use crate::pointers::{offer, store};
use crate::status::{Result, Status, of_code};
use std::ffi::c_void;

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Parameters {
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    each: *const *const c_void,
    extra: *const *const c_void,
}

impl Parameters {
    /// As the later form.
    ///
    /// # Safety
    /// `from` is null, which is refused, or valid.
    unsafe fn read(from: *const Parameters) -> Result<NodeParameters> {
        // SAFETY: by the caller.
        let from = unsafe { from.as_ref() }.copied().ok_or(Status::InvalidValue)?;
        let Parameters { function, grid, block, dynamic_shared, each, extra } = from;
        Ok(NodeParameters {
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

fn as_result(code: i32) -> Result {
    of_code(code).map_or(Ok(()), Err)
}

api! {
    fn cuGraphAddKernelNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *const Parameters) {
        // SAFETY: by the caller.
        let parameters = unsafe { Parameters::read(parameters) }?;
        // SAFETY: the same function.
        as_result(unsafe { cuGraphAddKernelNode_v2(node, graph, after, count, (&raw const parameters).cast()) })
    }

    fn cuGraphKernelNodeSetParams(node: Handle, parameters: *const Parameters) {
        // SAFETY: by the caller.
        let parameters = unsafe { Parameters::read(parameters) }?;
        // SAFETY: the same function.
        as_result(unsafe { cuGraphKernelNodeSetParams_v2(node, (&raw const parameters).cast()) })
    }

    fn cuGraphExecKernelNodeSetParams(executable: Handle, node: Handle, parameters: *const Parameters) {
        // SAFETY: by the caller.
        let parameters = unsafe { Parameters::read(parameters) }?;
        // SAFETY: the same function.
        as_result(unsafe { cuGraphExecKernelNodeSetParams_v2(executable, node, (&raw const parameters).cast()) })
    }

    fn cuGraphKernelNodeGetParams(node: Handle, to: *mut Parameters) {
        let mut all = std::mem::MaybeUninit::<NodeParameters>::uninit();
        // SAFETY: there is room for the later form.
        as_result(unsafe { cuGraphKernelNodeGetParams_v2(node, all.as_mut_ptr().cast()) })?;
        // SAFETY: the call stored it.
        let NodeParameters { function, grid, block, dynamic_shared, each, extra, .. } = unsafe { all.assume_init() };
        // SAFETY: by the caller.
        unsafe { store(to, Parameters { function, grid, block, dynamic_shared, each, extra }) }
    }

    fn cuGraphAddDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) {
        // SAFETY: the same function.
        as_result(unsafe { cuGraphAddDependencies_v2(graph, from, to, std::ptr::null(), count) })
    }

    fn cuGraphRemoveDependencies(graph: Handle, from: *const Handle, to: *const Handle, count: usize) {
        // SAFETY: as above.
        as_result(unsafe { cuGraphRemoveDependencies_v2(graph, from, to, std::ptr::null(), count) })
    }

    fn cuGraphGetEdges(graph: Handle, from: *mut Handle, to: *mut Handle, count: *mut usize) {
        // SAFETY: as above.
        as_result(unsafe { cuGraphGetEdges_v2(graph, from, to, std::ptr::null_mut(), count) })
    }

    fn cuGraphNodeGetDependencies(node: Handle, nodes: *mut Handle, count: *mut usize) {
        // SAFETY: as above.
        as_result(unsafe { cuGraphNodeGetDependencies_v2(node, nodes, std::ptr::null_mut(), count) })
    }

    fn cuGraphNodeGetDependentNodes(node: Handle, nodes: *mut Handle, count: *mut usize) {
        // SAFETY: as above.
        as_result(unsafe { cuGraphNodeGetDependentNodes_v2(node, nodes, std::ptr::null_mut(), count) })
    }

    fn cuGraphExecUpdate(executable: Handle, graph: Handle, node: *mut Handle, result: *mut i32) {
        let mut all = [0u64; 3];
        // SAFETY: there is room for the result.
        let code = unsafe { cuGraphExecUpdate_v2(executable, graph, &raw mut all) };
        // SAFETY: by the caller.
        unsafe {
            offer(node, 0);
            offer(result, all[0] as i32);
        }
        as_result(code)
    }
}
