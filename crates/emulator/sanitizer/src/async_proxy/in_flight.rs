//! Global memory that copies in flight read: no store may change it before they are done.
//!
//! Shadow memory knows a copy's read as one of the thread that started it, which that thread's own stores
//! come after, and those of others that a barrier orders; that the copy may read later still is only known
//! here. Few kernels store while copies are in flight, so that a list does.

use super::super::access::check::AccessCheck;
use super::super::access::reference::lanes_of;
use super::super::kinds::ReportKind;
use super::super::position::{Actor, LaneAt};
use super::super::reports::{Finding, place};
use lanework_engine::event::{Space, generic_space};
use lanework_engine::machine::Warp;
use lanework_engine::site::Site;
use lanework_ptx_ir::kernel::MemorySpace;

/// Global memory that a copy is reading.
#[derive(Clone, Copy, Debug)]
pub struct GlobalSource {
    /// Where it starts.
    pub address: u64,
    /// How long it is.
    pub bytes: u64,
    /// Who started the copy.
    pub by: Actor,
}

impl GlobalSource {
    /// Whether an access of some bytes touches it.
    pub fn touches(&self, address: u64, bytes: u64) -> bool {
        address < self.address.saturating_add(self.bytes)
            && self.address < address.saturating_add(bytes)
    }
}

/// The lanes of a warp's store that go to global memory, each by its number and its address.
fn global_lanes<'a>(
    warp: &Warp,
    site: &Site,
    at: &'a [u64; 32],
) -> impl Iterator<Item = (usize, u64)> + 'a {
    let generic = site.space == MemorySpace::Generic;
    let global = generic || site.space == MemorySpace::Global;
    let lanes = lanes_of(if global { warp.mask } else { 0 });
    lanes
        .map(|lane| (lane, at[lane]))
        .filter(move |(_, at)| !generic || generic_space(*at) == Space::Global)
}

/// Reports a store to what one of these copies is reading.
pub fn check_store(
    access: &mut AccessCheck,
    warp: &Warp,
    instruction: u32,
    site: &Site,
    at: &[u64; 32],
    sources: impl Iterator<Item = GlobalSource>,
) {
    let bytes = u64::from(site.bytes) * u64::from(site.count);
    let places = || global_lanes(warp, site, at).map(|(_, at)| at);
    let (Some(low), Some(high)) = (places().min(), places().max()) else { return };
    let span = (high - low).saturating_add(bytes);
    for source in sources.filter(|source| source.touches(low, span)) {
        let mut hits = global_lanes(warp, site, at);
        let Some((lane, address)) = hits.find(|(_, at)| source.touches(*at, bytes)) else {
            continue;
        };
        let who = LaneAt { warp: warp.index, lane: lane as u32, instruction };
        let (who, prior) = (access.position.actor(who), source.by);
        let same = (prior.block, prior.thread) == (who.block, who.thread);
        let bounds = &access.bounds;
        return access.reports.add(ReportKind::AsyncOrder, who, Some(prior), |_| {
            let near = bounds.nearest_global(address, bytes);
            let at = place(near.as_ref(), address);
            let whose = if same { "this thread" } else { "another thread" };
            Finding {
                message: format!(
                    "global write of {bytes} bytes at {at} while an asynchronous copy of {whose} may still be reading them"
                ),
                help: "wait for the copy first (for its group, or for the phase of its mbarrier), then at a barrier if other threads made it",
                address: Some(address),
                size: bytes,
                allocation: near,
            }
        });
    }
}
