//! Nodes of graphs.

use crate::api::api;
use crate::graphs::calls::copy_of;
use crate::graphs::node_parameters::{FillParameters, HostParameters, copy, fill, host, kernel};
use crate::graphs::work::{Executable, Graph, Node, Work};
use crate::handles::Handle;
use crate::lock::lock;
use crate::memory::transfer::Box3D;
use crate::pointers::{slice, store};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::streams::event::Event;
use std::ffi::c_void;
use std::sync::Arc;

/// Adds a node and stores its handle.
///
/// # Safety
/// As C's callers promise.
pub unsafe fn add(
    node: *mut Handle,
    graph: Handle,
    after: *const Handle,
    count: usize,
    work: Work,
) -> Result {
    // SAFETY: by the caller.
    let after = unsafe { slice(after, count) }?;
    let made = driver()?.add_node(graph, after, work)?;
    // SAFETY: by the caller.
    unsafe { store(node, made) }
}

/// The executable of a handle; a node that it was not made from is refused.
fn holder(executable: Handle, node: Handle) -> Result<Arc<Executable>> {
    let executable = table::<Executable>().get(executable)?;
    let held = lock(&executable.steps).iter().any(|(of_step, _)| *of_step == node);
    if held { Ok(executable) } else { Err(Status::InvalidValue) }
}

api! {
    fn cuGraphAddEmptyNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize) {
        // SAFETY: by the caller.
        unsafe { add(node, graph, after, count, Work::Nothing) }
    }

    fn cuGraphAddKernelNode_v2(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *const c_void) {
        // SAFETY: by the caller.
        unsafe {
            add(node, graph, after, count, kernel(parameters)?)
        }
    }

    fn cuGraphAddMemcpyNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, copy: *const Box3D, _context: Handle) {
        // SAFETY: by the caller.
        unsafe {
            add(node, graph, after, count, self::copy(copy)?)
        }
    }

    fn cuGraphAddMemsetNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, fill: *const FillParameters, _context: Handle) {
        // SAFETY: by the caller.
        unsafe {
            add(node, graph, after, count, self::fill(fill)?)
        }
    }

    fn cuGraphAddHostNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *const HostParameters) {
        // SAFETY: by the caller.
        unsafe {
            add(node, graph, after, count, host(parameters)?)
        }
    }

    fn cuGraphAddChildGraphNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, child: Handle) {
        table::<Graph>().get(child)?;
        let copied = copy_of(child)?;
        // SAFETY: by the caller.
        unsafe { add(node, graph, after, count, Work::Graph(copied)) }
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
        unsafe { add(node, graph, after, count, Work::Wait(event)) }
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

    fn cuGraphNodeSetEnabled(executable: Handle, node: Handle, enabled: u32) {
        let executable = holder(executable, node)?;
        let mut disabled = lock(&executable.disabled);
        if enabled == 0 { disabled.insert(node) } else { disabled.remove(&node) };
        Ok(())
    }

    fn cuGraphNodeGetEnabled(executable: Handle, node: Handle, enabled: *mut u32) {
        let disabled = lock(&holder(executable, node)?.disabled).contains(&node);
        // SAFETY: by the caller.
        unsafe { store(enabled, u32::from(!disabled)) }
    }
}
