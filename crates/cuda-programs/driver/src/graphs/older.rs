//! Forms of the graph functions before CUDA 12: parameters without a kernel and a context, edges without data.

use crate::api::api;
use crate::graphs::calls::cuGraphExecUpdate_v2;
use crate::graphs::edges::{
    cuGraphAddDependencies_v2, cuGraphGetEdges_v2, cuGraphNodeGetDependencies_v2,
    cuGraphNodeGetDependentNodes_v2, cuGraphRemoveDependencies_v2,
};
use crate::graphs::node_changes::{
    cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeSetParams_v2,
};
use crate::graphs::node_parameters::shown_launch;
use crate::graphs::nodes::cuGraphAddKernelNode_v2;
use crate::graphs::work::Node;
use crate::handles::Handle;
use crate::launches::running::NodeParameters;
use crate::pointers::{In, Out, abi};
use crate::state::table;
use crate::status::{Result, of_code};
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

abi!(Parameters = 56, 8 { function: 0, grid: 8, block: 20, dynamic_shared: 32, each: 40, extra: 48 });

impl Parameters {
    /// As the later form.
    fn read(from: In<'_, Parameters>) -> Result<NodeParameters> {
        let from = from.get()?;
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

/// The parameters of a kernel node in the later form.
fn kernel_parameters(node: Handle) -> Result<NodeParameters> {
    shown_launch(&*table::<Node>().get(node)?)
}

fn as_result(code: i32) -> Result {
    of_code(code).map_or(Ok(()), Err)
}

api! {
    fn cuGraphAddKernelNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, Parameters>) {
        let parameters = Parameters::read(parameters)?;
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphAddKernelNode_v2(node, graph, after, count, In::new(&raw const parameters)) })
    }

    fn cuGraphKernelNodeSetParams(node: Handle, parameters: In<'_, Parameters>) {
        let parameters = Parameters::read(parameters)?;
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphKernelNodeSetParams_v2(node, In::new(&raw const parameters)) })
    }

    fn cuGraphExecKernelNodeSetParams(executable: Handle, node: Handle, parameters: In<'_, Parameters>) {
        let parameters = Parameters::read(parameters)?;
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphExecKernelNodeSetParams_v2(executable, node, In::new(&raw const parameters)) })
    }

    fn cuGraphKernelNodeGetParams(node: Handle, to: Out<'_, Parameters>) {
        let all = kernel_parameters(node)?;
        let NodeParameters { function, grid, block, dynamic_shared, each, extra, .. } = all;
        to.store(Parameters { function, grid, block, dynamic_shared, each, extra })
    }

    fn cuGraphAddDependencies(graph: Handle, from: In<'_, Handle>, to: In<'_, Handle>, count: usize) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphAddDependencies_v2(graph, from, to, In::NULL, count) })
    }

    fn cuGraphRemoveDependencies(graph: Handle, from: In<'_, Handle>, to: In<'_, Handle>, count: usize) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphRemoveDependencies_v2(graph, from, to, In::NULL, count) })
    }

    fn cuGraphGetEdges(graph: Handle, from: Out<'_, Handle>, to: Out<'_, Handle>, count: Out<'_, usize>) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphGetEdges_v2(graph, from, to, Out::NULL, count) })
    }

    fn cuGraphNodeGetDependencies(node: Handle, nodes: Out<'_, Handle>, count: Out<'_, usize>) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphNodeGetDependencies_v2(node, nodes, Out::NULL, count) })
    }

    fn cuGraphNodeGetDependentNodes(node: Handle, nodes: Out<'_, Handle>, count: Out<'_, usize>) {
        // SAFETY: the function under its later name; the arguments are those of this call.
        as_result(unsafe { cuGraphNodeGetDependentNodes_v2(node, nodes, Out::NULL, count) })
    }

    fn cuGraphExecUpdate(executable: Handle, graph: Handle, node: Out<'_, Handle>, result: Out<'_, i32>) {
        let mut all = [0u64; 3];
        // SAFETY: there is room for the result.
        let code = unsafe { cuGraphExecUpdate_v2(executable, graph, Out::new(&raw mut all)) };
        node.offer(0);
        result.offer(all[0] as i32);
        as_result(code)
    }
}
