//! Graphs made node by node. A graph runs its nodes one after another, in an order that keeps their dependencies.

use super::copies::{copy_node, fill_node};
use super::graphs::{graph, in_graph};
use super::launches::kernel_node;
use super::state::{StreamWork, WorkNode, cuda, failed_call, kind, put_int, put_word, status};
use lanework_host::{External, Process, Stop, word};
use std::rc::Rc;

fn unknown(process: &mut Process) -> Result<u64, Stop> {
    let why = "this is not a node of the graph, or it was destroyed";
    failed_call(process, status::INVALID_VALUE, why, "pass a node that was added to this graph")
}

/// Handles in the program's memory.
fn handles(process: &mut Process, at: u64, count: u64) -> Result<Vec<u64>, Stop> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let bytes = process.accessed(process.memory.read(at, count.saturating_mul(8)), "read")?;
    let (words, _) = bytes.as_chunks::<8>();
    Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// Adds a node. The call has the node's address, the graph, and the nodes before it.
fn add(process: &mut Process, a: &[u64], kind: u32, work: StreamWork) -> Result<u64, Stop> {
    let found = match graph(process, word(a, 1))? {
        Ok(graph) => graph,
        Err(code) => return Ok(code),
    };
    let after = handles(process, word(a, 2), word(a, 3))?;
    if after.iter().any(|one| found.place(*one).is_none()) {
        return unknown(process);
    }
    let state = cuda(process)?;
    let handle = state.handle();
    let node = WorkNode { handle, kind, work, after, runs: true };
    if let Some(graph) = state.graphs.get_mut(&word(a, 1)) {
        graph.nodes.push(node);
    }
    put_word(process, word(a, 0), handle)
}

/// Reads the parameters of a node.
type Parameters = fn(&mut Process, u64) -> Result<Result<StreamWork, u64>, Stop>;

fn add_with(
    process: &mut Process,
    a: &[u64],
    kind: u32,
    parameters: Parameters,
) -> Result<u64, Stop> {
    match parameters(process, word(a, 4))? {
        Ok(work) => add(process, a, kind, work),
        Err(code) => Ok(code),
    }
}

/// Gives a node other work: in an executable graph, or in the graph to which it was added.
fn change(
    process: &mut Process,
    (graph, node): (Option<u64>, u64),
    kind: u32,
    parameters: Result<StreamWork, u64>,
) -> Result<u64, Stop> {
    let work = match parameters {
        Ok(work) => work,
        Err(code) => return Ok(code),
    };
    let state = cuda(process)?;
    let graph = graph.or_else(|| in_graph(&state.graphs, node));
    let found = graph.and_then(|graph| state.graphs.get_mut(&graph));
    let found = found.and_then(|graph| graph.nodes.iter_mut().find(|one| one.handle == node));
    match found {
        Some(found) if found.kind == kind => {
            found.work = work;
            Ok(status::SUCCESS)
        }
        Some(_) => failed_call(
            process,
            status::INVALID_VALUE,
            "this node is of another kind",
            "call the function for the node's own kind",
        ),
        None => unknown(process),
    }
}

fn host_node(process: &mut Process, at: u64) -> Result<Result<StreamWork, u64>, Stop> {
    let words = handles(process, at, 2)?;
    let (function, data) = (words[0], words[1]);
    Ok(Ok(Rc::new(move |process: &mut Process| {
        process.call(function, &[data]).map(|_| status::SUCCESS)
    })))
}

/// Makes dependencies between pairs of nodes.
fn depend(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let mut found = match graph(process, word(a, 0))? {
        Ok(graph) => graph,
        Err(code) => return Ok(code),
    };
    let (from, to) =
        (handles(process, word(a, 1), word(a, 3))?, handles(process, word(a, 2), word(a, 3))?);
    for (from, to) in from.into_iter().zip(to) {
        match (found.place(from), found.place(to)) {
            (Some(_), Some(at)) => found.nodes[at].after.push(from),
            _ => return unknown(process),
        }
    }
    if found.ordered().is_none() {
        let why = "these dependencies make a cycle";
        let help = "let no node wait for itself";
        return failed_call(process, status::INVALID_VALUE, why, help);
    }
    cuda(process)?.graphs.insert(word(a, 0), found);
    Ok(status::SUCCESS)
}

/// Stores nodes and their number, as far as the caller has room.
fn put_nodes(process: &mut Process, nodes: &[u64], to: u64, count: u64) -> Result<u64, Stop> {
    let room = match to {
        0 => nodes.len(),
        _ => handles(process, count, 1)?[0] as usize,
    };
    for (at, node) in nodes.iter().take(if to == 0 { 0 } else { room }).enumerate() {
        put_word(process, to.wrapping_add(8 * at as u64), *node)?;
    }
    put_word(process, count, nodes.len().min(room) as u64)
}

fn get_nodes(process: &mut Process, a: &[u64], roots: bool) -> Result<u64, Stop> {
    match graph(process, word(a, 0))? {
        Ok(graph) => {
            let wanted = graph.nodes.iter().filter(|node| !roots || node.after.is_empty());
            let nodes: Vec<u64> = wanted.map(|node| node.handle).collect();
            put_nodes(process, &nodes, word(a, 1), word(a, 2))
        }
        Err(code) => Ok(code),
    }
}

/// Destroys a node and its dependencies.
fn destroy(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let (node, state) = (word(a, 0), cuda(process)?);
    let graph = in_graph(&state.graphs, node);
    let Some(graph) = graph.and_then(|graph| state.graphs.get_mut(&graph)) else {
        return unknown(process);
    };
    graph.nodes.retain(|one| one.handle != node);
    for one in &mut graph.nodes {
        one.after.retain(|before| *before != node);
    }
    Ok(status::SUCCESS)
}

/// Switches a node of an executable graph on or off.
fn enable(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let graph = cuda(process)?.graphs.get_mut(&word(a, 0));
    match graph.and_then(|graph| graph.nodes.iter_mut().find(|one| one.handle == word(a, 1))) {
        Some(node) => {
            node.runs = word(a, 2) as u32 != 0;
            Ok(status::SUCCESS)
        }
        None => unknown(process),
    }
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuGraphAddKernelNode_v2", |process, a| add_with(process, a, kind::KERNEL, kernel_node)),
    ("cuGraphAddMemcpyNode", |process, a| add_with(process, a, kind::COPY, copy_node)),
    ("cuGraphAddMemsetNode", |process, a| add_with(process, a, kind::FILL, fill_node)),
    ("cuGraphAddHostNode", |process, a| add_with(process, a, kind::HOST, host_node)),
    ("cuGraphAddEmptyNode", |process, a| {
        add(process, a, kind::EMPTY, Rc::new(|_: &mut Process| Ok(status::SUCCESS)))
    }),
    ("cuGraphAddChildGraphNode", |process, a| {
        let child = match graph(process, word(a, 4))? {
            Ok(child) => child,
            Err(code) => return Ok(code),
        };
        let work = super::graphs::all_of(child.ordered().unwrap_or_default());
        add(process, a, kind::GRAPH, work)
    }),
    ("cuGraphKernelNodeSetParams_v2", |process, a| {
        let work = kernel_node(process, word(a, 1))?;
        change(process, (None, word(a, 0)), kind::KERNEL, work)
    }),
    ("cuGraphExecKernelNodeSetParams_v2", |process, a| {
        let work = kernel_node(process, word(a, 2))?;
        change(process, (Some(word(a, 0)), word(a, 1)), kind::KERNEL, work)
    }),
    ("cuGraphMemcpyNodeSetParams", |process, a| {
        let work = copy_node(process, word(a, 1))?;
        change(process, (None, word(a, 0)), kind::COPY, work)
    }),
    ("cuGraphExecMemcpyNodeSetParams", |process, a| {
        let work = copy_node(process, word(a, 2))?;
        change(process, (Some(word(a, 0)), word(a, 1)), kind::COPY, work)
    }),
    ("cuGraphMemsetNodeSetParams", |process, a| {
        let work = fill_node(process, word(a, 1))?;
        change(process, (None, word(a, 0)), kind::FILL, work)
    }),
    ("cuGraphExecMemsetNodeSetParams", |process, a| {
        let work = fill_node(process, word(a, 2))?;
        change(process, (Some(word(a, 0)), word(a, 1)), kind::FILL, work)
    }),
    ("cuGraphHostNodeSetParams", |process, a| {
        let work = host_node(process, word(a, 1))?;
        change(process, (None, word(a, 0)), kind::HOST, work)
    }),
    ("cuGraphExecHostNodeSetParams", |process, a| {
        let work = host_node(process, word(a, 2))?;
        change(process, (Some(word(a, 0)), word(a, 1)), kind::HOST, work)
    }),
    ("cuGraphAddDependencies", depend),
    ("cuGraphGetNodes", |process, a| get_nodes(process, a, false)),
    ("cuGraphGetRootNodes", |process, a| get_nodes(process, a, true)),
    ("cuGraphNodeGetType", |process, a| {
        let state = cuda(process)?;
        let graph = in_graph(&state.graphs, word(a, 0)).and_then(|graph| state.graphs.get(&graph));
        let node = graph.and_then(|graph| graph.place(word(a, 0)).map(|at| graph.nodes[at].kind));
        match node {
            Some(kind) => put_int(process, word(a, 1), kind),
            None => unknown(process),
        }
    }),
    ("cuGraphDestroyNode", destroy),
    ("cuGraphNodeSetEnabled", enable),
];
