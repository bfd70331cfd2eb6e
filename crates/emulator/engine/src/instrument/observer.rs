//! Observers: the safe way to observe a run.
//!
//! An [`Observer`] receives events as plain data. It decides nothing that the engine relies on, so that safe code can
//! implement it. Every observer is an [`Instrument`], with the handlers of the engine itself.

use crate::fault::{FaultKind, Located, RawFault};
use crate::instrument::cluster_view::{ClusterView, Verdict};
use crate::instrument::event::{Access, Asynchronous, HeapEvent, Place};
use crate::instrument::hook::Wants;
use crate::instrument::{Instrument, Launch, TIME_SLICE};
use lanework_ptx_ir::kernel::MemorySpace;

/// Watches a run.
///
/// All methods but `fork` and `merge` have a default that does nothing. [`Observer::wants`] says which events the engine
/// reports; the others cost nothing. Warps are named by their index in the block, blocks of a cluster by rank, places in a
/// kernel by the instruction's index.
///
/// Each worker has its own observer (`fork`). They are merged in a fixed order when the launch ends.
pub trait Observer: Send + 'static {
    /// A fresh observer for another worker.
    fn fork(&self) -> Self
    where
        Self: Sized;

    /// Merges the data of another worker's observer.
    fn merge(&mut self, other: Self)
    where
        Self: Sized;

    /// The events that it wants. [`Wants::COUNTS`] is useless for an observer and is ignored.
    fn wants(&self) -> Wants {
        Wants::EVENTS
    }

    /// The launch starts on this worker.
    fn launch(&mut self, _launch: &Launch<'_>) {}

    /// A warp executes an instruction with these active lanes ([`Wants::INSTRUCTIONS`]).
    fn instruction(&mut self, _place: Place, _mask: u32) {}

    /// A warp accesses memory ([`Wants::ACCESSES`]).
    fn access(&mut self, _access: &Access<'_>) {}

    /// A warp diverges at a branch ([`Wants::BRANCHES`]).
    fn diverged(&mut self, _place: Place) {}

    /// A warp arrives at a barrier ([`Wants::BARRIERS`], or [`Wants::BRANCHES`] in any order).
    fn barrier(&mut self, _place: Place, _mask: u32) {}

    /// A warp arrives at a barrier of its block by number; it may not wait there ([`Wants::SYNCHRONIZATION`]).
    fn barrier_arrive(&mut self, _warp: usize, _number: usize, _waits: bool) {}

    /// A barrier opens for these warps; `all` if it was one for all threads of the block ([`Wants::SYNCHRONIZATION`]).
    fn barrier_open(&mut self, _number: usize, _released: &[usize], _all: bool) {}

    /// A warp arrives at the cluster's barrier of this generation ([`Wants::SYNCHRONIZATION`]).
    fn cluster_arrive(&mut self, _warp: usize, _generation: u32, _relaxed: bool) {}

    /// All warps have arrived at the cluster's barrier ([`Wants::SYNCHRONIZATION`]).
    fn cluster_open(&mut self, _generation: u32) {}

    /// A warp has waited at the cluster's barrier ([`Wants::SYNCHRONIZATION`]).
    fn cluster_waited(&mut self, _warp: usize, _generation: u32) {}

    /// A thread, by its lane, starts a bulk copy, arrives at an mbarrier or waits for one ([`Wants::ASYNCHRONOUS`]).
    fn asynchronous(&mut self, _place: Place, _lane: u32, _event: Asynchronous) {}

    /// A kernel allocates or frees ([`Wants::HEAP`]).
    fn heap(&mut self, _event: HeapEvent) {}

    /// A cluster of these blocks starts ([`Wants::EDGES`]).
    fn cluster_start(&mut self, _blocks: &[u64]) {}

    /// A cluster has ended, or a fault has stopped it ([`Wants::EDGES`]).
    fn cluster_end(&mut self) {}

    /// The warps of the block of a rank run next ([`Wants::EDGES`]).
    fn block_slice(&mut self, _rank: u32) {}

    /// The block of a rank has ended, in a cluster of several ([`Wants::EDGES`]).
    fn block_end(&mut self, _rank: u32) {}

    /// A warp has ended ([`Wants::EDGES`]).
    fn warp_end(&mut self, _warp: usize) {}

    /// The instructions of a warp's time slice.
    fn time_slice(&self) -> u64 {
        TIME_SLICE
    }

    /// Whether the launch should stop, with a [`FaultKind::InstructionLimit`]; asked after each scheduler pass
    /// ([`Wants::PASSES`]).
    fn stops(&self) -> bool {
        false
    }
}

// SAFETY: the handlers are the engine's own (`access_operation` and `plan` keep their defaults), `copy` keeps its default,
// `invalid_access` excuses nothing, and an observer is given no pointer that it could follow without unsafe code.
unsafe impl<O: Observer> Instrument for O {
    fn fork(&self) -> Self {
        Observer::fork(self)
    }

    fn merge(&mut self, other: Self) {
        Observer::merge(self, other);
    }

    fn wants(&self) -> Wants {
        Observer::wants(self).without(Wants::COUNTS)
    }

    unsafe fn launch(&mut self, launch: &Launch<'_>) {
        Observer::launch(self, launch);
    }

    fn instruction(&mut self, place: Place, mask: u32) {
        Observer::instruction(self, place, mask);
    }

    fn access(&mut self, access: &Access<'_>) {
        Observer::access(self, access);
    }

    fn diverged(&mut self, place: Place) {
        Observer::diverged(self, place);
    }

    fn barrier(&mut self, place: Place, mask: u32) {
        Observer::barrier(self, place, mask);
    }

    fn barrier_arrive(&mut self, warp: usize, number: usize, waits: bool) {
        Observer::barrier_arrive(self, warp, number, waits);
    }

    fn barrier_open(&mut self, number: usize, released: &[usize], all: bool) {
        Observer::barrier_open(self, number, released, all);
    }

    fn cluster_arrive(&mut self, warp: usize, generation: u32, relaxed: bool) {
        Observer::cluster_arrive(self, warp, generation, relaxed);
    }

    fn cluster_open(&mut self, generation: u32) {
        Observer::cluster_open(self, generation);
    }

    fn cluster_waited(&mut self, warp: usize, generation: u32) {
        Observer::cluster_waited(self, warp, generation);
    }

    fn asynchronous(&mut self, place: Place, lane: u32, event: Asynchronous) {
        Observer::asynchronous(self, place, lane, event);
    }

    fn heap(&mut self, event: HeapEvent) {
        Observer::heap(self, event);
    }

    fn cluster_start(&mut self, blocks: &[u64]) {
        Observer::cluster_start(self, blocks);
    }

    fn cluster_end(&mut self) {
        Observer::cluster_end(self);
    }

    fn block_slice(&mut self, rank: u32) {
        Observer::block_slice(self, rank);
    }

    fn block_end(&mut self, rank: u32) {
        Observer::block_end(self, rank);
    }

    fn warp_end(&mut self, warp: usize) {
        Observer::warp_end(self, warp);
    }

    fn time_slice(&self) -> u64 {
        Observer::time_slice(self)
    }

    fn scheduler_pass(
        &mut self,
        _cluster: &mut dyn ClusterView,
    ) -> Result<Verdict, (usize, Located)> {
        if !self.stops() {
            return Ok(Verdict::GoesOn);
        }
        let note = "the observer has seen enough".to_owned();
        let raw = RawFault::of_lanes(FaultKind::InstructionLimit, MemorySpace::Generic, 1, note);
        Err((0, Located { raw, origin: 0, warp: 0 }))
    }
}

/// The null observer: requests no events.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl Observer for NullObserver {
    fn wants(&self) -> Wants {
        Wants::NOTHING
    }

    fn fork(&self) -> Self {
        NullObserver
    }

    fn merge(&mut self, _: Self) {}
}
