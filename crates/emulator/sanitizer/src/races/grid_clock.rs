//! Grid clocks: for each cluster of a grid, the vector clock up to which what its threads did is known.
//!
//! *Data structure.* A vector clock of all warps of a grid is too large to copy at each release. So clocks lie in a persistent radix
//! tree over the clusters' numbers (Driscoll, Sarnak, Sleator and Tarjan, "Making data structures persistent", 1989; its use for
//! maps as by Bagwell, "Ideal hash trees", 2001): trees share what is equal in them. A copy is one pointer, a change copies the
//! path to one leaf, and a join visits only what the two do not share. BlockAndCluster one of two covers the other, the join is that one
//! itself, so that all who have acquired the same hold one tree.
//!
//! *Invariant.* Nodes do not change once they are shared; a tree holds no empty branch.

use crate::races::vector_clock::VectorClock;
use std::sync::Arc;

/// Children of a branch, as a power of two.
const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

type Child = Option<Arc<Node>>;

#[derive(Debug)]
enum Node {
    Branch([Child; WIDTH]),
    /// Of one cluster.
    Clock(Arc<VectorClock>),
}

/// A vector clock of each cluster that anything is known of.
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

/// Whether a cluster lies beyond a tree of a height.
fn above(cluster: u32, height: u32) -> bool {
    cluster.checked_shr(BITS * height).unwrap_or(0) != 0
}

/// The join of two trees of one height: one of them, where that covers the other.
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
        // Trees of one height have their clocks at one level.
        _ => unreachable!("a clock beside a branch"),
    }
}

impl GridClock {
    /// What is known of one cluster alone.
    pub fn single(cluster: u32, clock: Arc<VectorClock>) -> GridClock {
        GridClock { root: Some(Arc::new(Node::Clock(clock))), height: 0 }.moved(cluster)
    }

    /// Of a clock of cluster 0: of another cluster.
    fn moved(mut self, cluster: u32) -> GridClock {
        while above(cluster, self.height) {
            let index = place(cluster, self.height);
            self = self.raised(index);
        }
        self
    }

    /// A level higher, as the child of this index.
    fn raised(self, index: usize) -> GridClock {
        let mut children: [Child; WIDTH] = Default::default();
        children[index] = self.root;
        GridClock { root: Some(Arc::new(Node::Branch(children))), height: self.height + 1 }
    }

    /// Whether nothing is known.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether two are one.
    pub fn same(&self, other: &GridClock) -> bool {
        same(&self.root, &other.root)
    }

    /// Joins another.
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

/// The last join of two trees, for warps and lanes often join the same one after the other.
#[derive(Default)]
pub struct LastJoin {
    of: [GridClock; 2],
    joined: GridClock,
}

impl LastJoin {
    /// Joins a tree to another.
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
    fn what_covers_another_is_the_join_itself() {
        let old = all((0..100).map(|cluster| (cluster, 1)));
        let new = all((0..100).map(|cluster| (cluster, 2)));
        for (mut a, b) in [(old.clone(), &new), (new.clone(), &old)] {
            a.join(b);
            assert!(same(&a.root, &new.root));
        }
    }
}
