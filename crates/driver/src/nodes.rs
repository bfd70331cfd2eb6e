//! Nodes of graphs: what each does, and changes of it.

use crate::api::api;
use crate::event::Event;
use crate::graphs::cuGraphClone;
use crate::handles::Handle;
use crate::lock::lock;
use crate::pointers::{slice, store};
use crate::running::kernel_node;
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::transfer::{Box3D, Fill};
use crate::work::{Executable, Graph, HostFunction, Node, Work};
use std::ffi::c_void;

/// Adds a node and stores its handle.
///
/// # Safety
/// As C's callers promise.
unsafe fn add(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    work: Work,
) -> Result {
    // SAFETY: by the caller.
    let after = unsafe { slice(after, count) };
    let made = driver()?.add_node(graph, after, work)?;
    // SAFETY: by the caller.
    unsafe { store(node, made) }
}

/// Replaces what a node of an executable does.
fn replace(executable: Handle, node: Handle, work: Work) -> Result {
    let executable = table::<Executable>().get(executable)?;
    let mut steps = lock(&executable.steps);
    let step =
        steps.iter_mut().find(|(of_step, _)| *of_step == node).ok_or(Status::InvalidValue)?;
    step.1 = work;
    Ok(())
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
pub struct HostParameters {
    function: Option<HostFunction>,
    data: *mut c_void,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
pub struct FillParameters {
    address: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

impl FillParameters {
    fn fill(&self) -> Result<Fill> {
        let FillParameters { address, pitch, value, element, width, height } = *self;
        if !matches!(element, 1 | 2 | 4) {
            return Err(Status::InvalidValue);
        }
        let pattern = value.to_le_bytes()[..element as usize].to_vec();
        Ok(Fill { address, pitch, pattern, width, height })
    }
}

api! {
    fn cuGraphAddEmptyNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize) {
        // SAFETY: by the caller.
        unsafe { add(node, graph, after, count, Work::Nothing) }
    }

    fn cuGraphAddKernelNode_v2(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *const c_void) {
        // SAFETY: by the caller.
        unsafe {
            let (launch, arguments) = kernel_node(parameters)?;
            add(node, graph, after, count, Work::Launch(launch, arguments))
        }
    }

    fn cuGraphAddMemcpyNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: *const Box3D, _context: Handle) {
        // SAFETY: by the caller.
        unsafe {
            let copy = *copy.as_ref().ok_or(Status::InvalidValue)?;
            add(node, graph, after, count, Work::Copy(copy))
        }
    }

    fn cuGraphAddMemsetNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, fill: *const FillParameters, _context: Handle) {
        // SAFETY: by the caller.
        unsafe {
            let fill = fill.as_ref().ok_or(Status::InvalidValue)?.fill()?;
            add(node, graph, after, count, Work::Fill(fill))
        }
    }

    fn cuGraphAddHostNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *const HostParameters) {
        // SAFETY: by the caller.
        unsafe {
            let parameters = parameters.as_ref().ok_or(Status::InvalidValue)?;
            let work = Work::Host(parameters.function.ok_or(Status::InvalidValue)?, parameters.data as usize);
            add(node, graph, after, count, work)
        }
    }

    fn cuGraphAddChildGraphNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, child: Handle) {
        table::<Graph>().get(child)?;
        let mut copied = 0;
        // SAFETY: by the caller.
        unsafe {
            crate::status::of_code(cuGraphClone(&mut copied, child)).map_or(Ok(()), Err)?;
            add(node, graph, after, count, Work::Graph(copied))
        }
    }

    fn cuGraphChildGraphNodeGetGraph(node: Handle, graph: *mut Handle) {
        let found = match &*table::<Node>().get(node)?.work() {
            Work::Graph(graph) => *graph,
            _ => return Err(Status::InvalidValue),
        };
        // SAFETY: by the caller.
        unsafe { store(graph, found) }
    }

    fn cuGraphAddEventRecordNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle) {
        table::<Event>().get(event)?;
        // SAFETY: by the caller.
        unsafe { add(node, graph, after, count, Work::Record(event)) }
    }

    fn cuGraphAddEventWaitNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, event: Handle) {
        table::<Event>().get(event)?;
        // SAFETY: by the caller.
        unsafe { add(node, graph, after, count, Work::Wait) }
    }

    fn cuGraphDestroyNode(node: Handle) {
        driver()?;
        let removed = table::<Node>().remove(node)?;
        let graph = table::<Graph>().get(removed.graph)?;
        let mut nodes = lock(&graph.nodes);
        nodes.retain(|(of_graph, _)| *of_graph != node);
        nodes.iter_mut().for_each(|(_, after)| after.retain(|other| *other != node));
        Ok(())
    }

    fn cuGraphNodeGetType(node: Handle, kind: *mut i32) {
        // SAFETY: by the caller.
        unsafe { store(kind, table::<Node>().get(node)?.work().kind()) }
    }

    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle, node: Handle, parameters: *const c_void) {
        // SAFETY: by the caller.
        let (launch, arguments) = unsafe { kernel_node(parameters) }?;
        replace(executable, node, Work::Launch(launch, arguments))
    }

    fn cuGraphKernelNodeSetParams_v2(node: Handle, parameters: *const c_void) {
        // SAFETY: by the caller.
        let (launch, arguments) = unsafe { kernel_node(parameters) }?;
        *table::<Node>().get(node)?.work() = Work::Launch(launch, arguments);
        Ok(())
    }

    fn cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: *const Box3D, _context: Handle) {
        // SAFETY: by the caller.
        let copy = *unsafe { copy.as_ref() }.ok_or(Status::InvalidValue)?;
        replace(executable, node, Work::Copy(copy))
    }

    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: *const Box3D) {
        // SAFETY: by the caller.
        *table::<Node>().get(node)?.work() = Work::Copy(*unsafe { copy.as_ref() }.ok_or(Status::InvalidValue)?);
        Ok(())
    }

    fn cuGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, fill: *const FillParameters, _context: Handle) {
        // SAFETY: by the caller.
        let fill = unsafe { fill.as_ref() }.ok_or(Status::InvalidValue)?.fill()?;
        replace(executable, node, Work::Fill(fill))
    }

    fn cuGraphExecHostNodeSetParams(executable: Handle, node: Handle, parameters: *const HostParameters) {
        // SAFETY: by the caller.
        let parameters = unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?;
        let function = parameters.function.ok_or(Status::InvalidValue)?;
        replace(executable, node, Work::Host(function, parameters.data as usize))
    }

    fn cuGraphNodeSetEnabled(_executable: Handle, node: Handle, enabled: u32) {
        *lock(&table::<Node>().get(node)?.enabled) = enabled != 0;
        Ok(())
    }

    fn cuGraphNodeGetEnabled(_executable: Handle, node: Handle, enabled: *mut u32) {
        // SAFETY: by the caller.
        unsafe { store(enabled, u32::from(*lock(&table::<Node>().get(node)?.enabled))) }
    }
}
