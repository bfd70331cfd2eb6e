//! Happens-before by releases and acquires at sync variables, between warps and between blocks.
//!
//! *Algorithm.* A *sync variable* is an address of strong accesses. A release publishes the lane's
//! vector clock there: a fence followed by a strong write or atomic, or a `.release` access. A
//! strong read or atomic whose value is used acquires what was published. An atomic continues the
//! release sequence of the one before it; any other write breaks it. Fences are cumulative:
//! accesses that a barrier orders before a warp's strong write, and that their own thread has
//! fenced, are released by it, as after `__threadfence(); __syncthreads();` by all threads.
//!
//! A release is published for its block, its cluster, or the device: the narrower scope of fence
//! and write. Releases with a narrow scope are kept separately, for the threads within it. Each
//! lane releases and acquires for itself ([`super::lane_clocks`]). A relaxed read acquires at the
//! thread's next fence only ([`super::proxies`]).
//!
//! *Source.* PTX ISA, "Memory consistency model": release and acquire patterns, morally strong
//! accesses, scopes.

use crate::races::grid_clock::{GridClock, KnownClocks, SCOPES};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::vector_clock::{VectorClock, join_shared};
use lanework_ptx_ir::kernel::Scope;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

/// An address of strong accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncVariable {
    /// In global memory, by address.
    Global(u64),
    /// In shared memory.
    Shared {
        /// Rank of the block.
        rank: u32,
        /// Offset.
        offset: u64,
    },
}

impl Hash for SyncVariable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(match *self {
            SyncVariable::Global(address) => address,
            SyncVariable::Shared { rank, offset } => u64::from(rank) << 32 | offset,
        });
    }
}

/// A hash function for one address: every poll does a lookup.
#[derive(Clone, Copy, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, address: u64) {
        self.0 = (self.0 ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type ByVariable = HashMap<SyncVariable, VariableState, BuildHasherDefault<AddressHasher>>;

/// A block and its cluster, numbered in the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAndCluster {
    /// Linear index of the block.
    pub block: u64,
    /// The cluster.
    pub cluster: u32,
}

/// A release for one scope: known clocks, and accesses of some lanes of a slot up to a clock.
#[derive(Clone, Debug, Default)]
pub struct Release {
    /// The known clocks.
    pub known: KnownClocks,
    /// Slot, lanes and clock.
    pub lanes: Option<(u32, u32, u32)>,
}

impl Release {
    fn same(&self, other: &Release) -> bool {
        self.known.same(&other.known) && self.lanes == other.lanes
    }
}

/// A release sequence: the join of several releases.
#[derive(Clone, Debug, Default)]
struct ReleaseSequence {
    known: KnownClocks,
    /// The last release joined, without lanes.
    last: KnownClocks,
    /// Cached result for acquires by other clusters.
    outside: Option<GridClock>,
}

impl ReleaseSequence {
    fn join(&mut self, release: &Release, cluster: u32) {
        if release.known.is_none() {
            return;
        }
        self.outside = None;
        if !self.last.same(&release.known) {
            self.known.join_after(&self.last, &release.known);
            self.last = release.known.clone();
        }
        if let Some(lanes) = release.lanes {
            self.known.raise_lanes(cluster, lanes);
        }
    }
}

/// The threads that a narrow release reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LimitedScope {
    Block(u64),
    Cluster(u32),
}

/// State of a sync variable.
#[derive(Debug)]
struct VariableState {
    /// Incremented by each release.
    version: u64,
    /// The releasing block; `None` if there are several.
    block: Option<u64>,
    /// The releasing cluster; `None` if there are several.
    cluster: Option<u32>,
    /// Releases with device scope.
    wide: ReleaseSequence,
    /// Releases with a narrower scope.
    narrow: Vec<(LimitedScope, ReleaseSequence)>,
}

impl VariableState {
    fn new(by: BlockAndCluster) -> VariableState {
        let (block, cluster) = (Some(by.block), Some(by.cluster));
        VariableState {
            version: 0,
            block,
            cluster,
            wide: ReleaseSequence::default(),
            narrow: Vec::new(),
        }
    }

    fn narrowly(&mut self, reach: LimitedScope) -> &mut ReleaseSequence {
        let at = self.narrow.iter().position(|(of, _)| *of == reach).unwrap_or_else(|| {
            self.narrow.push((reach, ReleaseSequence::default()));
            self.narrow.len() - 1
        });
        &mut self.narrow[at].1
    }

    /// The release sequences that a read of a scope by a thread of a block acquires.
    fn visible(
        &mut self,
        to: BlockAndCluster,
        scope: Scope,
    ) -> impl Iterator<Item = &mut ReleaseSequence> {
        let own_block = self.block == Some(to.block);
        let in_cluster = own_block || scope >= Scope::Cluster;
        let wide = own_block
            || scope >= Scope::Cluster && self.cluster == Some(to.cluster)
            || scope >= Scope::Device;
        let narrow = self.narrow.iter_mut().filter(move |(reach, _)| match reach {
            LimitedScope::Block(block) => *block == to.block,
            LimitedScope::Cluster(cluster) => in_cluster && *cluster == to.cluster,
        });
        let wide = wide.then_some(&mut self.wide);
        wide.into_iter()
            .chain(narrow.map(|(_, gathered)| gathered))
            .filter(|gathered| !gathered.known.is_none())
    }
}

/// The sync variables.
#[derive(Default)]
pub struct Releases {
    versions: u64,
    /// In global memory.
    published: ByVariable,
    /// In shared memory of the running cluster.
    published_shared: ByVariable,
}

impl Releases {
    /// Drops shared memory, which ends with its cluster.
    pub fn forget_shared(&mut self) {
        self.published_shared.clear();
    }

    /// Swaps everything but releases in shared memory.
    pub fn exchange_global(&mut self, other: &mut Releases) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.published_shared, &mut other.published_shared);
    }

    fn published_at(&mut self, variable: SyncVariable) -> &mut ByVariable {
        match variable {
            SyncVariable::Global(_) => &mut self.published,
            SyncVariable::Shared { .. } => &mut self.published_shared,
        }
    }

    /// A write publishes `releases`, by scope. An atomic continues the release sequence, any other
    /// write replaces it.
    pub fn publish(
        &mut self,
        variable: SyncVariable,
        by: BlockAndCluster,
        releases: &[Release; SCOPES.len()],
        atomic: bool,
    ) {
        self.versions += 1;
        let version = self.versions;
        let all = self.published_at(variable);
        if !atomic {
            all.remove(&variable);
        }
        let nothing = releases.iter().all(|release| release.known.is_none());
        let published = match all.get_mut(&variable) {
            Some(published) => published,
            None if nothing => return,
            None => all.entry(variable).or_insert(VariableState::new(by)),
        };
        published.block = published.block.filter(|block| *block == by.block);
        published.cluster = published.cluster.filter(|cluster| *cluster == by.cluster);
        published.version = version;
        let [block, cluster, wide, _] = releases;
        published.wide.join(wide, by.cluster);
        if !cluster.same(wide) {
            published.narrowly(LimitedScope::Cluster(by.cluster)).join(cluster, by.cluster);
        }
        if !block.same(cluster) {
            published.narrowly(LimitedScope::Block(by.block)).join(block, by.cluster);
        }
    }

    /// The version of what a read by a thread of a block acquires, if anything.
    pub fn version(
        &mut self,
        variable: SyncVariable,
        to: BlockAndCluster,
        scope: Scope,
    ) -> Option<u64> {
        let published = self.published_at(variable).get_mut(&variable)?;
        published.visible(to, scope).next()?;
        Some(published.version)
    }

    /// The scope that includes all releasing threads and a thread of a block.
    pub(super) fn distance(&mut self, variable: SyncVariable, to: BlockAndCluster) -> Scope {
        match self.published_at(variable).get(&variable) {
            Some(of) if of.block == Some(to.block) => Scope::Block,
            Some(of) if of.cluster == Some(to.cluster) => Scope::Cluster,
            _ => Scope::Device,
        }
    }

    /// The clocks that such a read acquires: of its own cluster, and of others.
    pub fn acquired(
        &mut self,
        variable: SyncVariable,
        to: BlockAndCluster,
        scope: Scope,
    ) -> (Arc<VectorClock>, GridClock) {
        let (mut clock, mut others) = (Arc::default(), GridClock::default());
        let Some(published) = self.published_at(variable).get_mut(&variable) else {
            return (clock, others);
        };
        for ReleaseSequence { known, outside, .. } in published.visible(to, scope) {
            let Some(of) = known.get() else { continue };
            if of.cluster == to.cluster {
                join_shared(&mut clock, &of.own);
                others.join(&of.others);
            } else {
                others.join(outside.get_or_insert_with(|| known.outside()));
            }
            if let Some(more) = of.others.get(to.cluster) {
                join_shared(&mut clock, more);
            }
        }
        (clock, others)
    }
}

impl HappensBefore {
    /// The running block.
    pub(super) fn here(&self) -> BlockAndCluster {
        BlockAndCluster { block: self.block, cluster: self.cluster }
    }

    /// Lanes of a warp read a sync variable by an `.acquire` read or atomic of a scope. `lanes` are
    /// these lanes and the live lanes of the warp.
    pub fn acquire(
        &mut self,
        warp: usize,
        lanes: (u32, u32),
        variable: SyncVariable,
        scope: Scope,
    ) {
        let here = self.here();
        let Some(version) = self.releases.version(variable, here, scope) else { return };
        let source = AcquireSource::Published(version, scope);
        self.acquire_known(self.slot(warp), lanes, source, |order| {
            order.releases.acquired(variable, here, scope)
        });
    }

    /// A lane writes a sync variable by a strong write or an atomic of a scope; `explicit` if it
    /// says `.release`. A release by fence and write has the narrower of their scopes.
    pub fn release(
        &mut self,
        (warp, lane): (usize, u32),
        variable: SyncVariable,
        (scope, explicit): (Scope, bool),
        atomic: bool,
    ) {
        let slot = self.slot(warp);
        let mut releases = self.fenced_by(slot, lane);
        let known = explicit.then(|| self.known_of_lane(slot, lane));
        if explicit {
            self.end_epoch(slot);
        }
        if let SyncVariable::Global(_) = variable {
            let [.., fenced] = &releases;
            match known.as_ref().filter(|_| scope == Scope::System) {
                Some(known) => self.host_knows.join(known),
                None => self.host_knows.join(&fenced.known),
            }
            if let Some(lanes) = fenced.lanes {
                self.host_knows.raise_lanes(self.cluster, lanes);
            }
        }
        for (release, of) in releases.iter_mut().zip(SCOPES) {
            if of > scope {
                *release = Release::default();
            } else if let Some(known) = &known {
                *release = Release { known: known.clone(), lanes: None };
            }
        }
        let here = self.here();
        self.releases.publish(variable, here, &releases, atomic);
    }
}
