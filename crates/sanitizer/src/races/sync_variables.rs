//! Happens-before by releases and acquires at sync variables, between warps and between blocks.
//!
//! *Algorithm.* A *sync variable* is an address that strong accesses go to. A release publishes the
//! warp's vector clock there: a fence followed by a strong write or an atomic, or one that says
//! `.release`. Whoever reads the variable by a strong read or an atomic acquires what was published, if it
//! looks at the value. An atomic continues the release sequence of the one before it; any other write
//! breaks it. Fences are cumulative: what a barrier orders before a warp's strong write, and its own thread
//! has fenced, is released by it, too, as after `__threadfence(); __syncthreads();` by all.
//!
//! *Source.* PTX ISA, "Memory consistency model": release and acquire patterns, morally strong accesses,
//! scopes. What is released or acquired by block scope passes within the block only.
//!
//! *Limit.* A fence on the acquiring side is not asked for, since the CUDA manuals' own examples leave it
//! out.

use super::happens_before::HappensBefore;
use super::releases::{NONE, Published, SyncVariable};
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
        let fenced = &mut self.fences[slot];
        fenced.near = node;
        if scope > Scope::Block {
            fenced.wide = node;
        }
    }

    /// A warp reads a sync variable by a strong read or an atomic of a scope.
    pub fn acquire(&mut self, warp: usize, variable: SyncVariable, scope: Scope) {
        let Some(published) = self.releases.published(variable) else { return };
        let slot = self.slot(warp);
        if published.block == Some(self.block) {
            self.join(slot, published.near, false);
        }
        if published.block == Some(self.block) || scope > Scope::Block {
            self.join(slot, published.wide, true);
        }
    }

    /// A slot acquires a node.
    fn join(&mut self, slot: usize, node: u32, wide: bool) {
        if node == NONE || self.acquired[slot] == node {
            return;
        }
        // What the warps of this cluster released is joined directly.
        self.releases.join_near(node, self.cluster, self.known.row_mut(slot));
        if wide {
            self.acquired[slot] = self.releases.both(self.acquired[slot], node);
        }
    }

    /// A warp writes a sync variable by a strong write or an atomic of a scope; `explicit` is one that says
    /// `.release`. A fence and the write after it reach as far as both do.
    pub fn release(
        &mut self,
        warp: usize,
        variable: SyncVariable,
        (scope, explicit): (Scope, bool),
        atomic: bool,
    ) {
        let slot = self.slot(warp);
        let mut fenced = self.fences[slot];
        if explicit {
            let node = self.snapshot(slot);
            fenced.near = node;
            if scope > Scope::Block {
                fenced.wide = node;
            }
        }
        if scope == Scope::Block {
            fenced.wide = NONE;
        }
        let mut entry = Published { near: fenced.near, wide: fenced.wide, block: Some(self.block) };
        // An atomic goes on with what was released before it.
        if let Some(before) = self.releases.published(variable).filter(|_| atomic) {
            entry.near = self.releases.both(before.near, entry.near);
            entry.wide = self.releases.both(before.wide, entry.wide);
            entry.block = entry.block.filter(|block| before.block == Some(*block));
        }
        let any = entry.near != NONE || entry.wide != NONE;
        self.releases.publish(variable, any.then_some(entry));
    }
}
