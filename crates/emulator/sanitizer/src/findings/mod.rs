//! The findings of one launch: deduplicated, counted, and filtered by the suppression list.

pub mod advice;
pub mod branches;
pub mod kinds;
mod relations;
pub mod report;
pub mod suppressions;
pub mod text;

use crate::access::position::{LaunchShape, ThreadAt};
use crate::findings::advice::{Distance, RaceFacts};
use crate::findings::kinds::{Checks, ReportKind};
use crate::findings::report::{OtherAccess, Report};
use crate::findings::suppressions::{SuppressedInstructions, SuppressionRule};
use lanework_engine::event::AccessKind;
use lanework_engine::fault::{Fault, Located, NearAllocation};
use lanework_engine::launch;
use lanework_engine::memory::Memory;
use lanework_engine::report::Scene;
use lanework_ptx_ir::kernel::{Inst, Kernel, Opcode};
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, MbarrierOp};
use lanework_ptx_ir::opcode::matrix::MatrixOp;
use report::Found;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum number of distinct findings per launch; further ones are dropped.
const MOST_REPORTS: usize = 1000;
/// Invalid accesses of one instruction after which a launch stops: further ones would add no information.
const MOST_INVALID: u64 = 1 << 20;

/// A finding as text.
#[derive(Default)]
pub struct Finding {
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// The address accessed, if any.
    pub address: Option<u64>,
    /// Size of the access in bytes.
    pub size: u64,
    /// The allocation or variable accessed, or the nearest one.
    pub allocation: Option<NearAllocation>,
    /// A race whose remedy depends on all its accesses: [`advice`] replaces the help.
    pub race: Option<RaceFacts>,
}

/// The findings of one launch.
pub struct Reports {
    checks: Checks,
    kernel: Arc<Kernel>,
    shape: LaunchShape,
    suppressed: SuppressedInstructions,
    list: Vec<Report>,
    /// By report: the race, if [`advice`] gives its help.
    races: Vec<Option<RaceFacts>>,
    /// Index of the report, by kind, instruction and instruction of the other access.
    found: HashMap<(ReportKind, u32, u32), usize>,
    /// The bytes that an array needs so that all accesses past its end are inside, by its name.
    needed: HashMap<String, u64>,
}

impl Reports {
    /// For a launch of this kernel.
    pub fn new(checks: Checks, kernel: Arc<Kernel>, shape: LaunchShape) -> Reports {
        let suppressed = SuppressedInstructions::in_kernel(&kernel);
        let (list, races, found) = (Vec::new(), Vec::new(), HashMap::new());
        Reports { checks, kernel, shape, suppressed, list, races, found, needed: HashMap::new() }
    }

    /// The kernel.
    pub fn kernel(&self) -> Arc<Kernel> {
        Arc::clone(&self.kernel)
    }

    /// Whether a kind is enabled.
    #[inline(always)]
    pub fn wants(&self, kind: ReportKind) -> bool {
        self.checks.has(kind)
    }

    /// Whether a kind is enabled for which prior accesses are recorded.
    #[inline(always)]
    pub fn tracks_accesses(&self) -> bool {
        self.wants(ReportKind::Race) || self.wants(ReportKind::ProxyFence)
    }

    /// Whether reads of constant memory are recorded: only copies and other kernels can change it while a kernel runs.
    #[inline(always)]
    pub fn tracks_constants(&self) -> bool {
        self.checks.keeps_shadow()
    }

    /// Whether accesses are checked lane by lane only.
    pub fn by_lane(&self) -> bool {
        self.checks.is_by_lane()
    }

    /// Whether a suppression rule covers an instruction.
    pub fn suppresses(&self, rule: SuppressionRule, instruction: u32) -> bool {
        self.suppressed.covers(rule, instruction)
    }

    /// Reports an access by a thread, with the other access if there is one. A known finding is
    /// only counted; `describe` runs only for a new one of an enabled kind.
    pub fn add(
        &mut self,
        kind: ReportKind,
        who: ThreadAt,
        other: Option<ThreadAt>,
        describe: impl FnOnce(&Reports) -> Finding,
    ) {
        let key = (kind, who.instruction, other.map_or(0, |other| other.instruction));
        let wider = self.is_wider(key, who, other);
        if self.count(key) && !wider || !self.wants(kind) || self.list.len() >= MOST_REPORTS {
            return;
        }
        let finding = describe(self);
        self.add_new(key, who, other, finding);
    }

    /// Records a new finding. Not generic over `describe`, so it is compiled once.
    fn add_new(
        &mut self,
        key: (ReportKind, u32, u32),
        who: ThreadAt,
        other: Option<ThreadAt>,
        finding: Finding,
    ) {
        let Finding { message, help, address, size, allocation, race } = finding;
        let origin = self.kernel.origins.get(who.instruction as usize);
        let report = Report {
            message,
            location: origin.and_then(|o| o.location.clone()),
            text_line: origin.map_or(0, |o| o.text_line),
            callers: origin.map_or(Vec::new(), |o| o.callers.to_vec()),
            instruction: origin.map(|o| o.name.clone()).unwrap_or_default(),
            kernel: self.kernel.name.clone(),
            block: self.shape.block_index(who.block),
            thread: self.shape.thread_index(who.thread),
            address,
            size: size as u32,
            allocation,
            other: other.map(|other| self.other(other)),
            help,
            ..Report::new(key.0)
        };
        match self.found.get(&key) {
            // The same race between threads that are further apart.
            Some(index) => {
                let count = self.list[*index].count;
                self.list[*index] = Report { count, ..report };
                self.races[*index] = race;
            }
            None => self.keep(key, report, race),
        }
    }

    /// Whether a known race now occurs between threads further apart than in its report.
    fn is_wider(
        &self,
        key: (ReportKind, u32, u32),
        who: ThreadAt,
        other: Option<ThreadAt>,
    ) -> bool {
        let index = self.found.get(&key).copied();
        let known = index.and_then(|index| self.races[index].as_ref());
        known.zip(other).is_some_and(|(known, other)| {
            known.distance < Distance::Cluster && who.distance(other) > known.distance
        })
    }

    /// Counts a known finding.
    fn count(&mut self, key: (ReportKind, u32, u32)) -> bool {
        let report = self.found.get(&key).and_then(|index| self.list.get_mut(*index));
        report.map(|report| report.count += 1).is_some()
    }

    /// Records an access past the end of an array, for the advice about its length.
    pub fn reached(&mut self, near: &NearAllocation, bytes: u64) {
        if let Some(end) = end_beyond(near, bytes) {
            let needed = self.needed.entry(near.name.clone()).or_default();
            *needed = end.max(*needed);
        }
    }

    fn keep(&mut self, key: (ReportKind, u32, u32), report: Report, race: Option<RaceFacts>) {
        self.found.insert(key, self.list.len());
        self.list.push(report);
        self.races.push(race);
    }

    /// Reports a fault of the engine in a block; `amend` may change the report. Returns the fault
    /// if it is not a finding.
    pub fn add_fault(
        &mut self,
        located: Located,
        (block, shared): (u64, u64),
        memory: &Memory,
        amend: impl FnOnce(&mut Report),
    ) -> Option<Fault> {
        let instruction = located.origin;
        if let Some(kind) = ReportKind::from_fault(located.raw.kind)
            && self.count((kind, instruction, 0))
        {
            let times = self.found.get(&(kind, instruction, 0)).map_or(0, |i| self.list[*i].count);
            if times == MOST_INVALID {
                launch::stop_after(times);
            }
            return None;
        }
        let scene = Scene {
            kernel: &self.kernel,
            memory,
            block: self.shape.block_index(block),
            shape: self.shape.block,
            shared,
        };
        let fault = lanework_engine::report::report(&scene, located);
        let Some(mut report) = Report::from_fault(fault.clone()) else { return Some(fault) };
        amend(&mut report);
        let key = (report.kind, instruction, 0);
        if !self.count(key) && self.wants(report.kind) && self.list.len() < MOST_REPORTS {
            self.keep(key, report, None);
        }
        None
    }

    /// The place of the branch that decides which lanes of a warp reach an instruction: `the branch at line 7 of kernel.cu`.
    pub fn branch_before(&self, instruction: u32) -> String {
        let branch = branches::deciding_branch(&self.kernel, instruction, self.shape.block);
        let line = branch.and_then(|branch| branches::line_of(&self.kernel, branch));
        line.map_or_else(|| "the branch".to_owned(), |line| format!("the branch at {line}"))
    }

    /// Whether a branch decides which lanes of a warp reach an instruction.
    pub fn is_in_branch(&self, instruction: u32) -> bool {
        branches::deciding_branch(&self.kernel, instruction, self.shape.block).is_some()
    }

    /// The PTX name of an instruction.
    pub fn instruction_name(&self, instruction: u32) -> &str {
        self.kernel.origins.get(instruction as usize).map_or("", |origin| &origin.name)
    }

    /// Whether an instruction is a warpgroup product.
    pub fn is_group_product(&self, instruction: u32) -> bool {
        let product = |inst: &Inst| matches!(inst.opcode, Opcode::Matrix(MatrixOp::Group(_)));
        self.kernel.insts.iter().any(|inst| inst.origin == instruction && product(inst))
    }

    /// Whether an instruction waits for the phase of an mbarrier.
    pub fn waits_for_phase(&self, instruction: u32) -> bool {
        let waits = |inst: &Inst| {
            matches!(inst.opcode, Opcode::Async(AsyncOp::Mbarrier(MbarrierOp::Wait { .. }, _)))
        };
        self.kernel.insts.iter().any(|inst| inst.origin == instruction && waits(inst))
    }

    /// Whether an instruction exchanges values with the lanes that its member mask names.
    pub fn names_lanes(&self, instruction: u32) -> bool {
        let exchanges = |inst: &Inst| matches!(inst.opcode, Opcode::Converge(Some(_)));
        self.kernel.insts.iter().any(|inst| inst.origin == instruction && exchanges(inst))
    }

    /// Whether an instruction loads or stores a matrix collectively: each lane then holds elements
    /// that other lanes address.
    pub fn is_collective(&self, instruction: u32) -> bool {
        let together = |inst: &Inst| {
            matches!(inst.opcode, Opcode::Matrix(MatrixOp::Rows { .. } | MatrixOp::Tile { .. }))
        };
        self.kernel.insts.iter().any(|inst| inst.origin == instruction && together(inst))
    }

    fn other(&self, who: ThreadAt) -> OtherAccess {
        let origin = self.kernel.origins.get(who.instruction as usize);
        OtherAccess {
            location: origin.and_then(|o| o.location.clone()),
            text_line: origin.map_or(0, |o| o.text_line),
            callers: origin.map_or(Vec::new(), |o| o.callers.to_vec()),
            instruction: origin.map(|o| o.name.clone()).unwrap_or_default(),
            block: self.shape.block_index(who.block),
            thread: self.shape.thread_index(who.thread),
        }
    }

    /// The findings. An uninitialized read that also races with the write it misses is one error,
    /// the race. Races that one missing barrier explains are one finding.
    pub fn finish(mut self) -> Vec<Report> {
        for report in &mut self.list {
            let near =
                report.allocation.as_ref().filter(|_| report.kind == ReportKind::OutOfBounds);
            if let Some(near) = near
                && end_beyond(near, report.size.into()).is_some()
                && let Some(end) = self.needed.get(&near.name)
            {
                report.help = declare(&near.name, *end);
            }
        }
        let races: HashSet<u32> = self
            .found
            .keys()
            .filter(|(kind, ..)| matches!(kind, ReportKind::Race | ReportKind::AsyncOrder))
            .flat_map(|(_, one, other)| [*one, *other])
            .collect();
        // Lanes that rely on lockstep and also race with other warps are one error, the race.
        let races_too = |one: u32, other: u32| {
            [ReportKind::Race, ReportKind::AsyncOrder].into_iter().any(|kind| {
                [(kind, one, other), (kind, other, one)]
                    .iter()
                    .any(|key| self.found.contains_key(key))
            })
        };
        let echo = |(kind, instruction, other): &(ReportKind, u32, u32)| match kind {
            ReportKind::Uninitialized => races.contains(instruction),
            ReportKind::WarpSynchronous => races_too(*instruction, *other),
            _ => false,
        };
        let echoes: HashSet<usize> =
            self.found.iter().filter(|(key, _)| echo(key)).map(|(_, index)| *index).collect();
        let mut ends = vec![[0; 2]; self.list.len()];
        for ((_, one, other), index) in &self.found {
            ends[*index] = [*one, *other];
        }
        let list = self.list.into_iter().zip(ends).zip(self.races).enumerate();
        let list = list.filter(|(index, _)| !echoes.contains(index));
        let list = list.map(|(_, ((report, ends), race))| Found { report, ends, race });
        report::group(&self.kernel, list.collect())
    }
}

/// The advice for an access past the end of an array, by at most its own size.
pub fn longer_array(near: &NearAllocation, bytes: u64) -> Option<String> {
    end_beyond(near, bytes).map(|end| declare(&near.name, end))
}

/// The end of an access past the end of an array, by at most the array's own size.
fn end_beyond(near: &NearAllocation, bytes: u64) -> Option<u64> {
    let end = u64::try_from(near.offset).ok()? + bytes;
    (end > near.bytes && end - near.bytes <= near.bytes).then_some(end)
}

fn declare(name: &str, bytes: u64) -> String {
    format!(
        "guard the access so that its index stays inside the array; if it must reach there, as the edge of a tile, declare `{name}` with at least {bytes} bytes"
    )
}

/// `name+offset`.
pub fn named(near: &NearAllocation) -> String {
    format!("{}{:+}", near.name, near.offset)
}

/// Bytes from an allocation beyond which an address is not attributed to it.
const FAR: u64 = 1 << 16;

/// `name+offset`, or the address if no allocation is near.
pub fn place(near: Option<&NearAllocation>, address: u64) -> String {
    near.filter(|near| near.distance <= FAR).map_or_else(|| format!("{address:#x}"), named)
}

/// `at name+offset, 'name' is N bytes`, or the offset if there are no variables.
pub fn outside_of(near: Option<&NearAllocation>, offset: u64) -> String {
    match near {
        Some(near) => format!("at {}, `{}` is {} bytes", named(near), near.name, near.bytes),
        None => format!("at offset {offset}"),
    }
}

/// The access as a word.
pub fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "atomic",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_about_an_array_is_about_its_own_length() {
        let near = |offset: i64| NearAllocation {
            name: "s".to_owned(),
            address: 0,
            bytes: 256,
            offset,
            distance: 0,
        };
        assert_eq!(
            [256, 508, 512, -4].map(|at| end_beyond(&near(at), 4)),
            [Some(260), Some(512), None, None]
        );
        assert!(
            longer_array(&near(508), 4).is_some_and(|help| help.ends_with("at least 512 bytes"))
        );
    }

    #[test]
    fn an_address_far_from_all_memory_is_shown_as_a_number() {
        let near = |offset: i64| NearAllocation {
            name: "lock".to_owned(),
            address: 1 << 40,
            bytes: 4,
            offset,
            distance: offset.unsigned_abs(),
        };
        assert_eq!(place(Some(&near(-4)), (1 << 40) - 4), "lock-4");
        assert_eq!(place(Some(&near(-(1 << 40))), 0), "0x0");
        assert_eq!(place(None, 16), "0x10");
    }
}
