//! Chains of blocks that wait for each other: a block waits for a value of another block, which may itself wait before it
//! publishes that value.
//!
//! Each warp has a logical clock (Lamport, CACM 1978): the number of links of the longest chain that ends at it. When a
//! warp publishes a word, the word gets the warp's clock. When a warp reads another block's word, its clock becomes the
//! word's clock plus one link, unless its own clock is later. At a barrier, all warps take the latest of their clocks.
//! The largest clock of a launch is therefore the length of its longest chain: one link per tile for a chained scan,
//! one per grid barrier, one or a few per wave for a decoupled look-back.
//!
//! The order in which the emulator runs the blocks affects the clocks only if the kernel's behavior depends on that
//! order: for example, how far a block looks back. Not tracked: warps that communicate through shared memory without a
//! barrier.

use crate::numbers::NumberMap;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A chain of blocks that wait for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitChain {
    /// The number of values that pass from one block to the next.
    pub links: f64,
    /// The number of instructions before the first value, and between the arrival of a value and the publication of the
    /// next one.
    pub instructions: f64,
    /// The number of fences among these instructions.
    pub fences: f64,
    /// The number of barriers of a block among them.
    #[serde(default)]
    pub barriers: f64,
    /// The number of branches among them.
    #[serde(default)]
    pub branches: f64,
}

/// The kind of an instruction of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStep {
    /// A fence of global memory.
    Fence,
    /// A branch.
    Branch,
    /// Any other instruction.
    Plain,
}

impl WaitChain {
    /// Whether this chain takes longer than `other`.
    fn is_longer(&self, other: &WaitChain) -> bool {
        (self.links, self.instructions) > (other.links, other.instructions)
    }

    /// Extrapolates this chain: adds `times` times its growth since `before`.
    fn grown(&self, before: &WaitChain, times: f64) -> WaitChain {
        let grown = |now: f64, before: f64| now + (now - before).max(0.0) * times;
        WaitChain {
            links: grown(self.links, before.links),
            instructions: grown(self.instructions, before.instructions),
            fences: grown(self.fences, before.fences),
            barriers: grown(self.barriers, before.barriers),
            branches: grown(self.branches, before.branches),
        }
    }

    /// The mean of several chains.
    fn mean(of: &[WaitChain]) -> WaitChain {
        let mean = |value: &dyn Fn(&WaitChain) -> f64| {
            of.iter().map(value).sum::<f64>() / of.len().max(1) as f64
        };
        WaitChain {
            links: mean(&|chain| chain.links),
            instructions: mean(&|chain| chain.instructions),
            fences: mean(&|chain| chain.fences),
            barriers: mean(&|chain| chain.barriers),
            branches: mean(&|chain| chain.branches),
        }
    }
}

/// The clock of a warp.
#[derive(Clone, Copy, Debug, Default)]
struct WarpClock {
    /// The longest chain that ends at the last value for which the warp waited.
    chain: WaitChain,
    /// Instructions, fences, barriers and branches that the warp has executed so far, and had executed when that value arrived.
    executed: [f64; 4],
    before: [f64; 4],
}

impl WarpClock {
    /// The chain up to the warp's current instruction.
    fn now(&self) -> WaitChain {
        let since = [0, 1, 2, 3].map(|at| self.executed[at] - self.before[at]);
        WaitChain {
            links: self.chain.links,
            instructions: self.chain.instructions + since[0],
            fences: self.chain.fences + since[1],
            barriers: self.chain.barriers + since[2],
            branches: self.chain.branches + since[3],
        }
    }

    /// Continues the given chain, unless the warp's own chain is longer.
    fn join(&mut self, chain: WaitChain) {
        if chain.is_longer(&self.now()) {
            (self.chain, self.before) = (chain, self.executed);
        }
    }
}

/// A word that blocks publish.
#[derive(Clone, Copy, Debug)]
struct ChainedWord {
    block: u64,
    chain: WaitChain,
}

/// A synchronization point of a block's warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meeting {
    /// A barrier, by number.
    Barrier(usize),
    /// An mbarrier, by its offset in shared memory.
    Mbarrier(u64),
}

/// Sentinel: no warp runs.
const NO_WARP: (u64, u32) = (u64::MAX, 0);

/// The running warp: its block and index, and its clock.
#[derive(Debug)]
struct Running((u64, u32), WarpClock);

impl Default for Running {
    fn default() -> Running {
        Running(NO_WARP, WarpClock::default())
    }
}

/// The clocks of a launch.
#[derive(Debug, Default)]
pub struct ChainClocks {
    /// The clocks by block and warp, except for the running warp's.
    warps: HashMap<(u64, u32), WarpClock>,
    running: Running,
    meetings: HashMap<(u64, Meeting), WaitChain>,
    words: NumberMap<ChainedWord>,
    longest: WaitChain,
    /// Running blocks, with their longest chains.
    blocks: HashMap<u64, WaitChain>,
    /// The longest chain of each block that has ended, in the order in which the blocks ended.
    ends: Vec<WaitChain>,
    started: u64,
    /// Number of blocks that had started when the first one ended.
    first_wave: u64,
}

/// Number of waves after which the growth of the chain is known.
const WAVES: f64 = 2.5;

impl ChainClocks {
    /// Records the end of a block.
    pub fn end(&mut self, block: u64) {
        let Some(chain) = self.blocks.remove(&block) else { return };
        if self.ends.is_empty() {
            self.first_wave = self.started;
        }
        self.ends.push(chain);
    }

    /// Whether enough of the `total` blocks of a grid have ended to know how its chain grows.
    pub fn has_seen_enough(&self, total: u64) -> bool {
        let ended = self.ends.len();
        ended > 0 && (self.first_wave >= total || ended as f64 >= WAVES * self.first_wave as f64)
    }

    /// Records that a warp executes an instruction.
    pub fn execute(&mut self, place: (u64, u32), step: ChainStep) {
        if self.running.0 != place {
            let Running(before, clock) = self.running;
            self.warps.insert(before, clock);
            let clock = self.warps.get(&place).copied().unwrap_or_default();
            self.running = Running(place, clock);
            self.blocks.entry(place.0).or_insert_with(|| {
                self.started += 1;
                WaitChain::default()
            });
        }
        self.running.1.executed[0] += 1.0;
        match step {
            ChainStep::Fence => self.running.1.executed[1] += 1.0,
            ChainStep::Branch => self.running.1.executed[3] += 1.0,
            ChainStep::Plain => {}
        }
    }

    /// Records that the running warp publishes a word.
    pub fn publish(&mut self, address: u64) {
        let Running((block, _), clock) = self.running;
        let chain = clock.now();
        self.note(block, chain);
        let word = self.words.entry(address).or_insert(ChainedWord { block, chain });
        word.block = block;
        if chain.is_longer(&word.chain) {
            word.chain = chain;
        }
    }

    /// Records that the running warp reads a word that other warps write.
    pub fn observe(&mut self, address: u64) {
        let Running((block, _), clock) = &mut self.running;
        let Some(word) = self.words.get(&address).filter(|word| word.block != *block) else {
            return;
        };
        let chain = WaitChain { links: word.chain.links + 1.0, ..word.chain };
        clock.join(chain);
        let block = *block;
        self.note(block, chain);
    }

    /// Records that the running warp arrives at a synchronization point.
    pub fn arrive(&mut self, at: Meeting) {
        if matches!(at, Meeting::Barrier(_)) {
            self.running.1.executed[2] += 1.0;
        }
        let Running((block, _), clock) = self.running;
        let chain = clock.now();
        let joined = self.meetings.entry((block, at)).or_default();
        if chain.is_longer(joined) {
            *joined = chain;
        }
    }

    /// Records that a warp of the running block leaves a synchronization point.
    pub fn meet(&mut self, warp: u32, at: Meeting) {
        let block = self.running.0.0;
        let Some(&chain) = self.meetings.get(&(block, at)) else { return };
        if self.running.0 == (block, warp) {
            self.running.1.join(chain);
        } else if let Some(clock) = self.warps.get_mut(&(block, warp)) {
            clock.join(chain);
        }
    }

    fn note(&mut self, block: u64, chain: WaitChain) {
        if chain.is_longer(&self.longest) {
            self.longest = chain;
        }
        if let Some(of_block) = self.blocks.get_mut(&block)
            && chain.is_longer(of_block)
        {
            *of_block = chain;
        }
    }

    /// The longest chain of a grid of `total` blocks. If only some blocks ran, assumes that the chain continues to grow
    /// per block as it did in the later half of the blocks that ended.
    pub fn longest(&self, total: u64) -> WaitChain {
        let quarter = self.ends.len() / 4;
        if self.started >= total || quarter == 0 {
            return self.longest;
        }
        let late = &self.ends[self.ends.len() - 2 * quarter..];
        let [first, last] = [0, 1].map(|at| WaitChain::mean(&late[at * quarter..][..quarter]));
        let end = self.ends.len() as f64 - 0.5 * quarter as f64;
        last.grown(&first, (total as f64 - end) / quarter as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(clocks: &mut ChainClocks, block: u64, instructions: usize) {
        (0..instructions).for_each(|_| clocks.execute((block, 0), ChainStep::Plain));
    }

    /// Runs `count` blocks. Each block waits for the word of the previous one.
    fn chained(count: u64) -> ChainClocks {
        let mut clocks = ChainClocks::default();
        for block in 0..count {
            run(&mut clocks, block, 10);
            if block > 0 {
                clocks.observe(block - 1);
            }
            run(&mut clocks, block, 4);
            clocks.execute((block, 0), ChainStep::Fence);
            clocks.publish(block);
            clocks.end(block);
        }
        clocks
    }

    #[test]
    fn a_chained_scan_has_a_link_per_block() {
        let whole = chained(100).longest(100);
        assert_eq!((whole.links, whole.instructions, whole.fences), (99.0, 510.0, 100.0));
        let part = chained(100).longest(1000);
        assert!((part.links / 999.0 - 1.0).abs() < 0.02, "{part:?}");
        assert!((part.instructions / 5010.0 - 1.0).abs() < 0.02, "{part:?}");
    }

    #[test]
    fn a_barrier_of_the_grid_is_one_link() {
        let mut clocks = ChainClocks::default();
        for barrier in 1..=3 {
            for block in 0..64 {
                run(&mut clocks, block, 5);
                clocks.publish(7);
            }
            // Every block polls several times.
            for poll in 0..192 {
                run(&mut clocks, poll % 64, 1);
                clocks.observe(7);
            }
            assert_eq!(clocks.longest(64).links, f64::from(barrier));
        }
        assert!(!clocks.has_seen_enough(64));
        (0..64).for_each(|block| clocks.end(block));
        assert!(clocks.has_seen_enough(64) && !clocks.has_seen_enough(640));
    }

    #[test]
    fn a_value_passes_between_warps_only_where_they_meet() {
        let mut clocks = ChainClocks::default();
        let links = |meets: bool, clocks: &mut ChainClocks| {
            clocks.execute((0, 0), ChainStep::Plain);
            clocks.publish(1);
            clocks.execute((1, 0), ChainStep::Plain);
            clocks.observe(1);
            clocks.arrive(Meeting::Barrier(0));
            clocks.execute((1, 1), ChainStep::Plain);
            clocks.arrive(Meeting::Barrier(0));
            if meets {
                (0..2).for_each(|warp| clocks.meet(warp, Meeting::Barrier(0)));
            }
            clocks.publish(2);
            clocks.execute((2, 0), ChainStep::Plain);
            clocks.observe(2);
            clocks.longest(3).links
        };
        assert_eq!(links(false, &mut clocks), 1.0);
        assert_eq!(links(true, &mut clocks), 2.0);
    }

    #[test]
    fn a_block_does_not_wait_for_itself_and_tickets_are_no_chain() {
        let mut clocks = ChainClocks::default();
        for block in 0..8 {
            run(&mut clocks, block, 1);
            clocks.publish(1);
        }
        clocks.observe(1);
        assert_eq!(clocks.longest(8).links, 0.0);
    }
}
