//! Graphs: work as nodes with an order, made by calls or by capturing a stream, and run as a whole.
//!
//! A node holds what a launch or a copy needs; running a graph runs its nodes one after the other, each after those it depends on.

use crate::api::api;
use crate::handles::Handle;
use crate::lock::lock;
use crate::order::Nesting;
use crate::pointers::{offer, store};
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use crate::user_objects::share;
use crate::work::{Executable, Graph, Node, Work};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;

impl Driver {
    fn instantiate(&self, graph: Handle) -> Result<Handle> {
        let graph = table::<Graph>().get(graph)?;
        let steps = Mutex::new(self.order(&graph)?);
        let objects = share(&lock(&graph.objects));
        Ok(table::<Executable>().add(Executable { steps, objects }))
    }
}

/// What an executable may be asked for: to free its memory when it is launched again, to be uploaded, to be launched by kernels, and to
/// keep the priorities of its nodes.
const FLAGS: u64 = 15;
/// The flags that free memory at a launch and that let kernels launch, which do not go together.
const FREED_AND_FROM_KERNELS: u64 = 1 | 4;

/// A copy of a graph with its nodes.
pub fn copy_of(graph: Handle) -> Result<Handle> {
    let _inside = Nesting::enter()?;
    let driver = driver()?;
    let original = table::<Graph>().get(graph)?;
    let made = table::<Graph>().add(Graph::default());
    let mut known: BTreeMap<Handle, Handle> = BTreeMap::new();
    // A node that another depends on may stand after it.
    let order = driver.order(&original)?;
    let nodes: BTreeMap<Handle, Vec<Handle>> = lock(&original.nodes).iter().cloned().collect();
    for (node, work) in order {
        let after = nodes.get(&node).into_iter().flatten();
        let after: Vec<Handle> = after.filter_map(|old| known.get(old).copied()).collect();
        let of_node = table::<Node>().get(node)?;
        let new = driver.add_node(made, &after, with_own_graphs(work)?)?;
        *lock(&table::<Node>().get(new)?.attributes) = lock(&of_node.attributes).clone();
        known.insert(node, new);
    }
    let copy = table::<Graph>().get(made)?;
    *lock(&copy.copied) = known.into_iter().collect();
    *lock(&copy.objects) = share(&lock(&original.objects));
    Ok(made)
}

/// Work with copies of the graphs that it holds, so that no graph ever holds itself.
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

/// Runs an executable.
fn launch(executable: Handle, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    let steps = lock(&table::<Executable>().get(executable)?.steps).clone();
    let conditional = |work: &&Work| matches!(work, Work::Graph(_) | Work::Conditional { .. });
    let begins: Vec<Work> =
        steps.iter().map(|(_, work)| work).filter(conditional).cloned().collect();
    let enabled = |(node, _): &(Handle, Work)| {
        table::<Node>().find(*node).is_none_or(|node| *lock(&node.enabled))
    };
    let steps = steps.into_iter().filter(enabled).map(|(_, work)| work);
    if driver.captured(stream).is_some() {
        let graph = table::<Graph>().add(Graph::default());
        let mut last = None;
        for work in steps {
            last = Some(driver.add_node(graph, last.as_slice(), work)?);
        }
        // SAFETY: as when the nodes were made.
        return unsafe { driver.submit(stream, Work::Graph(graph)) };
    }
    for work in std::iter::once(Work::Reset(begins)).chain(steps) {
        // SAFETY: as when the nodes were made; the program keeps what they use.
        unsafe { driver.queue(stream, work) }?;
    }
    Ok(())
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
        let made = copy_of(graph)?;
        // SAFETY: by the caller.
        unsafe { store(clone, made) }
    }

    fn cuGraphNodeFindInClone(node: *mut Handle, of_original: Handle, clone: Handle) {
        let clone = table::<Graph>().get(clone)?;
        let found = lock(&clone.copied).iter().find(|(old, _)| *old == of_original).map(|(_, new)| *new);
        // SAFETY: by the caller.
        unsafe { store(node, found.ok_or(Status::InvalidValue)?) }
    }

    fn cuGraphInstantiateWithFlags(executable: *mut Handle, graph: Handle, flags: u64) {
        if flags & !FLAGS != 0 || flags & FREED_AND_FROM_KERNELS == FREED_AND_FROM_KERNELS {
            return Err(Status::InvalidValue);
        }
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
}
