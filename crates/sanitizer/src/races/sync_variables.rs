//! Happens-before by releases and acquires at sync variables, between warps and between blocks.
//!
//! *Algorithm.* A *sync variable* is an address that strong accesses go to. A release publishes the
//! lane's vector clock there: a fence followed by a strong write or an atomic, or one that says
//! `.release`. Whoever reads the variable by a strong read or an atomic acquires what was published, if it
//! looks at the value. An atomic continues the release sequence of the one before it; any other write
//! breaks it. Fences are cumulative: what a barrier orders before a warp's strong write, and its own thread
//! has fenced, is released by it, too, as after `__threadfence(); __syncthreads();` by all.
//!
//! *Source.* PTX ISA, "Memory consistency model": release and acquire patterns, morally strong accesses,
//! scopes. What is released or acquired by block scope passes within the block only.
//!
//! Each lane releases and acquires for itself ([`super::alone`]).
//!
//! *Limit.* A fence on the acquiring side is not asked for, since the CUDA manuals' own examples leave it
//! out.

use super::happens_before::HappensBefore;
use super::lanes::Source;
use super::releases::{NONE, Published, SyncVariable};
use super::vector_clock::VectorClock;
use lanework_ptx_ir::kernel::Scope;

impl HappensBefore {
    /// Lanes of a warp, of those that are live, read a sync variable by a strong read or an atomic of a scope.
    pub fn acquire(
        &mut self,
        warp: usize,
        lanes: (u32, u32),
        variable: SyncVariable,
        scope: Scope,
    ) {
        let Some(published) = self.releases.published(variable) else { return };
        let own = published.block == Some(self.block);
        let near = if own { published.near } else { NONE };
        let wide = if own || scope > Scope::Block { published.wide } else { NONE };
        if (near, wide) == (NONE, NONE) {
            return;
        }
        // What the warps of this cluster released is joined directly.
        self.learn(self.slot(warp), lanes, Source::Nodes(near, wide), |order| {
            let published = order.releases.published(variable);
            let of_cluster = published.filter(|all| all.cluster == order.cluster);
            let mut clock = VectorClock::default();
            let mut join = |node| {
                let joined = of_cluster.filter(|all| all.near == node);
                match joined.and_then(|all| all.clock.as_deref()) {
                    Some(joined) => clock.join(joined),
                    None => order.releases.join_near(node, order.cluster, &mut clock),
                }
            };
            join(near);
            if wide != near {
                join(wide);
            }
            (clock, wide)
        });
    }

    /// A lane writes a sync variable by a strong write or an atomic of a scope; `explicit` is one that says
    /// `.release`. A fence and the write after it reach as far as both do.
    pub fn release(
        &mut self,
        (warp, lane): (usize, u32),
        variable: SyncVariable,
        (scope, explicit): (Scope, bool),
        atomic: bool,
    ) {
        let slot = self.slot(warp);
        let mut fenced = self.fenced_by(slot, lane);
        if explicit {
            let node = self.node_of_lane(slot, lane);
            self.end_epoch(slot);
            fenced.near = node;
            if scope > Scope::Block {
                fenced.wide = node;
            }
        }
        if scope == Scope::Block {
            fenced.wide = NONE;
        }
        let (near, wide, block) = (fenced.near, fenced.wide, Some(self.block));
        let entry = Published { near, wide, block, cluster: self.cluster, clock: None };
        self.releases.publish(variable, entry, atomic);
    }
}
