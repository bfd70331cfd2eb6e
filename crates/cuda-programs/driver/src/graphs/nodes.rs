//! Graph nodes: creating them, reading their parameters, and updating them.

use crate::api::api;
use crate::graphs::calls::{copy_of, end_copies};
use crate::graphs::work::{Executable, Graph, HostCall, HostFunction, Node, Work};
use crate::launches::launch::{KernelNodeParameters, Launch, kernel_node};
use crate::memory::transfer::{Copy3D, Fill};
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::Event;
use std::ffi::c_void;
use std::sync::Arc;

/// `CUDA_HOST_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct HostParameters {
    function: Option<HostFunction>,
    data: *mut c_void,
}

abi!(HostParameters = 16, 8 { function: 0, data: 8 });

/// `CUDA_MEMSET_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct FillParameters {
    address: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

abi!(FillParameters = 40, 8 { address: 0, pitch: 8, value: 16, element: 20, width: 24, height: 32 });

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

/// The work of a kernel node.
pub fn kernel(parameters: In<'_, KernelNodeParameters>) -> Result<Work> {
    let (launch, arguments) = kernel_node(parameters)?;
    Ok(Work::Launch(launch, arguments))
}

/// The work of a copy node.
pub fn copy(parameters: In<'_, Copy3D>) -> Result<Work> {
    let copy = parameters.get()?;
    copy.check_node()?;
    Ok(Work::Copy(copy))
}

/// The work of a memset node.
pub fn fill(parameters: In<'_, FillParameters>) -> Result<Work> {
    let fill = parameters.get()?.fill()?;
    if fill.width == 0 || fill.height == 0 {
        return Err(Status::InvalidValue);
    }
    fill.check()?;
    Ok(Work::Fill(fill))
}

/// The work of a host function node.
pub fn host(parameters: In<'_, HostParameters>) -> Result<Work> {
    let parameters = parameters.get()?;
    let function = parameters.function.ok_or(Status::InvalidValue)?;
    Ok(Work::Host(HostCall::new(function, parameters.data)))
}

/// A kernel node's parameters as C reads them. Nodes of other kinds are an error.
pub fn shown_launch(node: &Node) -> Result<KernelNodeParameters> {
    let Work::Launch(launch, arguments) = &*node.work() else { return Err(Status::InvalidValue) };
    // The node keeps the list until the next query; the pointers refer to its copies of the arguments.
    let mut shown = lock(&node.shown);
    *shown = arguments.iter().map(|bytes| bytes.as_ptr() as usize).collect();
    let each = shown.as_ptr().cast();
    let Launch { function, grid, block, dynamic_shared, .. } = *launch;
    let (extra, kernel, context) = (std::ptr::null(), 0, 0);
    Ok(KernelNodeParameters { function, grid, block, dynamic_shared, each, extra, kernel, context })
}

/// A copy node's parameters; see [`shown_launch`].
pub fn shown_copy(node: &Node) -> Result<Copy3D> {
    match &*node.work() {
        Work::Copy(copy) => Ok(*copy),
        _ => Err(Status::InvalidValue),
    }
}

/// A memset node's parameters; see [`shown_launch`].
pub fn shown_fill(node: &Node) -> Result<FillParameters> {
    let Work::Fill(fill) = &*node.work() else { return Err(Status::InvalidValue) };
    let mut value = [0; 4];
    value[..fill.pattern.len()].copy_from_slice(&fill.pattern);
    let (value, element) = (u32::from_le_bytes(value), fill.pattern.len() as u32);
    let Fill { address, pitch, width, height, .. } = *fill;
    Ok(FillParameters { address, pitch, value, element, width, height })
}

/// A host function node's parameters; see [`shown_launch`].
pub fn shown_host(node: &Node) -> Result<HostParameters> {
    let Work::Host(call) = &*node.work() else { return Err(Status::InvalidValue) };
    let (function, data) = call.parts();
    Ok(HostParameters { function: Some(function), data })
}

/// The event of an event node of this kind.
pub fn shown_event(node: &Node, kind: i32) -> Result<Handle> {
    let work = node.work();
    match &*work {
        Work::Record(event) | Work::Wait(event) if work.kind() == kind => Ok(*event),
        _ => Err(Status::InvalidValue),
    }
}

/// Adds a node and stores its handle.
pub fn add(
    node: Out<'_, Handle>,
    graph: Handle,
    after: In<'_, Handle>,
    count: usize,
    work: Work,
) -> Result {
    if node.is_null() || count > 0 && after.is_null() {
        return Err(Status::InvalidValue);
    }
    let after = after.list(count)?;
    let made = driver()?.add_node(graph, &after, work)?;
    node.store(made)
}

/// Looks up an executable, and checks that it has the node.
fn holder(executable: Handle, node: Handle) -> Result<Arc<Executable>> {
    let executable = table::<Executable>().some(executable)?;
    let held = lock(&executable.steps).iter().any(|(of_step, _)| *of_step == node);
    if held { Ok(executable) } else { Err(Status::InvalidValue) }
}

/// Checks parameters for a node of an executable: fills and copies stay one-dimensional, and copies stay between host and
/// device memory of the same kinds.
fn check_update(executable: Handle, node: Handle, new: &Work) -> Result {
    let executable = table::<Executable>().some(executable)?;
    let steps = lock(&executable.steps);
    let old = steps.iter().find(|(of_step, _)| *of_step == node).map(|(_, work)| work);
    let fits = match (old, new) {
        (Some(Work::Fill(old)), Work::Fill(new)) => old.height == 1 && new.height == 1,
        (Some(Work::Copy(old)), Work::Copy(new)) => {
            let other = |of: (u32, u32)| matches!(of, (1, 2) | (2, 1));
            let sides = [(old.from.memory, new.from.memory), (old.to.memory, new.to.memory)];
            !sides.into_iter().any(other)
        }
        _ => true,
    };
    if fits { Ok(()) } else { Err(Status::InvalidValue) }
}

/// Replaces a node's work by work of the same kind.
pub fn change(node: Handle, work: Work) -> Result {
    let node = table::<Node>().some(node)?;
    let mut old = node.work();
    old.become_other(work)
}

/// Replaces the work of an executable's node by work of the same kind. The graph that it was instantiated from does
/// not change. Nodes of child graphs and of conditional bodies are also identified by the original nodes.
pub fn replace(executable: Handle, node: Handle, work: Work) -> Result {
    let executable = table::<Executable>().some(executable)?;
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
    fn cuGraphAddEmptyNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize) {
        add(node, graph, after, count, Work::Nothing)
    }

    fn cuGraphAddKernelNode_v2(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, KernelNodeParameters>) {
        add(node, graph, after, count, kernel(parameters)?)
    }

    fn cuGraphAddMemcpyNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, copy: In<'_, Copy3D>, _context: Handle) {
        add(node, graph, after, count, self::copy(copy)?)
    }

    fn cuGraphAddMemsetNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, fill: In<'_, FillParameters>, _context: Handle) {
        add(node, graph, after, count, self::fill(fill)?)
    }

    fn cuGraphAddHostNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, HostParameters>) {
        add(node, graph, after, count, host(parameters)?)
    }

    fn cuGraphAddChildGraphNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, child: Handle) {
        driver()?.check_child(graph, child)?;
        let copied = copy_of(child)?;
        add(node, graph, after, count, Work::Graph(copied))
    }

    fn cuGraphChildGraphNodeGetGraph(node: Handle, graph: Out<'_, Handle>) {
        let found = match &*table::<Node>().some(node)?.work() {
            Work::Graph(graph) => *graph,
            _ => return Err(Status::InvalidValue),
        };
        graph.store(found)
    }

    fn cuGraphAddEventRecordNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, event: Handle) {
        table::<Event>().some(event)?;
        add(node, graph, after, count, Work::Record(event))
    }

    fn cuGraphAddEventWaitNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, event: Handle) {
        table::<Event>().some(event)?;
        add(node, graph, after, count, Work::Wait(event))
    }

    fn cuGraphDestroyNode(node: Handle) {
        driver()?;
        if table::<Node>().some(node)?.work().owns_memory() {
            return Err(Status::NotSupported);
        }
        let removed = table::<Node>().remove_some(node)?;
        let graph = table::<Graph>().some(removed.graph)?;
        let mut nodes = lock(&graph.nodes);
        nodes.retain(|(of_graph, _)| *of_graph != node);
        nodes.iter_mut().for_each(|(_, after)| after.retain(|other| *other != node));
        Ok(())
    }

    fn cuGraphNodeGetType(node: Handle, kind: Out<'_, i32>) {
        kind.store(table::<Node>().some(node)?.work().kind())
    }

    fn cuGraphNodeSetEnabled(executable: Handle, node: Handle, enabled: u32) {
        let executable = holder(executable, node)?;
        // Only kernels, copies and fills can be disabled.
        if !(0..=2).contains(&table::<Node>().some(node)?.work().kind()) {
            return Err(Status::InvalidValue);
        }
        let mut disabled = lock(&executable.disabled);
        if enabled == 0 { disabled.insert(node) } else { disabled.remove(&node) };
        Ok(())
    }

    fn cuGraphNodeGetEnabled(executable: Handle, node: Handle, enabled: Out<'_, u32>) {
        let disabled = lock(&holder(executable, node)?.disabled).contains(&node);
        enabled.store(u32::from(!disabled))
    }

    fn cuGraphKernelNodeSetParams_v2(node: Handle, parameters: In<'_, KernelNodeParameters>) {
        change(node, kernel(parameters)?)
    }

    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle, node: Handle, parameters: In<'_, KernelNodeParameters>) {
        replace(executable, node, kernel(parameters)?)
    }

    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: In<'_, Copy3D>) {
        change(node, self::copy(copy)?)
    }

    fn cuGraphExecMemcpyNodeSetParams(executable: Handle, node: Handle, copy: In<'_, Copy3D>, _context: Handle) {
        let copy = self::copy(copy)?;
        check_update(executable, node, &copy)?;
        replace(executable, node, copy)
    }

    fn cuGraphMemsetNodeSetParams(node: Handle, fill: In<'_, FillParameters>) {
        change(node, self::fill(fill)?)
    }

    fn cuGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, fill: In<'_, FillParameters>, _context: Handle) {
        let fill = self::fill(fill)?;
        check_update(executable, node, &fill)?;
        replace(executable, node, fill)
    }

    fn cuGraphHostNodeSetParams(node: Handle, parameters: In<'_, HostParameters>) {
        change(node, host(parameters)?)
    }

    fn cuGraphExecHostNodeSetParams(executable: Handle, node: Handle, parameters: In<'_, HostParameters>) {
        replace(executable, node, host(parameters)?)
    }

    fn cuGraphKernelNodeGetParams_v2(node: Handle, parameters: Out<'_, KernelNodeParameters>) {
        parameters.store(shown_launch(&*table::<Node>().some(node)?)?)
    }

    fn cuGraphMemcpyNodeGetParams(node: Handle, parameters: Out<'_, Copy3D>) {
        parameters.store(shown_copy(&*table::<Node>().some(node)?)?)
    }

    fn cuGraphMemsetNodeGetParams(node: Handle, parameters: Out<'_, FillParameters>) {
        parameters.store(shown_fill(&*table::<Node>().some(node)?)?)
    }

    fn cuGraphHostNodeGetParams(node: Handle, parameters: Out<'_, HostParameters>) {
        parameters.store(shown_host(&*table::<Node>().some(node)?)?)
    }

    fn cuGraphEventRecordNodeGetEvent(node: Handle, event: Out<'_, Handle>) {
        event.store(shown_event(&*table::<Node>().some(node)?, 7)?)
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
        event.store(shown_event(&*table::<Node>().some(node)?, 6)?)
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
