//! The instructions of the blocks of a grid, estimated from some of them. A counted block stands for the blocks up to
//! halfway to the next counted one.
//!
//! Blocks are counted where the count changes: halfway between the two neighbors that contribute most to the uncertainty. So
//! the border between blocks with and without work is found after a few counts.

use serde::{Deserialize, Serialize};

/// Counted blocks of a grid, ordered by block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridWork {
    /// Blocks in the grid.
    pub total: u64,
    /// The block and its number of instructions.
    pub counted: Vec<(u64, u64)>,
}

/// Blocks that execute far more instructions than the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeavyBlocks {
    /// The index of one of them among the traced blocks.
    pub traced: usize,
    /// Minimum number of instructions of such a block.
    pub instructions: u64,
    /// Number of such blocks.
    pub count: f64,
}

impl GridWork {
    /// The work of a grid of `total` blocks. Some of them are counted.
    pub fn new(total: u64, mut counted: Vec<(u64, u64)>) -> GridWork {
        counted.sort_unstable();
        counted.dedup_by_key(|(block, _)| *block);
        GridWork { total, counted }
    }

    /// Adds a counted block.
    pub fn add(&mut self, block: u64, instructions: u64) {
        if let Err(at) = self.counted.binary_search_by_key(&block, |(block, _)| *block) {
            self.counted.insert(at, (block, instructions));
        }
    }

    /// The number of instructions of each counted block, and the number of blocks that it stands for.
    pub fn weighted(&self) -> impl Iterator<Item = (f64, f64)> {
        let borders = (0..=self.counted.len()).map(|at| match at {
            0 => 0.0,
            at if at == self.counted.len() => self.total as f64,
            at => (self.counted[at - 1].0 + self.counted[at].0 + 1) as f64 / 2.0,
        });
        let next = borders.clone().skip(1);
        let widths = borders.zip(next).map(|(from, to)| to - from);
        self.counted.iter().zip(widths).map(|((_, count), width)| (*count as f64, width))
    }

    /// Mean instructions of the blocks with fewer than `limit`; 0 without such blocks.
    pub fn mean_below(&self, limit: u64) -> f64 {
        let of = self.weighted().filter(|(count, _)| *count < limit as f64);
        let (sum, blocks) = of.fold((0.0, 0.0), |(sum, blocks), (count, width)| {
            (sum + count * width, blocks + width)
        });
        if blocks > 0.0 { sum / blocks } else { 0.0 }
    }

    /// Number of blocks with at least `limit` instructions.
    pub fn blocks_from(&self, limit: u64) -> f64 {
        self.weighted().filter(|(count, _)| *count >= limit as f64).map(|(_, width)| width).sum()
    }

    /// Standard error of the mean number of instructions, relative to the mean. Between two counted neighbors, the count is
    /// assumed to change at a random place.
    pub fn spread(&self) -> f64 {
        let variance: f64 = self
            .counted
            .windows(2)
            .map(|pair| {
                let between = (pair[1].0 - pair[0].0 - 1) as f64;
                let change = pair[1].1.abs_diff(pair[0].1) as f64;
                between * between * change * change / 12.0
            })
            .sum();
        variance.sqrt() / (self.mean_below(u64::MAX) * self.total as f64).max(1.0)
    }

    /// The block whose count would reduce the uncertainty most; `None` if the counts are equal or every block is counted.
    pub fn next(&self) -> Option<u64> {
        let uncertain = |pair: &[(u64, u64)]| {
            (pair[1].0 - pair[0].0 - 1) as f64 * pair[1].1.abs_diff(pair[0].1) as f64
        };
        let most = self
            .counted
            .windows(2)
            .filter(|pair| uncertain(pair) > 0.0)
            .max_by(|a, b| uncertain(a).total_cmp(&uncertain(b)))?;
        Some(most[0].0 + (most[1].0 - most[0].0) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_between_blocks_with_and_without_work_is_found() {
        let count = |block: u64| if block < 391 { 1000 } else { 10 };
        let mut work =
            GridWork::new(100_096, [0, 25_024, 100_095].map(|at| (at, count(at))).into());
        assert!(work.spread() > 0.5);
        for _ in 0..20 {
            let Some(next) = work.next() else { break };
            work.add(next, count(next));
        }
        let exact = (391.0 * 1000.0 + 99_705.0 * 10.0) / 100_096.0;
        assert!((work.mean_below(u64::MAX) / exact - 1.0).abs() < 0.01, "{work:?}");
        assert!((work.blocks_from(100) - 391.0).abs() < 2.0);
        assert!(work.spread() < 0.01 && (work.mean_below(100) - 10.0).abs() < 1e-9);
    }

    #[test]
    fn equal_blocks_need_no_further_counts() {
        let work = GridWork::new(64, vec![(10, 5), (50, 5)]);
        assert_eq!((work.next(), work.spread(), work.mean_below(u64::MAX)), (None, 0.0, 5.0));
    }
}
