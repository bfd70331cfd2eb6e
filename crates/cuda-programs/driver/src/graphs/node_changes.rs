//! What nodes do, asked for and changed: in graphs, and in what was made ready of them.

use crate::api::api;
use crate::graphs::calls::{copy_of, end_copies};
use crate::graphs::node_parameters::{
    FillParameters, HostParameters, copy, fill, host, kernel, shown_copy, shown_event, shown_fill,
    shown_host, shown_launch,
};
use crate::graphs::work::{Executable, Node, Work};
use crate::handles::Handle;
use crate::launches::running::NodeParameters;
use crate::lock::lock;
use crate::memory::transfer::Box3D;
use crate::pointers::{In, Out};
use crate::state::table;
use crate::status::{Result, Status};
use crate::streams::event::Event;

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
    fn cuGraphKernelNodeSetParams_v2(node: Handle, parameters: In<'_, NodeParameters>) {
        change(node, kernel(parameters)?)
    }

    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle, node: Handle, parameters: In<'_, NodeParameters>) {
        replace(executable, node, kernel(parameters)?)
    }

    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: In<'_, Box3D>) {
        change(node, self::copy(copy)?)
    }

    fn cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: In<'_, Box3D>, _context: Handle) {
        replace(executable, node, self::copy(copy)?)
    }

    fn cuGraphMemsetNodeSetParams(node: Handle, fill: In<'_, FillParameters>) {
        change(node, self::fill(fill)?)
    }

    fn cuGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, fill: In<'_, FillParameters>, _context: Handle) {
        replace(executable, node, self::fill(fill)?)
    }

    fn cuGraphHostNodeSetParams(node: Handle, parameters: In<'_, HostParameters>) {
        change(node, host(parameters)?)
    }

    fn cuGraphExecHostNodeSetParams(executable: Handle, node: Handle, parameters: In<'_, HostParameters>) {
        replace(executable, node, host(parameters)?)
    }

    fn cuGraphKernelNodeGetParams_v2(node: Handle, parameters: Out<'_, NodeParameters>) {
        parameters.store(shown_launch(&*table::<Node>().get(node)?)?)
    }

    fn cuGraphMemcpyNodeGetParams(node: Handle, parameters: Out<'_, Box3D>) {
        parameters.store(shown_copy(&*table::<Node>().get(node)?)?)
    }

    fn cuGraphMemsetNodeGetParams(node: Handle, parameters: Out<'_, FillParameters>) {
        parameters.store(shown_fill(&*table::<Node>().get(node)?)?)
    }

    fn cuGraphHostNodeGetParams(node: Handle, parameters: Out<'_, HostParameters>) {
        parameters.store(shown_host(&*table::<Node>().get(node)?)?)
    }

    fn cuGraphEventRecordNodeGetEvent(node: Handle, event: Out<'_, Handle>) {
        event.store(shown_event(&*table::<Node>().get(node)?, 7)?)
    }

    fn cuGraphEventRecordNodeSetEvent(node: Handle, event: Handle) {
        table::<Event>().get(event)?;
        change(node, Work::Record(event))
    }

    fn cuGraphExecEventRecordNodeSetEvent(executable: Handle, node: Handle, event: Handle) {
        table::<Event>().get(event)?;
        replace(executable, node, Work::Record(event))
    }

    fn cuGraphEventWaitNodeGetEvent(node: Handle, event: Out<'_, Handle>) {
        event.store(shown_event(&*table::<Node>().get(node)?, 6)?)
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
