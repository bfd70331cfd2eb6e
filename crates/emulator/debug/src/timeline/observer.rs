//! The observer of a replay: numbers the steps of a run, passes them to a visitor, and keeps snapshots.

use crate::timeline::control::{RunControl, STRIDE};
use crate::timeline::moment::Moment;
use crate::timeline::snapshots::SnapshotKeeper;
use lanework_emulator::{Access, Observer, Place};
use lanework_engine::cluster_view::ClusterView;
use lanework_engine::event::Wants;
use lanework_engine::step_view::{StepVerdict, StepView};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// A step: an instruction that a warp is about to execute.
pub struct StepAt<'a> {
    /// Its number in the run, from 0.
    pub step: u64,
    /// The instruction, and the block and warp that execute it.
    pub place: Place,
    /// The lanes that execute it; its guard may exclude some of them.
    pub mask: u32,
    /// The state of the block.
    pub view: &'a StepView<'a>,
}

/// Follows the steps of a run.
pub trait Visitor: Any + Send {
    /// Called before a step. Returns true to stop the run there.
    fn step(&mut self, at: &StepAt<'_>) -> bool;

    /// Called for each access of a step, before the access reaches memory, if [`Visitor::wants_accesses`].
    fn access(&mut self, _step: u64, _access: &Access<'_>) {}

    /// Called when the cluster of these blocks has ended.
    fn cluster_end(&mut self, _blocks: &[u64]) {}

    /// Whether the visitor follows accesses.
    fn wants_accesses(&self) -> bool {
        false
    }

    /// The first step that the visitor needs to see; the run is faster up to that step. Asked once, before the run.
    fn first_step(&self) -> u64 {
        0
    }
}

/// The first step of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterStart {
    /// The step.
    pub step: u64,
    /// The linear indices of its blocks.
    pub blocks: Vec<u64>,
}

/// A run in progress.
pub(super) struct ReplayRun {
    /// The step at which the run began.
    pub(super) begin: u64,
    /// The number of the next step.
    pub(super) step: u64,
    pub(super) visitor: Box<dyn Visitor>,
    /// The state of the cluster that the visitor or a fault stopped.
    pub(super) moment: Option<Moment>,
    /// The last step that began.
    pub(super) last: Option<(Place, u32)>,
    /// The clusters, in the order in which they started.
    pub(super) starts: Vec<ClusterStart>,
    /// Clusters that had started before this run began.
    pub(super) earlier: u64,
    /// Clusters that have not ended.
    pub(super) resident: u32,
    /// Whether the cluster that started last has not executed a step.
    pub(super) fresh: bool,
    /// The first step that the visitor needs to see.
    pub(super) first: u64,
    pub(super) keeper: Option<SnapshotKeeper>,
    /// The control that another thread may hold.
    pub(super) control: Arc<RunControl>,
}

impl ReplayRun {
    /// Reports the progress; returns whether the run was interrupted.
    fn look(&mut self) -> bool {
        self.control.reach(self.step);
        self.control.is_interrupted()
    }
}

/// Observes a replay. The launch forks it once, because one worker runs all blocks.
pub(super) struct Replayer {
    accesses: bool,
    run: Option<ReplayRun>,
    handed: Mutex<Option<ReplayRun>>,
}

impl Replayer {
    /// The observer of a run.
    pub(super) fn new(run: ReplayRun) -> Replayer {
        let accesses = run.visitor.wants_accesses();
        Replayer { accesses, run: None, handed: Mutex::new(Some(run)) }
    }

    /// The run after its launch.
    pub(super) fn take(self) -> Option<ReplayRun> {
        self.run.or_else(|| self.handed.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Replayer {
    fn fork(&self) -> Replayer {
        let run = self.handed.lock().unwrap_or_else(PoisonError::into_inner).take();
        Replayer { accesses: self.accesses, run, handed: Mutex::default() }
    }

    fn merge(&mut self, other: Replayer) {
        self.run = other.run.or_else(|| self.run.take());
    }

    /// Both sets lead to the same order of time slices, with and without accesses.
    fn wants(&self) -> Wants {
        let always = Wants::STEPS | Wants::EDGES | Wants::PASSES | Wants::BARRIERS;
        let always = always | Wants::ONE_WORKER;
        if self.accesses { always | Wants::ACCESSES } else { always }
    }

    fn step(&mut self, view: &StepView<'_>) -> StepVerdict {
        let Some(run) = &mut self.run else { return StepVerdict::UntilStep(u64::MAX) };
        run.step = run.begin + view.number();
        if run.fresh {
            run.fresh = false;
            let order = run.earlier + run.starts.len() as u64 - 1;
            if let Some(start) = run.starts.last_mut() {
                start.step = run.step;
            }
            if let (1, Some(keeper)) = (run.resident, &mut run.keeper) {
                keeper.offer(run.step, order, view);
            }
        }
        let (place, mask) = (view.place(), view.mask());
        run.last = Some((place, mask));
        let looks = run.step % STRIDE == 0 || run.step < run.first;
        if looks && run.look() {
            return StepVerdict::Stop;
        }
        if run.visitor.step(&StepAt { step: run.step, place, mask, view }) {
            return StepVerdict::Stop;
        }
        run.step += 1;
        // The run also stops at a multiple of the stride, to look at the control.
        let until = run.first.min((run.step / STRIDE + 1).saturating_mul(STRIDE));
        StepVerdict::UntilStep(until.saturating_sub(run.begin))
    }

    fn steps(&mut self, executed: u64) {
        if let Some(run) = &mut self.run {
            run.step = run.begin + executed;
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(run) = &mut self.run {
            run.visitor.access(run.step.saturating_sub(1), access);
        }
    }

    fn cluster_start(&mut self, blocks: &[u64]) {
        if let Some(run) = &mut self.run {
            run.starts.push(ClusterStart { step: run.step, blocks: blocks.to_vec() });
            run.resident += 1;
            run.fresh = true;
        }
    }

    fn cluster_end(&mut self) {
        if let Some(run) = &mut self.run {
            run.resident = run.resident.saturating_sub(1);
            // The cluster of the last step.
            let block = run.last.map(|(place, _)| place.block);
            let ended = run.starts.iter().rev();
            let mut ended = ended.filter(|start| block.is_some_and(|b| start.blocks.contains(&b)));
            if let Some(ended) = ended.next() {
                run.visitor.cluster_end(&ended.blocks);
            }
        }
    }

    fn stopped(&mut self, cluster: &dyn ClusterView) {
        if let Some(run) = &mut self.run {
            run.moment = Some(Moment::of(cluster));
        }
    }
}
