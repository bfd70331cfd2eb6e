//! The blocks of a cluster, run together by one worker's thread: a scheduler pass over each block after the
//! other, then what goes on beside the warps.

use super::worker::{PassOutcome, Shape, State, Worker};
use crate::asynchrony::cluster::Cluster;
use crate::asynchrony::finish::{LateFault, finish_all};
use crate::fault::Located;
use crate::hook::{Hook, Wants};
use crate::instrument::{Instrument, Launch};
use crate::memory::Memory;
use crate::program::Assembled;
use lanework_ptx_ir::uniformity::thread_index;

/// Passes in which nothing happens but waits that end early, before they are taken to be stuck.
const IDLE_PASSES: u32 = 1024;

/// Runs clusters; most have one block.
pub struct ClusterExecutor<'a> {
    /// The blocks, by rank.
    pub blocks: Vec<Worker<'a>>,
    pub(super) cluster: Box<Cluster>,
    shape: Shape,
    hook: Hook,
}

impl<'a> ClusterExecutor<'a> {
    /// For one launch. Each block tells the same instrument, which outlives them all.
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
        let executor = ClusterExecutor { blocks, cluster, shape: shape.clone(), hook };
        let code = &assembled.code;
        // SAFETY: this worker alone uses its instrument.
        unsafe { hook.any() }.launch(&Launch {
            kernel: &assembled.kernel,
            plan: code.plan.as_deref(),
            memory,
            grid: shape.grid,
            block: shape.block,
            shared: executor.blocks.iter().map(|block| block.context.shared).collect(),
            local_bytes: executor.blocks[0].context.local_bytes,
        });
        executor
    }

    /// The instrument, if it wants any of this.
    fn instrument<'i>(&self, what: Wants) -> Option<&'i mut dyn Instrument> {
        // SAFETY: it outlives the worker, which alone uses it, one call after the other.
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

    /// Runs one cluster to its end.
    ///
    /// # Errors
    /// The block and the fault that stopped it.
    pub fn run(&mut self, cluster: u64) -> Result<(), ([u32; 3], Located)> {
        self.cluster.start();
        for rank in 0..self.blocks.len() {
            let block = self.block_of(cluster, rank as u32);
            self.blocks[rank].start(block);
        }
        if let Some(instrument) = self.instrument(Wants::EDGES) {
            let blocks: Vec<u64> = self.blocks.iter().map(|block| block.context.block).collect();
            instrument.cluster_start(&blocks);
        }
        let mut result = self.run_passes();
        if let Err((_, located)) = &mut result
            && let Some(instrument) = self.instrument(Wants::PASSES)
        {
            instrument.stopped(&mut located.raw, self);
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

    fn run_passes(&mut self) -> Result<(), (usize, Located)> {
        let (mut left, mut idle, mut changes) = (self.blocks.len(), 0, self.cluster.changes);
        loop {
            let mut progress = false;
            for rank in 0..self.blocks.len() {
                if !self.cluster.running[rank] {
                    continue;
                }
                match self.block_pass(rank).map_err(|fault| (rank, fault))? {
                    PassOutcome::Done => {
                        // What it started or waited for is done while its memory is still its own.
                        self.deliver()?;
                        self.leave(rank);
                        left -= 1;
                    }
                    PassOutcome::Progress => progress = true,
                    PassOutcome::Idle => {}
                }
            }
            if left == 0 {
                return Ok(());
            }
            self.deliver()?;
            if self.cluster.barrier.used {
                self.open_cluster_barrier();
            }
            if let Some(instrument) = self.instrument(Wants::PASSES) {
                instrument.scheduler_pass(self)?;
            }
            if progress || self.cluster.changes != changes {
                (idle, changes) = (0, self.cluster.changes);
                continue;
            }
            self.idle(idle)?;
            idle += 1;
        }
    }

    /// A scheduler pass over one block.
    fn block_pass(&mut self, rank: usize) -> Result<PassOutcome, Located> {
        if let Some(instrument) = self.instrument(Wants::EDGES) {
            instrument.block_slice(rank as u32);
        }
        self.blocks[rank].pass()
    }

    /// Does the copies under split.
    fn deliver(&mut self) -> Result<(), (usize, Located)> {
        if self.cluster.copies.is_empty() {
            return Ok(());
        }
        let first = match self.shape.seed {
            Some(_) => self.blocks[0].draw(64) as usize,
            None => 0,
        };
        // SAFETY: copies are done before the blocks whose shared memory they touch leave, and the
        // launch holds the lock of global memory.
        let done = unsafe { finish_all(&mut self.cluster, first) };
        done.map_err(|LateFault { owner, origin, raw }| {
            (owner.rank as usize, Located { raw, origin, warp: owner.warp })
        })
    }

    /// A block has ended: nobody may touch its shared memory any more.
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
            // SAFETY: this worker alone uses its instrument.
            if let Some(instrument) = unsafe { self.hook.get(Wants::SYNCHRONISATION) } {
                instrument.cluster_open(barrier.generation);
            }
            barrier.release();
            self.cluster.changes += 1;
        }
    }

    /// Nothing can go on: waits end early, for the program may do something else then; but not for
    /// ever.
    fn idle(&mut self, passes: u32) -> Result<(), (usize, Located)> {
        let polls = |block: &Worker<'_>| block.states.contains(&State::Polling);
        let polling = self.blocks.iter().position(polls);
        match polling {
            Some(_) if passes < IDLE_PASSES => {
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
