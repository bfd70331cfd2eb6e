//! A recorded launch, and its replay.
//!
//! The emulator is deterministic: with one worker and a fixed [`Schedule`], a launch executes the same instructions in
//! the same order each time. The recording therefore consists of the memory before the launch and the schedule. A
//! step's number is its position in that order. To go to a step, forward or backward, the launch runs again from the
//! last snapshot before it. This is the record and replay of `rr` (O'Callahan et al., "Engineering Record and Replay
//! for Deployability", 2017), without the need to record system calls.

mod control;
mod image;
mod moment;
mod observer;
mod snapshots;

pub use control::RunControl;
pub use image::{ChangedPages, MemoryImage};
pub use moment::{BlockState, Moment, WarpState};
pub use observer::{ClusterStart, StepAt, Visitor};
pub use snapshots::Snapshot;

use lanework_emulator::{
    Blocks, Emulator, Fault, FaultKind, LaunchConfig, MemoryError, Outcome, Place, Program,
    Schedule,
};
use observer::{ReplayRun, Replayer};
use snapshots::SnapshotKeeper;
use std::any::Any;
use std::sync::Arc;

/// The launch to debug.
#[derive(Clone, Copy)]
pub struct DebugTarget<'a> {
    /// The emulator for the recording and all replays. Its memory has the contents before the launch.
    pub emulator: &'a Emulator,
    /// The kernel's module.
    pub program: &'a Program,
    /// The launch.
    pub config: &'a LaunchConfig<'a>,
    /// The bytes of the parameters.
    pub arguments: &'a [&'a [u8]],
}

/// The end of the recorded run.
#[derive(Clone, Debug, Default)]
pub struct RunEnd {
    /// The run's counts and printed text, up to the fault if there was one.
    pub outcome: Outcome,
    /// The fault that ended it.
    pub fault: Option<Fault>,
}

/// A recorded launch.
pub struct Timeline<'a> {
    target: DebugTarget<'a>,
    schedule: Schedule,
    image: Arc<MemoryImage>,
    snapshots: Vec<Snapshot>,
    starts: Vec<ClusterStart>,
    steps: u64,
    end: RunEnd,
    control: Arc<RunControl>,
}

/// The result of a replay.
pub struct Replayed {
    /// The step before which it stopped; the number of steps if it ran to the end.
    pub step: u64,
    /// The instruction there, and its lanes; at the end of the run, the last ones.
    pub at: Option<(Place, u32)>,
    /// The state of the instruction's cluster; `None` at the end of a run without a fault.
    pub moment: Option<Moment>,
}

/// Stops before a step.
struct StopAt {
    step: u64,
    /// The first step that it sees: the last one of a run that ends before `step`.
    first: u64,
}

impl Visitor for StopAt {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        at.step >= self.step
    }

    fn first_step(&self) -> u64 {
        self.first
    }
}

impl<'a> Timeline<'a> {
    /// Runs the launch once. Snapshots may take at most `budget` bytes, in addition to a copy of the memory.
    ///
    /// # Errors
    /// If the launch does not fit the device or the kernel.
    pub fn record(
        target: DebugTarget<'a>,
        schedule: Schedule,
        budget: u64,
    ) -> Result<Timeline<'a>, Fault> {
        Timeline::record_under(Arc::default(), target, schedule, budget)
    }

    /// As [`Timeline::record`], with the control of another recording.
    ///
    /// # Errors
    /// As [`Timeline::record`], or if the recording was interrupted.
    pub fn record_under(
        control: Arc<RunControl>,
        target: DebugTarget<'a>,
        schedule: Schedule,
        budget: u64,
    ) -> Result<Timeline<'a>, Fault> {
        let image = MemoryImage::of(&target.emulator.memory());
        let image = Arc::new(image.map_err(|why| lost(&target, &why))?);
        let mut timeline = Timeline {
            target,
            schedule,
            image: Arc::clone(&image),
            snapshots: Vec::new(),
            starts: Vec::new(),
            steps: 0,
            end: RunEnd::default(),
            control,
        };
        // A replay of a shuffled order cannot start in the middle.
        let ordered = matches!(schedule, Schedule::InOrder | Schedule::Reversed);
        let keeper = ordered.then(|| SnapshotKeeper::new(image, budget));
        let to_end = StopAt { step: u64::MAX, first: u64::MAX };
        let (run, end) = timeline.run(None, Box::new(to_end), keeper)?;
        timeline.check_interrupt()?;
        timeline.snapshots = run.keeper.map(SnapshotKeeper::finish).unwrap_or_default();
        (timeline.starts, timeline.steps, timeline.end) = (run.starts, run.step, end);
        Ok(timeline)
    }

    /// Follows and interrupts replays from another thread. An interrupted replay leaves the memory of some step.
    pub fn control(&self) -> &Arc<RunControl> {
        &self.control
    }

    /// The error of a run that was interrupted.
    fn check_interrupt(&self) -> Result<(), Fault> {
        if !self.control.is_interrupted() {
            return Ok(());
        }
        let message = "the replay was interrupted".to_owned();
        let entry = self.target.config.entry;
        Err(Fault::before_launch(FaultKind::BadArguments, entry, message, ""))
    }

    /// The launch.
    pub fn target(&self) -> DebugTarget<'a> {
        self.target
    }

    /// The order of time slices.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// The number of its steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How the run ended.
    pub fn end(&self) -> &RunEnd {
        &self.end
    }

    /// The clusters, in the order in which they started.
    pub fn starts(&self) -> &[ClusterStart] {
        &self.starts
    }

    /// Bytes of the recording: the memory before the launch, and the snapshots.
    pub fn bytes(&self) -> [u64; 2] {
        let snapshots = self.snapshots.iter().map(|snapshot| snapshot.pages.bytes()).sum();
        [self.image.bytes(), snapshots]
    }

    /// The steps at which replays can start, in ascending order; the first is 0.
    pub fn replay_starts(&self) -> Vec<u64> {
        std::iter::once(0).chain(self.snapshots.iter().map(|snapshot| snapshot.step)).collect()
    }

    /// The first step of a block; `None` if it did not start.
    pub fn block_start(&self, block: u64) -> Option<u64> {
        self.starts.iter().find(|start| start.blocks.contains(&block)).map(|start| start.step)
    }

    /// Runs the launch again, from the last snapshot at or before a step. The visitor sees all steps from that snapshot
    /// on. Afterwards, memory has the contents before the step at which the visitor stopped.
    ///
    /// # Errors
    /// If the memory of the launch has been freed since.
    pub fn replay<V: Visitor>(&self, from: u64, visitor: V) -> Result<(V, Replayed), Fault> {
        let snapshot = self.snapshots.iter().rev().find(|snapshot| snapshot.step <= from);
        let (run, _) = self.run(snapshot, Box::new(visitor), None)?;
        self.check_interrupt()?;
        let visitor: Box<dyn Any> = run.visitor;
        let visitor = visitor.downcast::<V>().map_err(|_| lost_run(&self.target))?;
        Ok((*visitor, Replayed { step: run.step, at: run.last, moment: run.moment }))
    }

    /// Goes to a step. Memory then has the contents before that step, or after the last step if the run is shorter.
    ///
    /// # Errors
    /// As [`Timeline::replay`].
    pub fn go_to(&self, step: u64) -> Result<Replayed, Fault> {
        let first = step.min(self.steps.saturating_sub(1));
        Ok(self.replay(step, StopAt { step, first })?.1)
    }

    /// Restores the memory before the launch.
    ///
    /// # Errors
    /// As [`Timeline::replay`].
    pub fn restore(&self) -> Result<(), Fault> {
        let restored = self.image.restore(&ChangedPages::default(), self.target.emulator);
        restored.map_err(|why| lost(&self.target, &why))
    }

    fn run(
        &self,
        snapshot: Option<&Snapshot>,
        visitor: Box<dyn Visitor>,
        keeper: Option<SnapshotKeeper>,
    ) -> Result<(ReplayRun, RunEnd), Fault> {
        let DebugTarget { emulator, program, config, arguments } = self.target;
        let (none, mut config) = (ChangedPages::default(), config.clone());
        let (mut step, mut earlier) = (0, 0);
        if let Some(snapshot) = snapshot {
            (step, earlier) = (snapshot.step, snapshot.order);
            config.blocks = self.rest(snapshot.order);
        }
        let pages = snapshot.map_or(&none, |snapshot| &snapshot.pages);
        // When a launch is recorded, memory has the contents before it.
        if keeper.is_none() {
            let restored = self.image.restore(pages, emulator);
            restored.map_err(|why| lost(&self.target, &why))?;
        }
        let mut replayer = Replayer::new(ReplayRun {
            begin: step,
            step,
            first: visitor.first_step(),
            visitor,
            moment: None,
            last: None,
            starts: Vec::new(),
            earlier,
            resident: 0,
            fresh: false,
            keeper,
            control: Arc::clone(&self.control),
        });
        let with = (self.schedule, &mut replayer);
        let ran = emulator.run_in_order(program, &config, arguments, with)?;
        let run = replayer.take().ok_or_else(|| lost_run(&self.target))?;
        Ok((run, RunEnd { outcome: ran.outcome, fault: ran.fault }))
    }

    /// The blocks that have not started when the cluster at this position of the order starts.
    fn rest(&self, order: u64) -> Blocks {
        let per_cluster = self.starts.first().map_or(1, |start| start.blocks.len() as u64);
        let blocks: u64 = self.target.config.grid.iter().map(|blocks| u64::from(*blocks)).product();
        let left = blocks - order * per_cluster;
        match self.schedule {
            Schedule::Reversed => Blocks::Range { first: 0, count: left },
            _ => Blocks::Range { first: order * per_cluster, count: left },
        }
    }
}

/// The error of a launch whose memory cannot be copied or restored.
fn lost(target: &DebugTarget<'_>, why: &MemoryError) -> Fault {
    let message = format!("the memory of the launch cannot be restored: {why}");
    Fault::before_launch(FaultKind::BadArguments, target.config.entry, message, "")
}

/// The error of a replay that did not return its visitor.
fn lost_run(target: &DebugTarget<'_>) -> Fault {
    let message = "the replay of the launch was lost".to_owned();
    let help = "report this as a bug of the debugger";
    Fault::before_launch(FaultKind::BadArguments, target.config.entry, message, help)
}
