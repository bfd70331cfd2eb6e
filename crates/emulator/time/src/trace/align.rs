//! Aligns the recorded parts of the warps of a block.
//!
//! A limit on recorded steps stops the recording of each warp at another point of the block's work: a warp that only starts
//! copies needs few steps for a tile, and those that multiply the tile need many. Without their arrivals, the first warp would
//! seem to wait for nothing. So each warp is recorded up to its first wait for an arrival that is not recorded: the recorded
//! parts are then a consistent cut in the sense of Mattern ("Virtual time and global states of distributed systems", 1989),
//! without effects whose causes are missing.

use crate::trace::{BlockTrace, NONE};

/// Shortens the recorded parts. `incomplete` tells, by token, whether an arrival at it was not recorded.
pub fn align(block: &mut BlockTrace, incomplete: &mut [bool]) {
    let mut changed = true;
    while changed {
        changed = false;
        for warp in &mut block.warps {
            let lacks =
                warp.waits.iter().find(|sync| sync.waits && incomplete[sync.token as usize]);
            let Some(step) = lacks.map(|sync| sync.step) else { continue };
            changed = true;
            warp.steps.truncate(step as usize);
            let waits = warp.waits.partition_point(|sync| sync.step < step);
            let traffic = warp.traffic.partition_point(|record| record.step < step);
            let arrivals = warp.waits.drain(waits..).filter(|sync| sync.arrives);
            let copies = warp.traffic.drain(traffic..).map(|record| record.token);
            let tokens = arrivals.map(|sync| sync.token).chain(copies);
            for token in tokens.filter(|&token| token != NONE) {
                let count = &mut block.tokens[token as usize];
                *count = count.saturating_sub(1);
                incomplete[token as usize] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{SyncStep, TraceStep, WarpTrace};

    fn warp(recorded: u32, waits: Vec<SyncStep>) -> WarpTrace {
        let steps = (0..recorded).map(|run| TraceStep { run, mask: u32::MAX }).collect();
        WarpTrace { steps, waits, traffic: Vec::new(), instructions: 1000 }
    }

    fn arrives(step: u32, token: u32) -> SyncStep {
        SyncStep { step, token, arrives: true, waits: false }
    }

    fn waits(step: u32, token: u32) -> SyncStep {
        SyncStep { step, token, arrives: false, waits: true }
    }

    #[test]
    fn warps_end_at_the_first_wait_for_an_arrival_that_is_not_recorded() {
        // Tile t is full with token 2 t and empty with token 2 t + 1. The recording of the warp that multiplies ends in tile 1.
        let copies = vec![
            arrives(0, 0),
            arrives(3, 2),
            waits(5, 1),
            arrives(6, 4),
            waits(8, 3),
            arrives(9, 6),
        ];
        let products = vec![waits(2, 0), arrives(40, 1), waits(41, 2)];
        let mut block = BlockTrace {
            warps: vec![warp(12, copies), warp(60, products)],
            tokens: vec![1, 1, 1, 0, 1, 0, 1, 0],
            ..BlockTrace::default()
        };
        let mut incomplete = [false, false, false, true, false, true, false, true];
        align(&mut block, &mut incomplete);
        assert_eq!(block.warps[0].steps.len(), 8, "up to the wait for token 3");
        assert_eq!(block.warps[0].waits.len(), 4);
        assert_eq!(block.warps[1].steps.len(), 60);
        assert_eq!(block.tokens, [1, 1, 1, 0, 1, 0, 0, 0]);
        assert_eq!(block.executed(), 2000);
    }

    #[test]
    fn a_cut_of_one_warp_cuts_those_that_wait_for_it() {
        let meet = |step, token| SyncStep { step, token, arrives: true, waits: true };
        let mut block = BlockTrace {
            warps: vec![
                warp(5, Vec::new()),
                warp(20, vec![meet(10, 0), arrives(15, 1)]),
                warp(20, vec![waits(3, 1)]),
            ],
            tokens: vec![1, 1],
            ..BlockTrace::default()
        };
        align(&mut block, &mut [true, false]);
        let recorded = block.warps.iter().map(|warp| warp.steps.len());
        assert_eq!(recorded.collect::<Vec<_>>(), [5, 10, 3]);
        assert_eq!(block.tokens, [0, 0]);
    }
}
