//! Grid clocks ([`GridClock`]): a vector clock for each cluster of a grid. Also the clocks that
//! threads release ([`KnownClocks`]).
//!
//! *Data structure.* A vector clock of all warps of a grid is too large to copy at each release. So
//! clocks are in a persistent radix tree indexed by cluster (Driscoll, Sarnak, Sleator and Tarjan,
//! "Making data structures persistent", 1989; for maps, Bagwell, "Ideal hash trees", 2001). A copy
//! is one pointer, an update copies the path to one leaf, and a join visits only unshared subtrees.
//! If one of two trees covers the other, their join is that tree itself, so threads that have
//! acquired the same clocks share one tree. Shared nodes are immutable; a tree has no empty branch.

use crate::races::epoch::Epoch;
use crate::races::vector_clock::VectorClock;
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

/// log2 of the children of a branch.
const BITS: u32 = 4;

const WIDTH: usize = 1 << BITS;

type Child = Option<Arc<Node>>;

#[derive(Debug)]
enum Node {
    Branch([Child; WIDTH]),
    /// The clock of one cluster.
    Clock(Arc<VectorClock>),
}

/// A vector clock for each cluster with a nonzero clock.
#[derive(Clone, Debug, Default)]
pub struct GridClock {
    root: Child,
    /// Levels of branches above the clocks.
    height: u32,
}

fn same(a: &Child, b: &Child) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn place(cluster: u32, level: u32) -> usize {
    (cluster >> (BITS * level)) as usize % WIDTH
}

/// Whether a cluster is outside the range of a tree of this height.
fn above(cluster: u32, height: u32) -> bool {
    cluster.checked_shr(BITS * height).unwrap_or(0) != 0
}

/// The join of two trees of equal height; returns one of them if it covers the other.
fn joined(a: &Child, b: &Child) -> Child {
    let (Some(left), Some(right)) = (a, b) else { return a.clone().or_else(|| b.clone()) };
    if Arc::ptr_eq(left, right) {
        return a.clone();
    }
    match (&**left, &**right) {
        (Node::Branch(of_a), Node::Branch(of_b)) => {
            let all: [Child; WIDTH] = std::array::from_fn(|i| joined(&of_a[i], &of_b[i]));
            let is = |of: &[Child; WIDTH]| all.iter().zip(of).all(|(all, of)| same(all, of));
            match () {
                () if is(of_a) => a.clone(),
                () if is(of_b) => b.clone(),
                () => Some(Arc::new(Node::Branch(all))),
            }
        }
        (Node::Clock(of_a), Node::Clock(of_b)) => match () {
            () if Arc::ptr_eq(of_a, of_b) || of_a.covers(of_b) => a.clone(),
            () if of_b.covers(of_a) => b.clone(),
            () => {
                let mut clock = VectorClock::clone(of_a);
                clock.join(of_b);
                Some(Arc::new(Node::Clock(Arc::new(clock))))
            }
        },
        // Trees of equal height have their clocks at the same level.
        _ => unreachable!("a clock beside a branch"),
    }
}

impl GridClock {
    /// The clock of one cluster, and zeros for all others.
    pub fn single(cluster: u32, clock: Arc<VectorClock>) -> GridClock {
        GridClock { root: Some(Arc::new(Node::Clock(clock))), height: 0 }.moved(cluster)
    }

    /// Moves a clock of cluster 0 to another cluster.
    fn moved(mut self, cluster: u32) -> GridClock {
        while above(cluster, self.height) {
            let index = place(cluster, self.height);
            self = self.raised(index);
        }
        self
    }

    /// Adds a level; the tree becomes the child of this index.
    fn raised(self, index: usize) -> GridClock {
        let mut children: [Child; WIDTH] = Default::default();
        children[index] = self.root;
        GridClock { root: Some(Arc::new(Node::Branch(children))), height: self.height + 1 }
    }

    /// Whether all clocks are zero.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether both are the same tree in memory.
    pub fn same(&self, other: &GridClock) -> bool {
        same(&self.root, &other.root)
    }

    /// Joins another grid clock.
    pub fn join(&mut self, other: &GridClock) {
        if other.is_empty() || self.same(other) {
            return;
        }
        if self.is_empty() {
            *self = other.clone();
            return;
        }
        let mut other = other.clone();
        while self.height < other.height {
            *self = std::mem::take(self).raised(0);
        }
        while other.height < self.height {
            other = other.raised(0);
        }
        self.root = joined(&self.root, &other.root);
    }

    /// The clock of a cluster.
    pub fn get(&self, cluster: u32) -> Option<&Arc<VectorClock>> {
        let mut at = self.root.as_ref()?;
        if above(cluster, self.height) {
            return None;
        }
        for level in (0..self.height).rev() {
            let Node::Branch(children) = &**at else { return None };
            at = children[place(cluster, level)].as_ref()?;
        }
        match &**at {
            Node::Clock(clock) => Some(clock),
            Node::Branch(_) => None,
        }
    }
}

/// Caches the last join, because warps and lanes often join the same two trees one after the other.
#[derive(Default)]
pub struct LastJoin {
    of: [GridClock; 2],
    joined: GridClock,
}

impl LastJoin {
    /// Joins `from` into `to`.
    pub fn join(&mut self, to: &mut GridClock, from: &GridClock) {
        if from.is_empty() || to.same(from) {
            return;
        }
        let [a, b] = &self.of;
        if !(a.same(to) && b.same(from)) {
            self.of = [to.clone(), from.clone()];
            self.joined = to.clone();
            self.joined.join(from);
        }
        to.clone_from(&self.joined);
    }
}

/// The clocks of all clusters, with the clock of the last releasing cluster kept apart.
#[derive(Clone, Debug, Default)]
pub struct ClockSnapshot {
    /// That cluster.
    pub cluster: u32,
    /// Its clock; `others` may have a larger one.
    pub own: Arc<VectorClock>,
    /// Clocks of the other clusters.
    pub others: GridClock,
}

impl ClockSnapshot {
    /// Joins a later release, whose cluster becomes `cluster`; `last` was joined before.
    fn join(&mut self, from: &ClockSnapshot, last: Option<&ClockSnapshot>) {
        if last.is_none_or(|last| !last.others.same(&from.others)) {
            self.others.join(&from.others);
        }
        if self.cluster != from.cluster {
            let own = std::mem::replace(&mut self.own, Arc::clone(&from.own));
            self.others.join(&GridClock::single(self.cluster, own));
            self.cluster = from.cluster;
        } else if !Arc::ptr_eq(&self.own, &from.own) && !self.own.covers(&from.own) {
            match from.own.covers(&self.own) {
                true => self.own = Arc::clone(&from.own),
                false => Arc::make_mut(&mut self.own).join(&from.own),
            }
        }
    }
}

/// The clocks that a thread knows and releases: a vector clock of its own cluster, and a grid clock of
/// the others. May be empty; copies share one snapshot.
#[derive(Clone, Debug, Default)]
pub struct KnownClocks(Option<Arc<ClockSnapshot>>);

impl KnownClocks {
    /// The clocks known to a thread of a cluster: of its own, and of others.
    pub fn new(cluster: u32, own: VectorClock, others: GridClock) -> KnownClocks {
        KnownClocks(Some(Arc::new(ClockSnapshot { cluster, own: Arc::new(own), others })))
    }

    /// The clocks, if any.
    pub fn get(&self) -> Option<&ClockSnapshot> {
        self.0.as_deref()
    }

    /// Whether it is empty.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether both share one snapshot.
    pub fn same(&self, other: &KnownClocks) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// Joins another.
    pub fn join(&mut self, other: &KnownClocks) {
        self.join_after(&KnownClocks::default(), other);
    }

    /// Joins another; `last` has been joined already.
    pub fn join_after(&mut self, last: &KnownClocks, other: &KnownClocks) {
        let Some(from) = &other.0 else { return };
        match &mut self.0 {
            None => *self = other.clone(),
            Some(own) if Arc::ptr_eq(own, from) => {}
            Some(own) => Arc::make_mut(own).join(from, last.get()),
        }
    }

    /// Joins accesses of some lanes of a slot, up to a clock.
    pub fn raise_lanes(&mut self, cluster: u32, (slot, lanes, done): (u32, u32, u32)) {
        let known = Arc::make_mut(self.0.get_or_insert_default());
        if known.cluster != cluster {
            known.join(&ClockSnapshot { cluster, ..ClockSnapshot::default() }, None);
        }
        Arc::make_mut(&mut known.own).raise_lanes(slot, lanes, done);
    }

    /// Joins the clock of one cluster into `to`.
    pub fn of_cluster(&self, cluster: u32, to: &mut VectorClock) {
        let Some(known) = self.get() else { return };
        if known.cluster == cluster {
            to.join(&known.own);
        }
        if let Some(clock) = known.others.get(cluster) {
            to.join(clock);
        }
    }

    /// The clocks of all clusters, as a grid clock.
    pub fn outside(&self) -> GridClock {
        let Some(known) = self.get() else { return GridClock::default() };
        let mut all = known.others.clone();
        all.join(&GridClock::single(known.cluster, Arc::clone(&known.own)));
        all
    }
}

/// The lanes of another cluster's epoch that happen before.
#[cold]
pub fn lanes_known(known: &GridClock, e: &Epoch) -> u32 {
    known.get(e.cluster).map_or(0, |clock| clock.beyond(e.slot, e.clock))
}

/// The clocks that fences release, by scope.
#[derive(Clone, Debug, Default)]
pub struct FencedClocks {
    /// Within the warp's block.
    pub block: KnownClocks,
    /// Within its cluster.
    pub cluster: KnownClocks,
    /// Within the device.
    pub device: KnownClocks,
    /// With the host.
    pub system: KnownClocks,
}

impl FencedClocks {
    /// The clocks for a scope.
    pub fn within(&self, scope: Scope) -> &KnownClocks {
        match scope {
            Scope::Block => &self.block,
            Scope::Cluster => &self.cluster,
            Scope::Device => &self.device,
            Scope::System => &self.system,
        }
    }

    /// The same, mutable.
    pub fn within_mut(&mut self, scope: Scope) -> &mut KnownClocks {
        match scope {
            Scope::Block => &mut self.block,
            Scope::Cluster => &mut self.cluster,
            Scope::Device => &mut self.device,
            Scope::System => &mut self.system,
        }
    }

    /// Joins another; scopes that shared one snapshot in both share it again.
    pub fn join(&mut self, other: &FencedClocks) {
        if other.is_none() {
            return;
        }
        let alike = |of: &FencedClocks| {
            [of.block.same(&of.cluster), of.cluster.same(&of.device), of.device.same(&of.system)]
        };
        let (own, others) = (alike(self), alike(other));
        let [cluster, device, system] = std::array::from_fn(|i| own[i] && others[i]);
        // Drop the shared copies first: joining into a shared snapshot would copy it.
        if cluster {
            self.cluster = KnownClocks::default();
        }
        if device {
            self.device = KnownClocks::default();
        }
        if system {
            self.system = KnownClocks::default();
        }
        self.block.join(&other.block);
        match cluster {
            true => self.cluster = self.block.clone(),
            false => self.cluster.join(&other.cluster),
        }
        match device {
            true => self.device = self.cluster.clone(),
            false => self.device.join(&other.device),
        }
        match system {
            true => self.system = self.device.clone(),
            false => self.system.join(&other.system),
        }
    }

    /// Whether it is empty.
    pub fn is_none(&self) -> bool {
        SCOPES.into_iter().all(|scope| self.within(scope).is_none())
    }
}

/// All scopes, narrowest first.
pub const SCOPES: [Scope; 4] = [Scope::Block, Scope::Cluster, Scope::Device, Scope::System];

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(warps: &[u32]) -> Arc<VectorClock> {
        Arc::new(VectorClock { warps: warps.to_vec(), ahead: Vec::new() })
    }

    fn all(clusters: impl Iterator<Item = (u32, u32)>) -> GridClock {
        clusters.fold(GridClock::default(), |mut all, (cluster, done)| {
            all.join(&GridClock::single(cluster, clock(&[done])));
            all
        })
    }

    #[test]
    fn each_cluster_has_the_greater_of_two_clocks() {
        let numbers = [0, 1, 15, 16, 17, 255, 256, 4095, 70_000, u32::MAX];
        let a = all(numbers.into_iter().map(|cluster| (cluster, cluster % 7 + 1)));
        let mut joined = all(numbers.into_iter().skip(3).map(|cluster| (cluster, cluster % 5 + 1)));
        joined.join(&a);
        for (i, cluster) in numbers.into_iter().enumerate() {
            let other = if i < 3 { 0 } else { cluster % 5 + 1 };
            let known = joined.get(cluster).expect("all were joined");
            assert_eq!(known.warps, [other.max(cluster % 7 + 1)], "cluster {cluster}");
        }
        assert!([2, 18, 4096, 69_999].into_iter().all(|cluster| joined.get(cluster).is_none()));
    }

    #[test]
    fn joining_a_covered_clock_shares_the_covering_one() {
        let old = all((0..100).map(|cluster| (cluster, 1)));
        let new = all((0..100).map(|cluster| (cluster, 2)));
        for (mut a, b) in [(old.clone(), &new), (new.clone(), &old)] {
            a.join(b);
            assert!(same(&a.root, &new.root));
        }
    }
}
