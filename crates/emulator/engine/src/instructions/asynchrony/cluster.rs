//! The state that the blocks of a cluster share: each other's shared memory, a barrier, copies in flight.
//!
//! A block's own shared memory starts at offset 0 of the shared window. The shared memory of the block of rank `r`
//! starts at `(r + 1) << 24`, as `mapa` gives it: one block reaches another by the address alone.

use crate::instructions::access::site::Region;
use crate::instructions::asynchrony::copies::Copies;
use crate::instructions::tensor_memory::memory::TensorMemory;
use crate::instructions::tensor_memory::queue::TensorWork;
use crate::instrument::event::{Hook, Phase};
use crate::memory::Memory;
use lanework_ptx_ir::memory_layout::{OFFSET_MASK, RANK_SHIFT};

/// Maximum number of blocks in a cluster.
pub const MOST_BLOCKS: u64 = 16;

/// The address of an offset in the shared memory of a block by rank.
pub fn address_in(rank: u32, offset: u64) -> u64 {
    (u64::from(rank) + 1) << RANK_SHIFT | offset & OFFSET_MASK
}

/// The block that a shared address is in, and the offset there; `own` is the rank of the block that
/// uses the address.
pub fn split(address: u64, own: u32) -> (u32, u64) {
    let above = address >> RANK_SHIFT;
    let rank = if above == 0 { own } else { u32::try_from(above - 1).unwrap_or(u32::MAX) };
    (rank, address & OFFSET_MASK)
}

/// The state of the blocks of one cluster.
pub struct Cluster {
    /// Shared memory by rank.
    pub shared: Vec<Region>,
    /// Global memory; valid while the launch holds its lock.
    pub memory: *const Memory,
    /// The run's instrument.
    pub hook: Hook,
    /// Blocks that have not ended, by rank.
    pub running: Vec<bool>,
    /// The cluster's barrier.
    pub barrier: ClusterBarrier,
    /// Bulk copies that have been started.
    pub copies: Copies,
    /// The phases of mbarriers that warps wait for.
    pub waits: Waits,
    /// Tensor memory by rank.
    pub tensor_memory: Vec<TensorMemory>,
    /// Products and copies in tensor memory that have been issued.
    pub tensor_work: TensorWork,
    /// Counts changes that a waiting thread could be waiting for.
    pub changes: u64,
}

impl Cluster {
    /// The state for blocks of `warps` warps.
    pub fn new(shared: Vec<Region>, warps: usize, memory: *const Memory, hook: Hook) -> Cluster {
        let blocks = shared.len();
        Cluster {
            shared,
            memory,
            hook,
            running: vec![true; blocks],
            barrier: ClusterBarrier::new(blocks, warps),
            copies: Copies::default(),
            waits: Waits::new(blocks, warps),
            tensor_memory: (0..blocks).map(|_| TensorMemory::default()).collect(),
            tensor_work: TensorWork::default(),
            changes: 0,
        }
    }

    /// Prepares the state for the next cluster.
    pub fn start(&mut self) {
        self.running.fill(true);
        if self.barrier.used {
            self.barrier = ClusterBarrier::new(self.running.len(), self.barrier.warps);
        }
        self.copies.start();
        self.waits.phases.fill(None);
        self.tensor_memory.iter_mut().for_each(TensorMemory::start);
        self.tensor_work.start();
    }

    /// The shared memory that an address from `mapa` is in, if its block still runs.
    pub fn region(&self, address: u64) -> Option<Region> {
        let rank = usize::try_from((address >> RANK_SHIFT).checked_sub(1)?).ok()?;
        let region = self.shared.get(rank).filter(|_| self.running[rank])?;
        Some(Region { start: address & !OFFSET_MASK, ..*region })
    }
}

/// The phase of an mbarrier that each warp waits for.
pub struct Waits {
    phases: Vec<Option<Phase>>,
    warps: usize,
}

impl Waits {
    fn new(blocks: usize, warps: usize) -> Waits {
        Waits { phases: vec![None; blocks * warps], warps }
    }

    /// Notes the phase that a warp of the block of a rank waits for, if any.
    pub fn note(&mut self, (rank, warp): (u32, u32), phase: Option<Phase>) {
        self.phases[rank as usize * self.warps + warp as usize] = phase;
    }

    /// Whether another warp waits for the phase of this mbarrier that is complete.
    pub fn any(&self, (rank, warp): (u32, u32), phase: Phase) -> bool {
        let own = rank as usize * self.warps + warp as usize;
        self.phases.iter().enumerate().any(|(i, waits)| i != own && *waits == Some(phase))
    }
}

/// `barrier.cluster`: the arrivals of each generation.
pub struct ClusterBarrier {
    /// Whether any thread has arrived in this cluster.
    pub used: bool,
    /// Generations completed.
    pub generation: u32,
    warps: usize,
    arrivals: Vec<Arrivals>,
}

/// The arrivals of one warp's lanes.
#[derive(Clone)]
struct Arrivals {
    /// In the current generation.
    now: u32,
    /// Lanes that have arrived and not yet waited, and when they arrived.
    owing: u32,
    when: [u32; 32],
}

impl ClusterBarrier {
    fn new(blocks: usize, warps: usize) -> ClusterBarrier {
        let nobody = Arrivals { now: 0, owing: 0, when: [0; 32] };
        ClusterBarrier { used: false, generation: 0, warps, arrivals: vec![nobody; blocks * warps] }
    }

    fn of(&mut self, rank: u32, warp: u32) -> &mut Arrivals {
        &mut self.arrivals[rank as usize * self.warps + warp as usize]
    }

    /// The generation in which a lane arrived last.
    pub fn arrived(&mut self, rank: u32, warp: u32, lane: u32) -> u32 {
        self.of(rank, warp).when[lane as usize & 31]
    }

    /// Records the arrival of lanes.
    ///
    /// # Errors
    /// The lanes that had arrived before and not waited.
    pub fn arrive(&mut self, rank: u32, warp: u32, mask: u32) -> Result<(), u32> {
        self.used = true;
        let generation = self.generation;
        let this = self.of(rank, warp);
        if this.owing & mask != 0 {
            return Err(this.owing & mask);
        }
        this.owing |= mask;
        this.now |= mask;
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            this.when[lane] = generation;
        }
        Ok(())
    }

    /// Whether lanes may continue.
    ///
    /// # Errors
    /// The lanes that have not arrived.
    pub fn wait(&mut self, rank: u32, warp: u32, mask: u32) -> Result<bool, u32> {
        let generation = self.generation;
        let this = self.of(rank, warp);
        if mask & !this.owing != 0 {
            return Err(mask & !this.owing);
        }
        let met = (0..32).all(|lane| mask >> lane & 1 == 0 || this.when[lane] != generation);
        if met {
            this.owing &= !mask;
        }
        Ok(met)
    }

    /// The number of a block's live lanes that have not arrived.
    pub fn missing(&self, rank: usize, live: impl Iterator<Item = u32>) -> u32 {
        let arrivals = &self.arrivals[rank * self.warps..];
        live.zip(arrivals).map(|(live, this)| (live & !this.now).count_ones()).sum()
    }

    /// Starts the next generation, after all have arrived.
    pub fn release(&mut self) {
        self.generation += 1;
        for this in &mut self.arrivals {
            this.now = 0;
        }
    }

    /// Whether any thread has arrived in the current generation.
    pub fn begun(&self) -> bool {
        self.arrivals.iter().any(|this| this.now != 0)
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::asynchrony::cluster::*;

    #[test]
    fn shared_addresses_select_a_block() {
        assert_eq!(split(40, 3), (3, 40));
        assert_eq!(split(address_in(0, 40), 3), (0, 40));
        assert_eq!(split(address_in(15, OFFSET_MASK), 0), (15, OFFSET_MASK));
        assert_eq!(split(u64::MAX, 0).0, u32::MAX);
    }

    #[test]
    fn a_lane_waits_for_the_generation_in_which_it_arrived() {
        let mut barrier = ClusterBarrier::new(2, 1);
        assert_eq!(barrier.wait(0, 0, 1), Err(1), "nobody has arrived");
        assert_eq!(barrier.arrive(0, 0, u32::MAX), Ok(()));
        assert_eq!(barrier.arrive(0, 0, 1), Err(1), "lane 0 has not waited");
        assert_eq!(barrier.wait(0, 0, u32::MAX), Ok(false));
        barrier.release();
        assert_eq!(barrier.wait(0, 0, 1), Ok(true));
        assert_eq!(barrier.arrive(0, 0, 1), Ok(()), "the next generation");
        assert_eq!(barrier.wait(0, 0, 1), Ok(false));
        assert_eq!(barrier.wait(0, 0, !1), Ok(true), "the others are still owed the last one");
    }
}
