//! The blocks of a cluster, which one worker's thread runs together: a scheduler pass over each block in turn, then the
//! asynchronous operations.

use crate::assemble::code::Assembled;
use crate::block::worker::{PassOutcome, Shape, State, Worker};
use crate::fault::{FaultKind, Located, RawFault};
use crate::instructions::access::site::Region;
use crate::instructions::asynchrony::cluster::Cluster;
use crate::instructions::asynchrony::copies::{LateFault, finish_all};
use crate::instructions::tensor_memory::queue::perform_all;
use crate::instrument::cluster_view::Verdict;
use crate::instrument::event::{Hook, Wants};
use crate::instrument::{Instrument, Launch};
use crate::memory::Memory;
use lanework_ptx_ir::analysis::uniformity::thread_index;
use lanework_ptx_ir::kernel::MemorySpace;

/// After this many passes whose only progress was that waits ended early, the cluster counts as stuck.
const IDLE_PASSES: u32 = 1024;
/// The same limit if other clusters run in between, because a wait may be for them.
const IDLE_PASSES_OF_SEVERAL: u32 = 4096;

/// Passes in which warps only use up their time slices, before other clusters run.
const SPINNING_PASSES: u32 = 2;
/// Maximum passes of a slice, if other clusters wait.
const TURN: u32 = 1 << 6;

/// The result of a cluster's time slice.
pub enum Slice {
    /// It has ended.
    Ended,
    /// Other clusters should run: it waits for them, or its slice was long.
    Expired,
    /// It only waits for other clusters' writes to global memory: the block's rank, and the fault to report if none
    /// ever comes.
    Waits(Box<(usize, Located)>),
}

/// Runs clusters; most have one block.
pub struct ClusterExecutor<'a> {
    /// The blocks, by rank.
    pub blocks: Vec<Worker<'a>>,
    pub(crate) cluster: Box<Cluster>,
    shape: Shape,
    hook: Hook,
    /// Whether a warp has reached a barrier or its end in this slice.
    pub stepped: bool,
    /// Consecutive passes whose only progress was that waits ended early, including earlier slices.
    idle: u32,
}

impl<'a> ClusterExecutor<'a> {
    /// Makes the executor for one launch. All blocks report to the same instrument, which outlives them.
    pub fn new(
        assembled: &'a Assembled,
        shape: &Shape,
        memory: &Memory,
        parameters: &[u8],
        hook: Hook,
    ) -> ClusterExecutor<'a> {
        let count: u32 = shape.cluster.iter().product();
        let block = |rank| Worker::new(assembled, shape.clone(), memory, parameters, hook, rank);
        let mut blocks: Vec<Worker<'a>> = (0..count).map(block).collect();
        let shared = blocks.iter().map(|block| block.context.shared).collect();
        let warps = blocks[0].warps.len();
        let mut cluster = Box::new(Cluster::new(shared, warps, memory, hook));
        for block in &mut blocks {
            block.context.cluster = &raw mut *cluster;
        }
        ClusterExecutor { blocks, cluster, shape: shape.clone(), hook, stepped: false, idle: 0 }
    }

    /// The shared memory of each block, by rank.
    pub fn shared(&self) -> Vec<Region> {
        self.blocks.iter().map(|block| block.context.shared).collect()
    }

    /// Reports the start of the launch to the instrument.
    pub fn tell_launch(&self, memory: &Memory) {
        let assembled = self.blocks[0].assembled;
        let launch = Launch {
            kernel: &assembled.kernel,
            plan: assembled.code.plan.as_deref(),
            memory,
            grid: self.shape.grid,
            block: self.shape.block,
            shared: self.shared(),
            local_bytes: self.blocks[0].context.local_bytes,
        };
        // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now. The launch borrows the
        // memory until its workers have ended, and `Job::work` drops the blocks, which own the regions, after `finish`.
        unsafe { self.hook.any().launch(&launch) };
    }

    /// The instrument, if it wants any of these events.
    fn instrument<'i>(&self, what: Wants) -> Option<&'i mut dyn Instrument> {
        // SAFETY: `Job::work` owns the instrument and drops the blocks before it. No caller keeps the reference past the
        // call that it is for, so no two references exist.
        unsafe { self.hook.get(what) }
    }

    /// The linear index of the block of a rank of a cluster.
    fn block_of(&self, cluster: u64, rank: u32) -> u64 {
        let [gx, gy, _] = self.shape.grid.map(u64::from);
        let of = self.shape.cluster.map(u64::from);
        let (across, down) = (gx / of[0], gy / of[1]);
        let at = [cluster % across, cluster / across % down, cluster / across / down];
        let inside = thread_index(self.shape.cluster, rank).map(u64::from);
        let [x, y, z] = [0, 1, 2].map(|axis| at[axis] * of[axis] + inside[axis]);
        (z * gy + y) * gx + x
    }

    /// Starts a cluster.
    pub fn start(&mut self, cluster: u64) {
        self.cluster.start();
        self.idle = 0;
        for rank in 0..self.blocks.len() {
            let block = self.block_of(cluster, rank as u32);
            self.blocks[rank].start(block);
        }
        // SAFETY: `Job::work` keeps the instrument attached while its clusters run, one at a time.
        unsafe { self.hook.show_next_step() };
        if let Some(instrument) = self.instrument(Wants::EDGES) {
            let blocks: Vec<u64> = self.blocks.iter().map(|block| block.context.block).collect();
            instrument.cluster_start(&blocks);
        }
    }

    /// Runs a slice of the started cluster, which ends early if others wait and `may_leave` is set.
    ///
    /// # Errors
    /// The block and the fault that stopped it.
    pub fn turn(&mut self, may_leave: bool) -> Result<Slice, ([u32; 3], Located)> {
        let mut result = self.run_passes(may_leave);
        if let Ok(turn @ (Slice::Expired | Slice::Waits(_))) = result {
            return Ok(turn);
        }
        if let Err((_, located)) = &mut result
            && let Some(instrument) = self.instrument(Wants::PASSES)
        {
            instrument.stopped(&mut located.raw, self);
        }
        if let Some(instrument) = self.instrument(Wants::STEPS) {
            // SAFETY: as in `start`.
            instrument.steps(unsafe { self.hook.steps() });
        }
        if let Some(instrument) = self.instrument(Wants::EDGES) {
            instrument.cluster_end();
        }
        for block in &mut self.blocks {
            block.slice_override = None;
            block.add_up_instructions();
        }
        result.map_err(|(rank, located)| (self.blocks[rank].block_index(), located))
    }

    /// Instructions that the warps of the cluster that was started have executed.
    pub fn executed(&self) -> u64 {
        self.blocks.iter().flat_map(|block| &block.warps).map(|warp| warp.instructions).sum()
    }

    /// The fault of a launch without progress.
    pub fn stalled(&self, note: String) -> ([u32; 3], Located) {
        let rank = self.cluster.running.iter().position(|runs| *runs).unwrap_or(0);
        let block = &self.blocks[rank];
        let w = block.states.iter().position(|state| *state == State::Ready).unwrap_or(0);
        let (kind, mask) = (FaultKind::InstructionLimit, block.warps[w].mask);
        let raw = RawFault::of_lanes(kind, MemorySpace::Generic, mask, note);
        (block.block_index(), block.locate(w, raw))
    }

    /// Stops the cluster and counts the instructions that its warps executed.
    pub fn abandon(&mut self) {
        self.blocks.iter_mut().for_each(Worker::add_up_instructions);
    }

    /// The index of the block of a rank.
    pub fn block_index(&self, rank: usize) -> [u32; 3] {
        self.blocks[rank].block_index()
    }

    fn run_passes(&mut self, may_leave: bool) -> Result<Slice, (usize, Located)> {
        let mut left = self.cluster.running.iter().filter(|runs| **runs).count();
        let mut changes = self.cluster.changes;
        let (mut passes, mut spinning) = (0, 0);
        self.stepped = false;
        loop {
            let (mut progress, mut spins) = (false, false);
            for rank in 0..self.blocks.len() {
                if !self.cluster.running[rank] {
                    continue;
                }
                match self.block_pass(rank).map_err(|fault| (rank, fault))? {
                    PassOutcome::Done => {
                        // Its pending operations complete while its memory is still reserved.
                        self.deliver()?;
                        self.check_tensor_memory(rank)?;
                        self.leave(rank);
                        left -= 1;
                    }
                    PassOutcome::Progress => progress = true,
                    PassOutcome::Spins => {
                        self.blocks[rank].context.publish();
                        spins = true;
                    }
                    PassOutcome::Idle => {}
                }
            }
            if left == 0 {
                return Ok(Slice::Ended);
            }
            self.deliver()?;
            if self.cluster.barrier.used {
                self.open_cluster_barrier();
            }
            let verdict = match self.instrument(Wants::PASSES) {
                Some(instrument) => instrument.scheduler_pass(self)?,
                None => Verdict::GoesOn,
            };
            passes += 1;
            spinning = if progress || !spins { 0 } else { spinning + 1 };
            self.stepped |= progress;
            match verdict {
                Verdict::Waits(found) => return Ok(Slice::Waits(found)),
                Verdict::Leaves if may_leave => return Ok(Slice::Expired),
                Verdict::GoesOn if may_leave && (spinning >= SPINNING_PASSES || passes >= TURN) => {
                    return Ok(Slice::Expired);
                }
                _ => {}
            }
            if progress || spins || self.cluster.changes != changes {
                (self.idle, changes) = (0, self.cluster.changes);
                continue;
            }
            self.end_waits(if may_leave { IDLE_PASSES_OF_SEVERAL } else { IDLE_PASSES })?;
            self.idle += 1;
        }
    }

    /// A scheduler pass over one block.
    fn block_pass(&mut self, rank: usize) -> Result<PassOutcome, Located> {
        if let Some(instrument) = self.instrument(Wants::EDGES) {
            instrument.block_slice(rank as u32);
        }
        self.blocks[rank].pass()
    }

    /// Checks that a block that ends has freed its tensor memory.
    fn check_tensor_memory(&self, rank: usize) -> Result<(), (usize, Located)> {
        let Some(left) = self.cluster.tensor_memory[rank].allocations().first() else {
            return Ok(());
        };
        let note = format!(
            "the block ends without `tcgen05.dealloc` of {} columns of tensor memory, from column {} on",
            left.columns, left.start
        );
        let raw = RawFault::of_lanes(FaultKind::TensorMemory, MemorySpace::Generic, 1, note);
        Err((rank, Located { raw, origin: left.instruction, warp: left.warp }))
    }

    /// Performs the asynchronous operations: bulk copies, products in tensor memory.
    fn deliver(&mut self) -> Result<(), (usize, Located)> {
        let late = |LateFault { owner, origin, raw }: LateFault| {
            (owner.rank as usize, Located { raw, origin, warp: owner.warp })
        };
        if !self.cluster.tensor_work.is_empty() {
            // SAFETY: shared memory of all blocks is live: the executor owns the buffers, and a block with work in
            // flight is not run again before this.
            unsafe { perform_all(&mut self.cluster) }.map_err(late)?;
        }
        if self.cluster.copies.is_empty() {
            return Ok(());
        }
        let first = match self.shape.schedule.seed() {
            Some(_) => self.blocks[0].draw(64) as usize,
            None => 0,
        };
        // SAFETY: the executor owns the shared memory that copies touch, and the launch holds the lock of global
        // memory, so that nothing is freed.
        unsafe { finish_all(&mut self.cluster, first) }.map_err(late)
    }

    /// Takes an ended block out of the cluster: its shared memory must no longer be accessed.
    fn leave(&mut self, rank: usize) {
        self.cluster.running[rank] = false;
        self.cluster.changes += 1;
        if self.blocks.len() > 1 {
            if let Some(instrument) = self.instrument(Wants::EDGES) {
                instrument.block_end(rank as u32);
            }
            for block in &mut self.blocks {
                block.context.forget_others();
            }
        }
    }

    /// Opens the cluster's barrier when all threads that have not ended have arrived.
    fn open_cluster_barrier(&mut self) {
        let barrier = &mut self.cluster.barrier;
        if !barrier.begun() {
            return;
        }
        let blocks = self.blocks.iter().enumerate();
        let missing: u32 = blocks
            .map(|(rank, block)| barrier.missing(rank, block.warps.iter().map(|w| w.live)))
            .sum();
        if missing == 0 {
            // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
            if let Some(instrument) = unsafe { self.hook.get(Wants::SYNCHRONIZATION) } {
                instrument.cluster_open(barrier.generation);
            }
            barrier.release();
            self.cluster.changes += 1;
        }
    }

    /// Called when no warp can continue: ends waits early, up to a limit, because the program may then do something else.
    fn end_waits(&mut self, most: u32) -> Result<(), (usize, Located)> {
        let polls = |block: &Worker<'_>| block.states.contains(&State::Polling);
        let polling = self.blocks.iter().position(polls);
        match polling {
            Some(_) if self.idle < most => {
                for block in &mut self.blocks {
                    for (warp, state) in block.warps.iter_mut().zip(&block.states) {
                        warp.poll_expires = *state == State::Polling;
                    }
                }
                Ok(())
            }
            Some(rank) => Err((rank, self.blocks[rank].deadlock())),
            None => {
                let runs = self.cluster.running.iter().position(|runs| *runs).unwrap_or(0);
                Err((runs, self.blocks[runs].deadlock()))
            }
        }
    }
}
