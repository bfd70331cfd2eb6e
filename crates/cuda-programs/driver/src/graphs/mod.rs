//! Graphs: nodes, edges and their data, instantiation, updates and launches.

pub mod any_nodes;
pub mod calls;
pub mod conditional;
pub mod memory_nodes;
pub mod nodes;
pub mod user_objects;
pub mod work;

use crate::api::api;
use crate::pointers::*;
use crate::state::{Handle, driver, lock, table};
use crate::status::{Result, Status};
use work::{EdgeData, Graph, Node};

/// Stores up to `room` elements and zeroes the rest of the array. Returns the number of elements: those stored, or all
/// of them if `to` is null.
///
/// # Safety
/// `to` is null or has `room` elements.
unsafe fn list<T: Copy + Default>(elements: &[T], to: Out<'_, T>, room: usize) -> Result<usize> {
    if to.is_null() {
        return Ok(elements.len());
    }
    for index in 0..room {
        // SAFETY: `to` has `room` elements (contract of this function), and `index` is less.
        unsafe { to.at(index) }.store(elements.get(index).copied().unwrap_or_default())?;
    }
    Ok(elements.len().min(room))
}

/// Stores the data of edges in the same way as [`list`].
///
/// # Safety
/// `to` is null or has `room` elements.
unsafe fn list_data(
    graph: &Graph,
    edges: &[(Handle, Handle)],
    to: Out<'_, EdgeData>,
    room: usize,
) -> Result {
    let known = lock(&graph.data);
    let data: Vec<EdgeData> =
        edges.iter().map(|edge| known.get(edge).copied().unwrap_or_default()).collect();
    // SAFETY: `to` has `room` elements (contract of this function).
    unsafe { list(&data, to, room) }.map(drop)
}

/// Stores the data of edges in the graph.
///
/// # Safety
/// `data` is null or has an element for each edge.
pub unsafe fn keep_data(
    graph: Handle,
    edges: impl Iterator<Item = (Handle, Handle)>,
    data: In<'_, EdgeData>,
) -> Result {
    let graph = table::<Graph>().some(graph)?;
    let mut known = lock(&graph.data);
    for (index, edge) in edges.enumerate() {
        known.remove(&edge);
        if data.is_null() {
            continue;
        }
        // SAFETY: `data` has an element for each edge (contract of this function).
        let given = unsafe { data.at(index) }.get()?;
        if given != EdgeData::default() {
            known.insert(edge, given);
        }
    }
    Ok(())
}

api! {
    fn cuGraphGetNodes(graph: Handle, nodes: Out<'_, Handle>, count: Out<'_, usize>) {
        let of_graph: Vec<Handle> = lock(&table::<Graph>().some(graph)?.nodes).iter().map(|(node, _)| *node).collect();
        // SAFETY: the caller passed `nodes` with room for as many elements as `count` says.
        let stored = unsafe { list(&of_graph, nodes, count.get()?) }?;
        count.store(stored)
    }

    fn cuGraphGetRootNodes(graph: Handle, nodes: Out<'_, Handle>, count: Out<'_, usize>) {
        let of_graph = table::<Graph>().some(graph)?;
        let roots: Vec<Handle> = lock(&of_graph.nodes).iter().filter(|(_, after)| after.is_empty()).map(|(node, _)| *node).collect();
        // SAFETY: the caller passed `nodes` with room for as many elements as `count` says.
        let stored = unsafe { list(&roots, nodes, count.get()?) }?;
        count.store(stored)
    }

    fn cuGraphGetEdges_v2(graph: Handle, from: Out<'_, Handle>, to: Out<'_, Handle>, data: Out<'_, EdgeData>, count: Out<'_, usize>) {
        let graph = table::<Graph>().some(graph)?;
        let nodes = lock(&graph.nodes).clone();
        let edges: Vec<(Handle, Handle)> =
            nodes.iter().flat_map(|(node, after)| after.iter().map(move |before| (*before, *node))).collect();
        let (starts, ends): (Vec<Handle>, Vec<Handle>) = edges.iter().copied().unzip();
        // SAFETY: the caller passed each array with room for as many elements as `count` says.
        unsafe {
            let room = count.get()?;
            list_data(&graph, &edges, data, room)?;
            list(&starts, from, room)?;
            count.store(list(&ends, to, room)?)
        }
    }

    fn cuGraphNodeGetDependencies_v2(node: Handle, nodes: Out<'_, Handle>, data: Out<'_, EdgeData>, count: Out<'_, usize>) {
        driver()?;
        let graph = table::<Graph>().some(table::<Node>().some(node)?.graph)?;
        let after = lock(&graph.nodes).iter().find(|(other, _)| *other == node).map(|(_, after)| after.clone()).unwrap_or_default();
        let edges: Vec<(Handle, Handle)> = after.iter().map(|before| (*before, node)).collect();
        // SAFETY: the caller passed each array with room for as many elements as `count` says.
        unsafe {
            let room = count.get()?;
            list_data(&graph, &edges, data, room)?;
            count.store(list(&after, nodes, room)?)
        }
    }

    fn cuGraphNodeGetDependentNodes_v2(node: Handle, nodes: Out<'_, Handle>, data: Out<'_, EdgeData>, count: Out<'_, usize>) {
        driver()?;
        let graph = table::<Graph>().some(table::<Node>().some(node)?.graph)?;
        let dependent: Vec<Handle> =
            lock(&graph.nodes).iter().filter(|(_, after)| after.contains(&node)).map(|(other, _)| *other).collect();
        let edges: Vec<(Handle, Handle)> = dependent.iter().map(|after| (node, *after)).collect();
        // SAFETY: the caller passed each array with room for as many elements as `count` says.
        unsafe {
            let room = count.get()?;
            list_data(&graph, &edges, data, room)?;
            count.store(list(&dependent, nodes, room)?)
        }
    }

    fn cuGraphAddDependencies_v2(graph: Handle, from: In<'_, Handle>, to: In<'_, Handle>, data: In<'_, EdgeData>, count: usize) {
        let handle = graph;
        let graph = table::<Graph>().some(graph)?;
        if count > 0 && (from.is_null() || to.is_null()) {
            return Err(Status::InvalidValue);
        }
        let (from, to) = (from.list(count)?, to.list(count)?);
        let mut nodes = lock(&graph.nodes);
        let known = |node: &Handle| nodes.iter().any(|(of_graph, _)| of_graph == node);
        // Self-edges and duplicate edges are errors.
        let there = |(from, to): (&Handle, &Handle)| {
            from == to || nodes.iter().any(|(node, after)| node == to && after.contains(from))
        };
        if from.len() != to.len() || !from.iter().chain(&to).all(known) || from.iter().zip(&to).any(there) {
            return Err(Status::InvalidValue);
        }
        for (from, to) in from.iter().zip(&to) {
            nodes.iter_mut().find(|(node, _)| node == to).ok_or(Status::InvalidValue)?.1.push(*from);
        }
        // SAFETY: the caller passed `data` null or as long as `from` and `to`.
        unsafe { keep_data(handle, from.iter().copied().zip(to.iter().copied()), data) }
    }

    fn cuGraphRemoveDependencies_v2(graph: Handle, from: In<'_, Handle>, to: In<'_, Handle>, _data: In<'_, EdgeData>, count: usize) {
        let graph = table::<Graph>().some(graph)?;
        let (from, to) = (from.list(count)?, to.list(count)?);
        let mut nodes = lock(&graph.nodes);
        for (from, to) in from.iter().zip(&to) {
            let (_, after) = nodes.iter_mut().find(|(node, _)| node == to).ok_or(Status::InvalidValue)?;
            let at = after.iter().position(|node| node == from).ok_or(Status::InvalidValue)?;
            after.remove(at);
            lock(&graph.data).remove(&(*from, *to));
        }
        Ok(())
    }

    fn cuGraphDebugDotPrint(graph: Handle, file: Text<'_>, _flags: u32) {
        let nodes = lock(&table::<Graph>().some(graph)?.nodes).clone();
        let mut drawn = String::from("digraph {\n");
        for (node, after) in &nodes {
            drawn += &format!("  n{node:x} [label=\"kind {}\"];\n", table::<Node>().some(*node)?.work().kind());
            after.iter().for_each(|before| drawn += &format!("  n{before:x} -> n{node:x};\n"));
        }
        drawn += "}\n";
        std::fs::write(file.get()?, drawn).map_err(|_| Status::FileNotFound)
    }
}
