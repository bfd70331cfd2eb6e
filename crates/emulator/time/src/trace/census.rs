//! Counts the instructions of blocks spread over the grid, in case the traced blocks are not representative.

use crate::clock::ComputeLimit;
use lanework_engine::event::{Place, Wants};
use lanework_engine::observer::Observer;
use std::collections::HashMap;

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

/// Counts the instructions of the blocks that run, for a limited time.
pub struct Census {
    limit: ComputeLimit,
    /// The counted blocks, in the order of their first instructions.
    pub blocks: Vec<BlockWork>,
    places: HashMap<u64, usize>,
    current: usize,
}

impl Census {
    /// Creates a count that stops at a limit.
    pub fn new(limit: ComputeLimit) -> Census {
        Census { limit, blocks: Vec::new(), places: HashMap::new(), current: 0 }
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

    /// Notes that the current block has ended, unless the time limit has stopped it.
    fn end(&mut self) {
        let stopped = self.stops();
        if let Some(block) = self.blocks.get_mut(self.current) {
            block.ended = !stopped;
        }
    }
}

impl Observer for Census {
    fn fork(&self) -> Self {
        Census::new(self.limit.fork())
    }

    fn merge(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    fn wants(&self) -> Wants {
        Wants::INSTRUCTIONS | Wants::PASSES | Wants::EDGES
    }

    fn time_slice(&self) -> u64 {
        1 << 14
    }

    fn stops(&self) -> bool {
        self.limit.is_over()
    }

    fn instruction(&mut self, place: Place, _: u32) {
        self.enter(place.block);
        self.blocks[self.current].instructions += 1;
    }

    fn cluster_end(&mut self) {
        self.end();
    }

    fn block_end(&mut self, _: u32) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn place(block: u64) -> Place {
        Place { block, warp: 0, instruction: 0 }
    }

    #[test]
    fn blocks_that_take_turns_are_counted_apart() {
        let mut census = Census::new(ComputeLimit::of_thread(Duration::from_secs(3600)));
        for block in [3, 5, 3] {
            census.instruction(place(block), 1);
        }
        census.cluster_end();
        let work = |block, instructions, ended| BlockWork { block, instructions, ended };
        assert_eq!(census.blocks, [work(3, 2, true), work(5, 1, false)]);
    }

    #[test]
    fn a_block_that_the_limit_stops_has_not_ended() {
        let mut census = Census::new(ComputeLimit::of_thread(Duration::from_nanos(1)));
        census.instruction(place(0), 1);
        while !census.stops() {}
        census.cluster_end();
        assert!(census.stops() && !census.blocks[0].ended);
    }
}
