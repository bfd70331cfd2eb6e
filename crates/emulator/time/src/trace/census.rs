//! Counts the instructions of blocks spread over the grid, in case the traced blocks are not representative, and those of
//! the warps of a block that is too long for a trace.

use crate::trace::Runs;
use lanework_engine::event::{Place, Wants};
use lanework_engine::observer::Observer;
use std::collections::HashMap;
use std::sync::Arc;

/// The instructions of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockWork {
    /// Linear index in the grid.
    pub block: u64,
    /// Instructions of all its warps.
    pub instructions: u64,
    /// Whether it ran to its end.
    pub ended: bool,
}

/// Counts the instructions of the blocks that run, up to a limit on their work.
pub struct Census {
    runs: Arc<Runs>,
    limit: u64,
    /// The work so far, as of [`Bounds`](crate::trace::recorder::Bounds).
    pub work: u64,
    /// The counted blocks, in the order of their first instructions.
    pub blocks: Vec<BlockWork>,
    places: HashMap<u64, usize>,
    current: usize,
}

impl Census {
    /// Creates a count that stops at a limit on the work.
    pub fn new(runs: Arc<Runs>, limit: u64) -> Census {
        let (blocks, places) = (Vec::new(), HashMap::new());
        Census { runs, limit, work: 0, blocks, places, current: 0 }
    }

    fn enter(&mut self, block: u64) {
        if self.blocks.get(self.current).is_some_and(|known| known.block == block) {
            return;
        }
        let next = self.blocks.len();
        self.current = *self.places.entry(block).or_insert(next);
        if self.current == next {
            self.blocks.push(BlockWork { block, instructions: 0, ended: false });
        }
    }

    /// Notes that the current block has ended, unless the limit has stopped it.
    fn end(&mut self) {
        let stopped = self.stops();
        if let Some(block) = self.blocks.get_mut(self.current) {
            block.ended = !stopped;
        }
    }
}

impl Observer for Census {
    fn fork(&self) -> Self {
        Census::new(self.runs.clone(), self.limit)
    }

    fn merge(&mut self, other: Self) {
        self.work += other.work;
        self.blocks.extend(other.blocks);
    }

    fn wants(&self) -> Wants {
        let events = Wants::INSTRUCTIONS | Wants::PASSES | Wants::EDGES;
        events | Wants::ONE_WORKER | self.runs.left_out()
    }

    fn time_slice(&self) -> u64 {
        1 << 14
    }

    fn stops(&self) -> bool {
        self.work > self.limit
    }

    fn instruction(&mut self, place: Place, _: u32) {
        self.enter(place.block);
        self.blocks[self.current].instructions += 1;
        self.work += self.runs.cost(place.instruction);
    }

    fn cluster_end(&mut self) {
        self.end();
    }

    fn block_end(&mut self, _: u32) {
        self.end();
    }
}

/// Counts the instructions of the warps of one block, up to a limit on the work of all blocks that run.
pub struct WarpCensus {
    runs: Arc<Runs>,
    block: u64,
    limit: u64,
    work: u64,
    /// Instructions by warp.
    pub warps: Vec<u64>,
}

impl WarpCensus {
    /// Creates a count for a block.
    pub fn new(runs: Arc<Runs>, block: u64, limit: u64) -> WarpCensus {
        WarpCensus { runs, block, limit, work: 0, warps: Vec::new() }
    }
}

impl Observer for WarpCensus {
    fn fork(&self) -> Self {
        WarpCensus::new(self.runs.clone(), self.block, self.limit)
    }

    fn merge(&mut self, other: Self) {
        if other.work > 0 {
            *self = other;
        }
    }

    fn wants(&self) -> Wants {
        Wants::INSTRUCTIONS | Wants::PASSES | Wants::ONE_WORKER | self.runs.left_out()
    }

    fn time_slice(&self) -> u64 {
        1 << 14
    }

    fn stops(&self) -> bool {
        self.work > self.limit
    }

    fn instruction(&mut self, place: Place, _: u32) {
        self.work += self.runs.cost(place.instruction);
        if place.block == self.block {
            let warp = place.warp as usize;
            if self.warps.len() <= warp {
                self.warps.resize(warp + 1, 0);
            }
            self.warps[warp] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanework_engine::device::Device;
    use lanework_engine::launch::Options;
    use lanework_ptx::Module;
    use lanework_ptx_ir::analysis::Analyses;

    const EMPTY: &str =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n ret;\n}\n";

    fn runs() -> Arc<Runs> {
        let module = Module::parse(EMPTY).expect("valid PTX");
        let program = Device::new(Options::default()).load(&module).expect("a valid module");
        let kernel = program.kernel("k").expect("the kernel");
        Arc::new(Runs::new(kernel, &Analyses::new(kernel)))
    }

    fn place(block: u64, warp: u32) -> Place {
        Place { block, warp, instruction: 0 }
    }

    #[test]
    fn blocks_that_take_turns_are_counted_apart() {
        let mut census = Census::new(runs(), 100);
        for block in [3, 5, 3] {
            census.instruction(place(block, 0), 1);
        }
        census.cluster_end();
        let work = |block, instructions, ended| BlockWork { block, instructions, ended };
        assert_eq!(census.blocks, [work(3, 2, true), work(5, 1, false)]);
    }

    #[test]
    fn a_block_that_the_limit_stops_has_not_ended() {
        let mut census = Census::new(runs(), 1);
        census.instruction(place(0, 0), 1);
        assert!(!census.stops());
        census.instruction(place(0, 0), 1);
        census.cluster_end();
        assert!(census.stops() && !census.blocks[0].ended);
    }

    #[test]
    fn only_the_warps_of_the_wanted_block_are_counted_but_all_blocks_are_work() {
        let mut census = WarpCensus::new(runs(), 5, 3);
        for (block, warp) in [(4, 0), (5, 0), (5, 1), (5, 1)] {
            census.instruction(place(block, warp), 1);
        }
        assert_eq!(census.warps, [1, 2]);
        assert!(census.stops());
    }
}
