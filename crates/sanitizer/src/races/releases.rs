//! The graph of releases: what has been published at sync variables, through a launch.
//!
//! Vector clocks reach one cluster only. What a warp publishes is a node: its vector clock, the cluster
//! that this is of, and as parents what the warp had acquired itself. Whether an access of another cluster
//! happens before what a warp does is a search of the graph from what that warp has acquired.
//!
//! Nodes are numbered as they are made, so that a search for an epoch skips those that are older than it.
//!
//! *Limit.* A search ends after [`SEARCH`] nodes and takes the access to be ordered.

use super::epoch::Epoch;
use super::vector_clock::VectorClock;
use std::collections::HashMap;

/// No node.
pub const NONE: u32 = 0;
/// Nodes visited before a search gives up.
const SEARCH: usize = 1 << 14;
/// Nodes whose clocks an acquire joins directly; further ones are only searched.
const NEAR: usize = 64;

/// An address that strong accesses go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncVariable {
    /// In global memory, by address.
    Global(u64),
    /// In shared memory.
    Shared {
        /// Of the block of which rank.
        rank: u32,
        /// Its offset.
        offset: u64,
    },
}

/// What was released by a warp's fences, or is published at a sync variable: nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fenced {
    /// For the warp's own block.
    pub near: u32,
    /// For all.
    pub wide: u32,
}

/// What is published at a sync variable.
#[derive(Clone, Debug)]
pub struct Published {
    /// For the block that published it.
    pub near: u32,
    /// For all.
    pub wide: u32,
    /// That block; `None` where several did.
    pub block: Option<u64>,
    /// The cluster that published last.
    pub cluster: u32,
    /// Where atomics of that cluster went on from each other: all that they published for the block.
    pub clock: Option<Box<VectorClock>>,
}

/// What a node holds besides its parents.
enum Held {
    /// Nothing.
    Parents,
    /// The vector clock of a warp or a lane.
    Clock(Box<VectorClock>),
    /// What some lanes of a warp did, up to a clock.
    Lanes { slot: u32, lanes: u32, done: u32 },
}

/// What a release published, of which cluster, and what that had acquired.
struct Node {
    cluster: u32,
    held: Held,
    parents: [u32; 2],
}

impl Node {
    /// The lanes of an epoch that come before.
    fn beyond(&self, e: &Epoch) -> u32 {
        match &self.held {
            _ if self.cluster != e.cluster => 0,
            Held::Parents => 0,
            Held::Clock(clock) => clock.beyond(e.slot, e.clock),
            Held::Lanes { slot, lanes, done } if *slot == e.slot && *done > e.clock => *lanes,
            Held::Lanes { .. } => 0,
        }
    }

    fn join_to(&self, to: &mut VectorClock) {
        match &self.held {
            Held::Parents => {}
            Held::Clock(clock) => to.join(clock),
            Held::Lanes { slot, lanes, done } => to.raise_lanes(*slot, *lanes, *done),
        }
    }
}

/// The graph of releases of a launch.
pub struct Releases {
    nodes: Vec<Node>,
    /// By node: the last search that visited it.
    visited: Vec<u32>,
    search: u32,
    /// What the last search was for, and what it found.
    found: ((u32, u32, u32, u32), u32),
    /// At addresses in global memory.
    published: HashMap<SyncVariable, Published>,
    /// In the shared memory of the cluster that runs.
    published_shared: HashMap<SyncVariable, Published>,
}

impl Default for Releases {
    fn default() -> Releases {
        let none = Node { cluster: 0, held: Held::Parents, parents: [NONE; 2] };
        Releases {
            nodes: vec![none],
            visited: Vec::new(),
            search: 0,
            found: ((NONE, 0, 0, 0), 0),
            published: HashMap::new(),
            published_shared: HashMap::new(),
        }
    }
}

impl Releases {
    /// Shared memory does not outlive its cluster.
    pub fn forget_shared(&mut self) {
        self.published_shared.clear();
    }

    /// Exchanges all but what was published in shared memory.
    pub fn exchange_global(&mut self, other: &mut Releases) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.published_shared, &mut other.published_shared);
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    fn published_at(&mut self, variable: SyncVariable) -> &mut HashMap<SyncVariable, Published> {
        match variable {
            SyncVariable::Global(_) => &mut self.published,
            SyncVariable::Shared { .. } => &mut self.published_shared,
        }
    }

    /// A node of what a warp of a cluster knows, and what it had acquired.
    pub fn node(&mut self, cluster: u32, clock: VectorClock, acquired: u32) -> u32 {
        self.push(cluster, Held::Clock(Box::new(clock)), [acquired, NONE])
    }

    /// A node, and what some lanes of a slot of a cluster did besides, up to a clock.
    pub fn node_with_lanes(
        &mut self,
        (cluster, slot): (u32, u32),
        node: u32,
        (lanes, done): (u32, u32),
    ) -> u32 {
        self.push(cluster, Held::Lanes { slot, lanes, done }, [node, NONE])
    }

    /// What is published at a sync variable.
    pub fn published(&self, variable: SyncVariable) -> Option<&Published> {
        let published = match variable {
            SyncVariable::Global(_) => &self.published,
            SyncVariable::Shared { .. } => &self.published_shared,
        };
        published.get(&variable)
    }

    /// Publishes something else there, or nothing. An atomic goes on with what was released before it.
    pub fn publish(&mut self, variable: SyncVariable, mut entry: Published, atomic: bool) {
        if let Some(before) = self.published_at(variable).remove(&variable).filter(|_| atomic) {
            entry = self.going_on(before, entry);
        }
        if (entry.near, entry.wide) != (NONE, NONE) {
            self.published_at(variable).insert(variable, entry);
        }
    }

    fn going_on(&mut self, before: Published, now: Published) -> Published {
        let block = now.block.filter(|block| before.block == Some(*block));
        if (now.near, now.wide) == (NONE, NONE) {
            return Published { block, ..before };
        }
        let alike = before.near == before.wide && now.near == now.wide;
        let near = self.both(before.near, now.near);
        let wide = if alike { near } else { self.both(before.wide, now.wide) };
        let clock = (before.cluster == now.cluster).then(|| {
            let mut clock = before.clock.unwrap_or_else(|| {
                let mut clock = Box::default();
                self.join_near(before.near, now.cluster, &mut clock);
                clock
            });
            self.join_near(now.near, now.cluster, &mut clock);
            clock
        });
        Published { near, wide, block, cluster: now.cluster, clock }
    }

    /// Joins the clocks of a node and of those near it that are of a cluster.
    pub fn join_near(&self, node: u32, cluster: u32, to: &mut VectorClock) {
        let mut work = vec![node];
        let mut near = 0;
        while let Some(at) = work.pop() {
            near += 1;
            if at == NONE || near > NEAR {
                continue;
            }
            let found = &self.nodes[at as usize];
            if found.cluster == cluster {
                found.join_to(to);
                // A thread's clock has what it acquired of its own cluster.
                if matches!(found.held, Held::Clock(_)) {
                    continue;
                }
            }
            work.extend(found.parents);
        }
    }

    fn push(&mut self, cluster: u32, held: Held, parents: [u32; 2]) -> u32 {
        self.nodes.push(Node { cluster, held, parents });
        self.nodes.len() as u32 - 1
    }

    /// A node that reaches what two reach.
    pub fn both(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (a, NONE) => a,
            (NONE, b) => b,
            (a, b) if a == b => a,
            (a, b) => self.push(0, Held::Parents, [a, b]),
        }
    }

    /// The same for what fences release.
    pub fn both_fenced(&mut self, a: Fenced, b: Fenced) -> Fenced {
        Fenced { near: self.both(a.near, b.near), wide: self.both(a.wide, b.wide) }
    }

    /// The lanes of an epoch that what a node reaches comes after.
    #[cold]
    pub fn reach(&mut self, root: u32, e: Epoch) -> u32 {
        let what = (root, e.cluster, e.slot, e.clock);
        if self.found.0 != what {
            self.found = (what, self.reached(root, e));
        }
        self.found.1
    }

    fn reached(&mut self, root: u32, e: Epoch) -> u32 {
        let mut lanes = 0;
        self.search += 1;
        self.visited.resize(self.nodes.len(), 0);
        let mut work = vec![root];
        for _ in 0..SEARCH {
            let Some(at) = work.pop() else { return lanes };
            let visited = |visited| std::mem::replace(visited, self.search) == self.search;
            // Parents are older than their nodes: what is older than the epoch reaches nothing that released it.
            if at == NONE || at < e.nodes || visited(&mut self.visited[at as usize]) {
                continue;
            }
            let node = &self.nodes[at as usize];
            lanes |= node.beyond(&e);
            if lanes == u32::MAX {
                return lanes;
            }
            work.extend(node.parents);
        }
        u32::MAX
    }
}
