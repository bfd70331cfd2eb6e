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
use super::vector_clock::{VectorClock, raise};
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
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// For the block that published it.
    pub near: u32,
    /// For all.
    pub wide: u32,
    /// That block; `None` where several did.
    pub block: Option<u64>,
}

/// What a release published: its warp's vector clock, and what that had acquired.
struct Node {
    cluster: u32,
    clock: Box<[u32]>,
    parents: [u32; 2],
}

/// The graph of releases of a launch.
pub struct Releases {
    nodes: Vec<Node>,
    /// By node: the last search that visited it.
    visited: Vec<u32>,
    search: u32,
    /// At addresses in global memory.
    published: HashMap<SyncVariable, Published>,
    /// In the shared memory of the cluster that runs.
    published_shared: HashMap<SyncVariable, Published>,
}

impl Default for Releases {
    fn default() -> Releases {
        let none = Node { cluster: 0, clock: Box::default(), parents: [NONE; 2] };
        Releases {
            nodes: vec![none],
            visited: Vec::new(),
            search: 0,
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
        self.push(cluster, clock.into_boxed_slice(), [acquired, NONE])
    }

    /// What is published at a sync variable.
    pub fn published(&self, variable: SyncVariable) -> Option<Published> {
        let published = match variable {
            SyncVariable::Global(_) => &self.published,
            SyncVariable::Shared { .. } => &self.published_shared,
        };
        published.get(&variable).copied()
    }

    /// Publishes something else there, or nothing.
    pub fn publish(&mut self, variable: SyncVariable, entry: Option<Published>) {
        match entry {
            Some(entry) => self.published_at(variable).insert(variable, entry),
            None => self.published_at(variable).remove(&variable),
        };
    }

    /// Joins the clocks of a node and of those near it that are of a cluster.
    pub fn join_near(&self, node: u32, cluster: u32, to: &mut [u32]) {
        let mut work = vec![node];
        let mut near = 0;
        while let Some(at) = work.pop() {
            near += 1;
            if at == NONE || near > NEAR {
                continue;
            }
            let found = &self.nodes[at as usize];
            if found.cluster == cluster {
                raise(to, &found.clock);
            }
            work.extend(found.parents);
        }
    }

    fn push(&mut self, cluster: u32, clock: Box<[u32]>, parents: [u32; 2]) -> u32 {
        self.nodes.push(Node { cluster, clock, parents });
        self.nodes.len() as u32 - 1
    }

    /// A node that reaches what two reach.
    pub fn both(&mut self, a: u32, b: u32) -> u32 {
        match (a, b) {
            (a, NONE) => a,
            (NONE, b) => b,
            (a, b) if a == b => a,
            (a, b) => self.push(0, Box::default(), [a, b]),
        }
    }

    /// The same for what fences release.
    pub fn both_fenced(&mut self, a: Fenced, b: Fenced) -> Fenced {
        Fenced { near: self.both(a.near, b.near), wide: self.both(a.wide, b.wide) }
    }

    /// Whether what a node reaches comes after an epoch.
    #[cold]
    pub fn reach(&mut self, root: u32, e: Epoch) -> bool {
        self.search += 1;
        self.visited.resize(self.nodes.len(), 0);
        let mut work = vec![root];
        for _ in 0..SEARCH {
            let Some(at) = work.pop() else { return false };
            let visited = |visited| std::mem::replace(visited, self.search) == self.search;
            // Parents are older than their nodes: what is older than the epoch reaches nothing that released it.
            if at == NONE || at < e.nodes || visited(&mut self.visited[at as usize]) {
                continue;
            }
            let node = &self.nodes[at as usize];
            let clock = node.clock.get(e.slot as usize);
            if node.cluster == e.cluster && clock.is_some_and(|clock| e.clock < *clock) {
                return true;
            }
            work.extend(node.parents);
        }
        true
    }
}
