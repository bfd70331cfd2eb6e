//! What is wrong, put into words: the reports of one launch, each once, with a count.

use super::checker::{Checker, MOST_REPORTS};
use super::lanewise::Judged;
use super::order::{self, Tag};
use super::report::{Other, Report, ReportKind};
use super::shadow::Conflict;
use crate::engine::asynchrony::cluster::split;
use crate::engine::context::Located;
use crate::engine::context::RawFault;
use crate::engine::event::AccessKind;
use crate::engine::fault::NearAllocation;
use crate::engine::report::Scene;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::uniformity::thread_index;
use lanework_ptx_ir::window::{SHARED_WINDOW, WINDOW};

impl Checker {
    #[cold]
    pub(super) fn conflict(
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
        let other = order::instruction(conflict.with);
        // The libraries' blocks that compact in place say by a relaxed store how much they have taken,
        // which they know from what they have read by then.
        if area.is_some()
            && !conflict.wrote
            && self.carries(instruction)
            && self.carries(other)
            && self.order.who(conflict.with).block != self.block
        {
            return;
        }
        if self.again(kind, instruction, other) {
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
            who.warp == warp && same_block && order::lane(conflict.with) as usize == lane;
        let (message, help) = if copy {
            let whose = if same_thread { "this thread" } else { "another thread" };
            let does = if conflict.wrote { "writing" } else { "reading" };
            let product = self.other(conflict.with).instruction.starts_with("wgmma");
            let (what, help) = match product {
                true => (
                    "a product",
                    "wait for the product's group first (`wgmma.wait_group`), then at a barrier if it is of another warpgroup",
                ),
                false => (
                    "an asynchronous copy",
                    "wait for the copy first (for its group, or for the phase of its mbarrier), then at a barrier if other threads made it",
                ),
            };
            (
                format!(
                    "{space} {verb} of {bytes} bytes at {place} while {what} of {whose} may still be {does} them"
                ),
                help,
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
            thread: thread_index(self.shape, who.warp * 32 + order::lane(tag)),
        }
    }

    fn block_index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    /// Whether the instruction is one of CUB's or Thrust's, which by design move the padding of structs,
    /// what a tile that is not full has not, and one element beyond a run, and then make no use of it.
    pub(super) fn carries(&self, instruction: u32) -> bool {
        self.kernel.of_library.get(instruction as usize).is_some_and(|of_library| *of_library)
    }

    /// A read of bytes that nothing has written.
    #[cold]
    pub(super) fn unwritten(
        &mut self,
        judged: &Judged<'_>,
        lane: usize,
        space: &str,
        address: u64,
        near: Option<NearAllocation>,
    ) {
        if space != "global" && self.carries(judged.instruction) {
            return;
        }
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

    /// A write to constant memory, which a kernel can only read.
    #[cold]
    pub(super) fn constant(&mut self, judged: &Judged<'_>, lane: usize, address: u64) {
        let kind = ReportKind::OutOfBounds;
        if self.again(kind, judged.instruction, 0) {
            return;
        }
        // SAFETY: the launch holds the memory's lock while blocks run.
        let near = unsafe { &*self.memory }.nearest(address, judged.bytes);
        let place = near.as_ref().map_or(format!("{address:#x}"), named);
        let report = self.new_report(kind, judged.warp.index, lane as u32, judged.instruction);
        self.keep(
            judged.instruction,
            0,
            Report {
                message: format!(
                    "{} of {} bytes at {place} in constant memory, which kernels can only read",
                    verb(judged.site.kind),
                    judged.bytes
                ),
                help: "use `__device__` for what kernels change, or let the host write it"
                    .to_owned(),
                address: Some(address),
                size: judged.bytes as u32,
                allocation: near,
                ..report
            },
        );
    }

    /// An access inside the block's memory, but outside every variable.
    #[cold]
    pub(super) fn outside(
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

    /// Keeps a fault of this block as a report; gives it back if it is no finding of checks.
    pub fn fault_of(&mut self, block: [u32; 3], located: Located) -> Option<crate::Fault> {
        let [x, y, _] = self.grid.map(u64::from);
        let [bx, by, bz] = block.map(u64::from);
        self.block = bx + x * (by + y * bz);
        self.fault(located)
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
        let fault = crate::engine::report::report(&scene, located);
        let Some(mut report) = Report::of(fault.clone()) else { return Some(fault) };
        self.after_the_end(&mut report, space, address);
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

    /// An access to shared memory of a block of the cluster that has ended is no matter of bounds.
    fn after_the_end(&self, report: &mut Report, space: MemorySpace, address: Option<u64>) {
        let window = match space {
            MemorySpace::Shared => 0,
            MemorySpace::Generic => SHARED_WINDOW,
            _ => return,
        };
        let within = address.map_or(u64::MAX, |address| address.wrapping_sub(window));
        let (rank, offset) = split(within, u32::MAX);
        let inside = offset < self.shared.bytes && (rank as usize) < self.blocks.len();
        if report.kind != ReportKind::OutOfBounds || within >= WINDOW || !inside {
            return;
        }
        let near = self.shared_names.nearest(offset, 1);
        let place = near.as_ref().map_or(format!("offset {offset}"), named);
        report.kind = ReportKind::UseAfterFree;
        report.message = format!(
            "shared memory of the block of rank {rank} of the cluster is used after that block has ended: {} bytes at {place}",
            report.size
        );
        report.allocation = near;
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
}

/// `name+offset`.
pub fn named(near: &NearAllocation) -> String {
    format!("{}{:+}", near.name, near.offset)
}

/// What an access does, in a word.
pub fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "atomic",
    }
}
