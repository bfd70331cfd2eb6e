//! Nodes of graphs.

use crate::api::api;
use crate::graphs::calls::copy_of;
use crate::graphs::node_parameters::{FillParameters, HostParameters, copy, fill, host, kernel};
use crate::graphs::work::{Executable, Graph, Node, Work};
use crate::handles::Handle;
use crate::launches::running::NodeParameters;
use crate::lock::lock;
use crate::memory::transfer::Box3D;
use crate::pointers::{In, Out};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::streams::event::Event;
use std::sync::Arc;

/// Adds a node and stores its handle.
pub fn add(
    node: Out<'_, Handle>,
    graph: Handle,
    after: In<'_, Handle>,
    count: usize,
    work: Work,
) -> Result {
    let after = after.list(count)?;
    let made = driver()?.add_node(graph, &after, work)?;
    node.store(made)
}

/// The executable of a handle; a node that it was not made from is refused.
fn holder(executable: Handle, node: Handle) -> Result<Arc<Executable>> {
    let executable = table::<Executable>().get(executable)?;
    let held = lock(&executable.steps).iter().any(|(of_step, _)| *of_step == node);
    if held { Ok(executable) } else { Err(Status::InvalidValue) }
}

api! {
    fn cuGraphAddEmptyNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize) {
        add(node, graph, after, count, Work::Nothing)
    }

    fn cuGraphAddKernelNode_v2(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, NodeParameters>) {
        add(node, graph, after, count, kernel(parameters)?)
    }

    fn cuGraphAddMemcpyNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, copy: In<'_, Box3D>, _context: Handle) {
        add(node, graph, after, count, self::copy(copy)?)
    }

    fn cuGraphAddMemsetNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, fill: In<'_, FillParameters>, _context: Handle) {
        add(node, graph, after, count, self::fill(fill)?)
    }

    fn cuGraphAddHostNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, HostParameters>) {
        add(node, graph, after, count, host(parameters)?)
    }

    fn cuGraphAddChildGraphNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, child: Handle) {
        table::<Graph>().get(child)?;
        let copied = copy_of(child)?;
        add(node, graph, after, count, Work::Graph(copied))
    }

    fn cuGraphChildGraphNodeGetGraph(node: Handle, graph: Out<'_, Handle>) {
        let found = match &*table::<Node>().get(node)?.work() {
            Work::Graph(graph) => *graph,
            _ => return Err(Status::InvalidValue),
        };
        graph.store(found)
    }

    fn cuGraphAddEventRecordNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, event: Handle) {
        table::<Event>().get(event)?;
        add(node, graph, after, count, Work::Record(event))
    }

    fn cuGraphAddEventWaitNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, event: Handle) {
        table::<Event>().get(event)?;
        add(node, graph, after, count, Work::Wait(event))
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

    fn cuGraphNodeGetType(node: Handle, kind: Out<'_, i32>) {
        kind.store(table::<Node>().get(node)?.work().kind())
    }

    fn cuGraphNodeSetEnabled(executable: Handle, node: Handle, enabled: u32) {
        let executable = holder(executable, node)?;
        let mut disabled = lock(&executable.disabled);
        if enabled == 0 { disabled.insert(node) } else { disabled.remove(&node) };
        Ok(())
    }

    fn cuGraphNodeGetEnabled(executable: Handle, node: Handle, enabled: Out<'_, u32>) {
        let disabled = lock(&holder(executable, node)?.disabled).contains(&node);
        enabled.store(u32::from(!disabled))
    }
}
