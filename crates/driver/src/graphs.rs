//! Graphs: work as nodes with an order, made by calls or by capturing a stream, and run as a whole.
//!
//! A node holds what a launch or a copy needs; running a graph runs its nodes one after the other, each after those it depends on.

use crate::api::api;
use crate::event::Event;
use crate::handles::Handle;
use crate::pointers::{offer, slice, store};
use crate::running::kernel_node;
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use crate::transfer::{Box3D, Fill};
use crate::work::{Executable, Graph, HostFunction, Node, Work, lock};
use std::ffi::c_void;
use std::sync::Mutex;

impl Driver {
    fn instantiate(&self, graph: Handle) -> Result<Handle> {
        let steps = self.order(&*table::<Graph>().get(graph)?)?;
        Ok(table::<Executable>().add(Executable { steps: Mutex::new(steps) }))
    }

    /// Replaces what a node of an executable does.
    fn replace(&self, executable: Handle, node: Handle, work: Work) -> Result {
        let executable = table::<Executable>().get(executable)?;
        let mut steps = lock(&executable.steps);
        let step =
            steps.iter_mut().find(|(of_step, _)| *of_step == node).ok_or(Status::InvalidValue)?;
        step.1 = work;
        Ok(())
    }
}

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

/// Stores up to `count` handles, and how many there are.
///
/// # Safety
/// As C's callers promise.
unsafe fn list(handles: &[Handle], to: *mut Handle, count: *mut usize) -> Result {
    // SAFETY: by the caller.
    let count = unsafe { count.as_mut() }.ok_or(Status::InvalidValue)?;
    if !to.is_null() {
        for index in 0..*count {
            // SAFETY: by the caller.
            unsafe { store(to.add(index), handles.get(index).copied().unwrap_or(0)) }?;
        }
    }
    *count = handles.len();
    Ok(())
}

/// Runs an executable.
fn launch(executable: Handle, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    let steps = lock(&table::<Executable>().get(executable)?.steps).clone();
    for (node, work) in steps {
        if table::<Node>().find(node).is_none_or(|node| *lock(&node.enabled)) {
            // SAFETY: as when the nodes were made; the program keeps what they use.
            unsafe { work.run() }?;
        }
    }
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
    fn cuGraphCreate(graph: *mut Handle, _flags: u32) {
        // SAFETY: by the caller.
        unsafe { store(graph, table::<Graph>().add(Graph::default())) }
    }

    fn cuGraphDestroy(graph: Handle) {
        driver()?;
        for (node, _) in lock(&table::<Graph>().remove(graph)?.nodes).iter() {
            table::<Node>().remove(*node)?;
        }
        Ok(())
    }

    fn cuGraphClone(clone: *mut Handle, graph: Handle) {
        let driver = driver()?;
        let made = table::<Graph>().add(Graph::default());
        let mut known: Vec<(Handle, Handle)> = Vec::new();
        let nodes = lock(&table::<Graph>().get(graph)?.nodes).clone();
        for (node, after) in nodes {
            let after: Vec<Handle> =
                after.iter().filter_map(|old| known.iter().find(|(of_old, _)| of_old == old).map(|(_, new)| *new)).collect();
            let work = table::<Node>().get(node)?.work().clone();
            known.push((node, driver.add_node(made, &after, work)?));
        }
        // SAFETY: by the caller.
        unsafe { store(clone, made) }
    }

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

    fn cuGraphGetNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) {
        let of_graph: Vec<Handle> = lock(&table::<Graph>().get(graph)?.nodes).iter().map(|(node, _)| *node).collect();
        // SAFETY: by the caller.
        unsafe { list(&of_graph, nodes, count) }
    }

    fn cuGraphGetRootNodes(graph: Handle, nodes: *mut Handle, count: *mut usize) {
        let of_graph = table::<Graph>().get(graph)?;
        let roots: Vec<Handle> = lock(&of_graph.nodes).iter().filter(|(_, after)| after.is_empty()).map(|(node, _)| *node).collect();
        // SAFETY: by the caller.
        unsafe { list(&roots, nodes, count) }
    }

    fn cuGraphGetEdges_v2(graph: Handle, from: *mut Handle, to: *mut Handle, _data: *mut c_void, count: *mut usize) {
        let nodes = lock(&table::<Graph>().get(graph)?.nodes).clone();
        let edges: Vec<(Handle, Handle)> =
            nodes.iter().flat_map(|(node, after)| after.iter().map(move |before| (*before, *node))).collect();
        let (starts, ends): (Vec<Handle>, Vec<Handle>) = edges.into_iter().unzip();
        // SAFETY: by the caller.
        unsafe {
            let mut asked = *count.as_ref().ok_or(Status::InvalidValue)?;
            list(&starts, from, &mut asked)?;
            list(&ends, to, count)
        }
    }

    fn cuGraphNodeGetDependencies_v2(node: Handle, nodes: *mut Handle, _data: *mut c_void, count: *mut usize) {
        driver()?;
        let graph = table::<Graph>().get(table::<Node>().get(node)?.graph)?;
        let after = lock(&graph.nodes).iter().find(|(other, _)| *other == node).map(|(_, after)| after.clone()).unwrap_or_default();
        // SAFETY: by the caller.
        unsafe { list(&after, nodes, count) }
    }

    fn cuGraphNodeGetDependentNodes_v2(node: Handle, nodes: *mut Handle, _data: *mut c_void, count: *mut usize) {
        driver()?;
        let graph = table::<Graph>().get(table::<Node>().get(node)?.graph)?;
        let dependent: Vec<Handle> =
            lock(&graph.nodes).iter().filter(|(_, after)| after.contains(&node)).map(|(other, _)| *other).collect();
        // SAFETY: by the caller.
        unsafe { list(&dependent, nodes, count) }
    }

    fn cuGraphAddDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, _data: *const c_void, count: usize) {
        let graph = table::<Graph>().get(graph)?;
        // SAFETY: by the caller.
        let (from, to) = unsafe { (slice(from, count), slice(to, count)) };
        let mut nodes = lock(&graph.nodes);
        for (from, to) in from.iter().zip(to) {
            nodes.iter_mut().find(|(node, _)| node == to).ok_or(Status::InvalidValue)?.1.push(*from);
        }
        Ok(())
    }

    fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, _flags: u64) {
        // SAFETY: by the caller.
        unsafe { store(executable, driver()?.instantiate(graph)?) }
    }

    fn cuGraphInstantiate_v2(executable: *mut Handle, graph: Handle, node: *mut Handle, _log: *mut c_void, _bytes: usize) {
        // SAFETY: by the caller.
        unsafe {
            offer(node, 0);
            store(executable, driver()?.instantiate(graph)?)
        }
    }

    fn cuGraphInstantiateWithParams(executable: *mut Handle, graph: Handle, _parameters: *mut c_void) {
        // SAFETY: by the caller.
        unsafe { store(executable, driver()?.instantiate(graph)?) }
    }

    fn cuGraphExecDestroy(executable: Handle) {
        table::<Executable>().remove(executable).map(drop)
    }

    fn cuGraphExecGetFlags(executable: Handle, flags: *mut u64) {
        table::<Executable>().get(executable)?;
        // SAFETY: by the caller.
        unsafe { store(flags, 0) }
    }

    fn cuGraphUpload(executable: Handle, stream: Handle) {
        driver()?.stream(stream)?;
        table::<Executable>().get(executable).map(drop)
    }

    fn cuGraphLaunch(executable: Handle, stream: Handle) {
        launch(executable, stream)
    }

    fn cuGraphExecUpdate_v2(executable: Handle, graph: Handle, result: *mut [u64; 3]) {
        let driver = driver()?;
        let steps = driver.order(&*table::<Graph>().get(graph)?)?;
        let executable = table::<Executable>().get(executable)?;
        let mut old = lock(&executable.steps);
        let same = old.len() == steps.len() && old.iter().zip(&steps).all(|((_, old), (_, new))| old.kind() == new.kind());
        // Success is 0; another topology 2.
        // SAFETY: by the caller.
        unsafe { offer(result, [if same { 0 } else { 2 }, 0, 0]) };
        if !same {
            return Err(Status::GraphExecUpdateFailure);
        }
        *old = steps;
        Ok(())
    }

    fn cuGraphExecKernelNodeSetParams_v2(executable: Handle, node: Handle, parameters: *const c_void) {
        // SAFETY: by the caller.
        let (launch, arguments) = unsafe { kernel_node(parameters) }?;
        driver()?.replace(executable, node, Work::Launch(launch, arguments))
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
        driver()?.replace(executable, node, Work::Copy(copy))
    }

    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: *const Box3D) {
        // SAFETY: by the caller.
        *table::<Node>().get(node)?.work() = Work::Copy(*unsafe { copy.as_ref() }.ok_or(Status::InvalidValue)?);
        Ok(())
    }

    fn cuGraphExecMemsetNodeSetParams(executable: Handle, node: Handle, fill: *const FillParameters, _context: Handle) {
        // SAFETY: by the caller.
        let fill = unsafe { fill.as_ref() }.ok_or(Status::InvalidValue)?.fill()?;
        driver()?.replace(executable, node, Work::Fill(fill))
    }

    fn cuGraphExecHostNodeSetParams(executable: Handle, node: Handle, parameters: *const HostParameters) {
        // SAFETY: by the caller.
        let parameters = unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?;
        let function = parameters.function.ok_or(Status::InvalidValue)?;
        driver()?.replace(executable, node, Work::Host(function, parameters.data as usize))
    }

    fn cuGraphNodeSetEnabled(_executable: Handle, node: Handle, enabled: u32) {
        *lock(&table::<Node>().get(node)?.enabled) = enabled != 0;
        Ok(())
    }

    fn cuGraphNodeGetEnabled(_executable: Handle, node: Handle, enabled: *mut u32) {
        // SAFETY: by the caller.
        unsafe { store(enabled, u32::from(*lock(&table::<Node>().get(node)?.enabled))) }
    }

    fn cuGraphDebugDotPrint(graph: Handle, file: *const std::ffi::c_char, _flags: u32) {
        let nodes = lock(&table::<Graph>().get(graph)?.nodes).clone();
        let mut text = String::from("digraph {\n");
        for (node, after) in &nodes {
            text += &format!("  n{node:x} [label=\"kind {}\"];\n", table::<Node>().get(*node)?.work().kind());
            after.iter().for_each(|before| text += &format!("  n{before:x} -> n{node:x};\n"));
        }
        text += "}\n";
        // SAFETY: by the caller.
        std::fs::write(unsafe { crate::pointers::text(file) }?, text).map_err(|_| Status::FileNotFound)
    }
}
