//! `tcgen05.cp` and `tcgen05.shift`: checked, and put in the queue.

use super::super::plan::Plan;
use super::super::shared::{lanes, words};
use super::address::Place;
use super::descriptor;
use super::issue::{issue, ranks, tell_reads};
use super::move_rows::SHIFTED;
use super::operands::SharedRows;
use super::pair::cluster;
use super::place::{check_columns, misuse};
use super::queue::What;
use super::tasks::{RowCopy, RowShift};
use crate::fault::RawFault;
use crate::lanes::fetch_cold;
use crate::machine::{Op, Warp};
use crate::slot::Lanes;
use lanework_ptx_ir::opcode::tensor_memory::{CopyLanes, TmemCopy};

/// `tcgen05.cp`.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn start_copies(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    this: TmemCopy,
) -> Result<bool, RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it; `host` checks
    // every place before it is accessed.
    unsafe {
        let addresses = words(warp, plan, 0);
        let descriptors: Lanes<u64> = fetch_cold(warp, plan.src[1]);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let ranks = ranks(warp, lane, this.pair)?;
            let to = Place::of(addresses.0[i]);
            let descriptor =
                descriptor::read(descriptors.0[i], false).map_err(|why| misuse(lane, why))?;
            let columns = this.bits / 32;
            let reach = match this.to {
                CopyLanes::Apart => 97,
                _ => 128,
            };
            for rank in &ranks {
                let memory = &cluster(warp).tensor_memory[*rank];
                check_columns(memory, lane, to, (reach, columns), "a copy from shared memory")?;
            }
            let from =
                SharedRows { descriptor, across: false, bytes: this.bits as usize / 8, element: 1 };
            tell_reads(op, warp, lane, &ranks, &[(from, 0..this.rows as usize)]);
            let uses = Vec::from_iter(std::iter::once(to.column..to.column + columns));
            let what = What::Copy(RowCopy { this, to, from, ranks });
            issue(op, warp, lane, what, uses);
        }
        Ok(true)
    }
}

/// `tcgen05.shift`.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn start_shifts(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    pair: bool,
) -> Result<bool, RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it; `host` checks
    // every place before it is accessed.
    unsafe {
        let addresses = words(warp, plan, 0);
        for lane in lanes(warp.mask) {
            let at = Place::of(addresses.0[lane as usize]);
            if !at.lane.is_multiple_of(32) {
                let note = format!(
                    "lane {} of tensor memory: a shift starts at a multiple of 32",
                    at.lane
                );
                return Err(misuse(lane, note));
            }
            let ranks = ranks(warp, lane, pair)?;
            for rank in &ranks {
                let memory = &cluster(warp).tensor_memory[*rank];
                check_columns(memory, lane, at, (32, SHIFTED), "a shift")?;
            }
            let uses = Vec::from_iter(std::iter::once(at.column..at.column + SHIFTED));
            issue(op, warp, lane, What::Shift(RowShift { at, ranks }), uses);
        }
        Ok(true)
    }
}
