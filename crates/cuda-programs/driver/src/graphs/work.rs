//! Work that can be queued, and graphs of it.

use crate::launches::launch::Launch;
use crate::memory::transfer::{Copy3D, Fill};
use crate::ordering;
use crate::ordering::strands::{GraphOrder, Point, Step};
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::host_functions;
use crate::streams::memory_ops::MemoryOp;
use crate::streams::stream::AttributeValue;
use crate::streams::{Event, memory_ops};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// One operation of a stream, or the payload of a graph node.
#[derive(Clone)]
pub enum Work {
    Nothing,
    Launch(Launch, Vec<Vec<u8>>),
    Copy(Copy3D),
    Fill(Fill),
    /// Calls a function of the program.
    Host(HostCall),
    /// Calls a stream's callback with success.
    Callback(StreamCallback),
    Record(Handle),
    Wait(Handle),
    Graph(Handle),
    /// Waits for memory words and writes them.
    Memory(Vec<MemoryOp>),
    /// Frees memory that no graph owns.
    Free(u64),
    /// Resets the conditions that this work uses to their values at launch.
    Reset(Vec<Work>),
    /// Backs a graph's address with this many bytes.
    Allocate(u64, usize),
    /// Frees the memory behind a graph's address.
    Release(u64),
    /// Runs bodies according to a condition: 0 if, 1 while, 2 switch.
    Conditional {
        handle: u64,
        kind: i32,
        bodies: Vec<Handle>,
    },
}

/// `CUstreamCallback`.
pub type Callback = unsafe extern "C" fn(stream: Handle, status: i32, data: *mut c_void);
/// `CUhostFn`.
pub type HostFunction = unsafe extern "C" fn(data: *mut c_void);

/// A function of the program with its argument.
#[derive(Clone, Copy)]
pub struct HostCall {
    function: HostFunction,
    data: usize,
}

impl HostCall {
    pub fn new(function: HostFunction, data: *mut c_void) -> HostCall {
        HostCall { function, data: data as usize }
    }

    pub fn parts(self) -> (HostFunction, *mut c_void) {
        (self.function, self.data as *mut c_void)
    }

    pub fn run(self) {
        // SAFETY: the contract of `new`: the program passed the function to be called with this argument.
        unsafe { (self.function)(self.data as *mut c_void) };
    }
}

/// A stream's callback with its arguments.
#[derive(Clone, Copy)]
pub struct StreamCallback {
    function: Callback,
    stream: Handle,
    data: usize,
}

impl StreamCallback {
    pub fn new(function: Callback, stream: Handle, data: *mut c_void) -> StreamCallback {
        StreamCallback { function, stream, data: data as usize }
    }

    fn run(self) {
        // SAFETY: the contract of `new`: the program passed the function to be called with these arguments. The status
        // is success, because all work before succeeded.
        unsafe { (self.function)(self.stream, 0, self.data as *mut c_void) };
    }
}

/// A node of a graph.
pub struct Node {
    pub graph: Handle,
    work: Mutex<Work>,
    /// Pointers to the arguments that the program queried last.
    pub shown: Mutex<Vec<usize>>,
    /// Launch attributes set by the program, by number.
    pub attributes: Mutex<BTreeMap<u32, AttributeValue>>,
}

/// `CUgraphEdgeData`: ports, kind and reserved bytes. Edges always order whole nodes; the data is stored
/// without effect.
pub type EdgeData = [u8; 8];

/// A graph: nodes in creation order, each with its dependencies.
#[derive(Default)]
pub struct Graph {
    pub nodes: Mutex<Vec<(Handle, Vec<Handle>)>>,
    /// Non-default edge data.
    pub data: Mutex<BTreeMap<(Handle, Handle), EdgeData>>,
    /// User objects with reference counts.
    pub objects: Mutex<Vec<(Handle, u32)>>,
    /// If this is a copy: pairs of an original node and its copy.
    pub copied: Mutex<Vec<(Handle, Handle)>>,
    /// Of a graph that owns memory: alive while an executable of it exists, since there may be only one.
    pub instance: Mutex<Weak<()>>,
}

/// An executable graph: work in execution order with the original nodes. It has its own copies of child graphs.
pub struct Executable {
    pub steps: Mutex<Vec<(Handle, Work)>>,
    /// Order of the nodes that follows from their edges, if races are checked.
    pub order: Option<Arc<GraphOrder>>,
    /// The last launch, if races are checked: launches of an executable are ordered.
    pub launched: Mutex<Option<Arc<Point>>>,
    /// Disabled nodes.
    pub disabled: Mutex<BTreeSet<Handle>>,
    /// User objects with reference counts.
    pub objects: Vec<(Handle, u32)>,
    /// Instantiation flags.
    pub flags: u64,
    /// See [`Graph::instance`].
    pub _instance: Arc<()>,
}

impl Node {
    pub fn work(&self) -> MutexGuard<'_, Work> {
        lock(&self.work)
    }
}

impl Work {
    /// The kind of node (`CUgraphNodeType`).
    pub fn kind(&self) -> i32 {
        match self {
            Work::Launch(..) => 0,
            Work::Copy(_) => 1,
            Work::Fill(_) => 2,
            Work::Host(..) | Work::Callback(..) => 3,
            Work::Graph(_) => 4,
            Work::Nothing | Work::Reset(_) => 5,
            Work::Wait(_) => 6,
            Work::Record(_) => 7,
            Work::Allocate(..) => 10,
            Work::Release(_) | Work::Free(_) => 11,
            Work::Memory(_) => 12,
            Work::Conditional { .. } => 13,
        }
    }

    /// Replaces the work with work of the same kind. A launch keeps its attributes.
    pub fn become_other(&mut self, mut other: Work) -> Result {
        if self.kind() != other.kind() {
            return Err(Status::InvalidValue);
        }
        if let (Work::Launch(old, _), Work::Launch(new, _)) = (&*self, &mut other) {
            (new.cluster, new.cooperative) = (old.cluster, old.cooperative);
        }
        *self = other;
        Ok(())
    }

    /// Whether the work copies or fills memory that was freed after its graph was created. On a GPU such work faults like
    /// a kernel.
    pub fn has_lost_memory(&self) -> bool {
        match self {
            Work::Fill(fill) => fill.check().is_err(),
            Work::Copy(copy) => copy.check_memory().is_err(),
            _ => false,
        }
    }

    /// Whether the work allocates or frees memory of its graph.
    pub fn owns_memory(&self) -> bool {
        matches!(self, Work::Allocate(..) | Work::Release(_))
    }

    /// Whether it calls a function of the program.
    pub fn calls_host(&self) -> bool {
        matches!(self, Work::Host(..) | Work::Callback(..))
    }

    /// Runs the work.
    pub fn run(&self) -> Result {
        let driver = driver()?;
        match self {
            Work::Nothing | Work::Wait(_) => Ok(()),
            Work::Launch(launch, arguments) => launch.run_with(arguments),
            Work::Copy(copy) => copy.run(),
            Work::Fill(fill) => fill.run(),
            Work::Host(call) => {
                host_functions::run(|| call.run());
                Ok(())
            }
            Work::Callback(callback) => {
                host_functions::run(|| callback.run());
                Ok(())
            }
            Work::Record(event) => {
                // The program may have destroyed the event in the meantime.
                if let Some(event) = table::<Event>().find(*event) {
                    event.happen();
                }
                Ok(())
            }
            Work::Memory(ops) => memory_ops::run(ops),
            Work::Free(address) => driver.free_in_order(*address),
            Work::Reset(all) => all.iter().try_for_each(Work::reset),
            Work::Graph(graph) => run_graph(*graph),
            Work::Allocate(address, _) => driver.allocate_for_graph(*address),
            Work::Release(address) => driver.free_of_graph(*address),
            Work::Conditional { handle, kind, bodies } => {
                for iteration in 0.. {
                    let value = driver.condition(*handle)?;
                    let body = match kind {
                        2 => bodies.get(value as usize),
                        1 if value == 0 => None,
                        1 => bodies.first(),
                        _ => bodies.get(usize::from(value == 0)),
                    };
                    if let Some(body) = body {
                        let step = || Step::Iteration(iteration);
                        ordering::within(step, || run_graph(*body))?;
                    }
                    if *kind != 1 || body.is_none() {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// Child graphs, one level deep.
    fn inner(&self) -> &[Handle] {
        match self {
            Work::Graph(graph) => std::slice::from_ref(graph),
            Work::Conditional { bodies, .. } => bodies,
            _ => &[],
        }
    }

    /// The copy of a node of a child graph, given the original node.
    pub fn copy_of_node(&self, original: Handle) -> Result<Option<Handle>> {
        if self.inner().is_empty() {
            return Ok(None);
        }
        let _inside = Nesting::enter()?;
        for graph in self.inner() {
            let graph = table::<Graph>().some(*graph)?;
            let pairs = lock(&graph.copied).clone();
            if let Some((_, copy)) = pairs.iter().find(|(old, _)| *old == original) {
                return Ok(Some(*copy));
            }
            for (_, node) in pairs {
                let work = table::<Node>().some(node)?.work().clone();
                if let Some(found) = work.copy_of_node(original)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Destroys child graphs and their nodes.
    pub fn end_inner(&self) -> Result {
        if self.inner().is_empty() {
            return Ok(());
        }
        let _inside = Nesting::enter()?;
        for graph in self.inner() {
            for (node, _) in lock(&table::<Graph>().remove(*graph)?.nodes).iter() {
                table::<Node>().remove(*node)?.work().end_inner()?;
            }
        }
        Ok(())
    }

    /// Whether the work contains a graph, at any depth.
    pub fn holds(&self, wanted: Handle) -> Result<bool> {
        if self.inner().is_empty() {
            return Ok(false);
        }
        let _inside = Nesting::enter()?;
        for graph in self.inner() {
            if *graph == wanted {
                return Ok(true);
            }
            let nodes = lock(&table::<Graph>().some(*graph)?.nodes).clone();
            for (node, _) in nodes {
                let work = table::<Node>().some(node)?.work().clone();
                if work.holds(wanted)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Resets all conditions, including conditions of child graphs, to their values at launch.
    pub fn reset(&self) -> Result {
        if let Work::Conditional { handle, .. } = self {
            driver()?.reset_condition(*handle)?;
        }
        if self.inner().is_empty() {
            return Ok(());
        }
        let _inside = Nesting::enter()?;
        for graph in self.inner() {
            let nodes = lock(&table::<Graph>().some(*graph)?.nodes).clone();
            for (node, _) in nodes {
                let work = table::<Node>().some(node)?.work().clone();
                work.reset()?;
            }
        }
        Ok(())
    }
}

/// Runs a child graph.
fn run_graph(graph: Handle) -> Result {
    let _inside = Nesting::enter()?;
    let graph = table::<Graph>().some(graph)?;
    let steps = driver()?.order(&graph)?;
    let order = graph.node_order(&steps);
    for (node, work) in steps {
        work.run_node(order.as_ref(), node)?;
    }
    Ok(())
}

impl Driver {
    /// Adds a node to a graph.
    pub fn add_node(&self, graph: Handle, after: &[Handle], work: Work) -> Result<Handle> {
        let of_graph = table::<Graph>().some(graph)?;
        for node in after {
            if table::<Node>().some(*node)?.graph != graph {
                return Err(Status::InvalidValue);
            }
        }
        if (1..after.len()).any(|index| after[..index].contains(&after[index])) {
            return Err(Status::InvalidValue);
        }
        let work = Mutex::new(work);
        let (shown, attributes) = Default::default();
        let node = table::<Node>().add(Node { graph, work, shown, attributes });
        lock(&of_graph.nodes).push((node, after.to_vec()));
        Ok(node)
    }

    /// Work of a graph in execution order.
    pub fn order(&self, graph: &Graph) -> Result<Vec<(Handle, Work)>> {
        let nodes = lock(&graph.nodes).clone();
        let order = ranked(&nodes).ok_or(Status::InvalidValue)?;
        order
            .into_iter()
            .map(|node| Ok((node, table::<Node>().some(node)?.work().clone())))
            .collect()
    }
}

/// Topological order in ranks: a node is in the rank after its last dependency, and ranks keep creation order (Kahn 1962). `None` if there is a
/// cycle or an unknown node.
fn ranked(nodes: &[(Handle, Vec<Handle>)]) -> Option<Vec<Handle>> {
    let places: HashMap<Handle, usize> =
        nodes.iter().enumerate().map(|(place, (node, _))| (*node, place)).collect();
    let mut open: Vec<usize> = nodes.iter().map(|(_, after)| after.len()).collect();
    let mut dependent: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (place, (_, after)) in nodes.iter().enumerate() {
        for before in after {
            dependent[*places.get(before)?].push(place);
        }
    }
    let mut rank: Vec<usize> = (0..nodes.len()).filter(|&place| open[place] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while !rank.is_empty() {
        let mut next = Vec::new();
        for place in rank {
            order.push(nodes[place].0);
            for &later in &dependent[place] {
                open[later] -= 1;
                if open[later] == 0 {
                    next.push(later);
                }
            }
        }
        next.sort_unstable();
        rank = next;
    }
    (order.len() == nodes.len()).then_some(order)
}

/// Maximum nesting depth; each level uses stack of the thread that runs or copies the graph.
const MOST_NESTED: u32 = 64;

thread_local! {
    /// Current nesting depth of this thread.
    static NESTED: Cell<u32> = const { Cell::new(0) };
}

/// Guard for one nesting level.
pub struct Nesting(());

impl Nesting {
    /// Enters a level; an error if the nesting is too deep.
    pub fn enter() -> Result<Nesting> {
        let depth = NESTED.get();
        if depth == MOST_NESTED {
            return Err(Status::NotSupported);
        }
        NESTED.set(depth + 1);
        Ok(Nesting(()))
    }
}

impl Drop for Nesting {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_follow_their_dependencies_in_creation_order() {
        let nodes = [(1, vec![3]), (2, vec![]), (3, vec![]), (4, vec![1, 1, 2]), (5, vec![3])];
        assert_eq!(ranked(&nodes), Some(vec![2, 3, 1, 5, 4]));
        assert_eq!(ranked(&[(1, vec![2]), (2, vec![1])]), None);
        assert_eq!(ranked(&[(1, vec![1])]), None);
        assert_eq!(ranked(&[(1, vec![7])]), None);
    }

    #[test]
    fn ordering_a_long_chain_takes_linear_time() {
        // Nodes created last to first: a quadratic search would take minutes.
        let chain: Vec<(Handle, Vec<Handle>)> = (0..200_000)
            .map(|node| (node, Vec::from_iter((node < 199_999).then_some(node + 1))))
            .collect();
        let order = ranked(&chain).expect("no cycle");
        assert!(order.iter().rev().copied().eq(0..200_000));
    }
}
