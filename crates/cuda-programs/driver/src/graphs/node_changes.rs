//! What nodes do, asked for and changed: in graphs, and in what was made ready of them.

use crate::api::api;
use crate::graphs::calls::{copy_of, end_copies};
use crate::graphs::node_parameters::{
    FillParameters, HostParameters, copy, fill, host, kernel, show,
};
use crate::graphs::work::{Executable, Node, Work};
use crate::handles::Handle;
use crate::lock::lock;
use crate::memory::transfer::Box3D;
use crate::state::table;
use crate::status::{Result, Status};
use crate::streams::event::Event;
use std::ffi::c_void;

/// Replaces what a node does by other work of its kind.
pub fn change(node: Handle, work: Work) -> Result {
    let node = table::<Node>().get(node)?;
    let mut old = node.work();
    old.become_other(work)
}

/// Replaces what a node of an executable does by other work of its kind, and leaves the graph that the executable was made of as it is. A node
/// of a graph inside of it, as of a conditional's body, is named by the original, too.
pub fn replace(executable: Handle, node: Handle, work: Work) -> Result {
    let executable = table::<Executable>().get(executable)?;
    let mut steps = lock(&executable.steps);
    if let Some((_, old)) = steps.iter_mut().find(|(of_step, _)| *of_step == node) {
        let before = old.clone();
        old.become_other(work)?;
        return end_copies(&before);
    }
    for (_, step) in &*steps {
        if let Some(copy) = step.copy_of_node(node)? {
            return change(copy, work);
        }
    }
    Err(Status::InvalidValue)
}

api! {
    fn cuGraphKernelNodeSetParams_v2(node: Handle, parameters: *const c_void) {
        // SAFETY: by the caller.
        change(node, unsafe { kernel(parameters) }?)
    }

    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle, node: Handle, parameters: *const c_void) {
        // SAFETY: by the caller.
        replace(executable, node, unsafe { kernel(parameters) }?)
    }

    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: *const Box3D) {
        // SAFETY: by the caller.
        change(node, unsafe { self::copy(copy) }?)
    }

    fn cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: *const Box3D, _context: Handle) {
        // SAFETY: by the caller.
        replace(executable, node, unsafe { self::copy(copy) }?)
    }

    fn cuGraphMemsetNodeSetParams(node: Handle, fill: *const FillParameters) {
        // SAFETY: by the caller.
        change(node, unsafe { self::fill(fill) }?)
    }

    fn cuGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, fill: *const FillParameters, _context: Handle) {
        // SAFETY: by the caller.
        replace(executable, node, unsafe { self::fill(fill) }?)
    }

    fn cuGraphHostNodeSetParams(node: Handle, parameters: *const HostParameters) {
        // SAFETY: by the caller.
        change(node, unsafe { host(parameters) }?)
    }

    fn cuGraphExecHostNodeSetParams(executable: Handle, node: Handle, parameters: *const HostParameters) {
        // SAFETY: by the caller.
        replace(executable, node, unsafe { host(parameters) }?)
    }

    fn cuGraphKernelNodeGetParams_v2(node: Handle, parameters: *mut c_void) {
        // SAFETY: by the caller.
        unsafe { show(&*table::<Node>().get(node)?, 0, parameters) }
    }

    fn cuGraphMemcpyNodeGetParams(node: Handle, parameters: *mut c_void) {
        // SAFETY: by the caller.
        unsafe { show(&*table::<Node>().get(node)?, 1, parameters) }
    }

    fn cuGraphMemsetNodeGetParams(node: Handle, parameters: *mut c_void) {
        // SAFETY: by the caller.
        unsafe { show(&*table::<Node>().get(node)?, 2, parameters) }
    }

    fn cuGraphHostNodeGetParams(node: Handle, parameters: *mut c_void) {
        // SAFETY: by the caller.
        unsafe { show(&*table::<Node>().get(node)?, 3, parameters) }
    }

    fn cuGraphEventRecordNodeGetEvent(node: Handle, event: *mut Handle) {
        // SAFETY: by the caller.
        unsafe { show(&*table::<Node>().get(node)?, 7, event.cast()) }
    }

    fn cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        table::<Event>().get(event)?;
        change(node, Work::Record(event))
    }

    fn cuGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        table::<Event>().get(event)?;
        replace(executable, node, Work::Record(event))
    }

    fn cuGraphEventWaitNodeGetEvent(node: Handle, event: *mut Handle) {
        // SAFETY: by the caller.
        unsafe { show(&*table::<Node>().get(node)?, 6, event.cast()) }
    }

    fn cuGraphEventWaitNodeSetEvent(node: Handle, event: Handle) {
        table::<Event>().get(event)?;
        change(node, Work::Wait(event))
    }

    fn cuGraphExecEventWaitNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        table::<Event>().get(event)?;
        replace(executable, node, Work::Wait(event))
    }

    fn cuGraphExecChildGraphNodeSetParams(executable: Handle, node: Handle, child: Handle) {
        replace(executable, node, Work::Graph(copy_of(child)?))
    }
}
