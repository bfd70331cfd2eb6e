//! The order of a graph: its nodes, and which depends on which.

use crate::api::api;
use crate::handles::Handle;
use crate::lock::lock;
use crate::pointers::{slice, store, text};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::work::{Graph, Node};
use std::ffi::{c_char, c_void};

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

api! {
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
        let (from, to) = unsafe { (slice(from, count)?, slice(to, count)?) };
        let mut nodes = lock(&graph.nodes);
        let known = |node: &Handle| nodes.iter().any(|(of_graph, _)| of_graph == node);
        if from.len() != to.len() || !from.iter().chain(to).all(known) {
            return Err(Status::InvalidValue);
        }
        for (from, to) in from.iter().zip(to) {
            nodes.iter_mut().find(|(node, _)| node == to).ok_or(Status::InvalidValue)?.1.push(*from);
        }
        Ok(())
    }

    fn cuGraphRemoveDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, _data: *const c_void, count: usize) {
        let graph = table::<Graph>().get(graph)?;
        // SAFETY: by the caller.
        let (from, to) = unsafe { (slice(from, count)?, slice(to, count)?) };
        let mut nodes = lock(&graph.nodes);
        for (from, to) in from.iter().zip(to) {
            let (_, after) = nodes.iter_mut().find(|(node, _)| node == to).ok_or(Status::InvalidValue)?;
            let at = after.iter().position(|node| node == from).ok_or(Status::InvalidValue)?;
            after.remove(at);
        }
        Ok(())
    }

    fn cuGraphDebugDotPrint(graph: Handle, file: *const c_char, _flags: u32) {
        let nodes = lock(&table::<Graph>().get(graph)?.nodes).clone();
        let mut drawn = String::from("digraph {\n");
        for (node, after) in &nodes {
            drawn += &format!("  n{node:x} [label=\"kind {}\"];\n", table::<Node>().get(*node)?.work().kind());
            after.iter().for_each(|before| drawn += &format!("  n{before:x} -> n{node:x};\n"));
        }
        drawn += "}\n";
        // SAFETY: by the caller.
        std::fs::write(unsafe { text(file) }?, drawn).map_err(|_| Status::FileNotFound)
    }
}
