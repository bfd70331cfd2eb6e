//! What the instructions that work beside the warps share: the blocks they are for, their place in the queue, and
//! what the instrument is told of their reads.

use super::super::shared::owner;
use super::operands::SharedRows;
use super::pair::{cluster, pair_of};
use super::queue::{What, Work};
use crate::fault::RawFault;
use crate::hook::Wants;
use crate::machine::{Op, Warp};
use std::ops::Range;

/// The blocks that an instruction of one thread is for.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn ranks(warp: &Warp, lane: u32, pair: bool) -> Result<Vec<usize>, RawFault> {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        match pair {
            true => pair_of(warp, lane).map(Vec::from),
            false => Ok(vec![(*warp.context).rank as usize]),
        }
    }
}

/// Puts something in the queue.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn issue(op: &Op, warp: &Warp, lane: u32, what: What, columns: Vec<Range<u32>>) {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        let place = (*warp.context).place(warp, op);
        let cluster = cluster(warp);
        cluster.changes += 1;
        cluster.tensor_work.push(Work { what, columns, owner: owner(warp, lane), place });
    }
}

/// Tells the instrument which chunks of its block's shared memory a thread's instruction reads by the asynchronous
/// proxy.
///
/// # Safety
/// The warp's context is live.
pub unsafe fn tell_reads(
    op: &Op,
    warp: &Warp,
    lane: u32,
    ranks: &[usize],
    rows: &[(SharedRows, Range<usize>)],
) {
    // SAFETY: the context and its cluster outlive the warp's run, as this function requires.
    unsafe {
        let instruction = (*warp.context).place(warp, op).instruction;
        let regions = &cluster(warp).shared;
        let Some(instrument) = (*warp.context).instrument(Wants::COPIES) else { return };
        for rank in ranks {
            let chunks: Vec<u64> =
                rows.iter().flat_map(|(of, rows)| of.chunks(rows.clone())).collect();
            // What lies outside is a fault of the instruction itself.
            let inside = chunks.iter().all(|at| at + 16 <= regions[*rank].bytes);
            if inside {
                instrument.tensor_reads(warp, (lane, instruction), *rank as u32, &chunks);
            }
        }
    }
}
