//! The livelock probe: finds clusters whose warps spin on something that no running thread will
//! change.
//!
//! *Algorithm.* From time to time the probe makes a trial: scheduler passes with short time slices in
//! which every write is compared with the old value. If every runnable warp returns to an instruction
//! and to the values of the registers that decide how it continues ([`SpinRegisters`]), and memory has
//! not changed, then the warps repeat that forever, whatever the order of their slices.
//!
//! *Limits.* Misses spins through states that never repeat, such as those that count in a register that
//! a condition of the loop reads, and spins with a period longer than a trial.

mod memory_changes;
pub mod signals;

use crate::livelock::memory_changes::{MemoryChanges, SpinRead, SpinReads};
use lanework_engine::cluster_view::{ClusterView, Progress, Verdict, WarpSnapshot};
use lanework_engine::event::AccessKind;
use lanework_engine::fault::{FaultKind, Located, RawFault};
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_ptx_ir::analysis::cfg::ControlFlowGraph;
use lanework_ptx_ir::kernel::MemorySpace;
use memory_changes::SpinRegisters;
use std::sync::Arc;

/// Instructions of a time slice; short, so endless spins are noticed soon.
pub const TIME_SLICE: u64 = 1 << 16;
/// Instructions of a time slice in a trial.
const TRIAL_SLICE: u64 = 1 << 9;
/// Scheduler passes of a trial.
const TRIAL_PASSES: u32 = 1 << 8;
/// Clock cycles by which successive trials move the clock ahead; a delay ends at the first step that exceeds it.
const AHEAD: [u64; 4] = [1 << 20, 1 << 30, 1 << 40, 1 << 50];
/// Passes before the first trial if no warp has used up a time slice.
const PATIENCE: u64 = 1 << 12;

/// Decides when to make trials, and runs them.
///
/// *Before a spin is reported.* Pending lanes of diverged warps get time slices of their own. If the clock
/// decides how a spin continues, and no other cluster can continue, the probe moves the clock ahead
/// ([`AHEAD`]), which ends a wait with a timeout.
///
/// *Other clusters.* A spin that reads global memory may wait for another cluster. Its cluster is
/// suspended until a byte that the spin reads has changed. If all resident clusters are suspended, the
/// launch never ends.
///
/// *Signals.* A cluster that has signaled others by a strong write, or was signaled, yields to them when
/// its threads synchronize next. Otherwise it could signal again before the others run. They would see
/// only the last signal, and a loop with one grid barrier where it needs two would look right.
#[derive(Default)]
pub struct LivelockProbe {
    passes: u64,
    yields: u64,
    next: [u64; 2],
    trial: Option<Trial>,
    /// Memory accesses of the blocks during a trial, by rank; empty otherwise.
    memory: Vec<MemoryChanges>,
    /// Rank of the block that has the time slice.
    rank: usize,
    spin_reads: Option<SpinReads>,
    /// How often the clock has been moved ahead.
    jumps: usize,
    /// Whether the suspended cluster is in a wait that the clock ends.
    timed: bool,
    /// Whether its cluster has ended.
    ended: bool,
    /// The kernel's control flow, from the first trial on.
    flow: Option<Arc<ControlFlowGraph>>,
    /// Whether the cluster has waited, or signaled others by a strong write, since it was resumed.
    signaled: bool,
    /// Whether it has synchronized since then.
    past: bool,
}

struct Trial {
    passes: u32,
    /// The pass at which to take new snapshots.
    again: u32,
    /// Snapshots of the runnable warps, by rank and warp.
    noted: Vec<Vec<Option<WarpSnapshot>>>,
    /// The registers in the snapshots.
    registers: SpinRegisters,
    /// The warps that have returned to their snapshot.
    back: Vec<Vec<bool>>,
    /// Whether polls were ended early in this pass.
    gave_up: bool,
    changes: u64,
    printed: usize,
}

/// Names a place in memory.
type Name<'a> = &'a dyn Fn(MemorySpace, u64) -> String;

impl LivelockProbe {
    /// Whether a trial is running, which must see every access.
    #[inline(always)]
    pub fn in_trial(&self) -> bool {
        !self.memory.is_empty()
    }

    /// Records a change by something other than an access.
    pub fn note_change(&mut self) {
        if let Some(memory) = self.memory.get_mut(self.rank) {
            memory.note_change();
        }
    }

    /// Records a warp's access before it executes.
    pub fn follow(&mut self, warp: &Warp, instruction: u32, site: &AccessSite, at: &[u64; 32]) {
        if let Some(memory) = self.memory.get_mut(self.rank) {
            memory.access(warp, instruction, site, at);
        }
    }

    /// Notes a strong write, which may signal another cluster.
    #[inline(always)]
    pub fn note(&mut self, site: &AccessSite) {
        self.signaled |= site.order.strong.is_some() && site.kind != AccessKind::Load;
    }

    /// Threads of the cluster have synchronized.
    pub fn note_sync(&mut self) {
        self.past |= self.signaled;
    }

    /// Whether the cluster has passed its wait, or has signaled others, and should yield.
    pub fn passed_sync(&self) -> bool {
        self.past && !self.in_trial()
    }

    /// The cluster yields to others.
    pub fn yield_turn(&mut self) {
        (self.signaled, self.past, self.spin_reads) = (false, false, None);
    }

    /// Whether the cluster waited for memory that has changed.
    pub fn woken(&self) -> bool {
        self.spin_reads.is_some() && self.can_resume()
    }

    /// Whether the global bytes that the suspended cluster reads have changed.
    pub fn can_resume(&self) -> bool {
        // SAFETY: the engine calls this during a launch, which holds the memory's lock until its
        // instruments have finished.
        self.spin_reads.as_ref().is_none_or(|reads| unsafe { !reads.unchanged() })
    }

    /// A cluster starts or ends.
    pub fn restart(&mut self, ended: bool) {
        *self = LivelockProbe { ended, ..LivelockProbe::default() };
    }

    /// Whether the suspended cluster can do nothing unless the clock moves ahead.
    pub fn is_stuck(&self) -> bool {
        self.ended || self.spin_reads.is_some() && !self.can_resume()
    }

    /// Whether moving the clock ahead may end the suspended cluster's wait.
    pub fn waits_for_time(&self) -> bool {
        self.timed && self.jumps < AHEAD.len()
    }

    /// Switches to the block of this rank.
    pub fn enter(&mut self, rank: u32) {
        self.rank = rank as usize;
    }

    /// Adds the positions of all warps to a fault that stops the cluster.
    pub fn stopped(&self, fault: &mut RawFault, cluster: &dyn ClusterView) {
        if matches!(fault.kind, FaultKind::InstructionLimit | FaultKind::TimeLimit) {
            fault.note.push_str(&whereabouts(cluster));
        }
    }

    /// Runs after each scheduler pass; starts and ends trials. `alone` says whether no other cluster can
    /// continue.
    ///
    /// # Errors
    /// A deadlock fault for the spin that blocks the cluster forever.
    pub fn pass(
        &mut self,
        cluster: &mut dyn ClusterView,
        name: Name<'_>,
        alone: bool,
    ) -> Result<Verdict, (usize, Located)> {
        let yielded = cluster.take_yielded();
        self.passes += 1;
        self.yields += u64::from(yielded);
        let Some(mut trial) = self.trial.take() else {
            let [passes, yields] = self.next;
            if self.yields > yields || self.passes > passes.max(PATIENCE) {
                self.next = [2 * self.passes, 2 * self.yields];
                self.begin(cluster);
                return Ok(Verdict::GoesOnAlone);
            }
            return Ok(Verdict::GoesOn);
        };
        trial.passes += 1;
        if trial.passes > TRIAL_PASSES || !self.keeps_still(&trial, cluster) {
            self.end(cluster);
            return Ok(Verdict::GoesOn);
        }
        if all_back(&mut trial, cluster) {
            if cluster.split_diverged() {
                self.begin(cluster);
                return Ok(Verdict::GoesOnAlone);
            }
            let timed = trial.registers.timed;
            let reads = self.memory.iter().any(MemoryChanges::has_reads);
            if timed
                && (alone || !reads)
                && let Some(by) = AHEAD.get(self.jumps)
            {
                self.jumps += 1;
                cluster.advance_clock(*by);
                self.begin(cluster);
                return Ok(Verdict::GoesOnAlone);
            }
            if let Some(located) = self.spins(cluster, name) {
                self.end(cluster);
                let reads = self.spin_reads.take().filter(|reads| !reads.is_empty());
                if reads.is_none() {
                    return Err(located);
                }
                // The cluster will spin each time it is resumed, so the next trial starts with the
                // usual patience.
                *self = LivelockProbe {
                    spin_reads: reads,
                    signaled: true,
                    jumps: self.jumps,
                    timed,
                    ..LivelockProbe::default()
                };
                return Ok(Verdict::Waits(Box::new(located)));
            }
        }
        if trial.passes == trial.again {
            trial.again *= 2;
            trial.registers = self.spin_registers(cluster);
            trial.noted = snapshots(cluster, &trial.registers);
        }
        self.trial = Some(trial);
        Ok(Verdict::GoesOnAlone)
    }

    /// The registers that decide how the runnable warps continue.
    fn spin_registers(&mut self, cluster: &dyn ClusterView) -> SpinRegisters {
        let kernel = cluster.kernel();
        let new = || Arc::new(ControlFlowGraph::new(kernel));
        let flow = Arc::clone(self.flow.get_or_insert_with(new));
        let warps =
            (0..cluster.blocks()).flat_map(|rank| (0..cluster.warps()).map(move |w| (rank, w)));
        let runs = |(rank, w): &(usize, usize)| {
            cluster.runs(*rank) && cluster.progress(*rank, *w) != Progress::Done
        };
        let mut instructions: Vec<u32> =
            warps.filter(runs).flat_map(|(rank, w)| cluster.instructions(rank, w)).collect();
        instructions.sort_unstable();
        instructions.dedup();
        SpinRegisters::at(kernel, &flow, &instructions)
    }

    fn begin(&mut self, cluster: &mut dyn ClusterView) {
        let registers = self.spin_registers(cluster);
        cluster.set_time_slice(Some(TRIAL_SLICE));
        let (blocks, warps) = (cluster.blocks(), cluster.warps());
        self.memory = (0..blocks).map(|_| MemoryChanges::new(warps)).collect();
        self.trial = Some(Trial {
            passes: 0,
            again: 1,
            noted: snapshots(cluster, &registers),
            registers,
            back: vec![vec![false; warps]; blocks],
            gave_up: false,
            changes: cluster.changes(),
            printed: cluster.printed(),
        });
    }

    fn end(&mut self, cluster: &mut dyn ClusterView) {
        self.trial = None;
        self.memory.clear();
        cluster.set_time_slice(None);
    }

    fn keeps_still(&mut self, trial: &Trial, cluster: &dyn ClusterView) -> bool {
        let still = trial.changes == cluster.changes() && trial.printed == cluster.printed();
        self.memory.iter_mut().fold(still, |still, memory| still & !memory.changed())
    }

    /// All warps repeat forever: picks the spin to report.
    fn spins(&mut self, cluster: &dyn ClusterView, name: Name<'_>) -> Option<(usize, Located)> {
        let mut found: Option<(usize, usize, Option<SpinRead>)> = None;
        for rank in (0..cluster.blocks()).rev().filter(|rank| cluster.runs(*rank)) {
            let ready = |w: &usize| cluster.progress(rank, *w) == Progress::Ready;
            for w in (0..cluster.warps()).rev().filter(ready) {
                let look = self.memory.get(rank).and_then(|memory| memory.looks[w]);
                if look.is_some() || found.is_none() {
                    found = Some((rank, w, look));
                }
            }
        }
        let (rank, w, look) = found?;
        let reads = self.memory.iter().map(MemoryChanges::reads).reduce(SpinReads::with);
        let of_global = reads.as_ref().is_some_and(|reads| !reads.is_empty());
        self.spin_reads = reads;
        let nobody = if of_global { "" } else { ", which no running thread can change" };
        let others = whereabouts(cluster);
        let (raw, origin) = match look {
            Some(look) => {
                let place = name(look.space, look.address);
                let note = format!(
                    "warp {w} spins: it polls the {} bytes at {place}{nobody}{others}",
                    look.bytes
                );
                let raw = RawFault {
                    address: Some(look.address),
                    bytes: look.bytes,
                    ..RawFault::of_lanes(FaultKind::Deadlock, look.space, 1 << look.lane, note)
                };
                (raw, look.instruction)
            }
            None => {
                let note =
                    format!("warp {w} spins in an endless loop that reads no memory{others}");
                let (mask, space) = (cluster.mask(rank, w), MemorySpace::Generic);
                let raw = RawFault::of_lanes(FaultKind::Deadlock, space, mask, note);
                (raw, cluster.instruction(rank, w))
            }
        };
        Some((rank, Located { raw, origin, warp: w as u32 }))
    }
}

/// Snapshots of the runnable warps. Blocked warps need none: a snapshot includes what they wait
/// for.
fn snapshots(
    cluster: &dyn ClusterView,
    registers: &SpinRegisters,
) -> Vec<Vec<Option<WarpSnapshot>>> {
    let of = |rank, w| {
        let waits = matches!(cluster.progress(rank, w), Progress::Blocked | Progress::Done);
        (!waits).then(|| cluster.snapshot(rank, w, &registers.deciding))
    };
    let of_block = |rank| (0..cluster.warps()).map(|w| of(rank, w)).collect();
    (0..cluster.blocks()).map(of_block).collect()
}

/// Whether all runnable warps have returned to their snapshots. If so, polls of other warps end
/// early, and these warps must return, too.
fn all_back(trial: &mut Trial, cluster: &mut dyn ClusterView) -> bool {
    let (mut runs, mut ready, mut asking) = (false, true, true);
    let gave_up = std::mem::take(&mut trial.gave_up);
    for rank in (0..cluster.blocks()).filter(|rank| cluster.runs(*rank)) {
        for w in 0..cluster.warps() {
            let back = &mut trial.back[rank][w];
            let noted = &trial.noted[rank][w];
            let here = || {
                noted.as_ref().is_some_and(|noted| {
                    cluster.snapshot(rank, w, &trial.registers.deciding) == *noted
                })
            };
            match cluster.progress(rank, w) {
                Progress::Ready => {
                    *back = *back || here();
                    (runs, ready) = (true, ready & *back);
                }
                Progress::Polling => {
                    *back = *back || (gave_up && here());
                    asking &= *back;
                }
                Progress::Blocked | Progress::Done => {}
            }
        }
    }
    if ready && !asking {
        trial.gave_up = true;
        cluster.end_polls();
    }
    runs && ready && asking
}

/// Maximum number of groups of warps listed.
const MOST_GROUPS: usize = 8;

/// The positions of all warps, as an addition to a message.
pub fn whereabouts(cluster: &dyn ClusterView) -> String {
    let several = cluster.blocks() > 1;
    let mut all = Vec::new();
    for rank in 0..cluster.blocks() {
        let whose = if several { format!(" of the block of rank {rank}") } else { String::new() };
        all.extend(of_block(cluster, rank, &whose));
    }
    if all.len() > MOST_GROUPS {
        all.truncate(MOST_GROUPS);
        all.push("; and others".to_owned());
    }
    all.concat()
}

/// The positions of a block's warps; `whose` names the block.
fn of_block(cluster: &dyn ClusterView, rank: usize, whose: &str) -> Vec<String> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for w in 0..cluster.warps() {
        let does = match cluster.progress(rank, w) {
            Progress::Done => continue,
            Progress::Ready => "",
            Progress::Blocked => " waiting at a barrier",
            Progress::Polling => " waiting",
        };
        let origin = cluster.kernel().origins.get(cluster.instruction(rank, w) as usize);
        let place = match origin {
            Some(o) => match &o.location {
                Some(location) => format!("{does} at {location}"),
                None => format!("{does} at line {} of the PTX text", o.text_line),
            },
            None => does.to_owned(),
        };
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, warps)) => warps.push(w),
            None => groups.push((place, vec![w])),
        }
    }
    groups.into_iter().map(|(place, warps)| format!("; {}{whose}{place}", listed(&warps))).collect()
}

/// `warp 3`, `warps 0-3, 7`.
fn listed(warps: &[usize]) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &w in warps {
        match runs.last_mut() {
            Some(run) if run[1] + 1 == w => run[1] = w,
            _ => runs.push([w, w]),
        }
    }
    let shown = runs.iter().map(|[a, b]| if a == b { a.to_string() } else { format!("{a}-{b}") });
    let word = if warps.len() == 1 { "warp" } else { "warps" };
    format!("{word} {}", shown.collect::<Vec<_>>().join(", "))
}
