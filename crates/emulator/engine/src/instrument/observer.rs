//! Observers: the safe way to observe a run. Also instruments that are attached to a worker ([`Attached`]).
//!
//! An [`Observer`] receives events as plain data. It decides nothing that the engine relies on, so safe code can
//! implement it. Every observer is an [`Instrument`], with the handlers of the engine itself.

use crate::fault::{FaultKind, Located, RawFault};
use crate::instrument::cluster_view::{ClusterView, Verdict};
use crate::instrument::counter::CounterRule;
use crate::instrument::event::{
    Access, AccessKind, Asynchronous, HeapEvent, Hook, Place, StepCounter, Wants,
};
use crate::instrument::insertion::Plan;
use crate::instrument::step_view::{StepVerdict, StepView};
use crate::instrument::{Instrument, Launch, TIME_SLICE};
use crate::machine::context::{Context, Tiers};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::{Kernel, MemorySpace};
use std::any::TypeId;
use std::cell::UnsafeCell;
use std::sync::Arc;

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

    /// A warp is about to execute an instruction; the observer may look at its block. The launch may stop there, with a
    /// [`FaultKind::InstructionLimit`] ([`Wants::STEPS`]).
    fn step(&mut self, _step: &StepView<'_>) -> StepVerdict {
        StepVerdict::UntilStep(u64::MAX)
    }

    /// The number of steps that this worker's warps have executed, before [`Observer::cluster_end`] ([`Wants::STEPS`]).
    fn steps(&mut self, _executed: u64) {}

    /// A warp accesses memory ([`Wants::ACCESSES`]).
    fn access(&mut self, _access: &Access<'_>) {}

    /// A warp diverges at a branch ([`Wants::BRANCHES`]).
    fn diverged(&mut self, _place: Place) {}

    /// A warp arrives at a barrier: in the order of arrival with [`Wants::BARRIERS`], in any order
    /// with [`Wants::BRANCHES`].
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

    /// A fault, or [`Observer::step`], stops this cluster ([`Wants::PASSES`]).
    fn stopped(&mut self, _cluster: &dyn ClusterView) {}

    /// Whether other resident blocks should run after each scheduler pass, so that all blocks progress at the same rate;
    /// asked after each scheduler pass ([`Wants::PASSES`]). Otherwise a block runs until it waits or has run for long.
    fn alternates(&self) -> bool {
        false
    }
}

// SAFETY: the handlers are the engine's own (`access_operation` and `plan` keep their defaults).
// `copy` and `invalid_access` keep theirs, too: no access continues after a fault. An observer gets
// no pointer that it could follow without unsafe code.
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

    fn step(&mut self, step: &StepView<'_>) -> StepVerdict {
        Observer::step(self, step)
    }

    fn steps(&mut self, executed: u64) {
        Observer::steps(self, executed);
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
            return Ok(if self.alternates() { Verdict::Leaves } else { Verdict::GoesOn });
        }
        let note = "the observer has seen enough".to_owned();
        let raw = RawFault::of_lanes(FaultKind::InstructionLimit, MemorySpace::Generic, 1, note);
        Err((0, Located { raw, origin: 0, warp: 0 }))
    }

    fn stopped(&mut self, _fault: &mut RawFault, cluster: &dyn ClusterView) {
        Observer::stopped(self, cluster);
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

/// The facts about an instrument that the assembler needs.
#[derive(Clone, Copy)]
pub struct Instrumentation {
    /// Its type.
    pub id: TypeId,
    /// The events that it wants.
    pub wants: Wants,
    /// Its general operation before memory instructions.
    pub access: Tiers,
    /// Its rules for counting in place.
    pub counter: fn(MemorySpace, AccessKind, AccessClass) -> CounterRule,
    /// Makes the plan of its other insertions.
    pub plan: fn(&Kernel, &Analyses) -> Option<Arc<dyn Plan>>,
}

impl Instrumentation {
    /// Describes an instrument.
    pub fn new<I: Instrument>(instrument: &I) -> Instrumentation {
        Instrumentation {
            id: TypeId::of::<I>(),
            wants: instrument.wants(),
            access: I::access_operation(),
            counter: I::counter,
            plan: I::plan,
        }
    }
}

/// An instrument attached to a worker. Operations and handlers reach it through hooks, which hold its address.
pub struct Attached {
    wants: Wants,
    instrument: *mut (),
    object: *mut dyn Instrument,
    steps: UnsafeCell<StepCounter>,
}

impl Attached {
    /// Attaches an instrument that outlives the worker. `wants` is the set that the code was assembled for, because
    /// an instrument may answer differently when it is asked again.
    pub fn new<I: Instrument>(instrument: &mut I, wants: Wants) -> Box<Attached> {
        let object: *mut I = instrument;
        let steps = UnsafeCell::default();
        Box::new(Attached { wants, instrument: object.cast(), object, steps })
    }

    /// The hook that the worker's blocks hold.
    pub fn hook(&self) -> Hook {
        let object = (&raw const self.object).cast();
        Hook { wants: self.wants, instrument: self.instrument, object, steps: self.steps.get() }
    }
}

impl Hook {
    /// The instrument, if it wants any of these events.
    ///
    /// # Safety
    /// The instrument is alive and attached, and no other reference to it exists until `'a` ends.
    #[inline(always)]
    pub unsafe fn get<'a>(self, what: Wants) -> Option<&'a mut dyn Instrument> {
        // SAFETY: the instrument is alive and no other reference to it exists until `'a` ends, as this function
        // requires.
        if self.wants.any(what) { Some(unsafe { self.any() }) } else { None }
    }

    /// The instrument.
    ///
    /// # Safety
    /// As for [`Hook::get`].
    pub unsafe fn any<'a>(self) -> &'a mut dyn Instrument {
        // SAFETY: the instrument is alive and has no other reference, as `get` requires; `object` points to the `*mut
        // dyn Instrument` of an `Attached`.
        unsafe { &mut **self.object.cast::<*mut dyn Instrument>() }
    }

    /// Shows the next step to the instrument.
    ///
    /// # Safety
    /// The instrument is attached, and no other reference to its counter of steps exists.
    pub unsafe fn show_next_step(self) {
        // SAFETY: as this function requires; `Attached` owns the counter.
        unsafe { (*self.steps).seen = 0 }
    }

    /// The number of steps that the worker's warps have executed.
    ///
    /// # Safety
    /// As for [`Hook::show_next_step`].
    pub unsafe fn steps(self) -> u64 {
        // SAFETY: as this function requires; `Attached` owns the counter.
        unsafe { (*self.steps).next }
    }

    /// The instrument by its type, for operations that it has inserted.
    ///
    /// # Safety
    /// As for [`Hook::get`], and the instrument is of this type: code is kept by the type of the
    /// instrument that it was assembled for.
    #[inline(always)]
    pub unsafe fn typed<'a, I: Instrument>(self) -> &'a mut I {
        // SAFETY: the instrument is alive, has no other reference, and is an `I`, as this function requires.
        unsafe { &mut *self.instrument.cast::<I>() }
    }
}

impl Context {
    /// The run's instrument, if it wants any of these events.
    #[inline(always)]
    pub fn instrument(&mut self, what: Wants) -> Option<&mut dyn Instrument> {
        // SAFETY: `Job::work` keeps the instrument alive longer than its blocks' contexts, and `&mut self` is the only
        // way to it while the reference lives.
        unsafe { self.hook.get(what) }
    }
}
