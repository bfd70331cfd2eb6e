//! Accesses judged lane by lane: the form in which everything can be said.

use super::checker::Checker;
use super::findings::verb;
use super::order::{self, Tag};
use super::report::ReportKind;
use super::shadow::{Access, Conflict};
use crate::engine::context::Site;
use crate::engine::event::AccessKind;
use crate::engine::lanes::fetch_cold;
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::window::{LOCAL_WINDOW, WINDOW};

/// One warp's access while it is judged.
pub struct Judged<'a> {
    /// The warp.
    pub warp: &'a Warp,
    /// The memory instruction.
    pub site: &'a Site,
    /// Its number in the kernel.
    pub instruction: u32,
    /// Bytes of each lane.
    pub bytes: u64,
    /// The tag of lane 0.
    pub tag: Tag,
    /// The lanes that access this space.
    pub mask: u32,
}

/// Lanes that read one address after the other: two of them stand for all, for who writes there later
/// can be one of the two at most.
#[derive(Default)]
struct Same {
    address: u64,
    times: u32,
}

impl Same {
    /// Whether two lanes in a row had this address before.
    #[inline(always)]
    fn again(&mut self, address: u64) -> bool {
        if self.times == 0 || self.address != address {
            (self.address, self.times) = (address, 0);
        }
        self.times += 1;
        self.times > 2
    }
}

/// The lanes of a mask, lowest first.
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        (rest != 0).then(|| {
            rest &= rest - 1;
            lane
        })
    })
}

impl Checker {
    pub(super) fn global(&mut self, judged: &Judged<'_>, at: &[u64; 32], shared_by_blocks: bool) {
        let Judged { warp, site, bytes, .. } = *judged;
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let races = shared_by_blocks && self.wants(ReportKind::Race);
        let strong = site.order.strong.is_some() && self.follows_flags && shared_by_blocks;
        let mut same = Same::default();
        for lane in lanes_of(judged.mask) {
            let address = at[lane];
            if !writes && !strong && same.again(address) {
                continue;
            }
            // A bad address is the engine's to report.
            if address & (bytes - 1) != 0 {
                continue;
            }
            let Some(index) = self.area_of(judged.instruction, address) else { continue };
            let area = &self.areas[index];
            let offset = address - area.start;
            if bytes > area.bytes - offset {
                continue;
            }
            let (who, of_heap) = ((warp.index, lane as u32, judged.instruction), area.plain == 0);
            if writes && area.constant {
                self.constant(judged, lane, address);
                continue;
            }
            if of_heap && !self.heap_holds(who, verb(site.kind), address, bytes) {
                continue;
            }
            if strong && reads {
                self.order.acquire(warp.index as usize, (false, address));
            }
            let area = &self.areas[index];
            if let Some(written) = &area.written {
                let mut unwritten = reads && !written.has(offset, bytes);
                if unwritten && self.carries(judged.instruction) {
                    // Of a struct, its padding comes along.
                    unwritten = (0..bytes).all(|byte| !written.has(offset + byte, 1));
                }
                if writes {
                    written.set(offset, bytes);
                }
                if unwritten && self.wants(ReportKind::Uninitialized) {
                    // SAFETY: the launch holds the memory's lock while blocks run.
                    let near = unsafe { &*self.memory }.nearest(address, bytes);
                    self.unwritten(judged, lane, "global", address, near);
                }
            }
            if races {
                self.race(judged, lane, Some(index), offset);
            }
            if strong && writes {
                let explicit = site.order.release.then_some(site.order.strong).flatten();
                let atomic = site.kind == AccessKind::Atomic;
                self.order.release(warp.index as usize, (false, address), explicit, atomic);
            }
        }
    }

    pub(super) fn shared(&mut self, judged: &Judged<'_>, at: &[u64; 32]) {
        let Judged { warp, site, bytes, .. } = *judged;
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let races = self.wants(ReportKind::Race);
        let initial = self.wants(ReportKind::Uninitialized);
        let strong = site.order.strong.is_some() && self.follows_flags;
        let mut hint = 0;
        let mut same = Same::default();
        let far = self.far(judged, at);
        for lane in lanes_of(judged.mask & !far) {
            let offset = at[lane];
            let flag = (true, offset | u64::from(self.shared_rank) << 32);
            if !writes && !strong && same.again(offset) {
                continue;
            }
            if offset & (bytes - 1) != 0
                || offset >= self.shared.bytes
                || bytes > self.shared.bytes - offset
            {
                continue;
            }
            if !self.shared_names.holds(offset, bytes, &mut hint) {
                let near = self.shared_names.nearest(offset, bytes);
                self.outside(judged, lane, "shared", offset, near);
                continue;
            }
            if strong && reads {
                self.order.acquire(warp.index as usize, flag);
            }
            if reads && initial && !self.shared_written.has(offset, bytes) {
                let near = self.shared_names.nearest(offset, bytes);
                self.unwritten(judged, lane, "shared", offset, near);
            }
            if writes {
                self.shared_written.set(offset, bytes);
            }
            if races {
                self.race(judged, lane, None, offset);
            }
            if strong && writes {
                let explicit = site.order.release.then_some(site.order.strong).flatten();
                let atomic = site.kind == AccessKind::Atomic;
                self.order.release(warp.index as usize, flag, explicit, atomic);
            }
        }
    }

    pub(super) fn local(&mut self, judged: &Judged<'_>, at: &[u64; 32]) {
        let Judged { warp, site, bytes, .. } = *judged;
        let mut hint = 0;
        for lane in lanes_of(judged.mask) {
            // Parameters of functions lie in local memory and may be named by window.
            let offset = if at[lane].wrapping_sub(LOCAL_WINDOW) < WINDOW {
                at[lane] - LOCAL_WINDOW
            } else {
                at[lane]
            };
            if offset & (bytes - 1) != 0
                || offset >= self.local_bytes
                || bytes > self.local_bytes - offset
            {
                continue;
            }
            if !self.local_names.holds(offset, bytes, &mut hint) {
                let near = self.local_names.nearest(offset, bytes);
                self.outside(judged, lane, "local", offset, near);
                continue;
            }
            let thread = self.slot(warp.index) as u64 * 32 + lane as u64;
            let place = thread * self.local_bytes + offset;
            if site.kind != AccessKind::Load {
                self.local_written.set(place, bytes);
            } else if self.wants(ReportKind::Uninitialized)
                && self.unwritten_local(site, place, bytes)
            {
                let near = self.local_names.nearest(offset, bytes);
                self.unwritten(judged, lane, "local", offset, near);
            }
        }
    }

    /// Whether a load from local memory gives something unwritten that is looked at.
    fn unwritten_local(&self, site: &Site, place: u64, bytes: u64) -> bool {
        let element = bytes / u64::from(site.count.max(1));
        (0..u64::from(site.count)).any(|i| {
            let copied = site.order.copies >> i & 1 != 0;
            !copied && !self.local_written.has(place + i * element, element)
        })
    }

    /// Judges the cells of one lane's access; `area` is one of global memory, or none for shared.
    #[inline(always)]
    pub(super) fn race(
        &mut self,
        judged: &Judged<'_>,
        lane: usize,
        area: Option<usize>,
        offset: u64,
    ) {
        let (cells, host, base) = match area {
            Some(index) => {
                let area = &mut self.areas[index];
                (&mut area.cells, area.host, 1)
            }
            None => (&mut self.shared_cells, self.shared.host.cast_const(), self.order.base()),
        };
        let tag = order::with_lane(judged.tag, lane as u32);
        let now = Access { tag, warp: judged.warp.index, lane: lane as u32, base };
        let (grain, order) = (cells.grain(), &mut self.order);
        let mut at = offset & !(grain - 1);
        let mut found = None;
        while at < offset + judged.bytes {
            let conflict = cells.change(at, |cell| {
                if let Some(copy) = cell.pending(base)
                    && copy & tag & order::STRONG == 0
                {
                    return Some(Conflict { with: copy, wrote: true });
                }
                if judged.site.kind == AccessKind::Load {
                    return cell.read(order, &now);
                }
                let skip = at.saturating_sub(offset);
                let held = host.wrapping_add(at as usize);
                cell.write(order, &now, |former| differs(judged, lane, former, skip, grain, held))
            });
            found = found.or(conflict.map(|conflict| (conflict, at)));
            at += grain;
        }
        if let Some((conflict, at)) = found {
            self.conflict(judged, lane, area, at.max(offset), conflict);
        }
    }

    /// A stretch of bytes that a copy of one lane reads or writes, judged like an access; in global
    /// memory by address, in shared by offset.
    pub(super) fn stretch(
        &mut self,
        warp: &Warp,
        (lane, instruction): (u32, u32),
        site: &Site,
        at: u64,
        bytes: u64,
    ) {
        let mut tag = order::tag(self.order.segment_of(warp.index), instruction);
        if site.order.strong.is_some() {
            tag |= order::STRONG | order::WIDE_SCOPE;
        }
        let judged = Judged { warp, site, instruction, bytes, tag, mask: 1 << lane };
        let (area, offset) = match site.space {
            MemorySpace::Shared => (None, at),
            _ => match self.area_of(instruction, at) {
                Some(index) => (Some(index), at - self.areas[index].start),
                None => return,
            },
        };
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let written = match area {
            Some(index) => self.areas[index].written.as_deref(),
            None => Some(&self.shared_written),
        };
        let unwritten = reads && written.is_some_and(|written| !written.has(offset, bytes));
        if let Some(written) = written.filter(|_| writes) {
            written.set(offset, bytes);
        }
        if unwritten && self.wants(ReportKind::Uninitialized) {
            let near = match area {
                // SAFETY: the launch holds the memory's lock while blocks run.
                Some(_) => unsafe { &*self.memory }.nearest(at, bytes),
                None => self.shared_names.nearest(at, bytes),
            };
            let space = if area.is_some() { "global" } else { "shared" };
            self.unwritten(&judged, lane as usize, space, at, near);
        }
        if self.wants(ReportKind::Race) {
            self.race(&judged, lane as usize, area, offset);
        }
    }
}

/// Whether a write leaves another value than the write of `former` did: compared with what memory
/// holds, and with what that lane writes in the same instruction.
#[cold]
fn differs(
    judged: &Judged<'_>,
    lane: usize,
    former: Tag,
    skip: u64,
    grain: u64,
    memory: *const u8,
) -> bool {
    if judged.site.kind != AccessKind::Store {
        return true;
    }
    let element = u64::from(judged.site.bytes);
    let value_of = |lane: usize, at: u64| -> Option<u8> {
        let slot = (*judged.site.data.get((at / element) as usize)?)?;
        // SAFETY: the assembler gave a slot of this register file.
        let word = unsafe { fetch_cold::<u64>(judged.warp, slot) }.0[lane];
        word.to_le_bytes().get((at % element) as usize).copied()
    };
    let count = grain.min(judged.bytes);
    let same_as = |of: &dyn Fn(u64) -> Option<u8>| {
        (0..count).all(|i| {
            let mine = value_of(lane, skip + i);
            mine.is_some() && mine == of(i)
        })
    };
    // SAFETY: the cell lies inside the region that the access was checked against.
    let held = |i: u64| Some(unsafe { memory.add(i as usize).read() });
    if same_as(&held) {
        return false;
    }
    let together = order::instruction(former) == judged.instruction
        && order::segment(former) == order::segment(judged.tag);
    let other = order::lane(former) as usize;
    !(together && same_as(&|i| value_of(other, skip + i)))
}
