//! Nodes of any kind, described by one struct (`CUgraphNodeParams`).

use crate::api::api;
use crate::graphs::calls::copy_of;
use crate::graphs::conditional::conditional;
use crate::graphs::keep_data;
use crate::graphs::memory_nodes::{allocation, release};
use crate::graphs::nodes::{
    add, change, copy, fill, host, kernel, replace, shown_copy, shown_event, shown_fill,
    shown_host, shown_launch,
};
use crate::graphs::work::{EdgeData, Graph, Node, Work};
use crate::pointers::*;
use crate::state::{Handle, table};
use crate::status::{Result, Status};
use crate::streams::Event;
use crate::streams::memory_ops::{operations, show_operations};

/// `CUgraphNodeParams`, with the union as words.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GraphNodeParameters {
    kind: i32,
    reserved: [i32; 3],
    of_kind: [u64; 29],
    reserved_after: u64,
}

abi!(GraphNodeParameters = 256, 8 { kind: 0, reserved: 4, of_kind: 16, reserved_after: 248 });

/// Words that precede the copy in the parameters of a copy node: flags with padding, and the context.
const BEFORE_COPY: usize = 2;

/// Kind of a child graph node, and the ownership that moves the graph into the node instead of copying it.
const CHILD: i32 = 4;
const MOVED: i32 = 1;
/// Kind of a conditional node, whose parameters cannot change.
const CONDITIONAL: i32 = 13;

/// A pointer to the union.
///
/// # Safety
/// The pointer is not null, and `T` is the union's type for the kind.
unsafe fn of_kind<T>(parameters: Out<'_, GraphNodeParameters>) -> Out<'_, T> {
    // SAFETY: not null, so it points to the caller's struct, which contains the union.
    unsafe {
        Out::new(
            parameters.as_ptr().byte_add(std::mem::offset_of!(GraphNodeParameters, of_kind)).cast(),
        )
    }
}

/// The work of a new node.
fn added(graph: Handle, parameters: Out<'_, GraphNodeParameters>) -> Result<Work> {
    let given = parameters.get()?;
    if given.kind == CONDITIONAL {
        // SAFETY: `get` refused null, and CUDA's contract is that the union matches the kind.
        return unsafe { conditional(graph, of_kind(parameters)) };
    }
    if given.kind != CHILD || given.of_kind[1] as i32 != MOVED {
        return work(parameters);
    }
    let child = given.of_kind[0];
    table::<Graph>().some(child)?;
    let moved = Work::Graph(child);
    // A graph never contains itself.
    if child == graph || moved.holds(graph)? { Err(Status::InvalidValue) } else { Ok(moved) }
}

/// The work that the parameters describe. A child graph is copied.
fn work(parameters: Out<'_, GraphNodeParameters>) -> Result<Work> {
    let GraphNodeParameters { kind, of_kind: [handle, ..], .. } = parameters.get()?;
    // SAFETY: `get` refused null, and CUDA's contract is that the union matches the kind.
    unsafe {
        match kind {
            0 => kernel(of_kind(parameters).as_input()),
            1 => copy(of_kind::<[u64; BEFORE_COPY]>(parameters).at(1).cast().as_input()),
            2 => fill(of_kind(parameters).as_input()),
            3 => host(of_kind(parameters).as_input()),
            CHILD => Ok(Work::Graph(copy_of(handle)?)),
            5 => Ok(Work::Nothing),
            6 => table::<Event>().get(handle).map(|_| Work::Wait(handle)),
            7 => table::<Event>().get(handle).map(|_| Work::Record(handle)),
            10 => allocation(of_kind(parameters)),
            11 => release(handle),
            12 => operations(of_kind(parameters).as_input()),
            _ => Err(Status::NotSupported),
        }
    }
}

api! {
    fn cuGraphAddNode_v2(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, data: In<'_, EdgeData>, count: usize, parameters: Out<'_, GraphNodeParameters>) {
        // SAFETY: the caller passes `data` null or with as many elements as `after`.
        unsafe {
            add(node, graph, after, count, added(graph, parameters)?)?;
            let made = node.get()?;
            keep_data(graph, after.list(count)?.iter().map(|before| (*before, made)), data)
        }
    }

    fn cuGraphAddNode_v3(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, data: In<'_, EdgeData>, count: usize, parameters: Out<'_, GraphNodeParameters>) {
        // Version 3 only adds kinds that are not supported.
        // SAFETY: the caller passes `data` null or with as many elements as `after`.
        unsafe {
            add(node, graph, after, count, added(graph, parameters)?)?;
            let made = node.get()?;
            keep_data(graph, after.list(count)?.iter().map(|before| (*before, made)), data)
        }
    }

    fn cuGraphAddNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: Out<'_, GraphNodeParameters>) {
        add(node, graph, after, count, added(graph, parameters)?)
    }

    fn cuGraphNodeSetParams(node: Handle, parameters: Out<'_, GraphNodeParameters>) {
        change(node, work(parameters)?)
    }

    fn cuGraphNodeSetParams_v2(node: Handle, parameters: Out<'_, GraphNodeParameters>) {
        change(node, work(parameters)?)
    }

    fn cuGraphExecNodeSetParams(executable: Handle, node: Handle, parameters: Out<'_, GraphNodeParameters>) {
        replace(executable, node, work(parameters)?)
    }

    fn cuGraphNodeGetParams(node: Handle, parameters: Out<'_, GraphNodeParameters>) {
        let node = table::<Node>().some(node)?;
        let kind = node.work().kind();
        let mut all = GraphNodeParameters { kind, reserved: [0; 3], of_kind: [0; 29], reserved_after: 0 };
        let graph = match &*node.work() {
            Work::Graph(graph) => Some(*graph),
            _ => None,
        };
        // SAFETY: `all` lives until it is stored.
        let to = unsafe { Out::new(&raw mut all) };
        // SAFETY: not null; each arm stores the type of its kind.
        unsafe {
            match (kind, graph) {
                (CHILD, Some(graph)) => of_kind(to).store(graph),
                (0, _) => of_kind(to).store(shown_launch(&node)?),
                (1, _) => of_kind::<[u64; BEFORE_COPY]>(to).at(1).cast().store(shown_copy(&node)?),
                (2, _) => of_kind(to).store(shown_fill(&node)?),
                (3, _) => of_kind(to).store(shown_host(&node)?),
                (5, _) => Ok(()),
                (6 | 7, _) => of_kind(to).store(shown_event(&node, kind)?),
                (12, _) => show_operations(&node, of_kind(to)),
                _ => Err(Status::InvalidValue),
            }
        }?;
        parameters.store(all)
    }
}
