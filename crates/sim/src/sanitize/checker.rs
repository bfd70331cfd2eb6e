//! The judge of one checked launch: the engine tells it of accesses and of what orders them.

use super::bulk::Bulk;
use super::copies::Copies;
use super::names::Names;
use super::order::{self, Order, Tag};
use super::products::Products;
use super::report::{Checks, Other, Report, ReportKind};
use super::shadow::{Access, Area, Cells, Conflict};
use super::undefined::Followed;
use super::written::Written;
use crate::analysis::thread_index;
use crate::block::Located;
use crate::context::{RawFault, Region, Site, generic_space};
use crate::fault::NearAllocation;
use crate::ir::{Action, Kernel, MemoryKind, MemorySpace, Note, Scope};
use crate::lanes::fetch_cold;
use crate::lower::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use crate::memory::Memory;
use crate::observe::{AccessKind, Space};
use crate::op::Warp;
use crate::report::Scene;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Different findings kept of one launch; more are only counted.
const MOST_REPORTS: usize = 1000;

/// Judges the accesses of one launch.
pub struct Checker {
    checks: Checks,
    kernel: Arc<Kernel>,
    memory: *const Memory,
    grid: [u32; 3],
    shape: [u32; 3],
    block: u64,
    /// What orders accesses.
    pub order: Order,
    reports: Vec<Report>,
    keys: HashMap<(ReportKind, u32, u32), usize>,
    shared: Region,
    shared_names: Names,
    shared_written: Written,
    pub(super) shared_cells: Cells,
    local_names: Names,
    local_bytes: u64,
    local_written: Written,
    areas: Vec<Area>,
    area: usize,
    shift: u32,
    /// Whether anything releases: flags then are worth following.
    follows_flags: bool,
    pub(super) copies: Copies,
    pub(super) bulk: Bulk,
    pub(super) products: Products,
    pub(super) followed: Followed,
    /// Lanes that an instruction of a warp waits for: warp, instruction, lanes.
    pub(super) missing: Vec<(u32, u32, u32)>,
    /// By warp and followed register: the lanes in which nothing has written it.
    pub(super) unwritten_lanes: Vec<u32>,
    /// Where the bytes of bad accesses come from and go to.
    nowhere: Box<[u64; 8]>,
}

/// What a launch looks like to its judge.
pub struct Launch {
    /// What to look for.
    pub checks: Checks,
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Global memory; it outlives the checker.
    pub memory: *const Memory,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The block's shared memory.
    pub shared: Region,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Registers that are followed.
    pub followed: Followed,
    /// How many registers products accumulate in.
    pub accumulators: usize,
}

/// One warp's access while it is judged.
struct Judged<'a> {
    warp: &'a Warp,
    site: &'a Site,
    instruction: u32,
    bytes: u64,
    tag: Tag,
    mask: u32,
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

fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
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
    /// For one launch.
    pub fn new(launch: Launch) -> Checker {
        let Launch {
            checks,
            kernel,
            memory,
            grid,
            block,
            shared,
            local_bytes,
            followed,
            accumulators,
        } = launch;
        let threads: u32 = block.iter().product();
        let warps = threads.div_ceil(32) as usize;
        let fixed = u64::from(kernel.static_shared);
        let dynamic = shared.bytes.saturating_sub(fixed);
        let name = kernel.dynamic_shared.clone().unwrap_or("dynamic shared memory".to_owned());
        let more = (dynamic > 0).then_some((fixed, dynamic, name));
        let shift = shift_of(&kernel);
        Checker {
            checks,
            memory,
            grid,
            shape: block,
            block: 0,
            order: Order::new(warps),
            reports: Vec::new(),
            keys: HashMap::new(),
            shared,
            shared_names: Names::new(&kernel.shared_variables, more),
            shared_written: Written::new(shared.bytes),
            shared_cells: Cells::new(shared.bytes, shift),
            local_names: Names::new(&kernel.local_variables, None),
            local_bytes,
            local_written: Written::new(local_bytes * warps as u64 * 32),
            areas: Vec::new(),
            area: 0,
            shift,
            follows_flags: follows_flags(&kernel),
            copies: Copies::new(warps),
            bulk: Bulk::new(warps),
            products: Products::new(warps, accumulators),
            unwritten_lanes: vec![0; warps * followed.count],
            followed,
            missing: Vec::new(),
            nowhere: Box::new([0; 8]),
            kernel,
        }
    }

    /// A block starts.
    pub fn start(&mut self, block: u64) {
        self.block = block;
        self.order.start(block);
        self.shared_written.clear();
        self.local_written.clear();
        self.copies.start();
        self.bulk.start();
        self.products.start();
        self.forget_registers();
        self.missing.clear();
    }

    /// What was found.
    pub fn finish(self) -> Vec<Report> {
        // A read that came before the write it races with found nothing written: one error, not two.
        let races: HashSet<u32> = self
            .keys
            .keys()
            .filter(|(kind, ..)| matches!(kind, ReportKind::Race | ReportKind::AsyncOrder))
            .flat_map(|(_, one, other)| [*one, *other])
            .collect();
        let echo = |(kind, instruction, _): &(ReportKind, u32, u32)| {
            *kind == ReportKind::Uninitialized && races.contains(instruction)
        };
        let echoes: HashSet<usize> =
            self.keys.iter().filter(|(key, _)| echo(key)).map(|(_, index)| *index).collect();
        let reports = self.reports.into_iter().enumerate();
        reports.filter(|(index, _)| !echoes.contains(index)).map(|(_, report)| report).collect()
    }

    fn wants(&self, kind: ReportKind) -> bool {
        self.checks.has(kind)
    }

    /// One warp's access, before it is done.
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &Site, at: &[u64; 32]) {
        let bytes = u64::from(site.bytes) * u64::from(site.count);
        let mut tag = order::tag(self.order.segment_of(warp.index), instruction);
        if let Some(scope) = site.order.strong {
            tag |= order::STRONG;
            tag |= if scope > Scope::Block { order::WIDE_SCOPE } else { 0 };
        }
        let mut judged = Judged { warp, site, instruction, bytes, tag, mask: warp.mask };
        match site.space {
            MemorySpace::Global => self.global(&judged, at, true),
            MemorySpace::Constant => self.global(&judged, at, false),
            MemorySpace::Shared => self.shared(&judged, at),
            MemorySpace::Local => self.local(&judged, at),
            MemorySpace::Parameter => {}
            MemorySpace::Generic => {
                let (mut shared, mut local, mut parameter) = (0u32, 0u32, 0u32);
                for lane in lanes_of(warp.mask) {
                    let bit = 1 << lane;
                    match at[lane] {
                        a if a.wrapping_sub(SHARED_WINDOW) < WINDOW => shared |= bit,
                        a if a.wrapping_sub(LOCAL_WINDOW) < WINDOW => local |= bit,
                        a if a.wrapping_sub(PARAMETER_WINDOW) < WINDOW => parameter |= bit,
                        _ => {}
                    }
                }
                let global = warp.mask & !(shared | local | parameter);
                for (mask, base) in [(shared, SHARED_WINDOW), (local, LOCAL_WINDOW)] {
                    if mask != 0 {
                        let within = at.map(|a| a.wrapping_sub(base));
                        judged.mask = mask;
                        match base {
                            SHARED_WINDOW => self.shared(&judged, &within),
                            _ => self.local(&judged, &within),
                        }
                    }
                }
                if global != 0 {
                    judged.mask = global;
                    self.global(&judged, at, true);
                }
            }
        }
    }

    /// The area of a global address.
    fn find_area(&mut self, address: u64) -> Option<usize> {
        let inside = |area: &Area| address.wrapping_sub(area.start) < area.bytes;
        if self.areas.get(self.area).is_some_and(inside) {
            return Some(self.area);
        }
        if let Some(found) = self.areas.iter().position(inside) {
            self.area = found;
            return Some(found);
        }
        // SAFETY: the launch holds the memory's lock while blocks run.
        let memory = unsafe { &*self.memory };
        let (start, allocation) = memory.find(address)?;
        self.areas.push(Area {
            start,
            bytes: allocation.bytes,
            host: allocation.data(),
            written: allocation.written.clone(),
            cells: Cells::new(allocation.bytes, self.shift),
        });
        self.area = self.areas.len() - 1;
        Some(self.area)
    }

    fn global(&mut self, judged: &Judged<'_>, at: &[u64; 32], shared_by_blocks: bool) {
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
            let Some(index) = self.find_area(address) else { continue };
            let area = &self.areas[index];
            let offset = address - area.start;
            if bytes > area.bytes - offset {
                continue;
            }
            if strong && reads {
                self.order.acquire(warp.index as usize, (false, address));
            }
            let area = &self.areas[index];
            if let Some(written) = &area.written {
                let unwritten = reads && !written.has(offset, bytes);
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

    fn shared(&mut self, judged: &Judged<'_>, at: &[u64; 32]) {
        let Judged { warp, site, bytes, .. } = *judged;
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let races = self.wants(ReportKind::Race);
        let initial = self.wants(ReportKind::Uninitialized);
        let strong = site.order.strong.is_some() && self.follows_flags;
        let mut same = Same::default();
        for lane in lanes_of(judged.mask) {
            let offset = at[lane];
            if !writes && !strong && same.again(offset) {
                continue;
            }
            if offset & (bytes - 1) != 0
                || offset >= self.shared.bytes
                || bytes > self.shared.bytes - offset
            {
                continue;
            }
            if !self.shared_names.holds(offset, bytes) {
                let near = self.shared_names.nearest(offset, bytes);
                self.outside(judged, lane, "shared", offset, near);
                continue;
            }
            if strong && reads {
                self.order.acquire(warp.index as usize, (true, offset));
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
                self.order.release(warp.index as usize, (true, offset), explicit, atomic);
            }
        }
    }

    fn local(&mut self, judged: &Judged<'_>, at: &[u64; 32]) {
        let Judged { warp, site, bytes, .. } = *judged;
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
            if !self.local_names.holds(offset, bytes) {
                let near = self.local_names.nearest(offset, bytes);
                self.outside(judged, lane, "local", offset, near);
                continue;
            }
            let thread = u64::from(warp.index) * 32 + lane as u64;
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
    fn race(&mut self, judged: &Judged<'_>, lane: usize, area: Option<usize>, offset: u64) {
        let (cells, host, base) = match area {
            Some(index) => {
                let area = &mut self.areas[index];
                (&mut area.cells, area.host, 1)
            }
            None => (&mut self.shared_cells, self.shared.host.cast_const(), self.order.base()),
        };
        let tag = order::with_lane(judged.tag, lane as u32);
        let now = Access { tag, warp: judged.warp.index, lane: lane as u32, base };
        let grain = cells.grain();
        let mut at = offset & !(grain - 1);
        let mut found = None;
        while at < offset + judged.bytes {
            let Some(cell) = cells.at(at) else { break };
            if let Some(copy) = cell.pending(base) {
                found = found.or(Some((Conflict { with: copy, wrote: true }, at)));
            } else if judged.site.kind == AccessKind::Load {
                let conflict = cell.read(&mut self.order, &now);
                found = found.or(conflict.map(|conflict| (conflict, at)));
            } else {
                let skip = at.saturating_sub(offset);
                let held = host.wrapping_add(at as usize);
                let differs = |former| differs(judged, lane, former, skip, grain, held);
                let conflict = cell.write(&mut self.order, &now, differs);
                found = found.or(conflict.map(|conflict| (conflict, at)));
            }
            at += grain;
        }
        if let Some((conflict, at)) = found {
            self.conflict(judged, lane, area, at.max(offset), conflict);
        }
    }

    #[cold]
    fn conflict(
        &mut self,
        judged: &Judged<'_>,
        lane: usize,
        area: Option<usize>,
        offset: u64,
        conflict: Conflict,
    ) {
        let copy = conflict.with & order::ASYNC != 0 || self.order.of_agent(conflict.with);
        let kind = if copy { ReportKind::AsyncOrder } else { ReportKind::Race };
        let (instruction, warp) = (judged.instruction, judged.warp.index);
        if self.again(kind, instruction, order::instruction(conflict.with)) {
            return;
        }
        let bytes = judged.bytes;
        let (space, address, near) = match area {
            Some(index) => {
                let address = self.areas[index].start + offset;
                // SAFETY: the launch holds the memory's lock while blocks run.
                ("global", address, unsafe { &*self.memory }.nearest(address, 1))
            }
            None => ("shared", offset, self.shared_names.nearest(offset, 1)),
        };
        let verb = verb(judged.site.kind);
        let place = near.as_ref().map_or(format!("{address:#x}"), named);
        let who = self.order.who(conflict.with);
        let same_block = who.block == self.block;
        let same_warp = same_block && who.warp == warp;
        let same_thread =
            who.by == warp && same_block && order::lane(conflict.with) as usize == lane;
        let (message, help) = if copy {
            let whose = if same_thread { "this thread" } else { "another thread" };
            let does = if conflict.wrote { "writing" } else { "reading" };
            (
                format!(
                    "{space} {verb} of {bytes} bytes at {place} while an asynchronous copy of {whose} may still be {does} them"
                ),
                "wait for the copy first (for its group, or for the phase of its mbarrier), then at a barrier if other threads made it",
            )
        } else {
            let former = match (conflict.wrote, conflict.with & order::STRONG != 0) {
                (true, true) => "an atomic or volatile write",
                (true, false) => "a write",
                (false, _) => "a read",
            };
            let whom = match (same_warp, same_block) {
                (true, _) => "by another lane of the warp",
                (_, true) => "by another warp of the block",
                _ => "by another block",
            };
            let help = match (same_warp, same_block) {
                (true, _) if judged.instruction == order::instruction(conflict.with) => {
                    "let one lane do it, give each lane its own element, or use an atomic"
                }
                (true, _) => "synchronise the lanes between the two (`__syncwarp`, `sync_warp`)",
                (_, true) => {
                    "put a barrier between the two (`__syncthreads`, `sync_threads`), or use atomics"
                }
                _ => {
                    "give each block its own elements, use atomics, or hand over by a fence and an atomic flag"
                }
            };
            (
                format!(
                    "race in {space} memory: {verb} of {bytes} bytes at {place} and {former} {whom}, and nothing orders the two"
                ),
                help,
            )
        };
        let other = self.other(conflict.with);
        let report = self.new_report(kind, warp, lane as u32, instruction);
        self.keep(
            instruction,
            order::instruction(conflict.with),
            Report {
                message,
                help: help.to_owned(),
                address: Some(address),
                size: bytes as u32,
                allocation: near,
                other: Some(other),
                ..report
            },
        );
    }

    /// The access of a tag, for people.
    pub(super) fn other(&self, tag: Tag) -> Other {
        let who = self.order.who(tag);
        let origin = self.kernel.origins.get(order::instruction(tag) as usize);
        Other {
            location: origin.and_then(|o| o.location.clone()),
            text_line: origin.map_or(0, |o| o.text_line),
            instruction: origin.map(|o| o.name.clone()).unwrap_or_default(),
            block: self.block_index(who.block),
            thread: thread_index(self.shape, who.by * 32 + order::lane(tag)),
        }
    }

    fn block_index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    /// A read of bytes that nothing has written.
    #[cold]
    fn unwritten(
        &mut self,
        judged: &Judged<'_>,
        lane: usize,
        space: &str,
        address: u64,
        near: Option<NearAllocation>,
    ) {
        if self.again(ReportKind::Uninitialized, judged.instruction, 0) {
            return;
        }
        let verb = verb(judged.site.kind);
        let place = near.as_ref().map_or(format!("{address:#x}"), named);
        let help = match space {
            "global" => "upload or fill the buffer, or write it in a kernel that runs before",
            "shared" => {
                "write the element before any thread reads it: shared memory starts undefined"
            }
            _ => "give the array its values before reading it",
        };
        let report = self.new_report(
            ReportKind::Uninitialized,
            judged.warp.index,
            lane as u32,
            judged.instruction,
        );
        self.keep(
            judged.instruction,
            0,
            Report {
                message: format!(
                    "uninitialised {space} {verb}: {} bytes at {place} that nothing has written",
                    judged.bytes
                ),
                help: help.to_owned(),
                address: Some(address),
                size: judged.bytes as u32,
                allocation: near,
                ..report
            },
        );
    }

    /// An access inside the block's memory, but outside every variable.
    #[cold]
    fn outside(
        &mut self,
        judged: &Judged<'_>,
        lane: usize,
        space: &str,
        offset: u64,
        near: Option<NearAllocation>,
    ) {
        let kind = ReportKind::OutOfBounds;
        if !self.wants(kind) || self.again(kind, judged.instruction, 0) {
            return;
        }
        let what = match &near {
            Some(near) => format!("at {}, `{}` is {} bytes", named(near), near.name, near.bytes),
            None => format!("at offset {offset}"),
        };
        let report = self.new_report(kind, judged.warp.index, lane as u32, judged.instruction);
        self.keep(
            judged.instruction,
            0,
            Report {
                message: format!(
                    "out-of-bounds {space} {}: {} bytes {what}",
                    verb(judged.site.kind),
                    judged.bytes
                ),
                help: "guard the access so that its index stays inside the array".to_owned(),
                address: Some(offset),
                size: judged.bytes as u32,
                allocation: near,
                ..report
            },
        );
    }

    /// A bad access of one lane, reported; the place where its bytes come from and go to instead.
    pub fn excuse(&mut self, warp: u32, instruction: u32, raw: RawFault) -> *mut u8 {
        self.fault(Located { raw, origin: instruction, warp });
        *self.nowhere = [0; 8];
        self.nowhere.as_mut_ptr().cast()
    }

    /// Keeps a fault of a block that ran earlier as a report.
    pub fn fault_of(&mut self, block: [u32; 3], located: Located) {
        let [x, y, _] = self.grid.map(u64::from);
        let [bx, by, bz] = block.map(u64::from);
        self.block = bx + x * (by + y * bz);
        self.fault(located);
    }

    /// Keeps a fault as a report; gives it back if it is no finding of checks.
    pub fn fault(&mut self, located: Located) -> Option<crate::Fault> {
        let instruction = located.origin;
        let space = located.raw.space;
        let shared_outside = space == MemorySpace::Shared;
        let (raw_kind, address) = (located.raw.kind, located.raw.address);
        if let Some(kind) = ReportKind::of(raw_kind)
            && self.known(kind, instruction, 0)
        {
            return None;
        }
        let scene = Scene {
            kernel: &self.kernel,
            // SAFETY: the launch holds the memory's lock while blocks run.
            memory: unsafe { &*self.memory },
            block: self.block_index(self.block),
            shape: self.shape,
            shared: self.shared.bytes,
        };
        let fault = crate::report::report(&scene, located);
        let Some(mut report) = Report::of(fault.clone()) else { return Some(fault) };
        if shared_outside
            && report.kind == ReportKind::OutOfBounds
            && let Some(address) = address
            && let Some(near) = self.shared_names.nearest(address, 1)
        {
            report.message =
                format!("{} (nearest: {}, {} bytes)", report.message, named(&near), near.bytes);
            report.allocation = Some(near);
        }
        if report.kind == ReportKind::Deadlock {
            report.allocation = address.and_then(|address| self.place(space, address));
        }
        if !self.again(report.kind, instruction, 0) {
            self.keep(instruction, 0, report);
        }
        None
    }

    /// What of shared or global memory an address is in or near.
    pub fn place(&self, space: MemorySpace, address: u64) -> Option<NearAllocation> {
        let window = match space {
            MemorySpace::Generic => generic_space(address),
            MemorySpace::Shared => Space::Shared,
            _ => Space::Global,
        };
        match window {
            Space::Shared => self.shared_names.nearest(address % WINDOW, 1),
            // SAFETY: the launch holds the memory's lock while blocks run.
            _ => unsafe { &*self.memory }.nearest(address, 1),
        }
    }

    /// Counts a finding that was met before.
    fn known(&mut self, kind: ReportKind, instruction: u32, other: u32) -> bool {
        let index = self.keys.get(&(kind, instruction, other));
        let report = index.and_then(|index| self.reports.get_mut(*index));
        report.map(|report| report.count += 1).is_some()
    }

    /// Whether a finding was met before, which is counted, or is one too many, or not looked for.
    pub(super) fn again(&mut self, kind: ReportKind, instruction: u32, other: u32) -> bool {
        self.known(kind, instruction, other)
            || !self.wants(kind)
            || self.reports.len() >= MOST_REPORTS
    }

    /// A report with a place and nothing else.
    pub(super) fn new_report(
        &self,
        kind: ReportKind,
        warp: u32,
        lane: u32,
        instruction: u32,
    ) -> Report {
        let origin = self.kernel.origins.get(instruction as usize);
        Report {
            kind,
            message: String::new(),
            location: origin.and_then(|o| o.location.clone()),
            text_line: origin.map_or(0, |o| o.text_line),
            instruction: origin.map(|o| o.name.clone()).unwrap_or_default(),
            kernel: self.kernel.name.clone(),
            block: self.block_index(self.block),
            thread: thread_index(self.shape, warp * 32 + lane),
            address: None,
            size: 0,
            allocation: None,
            other: None,
            help: String::new(),
            count: 1,
        }
    }

    /// Keeps a report of something not met before.
    pub(super) fn keep(&mut self, instruction: u32, other: u32, report: Report) {
        self.keys.insert((report.kind, instruction, other), self.reports.len());
        self.reports.push(report);
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
            _ => match self.find_area(at) {
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

    /// The offset in shared memory of bytes on the host, if they lie there.
    pub(super) fn shared_offset(&self, host: *const u8, bytes: u64) -> Option<u64> {
        let offset = (host as u64).wrapping_sub(self.shared.host as u64);
        (offset < self.shared.bytes && bytes <= self.shared.bytes - offset).then_some(offset)
    }

    /// The address in global memory of a byte on the host.
    pub(super) fn global_address(&self, host: *const u8) -> Option<u64> {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let memory = unsafe { &*self.memory };
        memory.live().find_map(|(start, allocation)| {
            let offset = (host as u64).wrapping_sub(allocation.data() as u64);
            (offset < allocation.bytes).then_some(start + offset)
        })
    }

    /// Global memory from an address on counts as written: that of a tensor, by whose tiles it is.
    pub fn wrote(&mut self, address: u64, bytes: u64) {
        if let Some(index) = self.find_area(address) {
            let area = &self.areas[index];
            let offset = address - area.start;
            if let Some(written) = &area.written {
                written.set(offset, bytes.min(area.bytes - offset));
            }
        }
    }

    /// The host address of an offset in shared memory.
    pub(super) fn shared_at(&self, offset: u64) -> *const u8 {
        self.shared.host.wrapping_add(offset as usize)
    }

    pub(super) fn mark_shared(&mut self, offset: u64, bytes: u64) {
        self.shared_written.set(offset, bytes);
    }

    pub(super) fn shared_bytes(&self) -> u64 {
        self.shared.bytes
    }
}

/// `name+offset`.
pub fn named(near: &NearAllocation) -> String {
    format!("{}{:+}", near.name, near.offset)
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "atomic",
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

/// The size of a cell: 4 bytes, or less where the kernel accesses less.
fn shift_of(kernel: &Kernel) -> u32 {
    let mut least = 4;
    for inst in &kernel.insts {
        match &inst.action {
            Action::Memory(op)
                if !matches!(op.space, MemorySpace::Parameter | MemorySpace::Local) =>
            {
                least = least.min(op.ty.size() * u32::from(op.count));
            }
            Action::Matrix(_) => least = least.min(2),
            _ => {}
        }
    }
    least.max(1).ilog2()
}

/// Whether a kernel releases anything by fences or by accesses that say so.
fn follows_flags(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|inst| match &inst.action {
        Action::Note(Note::Fence(_)) => true,
        Action::Memory(op) => op.order.release && !matches!(op.kind, MemoryKind::Load),
        _ => false,
    })
}
