//! Happens-before by releases and acquires at sync variables, between warps and between blocks.
//!
//! *Algorithm.* A *sync variable* is an address that strong accesses go to. A release publishes the
//! warp's vector clock there: a fence followed by a strong write or an atomic, or one that says
//! `.release`. Whoever reads the variable by a strong read or an atomic acquires what was published. An
//! atomic continues the release sequence of the one before it; any other write breaks it.
//!
//! *Source.* PTX ISA, "Memory consistency model": release and acquire patterns, morally strong accesses,
//! scopes. A release by block scope is acquired within the cluster only.
//!
//! *Limit.* A fence on the acquiring side is not asked for, since the CUDA manuals' own examples leave it
//! out.

use super::happens_before::HappensBefore;
use super::releases::{NONE, SyncVariable};
use lanework_ptx_ir::kernel::Scope;

impl HappensBefore {
    /// What a slot knows as of now, to be published.
    fn snapshot(&mut self, slot: usize) -> u32 {
        let clock = self.clock_with_own(slot);
        let node = self.releases.node(self.cluster, clock, self.acquired[slot]);
        self.advance(slot);
        node
    }

    /// A warp runs a fence.
    pub fn fence(&mut self, warp: usize, scope: Scope) {
        let slot = self.slot(warp);
        let node = self.snapshot(slot);
        self.fences[slot] = Some((node, scope));
    }

    /// A warp reads a sync variable by a strong read or an atomic.
    pub fn acquire(&mut self, warp: usize, variable: SyncVariable) {
        let Some((node, scope)) = self.releases.published(variable) else { return };
        let slot = self.slot(warp);
        if node == NONE || self.acquired[slot] == node {
            return;
        }
        // What the warps of this cluster released is joined directly.
        self.releases.join_near(node, self.cluster, self.known.row_mut(slot));
        if scope > Scope::Block {
            self.acquired[slot] = self.releases.both(self.acquired[slot], node);
        }
    }

    /// A warp writes a sync variable by a strong write or an atomic; `explicit` is the scope of one that
    /// says `.release`.
    pub fn release(
        &mut self,
        warp: usize,
        variable: SyncVariable,
        explicit: Option<Scope>,
        atomic: bool,
    ) {
        let slot = self.slot(warp);
        let mine = match (explicit, self.fences[slot]) {
            (Some(scope), _) => Some((self.snapshot(slot), scope)),
            (None, fence) => fence,
        };
        let before = self.releases.published(variable);
        let entry = match (mine, before, atomic) {
            (Some((new, scope)), Some((old, wide)), true) => {
                Some((self.releases.both(old, new), scope.max(wide)))
            }
            (Some(new), _, _) => Some(new),
            // An atomic goes on with what was released before it.
            (None, old, true) => old,
            (None, _, false) => None,
        };
        self.releases.publish(variable, entry);
    }
}
