//! Graphs: nodes of work with dependencies, built by calls or by stream capture, and launched as a whole.
//!
//! A node stores the arguments of its launch or copy. A graph runs its nodes one at a time, each after its dependencies.

use crate::api::api;
use crate::graphs::user_objects::share;
use crate::graphs::work::{Executable, Graph, Nesting, Node, Work};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::deferred::ANY_DEFERRED;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

impl Driver {
    fn instantiate(&self, graph: Handle, flags: u64) -> Result<Handle> {
        let both = FREED | FROM_KERNELS;
        if flags & !FLAGS != 0 || flags & both == both {
            return Err(Status::InvalidValue);
        }
        let graph = table::<Graph>().some(graph)?;
        let owns_memory = graph.check_shareable().is_err();
        if owns_memory && lock(&graph.instance).strong_count() > 0 {
            return Err(Status::NotSupported);
        }
        let steps = self.own_steps(&graph)?;
        let instance = Arc::new(());
        if owns_memory {
            *lock(&graph.instance) = Arc::downgrade(&instance);
        }
        let order = graph.node_order(&steps);
        let objects = share(&lock(&graph.objects));
        let (steps, disabled, launched) = (Mutex::new(steps), Mutex::default(), Mutex::default());
        let made =
            Executable { steps, order, launched, disabled, objects, flags, _instance: instance };
        Ok(table::<Executable>().add(made))
    }

    /// Checks that a graph can be a node of another one: it is not that graph, and it does not own memory.
    pub fn check_child(&self, graph: Handle, child: Handle) -> Result {
        let inner = table::<Graph>().some(child)?;
        match child == graph {
            true => Err(Status::InvalidValue),
            false => inner.check_shareable(),
        }
    }

    /// Work of a graph in execution order, with copies of its child graphs, so that later changes of either do not
    /// affect the other.
    fn own_steps(&self, graph: &Graph) -> Result<Vec<(Handle, Work)>> {
        let steps = self.order(graph)?.into_iter();
        steps.map(|(node, work)| Ok((node, with_own_graphs(work)?))).collect()
    }

    /// The first node that makes a graph unsuitable for device launch, which supports kernels, copies, fills and child graphs of these.
    fn not_from_kernels(&self, graph: Handle) -> Result<Option<Handle>> {
        for (node, work) in self.order(&*table::<Graph>().some(graph)?)? {
            let refused = match work {
                Work::Launch(..) | Work::Copy(_) | Work::Fill(_) => false,
                Work::Graph(inner) => self.not_from_kernels(inner)?.is_some(),
                _ => true,
            };
            if refused {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }
}

/// Instantiation flags: free memory on relaunch, upload, device launch, and use node priorities. Device launch excludes freeing memory.
const FLAGS: u64 = 15;
const FREED: u64 = 1;
const UPLOADED: u64 = 2;
const FROM_KERNELS: u64 = 4;
const PRIORITIES: u64 = 8;

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct InstantiateParameters {
    flags: u64,
    upload: Handle,
    /// The unsupported node.
    node: Handle,
    /// 0 success, 1 an error that the call returns, 3 an unsupported node.
    result: u32,
}

abi!(InstantiateParameters = 32, 8 { flags: 0, upload: 8, node: 16, result: 24 });

/// Copies a graph with its nodes.
pub fn copy_of(graph: Handle) -> Result<Handle> {
    let _inside = Nesting::enter()?;
    let driver = driver()?;
    let original = table::<Graph>().some(graph)?;
    let made = table::<Graph>().add(Graph::default());
    let mut known: BTreeMap<Handle, Handle> = BTreeMap::new();
    // A node's dependencies may come after it in creation order.
    let order = driver.order(&original)?;
    let nodes: BTreeMap<Handle, Vec<Handle>> = lock(&original.nodes).iter().cloned().collect();
    for (node, work) in order {
        let after = nodes.get(&node).into_iter().flatten();
        let after: Vec<Handle> = after.filter_map(|old| known.get(old).copied()).collect();
        let of_node = table::<Node>().some(node)?;
        let new = driver.add_node(made, &after, with_own_graphs(work)?)?;
        *lock(&table::<Node>().some(new)?.attributes) = lock(&of_node.attributes).clone();
        known.insert(node, new);
    }
    let copy = table::<Graph>().some(made)?;
    let data = lock(&original.data);
    let data = data
        .iter()
        .filter_map(|((from, to), data)| Some(((*known.get(from)?, *known.get(to)?), *data)));
    *lock(&copy.data) = data.collect();
    *lock(&copy.copied) = known.into_iter().collect();
    *lock(&copy.objects) = share(&lock(&original.objects));
    Ok(made)
}

/// Copies work with its child graphs, so that no graph contains itself.
fn with_own_graphs(work: Work) -> Result<Work> {
    Ok(match work {
        Work::Graph(graph) => Work::Graph(copy_of(graph)?),
        Work::Conditional { handle, kind, bodies } => {
            let bodies = bodies.into_iter().map(copy_of).collect::<Result<_>>()?;
            Work::Conditional { handle, kind, bodies }
        }
        other => other,
    })
}

/// Destroys an executable's copies of child graphs, unless a stream's deferred work may still run them.
pub fn end_copies(work: &Work) -> Result {
    if ANY_DEFERRED.load(Ordering::Acquire) { Ok(()) } else { work.end_inner() }
}

/// Launches an executable.
fn launch(executable: Handle, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    let executable = table::<Executable>().some(executable)?;
    driver.check_uncaptured(stream)?;
    let steps = lock(&executable.steps).clone();
    if executable.flags & FREED != 0 {
        for (_, work) in &steps {
            if let Work::Allocate(address, _) = work
                && driver.has_memory_of_graph(*address)
            {
                driver.free_of_graph(*address)?;
            }
        }
    }
    let conditional = |work: &&Work| matches!(work, Work::Graph(_) | Work::Conditional { .. });
    let begins: Vec<Work> =
        steps.iter().map(|(_, work)| work).filter(conditional).cloned().collect();
    let disabled = lock(&executable.disabled).clone();
    let steps = steps.into_iter().filter(|(node, _)| !disabled.contains(node));
    if let Some(before) = lock(&executable.launched).take() {
        driver.wait_for_event(stream, Some(before))?;
    }
    let begin = Work::Reset(begins);
    let tag = driver.tag(stream, &begin)?;
    *lock(&executable.launched) = tag.as_ref().map(|tag| tag.point());
    driver.queue_tagged(stream, begin, tag.clone())?;
    for (node, work) in steps {
        if work.has_lost_memory() {
            let (what, status) = match work {
                Work::Fill(_) => ("memset", Status::LaunchFailed),
                _ => ("memcpy", Status::IllegalAddress),
            };
            let why =
                format!("a {what} node of a graph accesses memory that is not allocated any more");
            crate::api::fault(
                &why,
                "keep the memory until the last launch of the graph, or update the node",
            );
            driver.context()?.fail(status);
            return Ok(());
        }
        let order = executable.order.as_ref();
        let of_node = tag.as_ref().zip(order).map(|(tag, order)| Arc::new(tag.node(order, node)));
        driver.queue_tagged(stream, work, of_node)?;
    }
    Ok(())
}

api! {
    fn cuGraphCreate(graph: Out<'_, Handle>, flags: u32) {
        driver()?;
        if flags != 0 {
            return Err(Status::InvalidValue);
        }
        graph.store(table::<Graph>().add(Graph::default()))
    }

    fn cuGraphDestroy(graph: Handle) {
        driver()?;
        for (node, _) in lock(&table::<Graph>().remove_some(graph)?.nodes).iter() {
            table::<Node>().remove(*node)?;
        }
        Ok(())
    }

    fn cuGraphClone(clone: Out<'_, Handle>, graph: Handle) {
        table::<Graph>().some(graph)?.check_shareable()?;
        let made = copy_of(graph)?;
        clone.store(made)
    }

    fn cuGraphNodeFindInClone(node: Out<'_, Handle>, of_original: Handle, clone: Handle) {
        let clone = table::<Graph>().some(clone)?;
        let found = lock(&clone.copied).iter().find(|(old, _)| *old == of_original).map(|(_, new)| *new);
        node.store(found.ok_or(Status::InvalidValue)?)
    }

    fn cuGraphInstantiateWithFlags(executable: Out<'_, Handle>, graph: Handle, flags: u64) {
        // Only `cuGraphInstantiateWithParams` uploads, and says which node cannot be launched from a device.
        if flags & UPLOADED != 0 || flags & FROM_KERNELS != 0 && driver()?.not_from_kernels(graph)?.is_some() {
            return Err(Status::InvalidValue);
        }
        executable.store(driver()?.instantiate(graph, flags)?)
    }

    fn cuGraphInstantiate_v2(executable: Out<'_, Handle>, graph: Handle, node: Out<'_, Handle>, _log: *mut c_void, _bytes: usize) {
        node.store_optional(0);
        executable.store(driver()?.instantiate(graph, 0)?)
    }

    fn cuGraphInstantiateWithParams(executable: Out<'_, Handle>, graph: Handle, parameters: Out<'_, InstantiateParameters>) {
        let driver = driver()?;
        let given = parameters.get()?;
        let node = if given.flags & FROM_KERNELS != 0 { driver.not_from_kernels(graph)? } else { None };
        let made = match node {
            _ if executable.is_null() => Err((Status::InvalidValue, 1)),
            Some(_) => Err((Status::NotSupported, 3)),
            None if given.flags & UPLOADED != 0 => driver.stream(given.upload).map(drop).map_err(|status| (status, 1)),
            None => Ok(()),
        };
        let made = made.and_then(|()| driver.instantiate(graph, given.flags).map_err(|status| (status, 1)));
        let result = made.err().map_or(0, |(_, result)| result);
        parameters.store(InstantiateParameters { node: node.unwrap_or(0), result, ..given })?;
        executable.store(made.map_err(|(status, _)| status)?)
    }

    fn cuGraphExecDestroy(executable: Handle) {
        let executable = table::<Executable>().remove_some(executable)?;
        lock(&executable.steps).iter().try_for_each(|(_, work)| end_copies(work))
    }

    fn cuGraphExecGetFlags(executable: Handle, flags: Out<'_, u64>) {
        let found = table::<Executable>().some(executable)?.flags;
        flags.store(found & !PRIORITIES)
    }

    fn cuGraphUpload(executable: Handle, stream: Handle) {
        driver()?.stream(stream)?;
        table::<Executable>().some(executable)?;
        driver()?.check_uncaptured(stream)
    }

    fn cuGraphLaunch(executable: Handle, stream: Handle) {
        launch(executable, stream)
    }

    fn cuGraphExecUpdate_v2(executable: Handle, graph: Handle, result: Out<'_, [u64; 3]>) {
        let (driver, graph) = (driver()?, table::<Graph>().some(graph)?);
        let steps = driver.order(&graph)?;
        let executable = table::<Executable>().some(executable)?;
        let mut old = lock(&executable.steps);
        let same = old.len() == steps.len() && old.iter().zip(&steps).all(|((_, old), (_, new))| old.kind() == new.kind());
        // 0 is success, 2 a topology change.
        result.store_optional([if same { 0 } else { 2 }, 0, 0]);
        if !same {
            return Err(Status::GraphExecUpdateFailure);
        }
        // Nodes keep the handles of the graph that the executable was instantiated from.
        for ((_, old), (_, new)) in old.iter_mut().zip(driver.own_steps(&graph)?) {
            end_copies(&std::mem::replace(old, new))?;
        }
        Ok(())
    }
}
