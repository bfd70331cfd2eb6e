//! The per-lane reference path: each lane passes the checks of bounds, initialization and races on
//! its own.
//!
//! It can report every finding. The fast paths (`fast/`) handle only accesses without findings, and
//! leave shadow memory in the same state as this path.
//!
//! *Limit.* If consecutive lanes read one address by a weak load, only the first two are recorded:
//! a later write can come from at most one of them, so the other one still races.

use crate::access::{AccessCheck, WarpAccess};
use crate::findings::kinds::ReportKind;
use crate::findings::suppressions::SuppressionRule;
use crate::findings::verb;
use crate::races::epoch;
use crate::races::happens_before::sync_variables::SyncVariable;
use lanework_engine::asynchrony::split;
use lanework_engine::event::AccessKind;
use lanework_engine::lanes::fetch_cold;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_engine::slot::Lanes;
use lanework_ptx_ir::kernel::{MemorySpace, Scope};
use lanework_ptx_ir::memory_layout::{
    LOCAL_WINDOW, PARAMETER_WINDOW, RANK_SHIFT, SHARED_WINDOW, WINDOW,
};

/// Consecutive lanes that read one address.
#[derive(Default)]
struct RepeatedRead {
    address: u64,
    times: u32,
}

impl RepeatedRead {
    /// Whether two lanes have read this address before.
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

/// The mask of some lanes.
pub fn mask_of(lanes: impl Iterator<Item = usize>) -> u32 {
    lanes.fold(0, |mask, lane| mask | 1 << lane)
}

impl AccessCheck {
    /// Checks some lanes of a warp's access before it executes.
    pub fn by_lane(
        &mut self,
        warp: &Warp,
        instruction: u32,
        site: &AccessSite,
        at: &[u64; 32],
        mask: u32,
    ) {
        let bytes = u64::from(site.bytes) * u64::from(site.count);
        let packed = self.packed_of(warp.index, instruction, site);
        let access = WarpAccess { warp, site, instruction, bytes, packed, mask, failed: 0 };
        match site.space {
            MemorySpace::Global => self.global(&access, at, true),
            MemorySpace::Constant => self.global(&access, at, self.reports.tracks_constants()),
            MemorySpace::Shared => self.shared(&access, at),
            MemorySpace::Local => self.local(&access, at),
            MemorySpace::Parameter => {}
            MemorySpace::Generic => self.generic(&access, at),
        }
    }

    /// Checks an access by generic addresses: each lane may access another space.
    fn generic(&mut self, access: &WarpAccess<'_>, at: &[u64; 32]) {
        let within = |window: u64| {
            let inside = |lane: &usize| at[*lane].wrapping_sub(window) < WINDOW;
            mask_of(lanes_of(access.mask).filter(inside))
        };
        let [shared, local, parameter] =
            [within(SHARED_WINDOW), within(LOCAL_WINDOW), within(PARAMETER_WINDOW)];
        let global = access.mask & !(shared | local | parameter);
        if shared != 0 {
            let offsets = at.map(|at| at.wrapping_sub(SHARED_WINDOW));
            self.shared(&WarpAccess { mask: shared, ..*access }, &offsets);
        }
        if local != 0 {
            let offsets = at.map(|at| at.wrapping_sub(LOCAL_WINDOW));
            self.local(&WarpAccess { mask: local, ..*access }, &offsets);
        }
        if global != 0 {
            self.global(&WarpAccess { mask: global, ..*access }, at, true);
        }
    }

    fn global(&mut self, access: &WarpAccess<'_>, at: &[u64; 32], shared_by_blocks: bool) {
        let WarpAccess { warp, site, instruction, bytes, .. } = *access;
        let (reads, stores) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let needs_written = self.needs_written(access);
        let races = shared_by_blocks && self.reports.tracks_accesses();
        let strong = site.order.strong.is_some() && self.releases && shared_by_blocks;
        let (mut repeated, mut swaps) = (RepeatedRead::default(), CompareAndSwaps::default());
        for lane in lanes_of(access.mask) {
            let address = at[lane];
            if !stores && !strong && !self.copied.active() && repeated.again(address) {
                continue;
            }
            // The engine reports misaligned and out-of-bounds addresses.
            if address & (bytes - 1) != 0 {
                continue;
            }
            let Some(id) = self.allocation(instruction, address) else { continue };
            let extent = self.bounds.extent(id);
            let offset = address - extent.start;
            if bytes > extent.bytes - offset {
                continue;
            }
            let (constant, in_parts, of_heap) =
                (extent.constant, extent.plain == 0, extent.of_heap);
            let host = extent.host.wrapping_add(offset as usize);
            if stores && constant {
                let who = self.position.thread_at(access.lane(lane));
                let bounds = &self.bounds;
                self.reports.add(ReportKind::OutOfBounds, who, None, |_| {
                    bounds.written_constant(verb(site.kind), address, bytes)
                });
                continue;
            }
            if in_parts && !self.in_live_block(access, lane, address, of_heap) {
                continue;
            }
            let access = &swaps.tried(access, lane, at[lane], host);
            let writes = access.writes(lane);
            if strong && reads && access.observes() {
                self.acquire(access, lane, SyncVariable::Global(address));
            }
            if let Some(written) = self.initial.written(id) {
                let mut unwritten = needs_written && !written.has(offset, bytes);
                if unwritten && self.reports.suppresses(SuppressionRule::Padding, instruction) {
                    unwritten = (0..bytes).all(|byte| !written.has(offset + byte, 1));
                }
                if writes {
                    written.set(offset, bytes);
                }
                if unwritten && !self.only_copies(access, lane, id, offset) {
                    let space = if constant { "constant" } else { "global" };
                    self.report_unwritten(access, lane, space, address);
                } else if !unwritten {
                    self.carry_unwritten(access, lane, id, offset);
                }
            }
            if races {
                self.race(access, lane, id, offset);
            }
            if strong && writes {
                self.release(access, lane, SyncVariable::Global(address));
            }
            if self.launches.counter == Some(address) && site.kind == AccessKind::Atomic {
                let by = (warp.index, lane as u32);
                self.launches.note(&mut self.races.order, self.position.block, by);
            }
        }
    }

    fn acquire(&mut self, access: &WarpAccess<'_>, lane: usize, variable: SyncVariable) {
        let order = &access.site.order;
        let (warp, lanes) = (access.warp.index as usize, (1 << lane, access.warp.live));
        let scope = order.strong.unwrap_or(Scope::Device);
        match order.acquire {
            true => self.races.order.acquire(warp, lanes, variable, scope),
            false => {
                let by = access.instruction;
                self.races.order.acquire_by_fence(warp, lanes.0, variable, (scope, by));
            }
        }
    }

    fn release(&mut self, access: &WarpAccess<'_>, lane: usize, variable: SyncVariable) {
        let order = &access.site.order;
        let scope = order.strong.unwrap_or(Scope::Device);
        let atomic = access.site.kind == AccessKind::Atomic;
        let by = (access.warp.index as usize, lane as u32);
        self.races.order.release(by, variable, (scope, order.release), atomic);
    }

    /// Checks an access to shared memory of the own block, or of the peer blocks that the addresses
    /// name.
    fn shared(&mut self, access: &WarpAccess<'_>, at: &[u64; 32]) {
        let own = self.position.rank;
        let far = mask_of(lanes_of(access.mask).filter(|lane| at[*lane] >> RANK_SHIFT != 0));
        let mut rest = far;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let (rank, _) = split(at[lane as usize], own);
            let mask = mask_of(lanes_of(rest).filter(|lane| split(at[*lane], own).0 == rank));
            rest &= !mask;
            // The engine reports ranks that do not exist.
            if rank as usize >= self.bounds.ranks() {
                continue;
            }
            let offsets = at.map(|at| split(at, rank).1);
            self.touch_peer(rank, epoch::with_lane(access.packed, lane));
            self.shared_of(&WarpAccess { mask, ..*access }, rank, &offsets);
        }
        let near = access.mask & !far;
        self.shared_of(&WarpAccess { mask: near, ..*access }, own, at);
    }

    /// Checks an access to the shared memory of the block of a rank.
    fn shared_of(&mut self, access: &WarpAccess<'_>, rank: u32, at: &[u64; 32]) {
        let WarpAccess { site, bytes, .. } = *access;
        let (reads, stores) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let needs_written = self.needs_written(access);
        let races = self.reports.tracks_accesses();
        let strong = site.order.strong.is_some() && self.releases;
        let (id, size, mut hint) = (rank as usize, self.bounds.shared_bytes(), 0);
        let (mut repeated, mut swaps) = (RepeatedRead::default(), CompareAndSwaps::default());
        for lane in lanes_of(access.mask) {
            let offset = at[lane];
            if !stores && !strong && !self.copied.active() && repeated.again(offset) {
                continue;
            }
            if offset & (bytes - 1) != 0 || offset >= size || bytes > size - offset {
                continue;
            }
            if !self.bounds.shared.holds(offset, bytes, &mut hint)
                && !site.used_part().is_some_and(|(skip, bytes)| {
                    self.bounds.shared.holds(offset + skip, bytes, &mut hint)
                })
            {
                self.report_outside(access, lane, "shared", offset);
                continue;
            }
            let variable = SyncVariable::Shared { rank, offset };
            let host = self.bounds.shared_host(rank, offset);
            let access = &swaps.tried(access, lane, at[lane], host);
            let writes = access.writes(lane);
            if strong && reads && access.observes() {
                self.acquire(access, lane, variable);
            }
            let written = self.initial.written(id);
            let unwritten =
                needs_written && written.is_some_and(|written| !written.has(offset, bytes));
            if let Some(written) = written.filter(|_| writes) {
                written.set(offset, bytes);
            }
            if unwritten && !self.only_copies(access, lane, id, offset) {
                self.report_unwritten(access, lane, "shared", offset);
            } else if !unwritten {
                self.carry_unwritten(access, lane, id, offset);
            }
            if races {
                self.race(access, lane, id, offset);
            }
            if strong && writes {
                self.release(access, lane, variable);
            }
        }
    }

    fn local(&mut self, access: &WarpAccess<'_>, at: &[u64; 32]) {
        let mut rest = access.mask;
        let first = at[rest.trailing_zeros() as usize % 32];
        let mut differ = 0;
        for lane in 0..32 {
            let active = 0u64.wrapping_sub(u64::from(rest >> lane & 1));
            differ |= (at[lane] ^ first) & active;
        }
        // Mostly, all lanes access the same variable of their own.
        if differ == 0 {
            return self.local_lanes(access, rest, first);
        }
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            self.local_lanes(access, 1 << lane, at[lane as usize]);
        }
    }

    /// Checks an access by some lanes to their own local memory at the same address.
    fn local_lanes(&mut self, access: &WarpAccess<'_>, lanes: u32, at: u64) {
        let WarpAccess { warp, site, bytes, .. } = *access;
        let (size, mut hint) = (self.bounds.local_bytes, 0);
        // Function parameters are in local memory and may be addressed through the local window.
        let from = at.wrapping_sub(LOCAL_WINDOW);
        let offset = if from < WINDOW { from } else { at };
        if offset & (bytes - 1) != 0 || offset >= size || bytes > size - offset {
            return;
        }
        if !self.bounds.local.holds(offset, bytes, &mut hint) {
            return lanes_of(lanes)
                .for_each(|lane| self.report_outside(access, lane, "local", offset));
        }
        let slot = self.position.slot(warp.index);
        if site.kind != AccessKind::Load {
            self.initial.local.set(slot, lanes, offset, bytes);
            return;
        }
        for lane in lanes_of(lanes & !self.initial.local.written(slot, offset, bytes)) {
            if self.unwritten_local(site, (slot, lane), offset, bytes) {
                self.report_unwritten(access, lane, "local", offset);
            }
        }
    }

    /// Whether a load from local memory reads an uninitialized element that is used.
    fn unwritten_local(
        &self,
        site: &AccessSite,
        (slot, lane): (usize, usize),
        offset: u64,
        bytes: u64,
    ) -> bool {
        let element = bytes / u64::from(site.count.max(1));
        (0..u64::from(site.count)).any(|i| {
            let copied = site.order.copies >> i & 1 != 0;
            let written = self.initial.local.written(slot, offset + i * element, element);
            !copied && written >> lane & 1 == 0
        })
    }
}

/// Whether an access is a compare-and-swap.
#[inline(always)]
fn swaps(site: &AccessSite) -> bool {
    site.kind == AccessKind::Atomic && site.data[1].is_some() && site.combine.is_some()
}

/// Predicts which compare-and-swaps of a warp fail, and thus only read. The lanes execute in order,
/// so a later lane sees the values that earlier lanes have stored.
#[derive(Default)]
pub struct CompareAndSwaps {
    /// The expected and the new values.
    operands: Option<[Lanes<u64>; 2]>,
    /// Address and value of the words that a swap has stored.
    stored: Vec<(u64, u64)>,
    /// A bit for each of these addresses; several addresses may share a bit ([`address_bit`]).
    addresses: u64,
}

/// A bit for an address.
#[inline(always)]
fn address_bit(address: u64) -> u64 {
    1 << (address >> 2 & 63)
}

impl CompareAndSwaps {
    /// The access with the lane's failed compare-and-swap marked in [`WarpAccess::failed`]; `host`
    /// is the word at the address.
    #[inline(always)]
    pub fn tried<'a>(
        &mut self,
        access: &WarpAccess<'a>,
        lane: usize,
        address: u64,
        host: *const u8,
    ) -> WarpAccess<'a> {
        match swaps(access.site) && access.bytes <= 8 {
            true => {
                let fails = self.fails(access.warp, access.site, lane, (address, host));
                WarpAccess { failed: access.failed | u32::from(fails) << lane, ..*access }
            }
            false => *access,
        }
    }

    /// Whether the compare-and-swap of a lane fails. The address has passed the bounds check, and `host` is the word there.
    pub fn fails(
        &mut self,
        warp: &Warp,
        site: &AccessSite,
        lane: usize,
        (address, host): (u64, *const u8),
    ) -> bool {
        let ([Some(expected), Some(new), ..], Some(combine)) = (site.data, site.combine) else {
            return false;
        };
        let [expected, new] = self.operands.get_or_insert_with(|| {
            // SAFETY: the slots come from `site.data`, which the assembler fills with slots of this warp's register file.
            [expected, new].map(|slot| unsafe { fetch_cold::<u64>(warp, slot) })
        });
        let known = match self.addresses & address_bit(address) {
            0 => None,
            _ => self.stored.iter_mut().find(|(at, _)| *at == address),
        };
        let held = known.as_ref().map_or_else(
            || {
                if site.bytes == 4 {
                    // SAFETY: as below.
                    return unsafe { host.cast::<u32>().read_unaligned() }.into();
                }
                let mut word = [0; 8];
                for (i, byte) in word.iter_mut().enumerate().take(usize::from(site.bytes)) {
                    // SAFETY: the callers have checked the bounds of `address` for the bytes of the site, and `host` is the
                    // host address of that byte.
                    *byte = unsafe { host.wrapping_add(i).read() };
                }
                u64::from_le_bytes(word)
            },
            |(_, word)| *word,
        );
        let mask = u64::MAX >> (64 - 8 * u64::from(site.bytes).clamp(1, 8));
        let next = combine(held, expected.0[lane], new.0[lane]) & mask;
        match known {
            _ if next == held => {}
            Some((_, word)) => *word = next,
            None => {
                self.stored.push((address, next));
                self.addresses |= address_bit(address);
            }
        }
        next == held
    }
}
