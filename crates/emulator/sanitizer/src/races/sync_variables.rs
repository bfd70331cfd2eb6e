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
//! scopes: what is released or acquired by the scope of the block, or of the cluster, passes within that only.
//!
//! Each lane releases and acquires for itself ([`super::alone`]).
//!
//! *Limit.* A fence on the acquiring side is not asked for, since the CUDA manuals' own examples leave it
//! out.

use super::happens_before::HappensBefore;
use super::knowledge::SCOPES;
use super::lanes::Source;
use super::releases::{Release, SyncVariable, Where};
use lanework_ptx_ir::kernel::Scope;

impl HappensBefore {
    /// The block whose turn it is.
    fn here(&self) -> Where {
        Where { block: self.block, cluster: self.cluster }
    }

    /// Lanes of a warp, of those that are live, read a sync variable by a strong read or an atomic of a scope.
    pub fn acquire(
        &mut self,
        warp: usize,
        lanes: (u32, u32),
        variable: SyncVariable,
        scope: Scope,
    ) {
        let here = self.here();
        let Some(version) = self.releases.version(variable, here, scope) else { return };
        let source = Source::Published(version, scope);
        self.learn(self.slot(warp), lanes, source, |order| {
            order.releases.acquired(variable, here, scope)
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
        let mut releases = self.fenced_by(slot, lane);
        let known = explicit.then(|| self.known_of_lane(slot, lane));
        if explicit {
            self.end_epoch(slot);
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
