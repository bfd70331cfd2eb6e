//! Happens-before between stream operations: CUDA's rules for streams, events and synchronizing calls, as plain data.
//!
//! *Algorithm.* Each stream is a strand of numbered operations. A [`Point`] is an operation's position: strand,
//! number, and a vector clock that joins the clocks of the operations it waits for with the host's clock at the call.
//! All host threads share one clock, which advances in the order of their calls. So communication between host threads
//! never causes a false race, but may hide a real one.
//!
//! *Rules* (CUDA programming guide, "Streams", and the driver API's "Stream synchronization behavior"). Operations of
//! one stream are ordered. An operation of the legacy default stream comes after all earlier operations of its
//! context's blocking streams, and before their later ones. A wait for an event uses the event's latest record at the
//! time of the call. A synchronizing call orders the operations that it waited for before all later calls.
//!
//! *Invariant.* A clock is computed when its operation starts, or earlier. Earlier operations have started by then,
//! because stream queues keep the same order.
//!
//! [`GraphOrder`] orders the nodes of a graph.

use crate::state::{Handle, lock};
use crate::streams::stream::{OrderedStream, StreamKey};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// An operation's position.
#[derive(Debug)]
pub struct Point {
    /// Number of the strand.
    pub strand: u32,
    /// Number of the operation in its strand, from 1.
    pub number: u64,
    /// Whether the program has asked if it has ended.
    queried: AtomicBool,
    state: Mutex<ClockState>,
}

/// An operation's clock.
#[derive(Debug)]
enum ClockState {
    /// Not computed yet: the join of these operations' clocks and the host's clock at the call.
    Open { after: Vec<Arc<Point>>, host: Arc<Clock> },
    /// Computed.
    Settled(Arc<Clock>),
}

impl Point {
    /// Everything that happens before the operation, and the operation itself.
    pub fn clock(&self) -> Arc<Clock> {
        let mut state = lock(&self.state);
        let (after, host) = match &*state {
            ClockState::Settled(clock) => return clock.clone(),
            ClockState::Open { after, host } => (after, host),
        };
        let mut clock = Clock::clone(host);
        after.iter().for_each(|point| clock.join(&point.clock()));
        clock.raise(self.strand, self.number);
        let clock = Arc::new(clock);
        *state = ClockState::Settled(clock.clone());
        clock
    }

    /// Orders everything in another clock before the operations that follow this one.
    pub fn acquire(&self, other: &Clock) {
        let mut clock = Clock::clone(&self.clock());
        clock.join(other);
        *lock(&self.state) = ClockState::Settled(Arc::new(clock));
    }

    /// Records that the program asks if the operation has ended; returns whether it asks for the first time.
    pub fn is_first_query(&self) -> bool {
        !self.queried.swap(true, Ordering::Relaxed)
    }

    fn is_settled(&self) -> bool {
        matches!(*lock(&self.state), ClockState::Settled(_))
    }
}

/// A stream.
#[derive(Debug)]
struct Strand {
    number: u32,
    last: Option<Arc<Point>>,
    /// Whether it synchronizes with the legacy default stream.
    blocking: bool,
    /// Whether the program destroyed it. Its queued work still runs.
    destroyed: bool,
}

/// All streams, and the host's clock.
#[derive(Debug, Default)]
pub struct Strands {
    all: BTreeMap<StreamKey, Strand>,
    host: Arc<Clock>,
    /// The part of the host's clock that comes from calls, not from memory that a kernel wrote.
    waited: Clock,
    /// Number of the newest strand.
    made: u32,
}

impl Strands {
    /// Operations that the host has waited for.
    pub fn host(&self) -> &Clock {
        &self.host
    }

    /// Operations that a call of the host has waited for.
    pub fn waited(&self) -> &Clock {
        &self.waited
    }

    fn last(&self, key: StreamKey) -> Option<Arc<Point>> {
        self.all.get(&key).and_then(|strand| strand.last.clone())
    }

    /// Strands of a context.
    fn strands_of(&self, context: Handle) -> impl Iterator<Item = &Strand> {
        let key = |stream| StreamKey { context, stream };
        self.all.range(key(0)..=key(Handle::MAX)).map(|(_, strand)| strand)
    }

    /// The last operations of a context's blocking streams, including the default stream.
    fn of_blocking(&self, context: Handle) -> Vec<Arc<Point>> {
        self.strands_of(context)
            .filter(|strand| strand.blocking)
            .filter_map(|strand| strand.last.clone())
            .collect()
    }

    /// Issues an operation to a stream.
    pub fn issue(&mut self, stream: OrderedStream) -> Arc<Point> {
        self.issue_after(stream, Vec::new())
    }

    /// Issues an operation that also waits for others.
    fn issue_after(&mut self, stream: OrderedStream, mut after: Vec<Arc<Point>>) -> Arc<Point> {
        let OrderedStream { key, blocking } = stream;
        match key.stream {
            0 => after.extend(self.of_blocking(key.context)),
            _ if blocking => after.extend(self.last(StreamKey { stream: 0, ..key })),
            _ => {}
        }
        let Strands { all, host, made, .. } = self;
        let strand = all.entry(key).or_insert_with(|| {
            *made += 1;
            Strand { number: *made, last: None, blocking, destroyed: false }
        });
        let number = strand.last.as_ref().map_or(0, |last| last.number) + 1;
        after.extend(strand.last.take());
        let state = Mutex::new(ClockState::Open { after, host: host.clone() });
        let queried = AtomicBool::new(false);
        let point = Arc::new(Point { strand: strand.number, number, queried, state });
        strand.last = Some(point.clone());
        point
    }

    /// Makes a stream wait for an event recorded at a point.
    pub fn wait(&mut self, stream: OrderedStream, event: Arc<Point>) {
        let last = self.last(stream.key);
        let settled = event.is_settled() && last.is_none_or(|last| last.is_settled());
        let point = self.issue_after(stream, vec![event]);
        if settled {
            point.clock();
        }
    }

    /// Records that the host has waited for an operation.
    pub fn host_waited(&mut self, point: &Point) {
        let clock = point.clock();
        Arc::make_mut(&mut self.host).join(&clock);
        self.waited.join(&clock);
    }

    /// Records that a kernel has signaled the host through memory: everything before the kernel has ended.
    pub fn host_told(&mut self, point: &Point) {
        Arc::make_mut(&mut self.host).join(&point.clock());
        self.waited.join(&before(point));
    }

    /// Records that the host has waited for everything before an operation.
    pub fn host_waited_before(&mut self, point: &Point) {
        let clock = before(point);
        Arc::make_mut(&mut self.host).join(&clock);
        self.waited.join(&clock);
    }

    /// Operations that synchronizing with a stream waits for.
    pub fn of_stream(&self, key: StreamKey) -> Vec<Arc<Point>> {
        match key.stream {
            0 => self.of_blocking(key.context),
            _ => self.last(key).into_iter().collect(),
        }
    }

    /// Operations that synchronizing with a context waits for.
    pub fn of_context(&self, context: Handle) -> Vec<Arc<Point>> {
        self.strands_of(context).filter_map(|strand| strand.last.clone()).collect()
    }

    /// A point after all work of a context.
    pub fn behind_context(&mut self, context: Handle) -> Arc<Point> {
        let after = self.of_context(context);
        // An artificial strand that nothing waits for.
        let key = StreamKey { context, stream: Handle::MAX };
        self.issue_after(OrderedStream { key, blocking: false }, after)
    }

    /// Records that the program destroys a stream.
    pub fn destroy(&mut self, key: StreamKey) {
        if let Some(strand) = self.all.get_mut(&key) {
            strand.destroyed = true;
        }
    }

    /// Destroys a context and its streams; the host has waited for them.
    pub fn end_context(&mut self, context: Handle) {
        for point in self.of_context(context) {
            self.host_waited(&point);
        }
        self.all.retain(|key, _| key.context != context);
    }

    /// Forgets destroyed streams whose work has finished, and returns their strand numbers.
    pub fn forget_ended(&mut self) -> Vec<u32> {
        let waited = &self.waited;
        let ended = |strand: &Strand| {
            let last = strand.last.as_ref().map_or(0, |last| last.number);
            strand.destroyed && last <= waited.last(strand.number)
        };
        let gone: Vec<u32> =
            self.all.values().filter(|one| ended(one)).map(|one| one.number).collect();
        if !gone.is_empty() {
            self.all.retain(|_, strand| !gone.contains(&strand.number));
            Arc::make_mut(&mut self.host).retain(|strand| !gone.contains(&strand));
            self.waited.retain(|strand| !gone.contains(&strand));
        }
        gone
    }
}

/// Everything before an operation.
fn before(point: &Point) -> Clock {
    let mut clock = Clock::clone(&point.clock());
    clock.retain(|strand| strand != point.strand);
    clock.raise(point.strand, point.number - 1);
    clock
}

/// A vector clock (Mattern 1989): per strand, the number of the last operation that happens before. Missing strands have 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(BTreeMap<u32, u64>);

impl Clock {
    /// Number of a strand's last operation that happens before.
    pub fn last(&self, strand: u32) -> u64 {
        self.0.get(&strand).copied().unwrap_or(0)
    }

    /// Adds an operation of a strand, and the ones before it there.
    pub fn raise(&mut self, strand: u32, number: u64) {
        let known = self.0.entry(strand).or_insert(0);
        *known = (*known).max(number);
    }

    /// Adds everything in another clock.
    pub fn join(&mut self, other: &Clock) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        other.0.iter().for_each(|(&strand, &number)| self.raise(strand, number));
    }

    /// Forgets strands that will not be queried again.
    pub fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        self.0.retain(|strand, _| keep(*strand));
    }
}

/// A node's position in the order.
#[derive(Debug)]
struct NodePlace {
    chain: u32,
    /// Position in the chain, from 1.
    number: u64,
    /// The node and everything before it.
    clock: Clock,
}

impl NodePlace {
    /// Whether there is a path from another node to this one.
    fn is_after(&self, other: &NodePlace) -> bool {
        self.clock.last(other.chain) >= other.number
    }
}

/// The order of a graph's nodes, which follows from the edges alone.
///
/// *Algorithm.* Vector clocks over chains: a node extends the chain of a dependency that is last in its chain, or
/// starts a new chain. A linear graph needs one number per node; n independent nodes need n numbers each.
#[derive(Debug, Default)]
pub struct GraphOrder {
    nodes: HashMap<Handle, NodePlace>,
}

impl GraphOrder {
    /// Computes the order. Each node comes with its dependencies, which come before it.
    pub fn from_nodes<'a>(nodes: impl Iterator<Item = (Handle, &'a [Handle])>) -> GraphOrder {
        let mut places: HashMap<Handle, NodePlace> = HashMap::new();
        let mut lengths: Vec<u64> = Vec::new();
        for (node, dependencies) in nodes {
            let mut clock = Clock::default();
            let mut chain = None;
            for before in dependencies.iter().filter_map(|before| places.get(before)) {
                clock.join(&before.clock);
                if lengths[before.chain as usize] == before.number {
                    chain = Some(before.chain);
                }
            }
            let chain = chain.unwrap_or_else(|| {
                lengths.push(0);
                lengths.len() as u32 - 1
            });
            let number = &mut lengths[chain as usize];
            *number += 1;
            clock.raise(chain, *number);
            places.insert(node, NodePlace { chain, number: *number, clock });
        }
        GraphOrder { nodes: places }
    }

    /// Whether there is a path between two nodes, in either direction. An unknown node counts as ordered with all
    /// others.
    fn orders(&self, one: Handle, other: Handle) -> bool {
        let (Some(one), Some(other)) = (self.nodes.get(&one), self.nodes.get(&other)) else {
            return true;
        };
        other.is_after(one) || one.is_after(other)
    }
}

/// One step of the path from an operation to one of its parts.
#[derive(Clone, Debug)]
pub enum Step {
    /// Into a node of a graph.
    Node(Arc<GraphOrder>, Handle),
    /// Into an iteration of a conditional body.
    Iteration(u64),
}

/// Whether two parts of one operation are ordered.
pub fn ordered(one: &[Step], other: &[Step]) -> bool {
    for pair in one.iter().zip(other) {
        match pair {
            (Step::Iteration(one), Step::Iteration(other)) if one == other => {}
            (Step::Node(graph, one), Step::Node(of, other)) if Arc::ptr_eq(graph, of) => {
                if one != other {
                    return graph.orders(*one, *other);
                }
            }
            _ => return true,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_takes_the_later_of_each_strand() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        one.raise(1, 5);
        one.raise(2, 1);
        other.raise(2, 7);
        other.raise(1, 3);
        one.join(&other);
        assert_eq!([one.last(1), one.last(2), one.last(3)], [5, 7, 0]);
        one.retain(|strand| strand == 2);
        assert_eq!([one.last(1), one.last(2)], [0, 7]);
    }

    fn diamond() -> Arc<GraphOrder> {
        let nodes: [(Handle, &[Handle]); 5] =
            [(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3]), (5, &[])];
        Arc::new(GraphOrder::from_nodes(nodes.into_iter()))
    }

    #[test]
    fn nodes_are_ordered_by_paths_of_edges() {
        let graph = diamond();
        assert!([(1, 2), (1, 4), (4, 1), (3, 4), (2, 99)].iter().all(|&(a, b)| graph.orders(a, b)));
        assert!(![(2, 3), (3, 2), (5, 1), (4, 5)].iter().any(|&(a, b)| graph.orders(a, b)));
    }

    #[test]
    fn inner_graphs_are_ordered_as_the_nodes_that_hold_them() {
        let (outer, inner) = (diamond(), diamond());
        let node = |graph: &Arc<GraphOrder>, node| Step::Node(graph.clone(), node);
        let at = |of_outer, of_inner| [node(&outer, of_outer), node(&inner, of_inner)];
        assert!(!ordered(&at(2, 1), &at(3, 4)));
        assert!(ordered(&at(1, 2), &at(2, 3)));
        assert!(!ordered(&at(2, 2), &at(2, 3)));
        let at = |iteration, of| [Step::Iteration(iteration), node(&inner, of)];
        assert!(ordered(&at(1, 2), &at(2, 3)));
        assert!(!ordered(&at(1, 2), &at(1, 3)));
    }
}
