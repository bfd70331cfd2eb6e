//! Nodes of any kind by one structure (`CUgraphNodeParams`).

use crate::api::api;
use crate::graphs::calls::copy_of;
use crate::graphs::conditional::conditional;
use crate::graphs::edges::keep_data;
use crate::graphs::memory_nodes::{allocation, release};
use crate::graphs::node_changes::{change, replace};
use crate::graphs::node_parameters::{copy, fill, host, kernel, show};
use crate::graphs::nodes::add;
use crate::graphs::work::{EdgeData, Graph, Node, Work};
use crate::handles::Handle;
use crate::pointers::{slice, store};
use crate::state::table;
use crate::status::{Result, Status};
use crate::streams::event::Event;
use crate::streams::values::{operations, show_operations};

/// `CUgraphNodeParams`: what follows is of the kind.
#[repr(C)]
pub struct AnyParameters {
    kind: i32,
    reserved: [i32; 3],
    of_kind: [u64; 29],
}

/// Words before the copy itself in the parameters of a node that copies: flags with a reserved number, and the context.
const BEFORE_COPY: usize = 2;

/// The kind of a node that runs a graph, and how its parameters say that the graph becomes part of the node's own, and is not copied.
const CHILD: i32 = 4;
const MOVED: i32 = 1;
/// The kind of a conditional node, whose parameters never change.
const CONDITIONAL: i32 = 13;

/// The work of a node that is added to a graph.
///
/// # Safety
/// As [`work`].
unsafe fn added(graph: Handle, parameters: *mut AnyParameters) -> Result<Work> {
    // SAFETY: by the caller.
    let given = unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?;
    if given.kind == CONDITIONAL {
        // SAFETY: by the caller, the words are of the kind.
        return unsafe { conditional(graph, (&raw mut (*parameters).of_kind).cast()) };
    }
    if given.kind != CHILD || given.of_kind[1] as i32 != MOVED {
        // SAFETY: by the caller.
        return unsafe { work(parameters) };
    }
    let child = given.of_kind[0];
    table::<Graph>().get(child)?;
    let moved = Work::Graph(child);
    // No graph ever holds itself.
    if child == graph || moved.holds(graph)? { Err(Status::InvalidValue) } else { Ok(moved) }
}

/// The work that the parameters say; a graph in it is copied.
///
/// # Safety
/// They are null, which is refused, or as C passes them.
unsafe fn work(parameters: *mut AnyParameters) -> Result<Work> {
    // SAFETY: by the caller.
    let parameters = unsafe { parameters.as_mut() }.ok_or(Status::InvalidValue)?;
    let (at, handle) = (parameters.of_kind.as_mut_ptr(), parameters.of_kind[0]);
    // SAFETY: by the caller, the words are of the kind.
    unsafe {
        match parameters.kind {
            0 => kernel(at.cast()),
            1 => copy(at.add(BEFORE_COPY).cast()),
            2 => fill(at.cast()),
            3 => host(at.cast()),
            CHILD => Ok(Work::Graph(copy_of(handle)?)),
            5 => Ok(Work::Nothing),
            6 => table::<Event>().get(handle).map(|_| Work::Wait(handle)),
            7 => table::<Event>().get(handle).map(|_| Work::Record(handle)),
            10 => allocation(at.cast()),
            11 => release(handle),
            12 => operations(at.cast()),
            _ => Err(Status::NotSupported),
        }
    }
}

api! {
    fn cuGraphAddNode_v2(node: *mut Handle, graph: Handle, after: *const Handle, data: *const EdgeData, count: usize, parameters: *mut AnyParameters) {
        // SAFETY: by the caller.
        unsafe {
            add(node, graph, after, count, added(graph, parameters)?)?;
            let made = *node;
            keep_data(graph, slice(after, count)?.iter().map(|before| (*before, made)), data)
        }
    }

    fn cuGraphAddNode_v3(node: *mut Handle, graph: Handle, after: *const Handle, data: *const EdgeData, count: usize, parameters: *mut AnyParameters) {
        // It differs in kinds of nodes that are not supported.
        // SAFETY: by the caller.
        unsafe {
            add(node, graph, after, count, added(graph, parameters)?)?;
            let made = *node;
            keep_data(graph, slice(after, count)?.iter().map(|before| (*before, made)), data)
        }
    }

    fn cuGraphAddNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *mut AnyParameters) {
        // SAFETY: by the caller.
        unsafe { add(node, graph, after, count, added(graph, parameters)?) }
    }

    fn cuGraphNodeSetParams(node: Handle, parameters: *mut AnyParameters) {
        // SAFETY: by the caller.
        change(node, unsafe { work(parameters) }?)
    }

    fn cuGraphNodeSetParams_v2(node: Handle, parameters: *mut AnyParameters) {
        // SAFETY: by the caller.
        change(node, unsafe { work(parameters) }?)
    }

    fn cuGraphExecNodeSetParams(executable: Handle, node: Handle, parameters: *mut AnyParameters) {
        // SAFETY: by the caller.
        replace(executable, node, unsafe { work(parameters) }?)
    }

    fn cuGraphNodeGetParams(node: Handle, parameters: *mut AnyParameters) {
        let node = table::<Node>().get(node)?;
        let kind = node.work().kind();
        let mut all = AnyParameters { kind, reserved: [0; 3], of_kind: [0; 29] };
        let before = if kind == 1 { BEFORE_COPY } else { 0 };
        let graph = match &*node.work() {
            Work::Graph(graph) => Some(*graph),
            _ => None,
        };
        match (kind, graph) {
            (CHILD, Some(graph)) => all.of_kind[0] = graph,
            (5, _) => {}
            // SAFETY: there is room for the largest kind.
            (12, _) => unsafe { show_operations(&node, all.of_kind.as_mut_ptr().cast()) }?,
            // SAFETY: there is room for the largest kind.
            _ => unsafe { show(&node, kind, all.of_kind.as_mut_ptr().add(before).cast()) }?,
        }
        // SAFETY: by the caller.
        unsafe { store(parameters, all) }
    }
}
