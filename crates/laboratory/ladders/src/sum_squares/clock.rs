//! The run time of a kernel by the GPU's clock, without events or the host.

use lanework::prelude::*;

/// The duration of a launch, in cycles.
///
/// Each block reads the cycle counter of its multiprocessor (`%clock64`) before and after its work.
/// Within one block the difference is a time. Between blocks it need not be: the counters of
/// different multiprocessors are not synchronized, and on an H200 they differed by two billion
/// cycles. So `longest` is the reliable figure, and where all blocks run concurrently, as in
/// every rung here, it is the kernel's time without the launch overhead. `span` is meaningful on
/// GPUs with synchronized counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// The latest end minus the earliest start over all blocks: a time only where the counters are
    /// synchronized.
    pub span: u64,
    /// The most cycles between the start and the end of one block.
    pub longest: u64,
}

impl Cycles {
    /// The cycles from the start and end of each block, pair after pair.
    pub fn of(clocks: &[u64]) -> Cycles {
        let (blocks, _) = clocks.as_chunks::<2>();
        let start = blocks.iter().map(|[start, _]| *start).min().unwrap_or(0);
        let end = blocks.iter().map(|[_, end]| *end).max().unwrap_or(0);
        let longest = blocks.iter().map(|[start, end]| end.wrapping_sub(*start)).max();
        Cycles { span: end.wrapping_sub(start), longest: longest.unwrap_or(0) }
    }
}

/// Stores this block's start time and, after a barrier, its end time.
#[device]
pub fn note_time(clocks: &mut [u64], began: u64) {
    sync_threads();
    if thread_idx.x == 0 {
        clocks[2 * block_idx.x] = began;
        clocks[2 * block_idx.x + 1] = clock64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_span_covers_all_blocks_and_the_longest_is_one_of_them() {
        assert_eq!(Cycles::of(&[100, 150, 90, 120, 130, 170]), Cycles { span: 80, longest: 50 });
        assert_eq!(Cycles::of(&[]), Cycles::default());
    }
}
