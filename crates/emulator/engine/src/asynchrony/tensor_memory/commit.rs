//! `tcgen05.commit`: mbarriers that are told when what a thread has issued is done.

use super::super::plan::Plan;
use super::super::shared::{everywhere, lanes, raw, shared, shared_addresses, words};
use super::issue::issue;
use super::queue::{Arrival, What};
use crate::asynchrony::mbarrier::Mbarrier;
use crate::fault::{FaultKind, RawFault};
use crate::hook::Wants;
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::asynchrony::AddressOperand;

/// Checks the mbarriers of each executing lane, and queues their arrivals.
///
/// # Safety
/// The plan's slots are registers of the warp, whose context is live.
pub unsafe fn commit(
    op: &Op,
    warp: &mut Warp,
    plan: &Plan,
    barrier: AddressOperand,
    multicast: bool,
) -> Result<bool, RawFault> {
    // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots lie in it; `host` checks
    // every place before it is accessed.
    unsafe {
        let address = shared_addresses(warp, plan.src[0], barrier);
        let mask = words(warp, plan, 1);
        for lane in lanes(warp.mask) {
            let i = lane as usize;
            let at = address.0[i];
            let targets: Vec<u64> = match multicast {
                true => everywhere(at, mask.0[i]).collect(),
                false => vec![at],
            };
            let mut arrivals = Vec::new();
            for at in targets {
                let place = shared(warp, lane, at, 8, 8, "mbarrier")?;
                if Mbarrier::from_bits(place.host.cast::<u64>().read()).is_none() {
                    let note = format!(
                        "mbarrier at shared address {at:#x}: it is not initialised; run `mbarrier.init` and a barrier first"
                    );
                    let place = (MemorySpace::Shared, at, 8);
                    return Err(raw(FaultKind::NoMbarrier, lane, place, note));
                }
                let arrival = Arrival { host: place.host, rank: place.rank, offset: place.offset };
                arrivals.push(arrival);
            }
            let instruction = (*warp.context).place(warp, op).instruction;
            if let Some(instrument) = (*warp.context).instrument(Wants::COPIES) {
                let of: Vec<(u32, u64)> = arrivals.iter().map(|a| (a.rank, a.offset)).collect();
                instrument.tensor_commit(warp, (lane, instruction), &of);
            }
            issue(op, warp, lane, What::Commit(arrivals), Vec::new());
        }
        Ok(true)
    }
}
