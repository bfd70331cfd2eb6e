//! Clocks that threads release: a vector clock of their own cluster, and a grid clock of the
//! others.

use crate::races::epoch::Epoch;
use crate::races::grid_clock::GridClock;
use crate::races::vector_clock::VectorClock;
use lanework_ptx_ir::kernel::Scope;
use std::sync::Arc;

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

/// Known clocks, or none; copies share them.
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
}

impl FencedClocks {
    /// The clocks for a scope.
    pub fn within(&self, scope: Scope) -> &KnownClocks {
        match scope {
            Scope::Block => &self.block,
            Scope::Cluster => &self.cluster,
            Scope::Device => &self.device,
        }
    }

    /// The same, mutable.
    pub fn within_mut(&mut self, scope: Scope) -> &mut KnownClocks {
        match scope {
            Scope::Block => &mut self.block,
            Scope::Cluster => &mut self.cluster,
            Scope::Device => &mut self.device,
        }
    }

    /// Joins another; scopes that shared one snapshot in both share it again.
    pub fn join(&mut self, other: &FencedClocks) {
        if other.is_none() {
            return;
        }
        let alike = |of: &FencedClocks| [of.block.same(&of.cluster), of.cluster.same(&of.device)];
        let ([a, b], [c, d]) = (alike(self), alike(other));
        let [cluster, device] = [a && c, b && d];
        // Drop the shared copies first: joining into a shared snapshot would copy it.
        if cluster {
            self.cluster = KnownClocks::default();
        }
        if device {
            self.device = KnownClocks::default();
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
    }

    /// Whether it is empty.
    pub fn is_none(&self) -> bool {
        self.block.is_none() && self.cluster.is_none() && self.device.is_none()
    }
}

/// All scopes, narrowest first.
pub const SCOPES: [Scope; 3] = [Scope::Block, Scope::Cluster, Scope::Device];
