//! Findings as plain data ([`Report`]), and the merging of races that one missing barrier explains
//! ([`group`]).

use crate::findings::advice::{Adviser, Distance, RaceFacts};
use crate::findings::branches::line_of;
use crate::findings::kinds::ReportKind;
use lanework_engine::fault::{Fault, NearAllocation, SourceLocation};
use lanework_ptx_ir::kernel::{Kernel, Opcode, SyncAnnotation};
use std::fmt;

/// The other access of a race.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherAccess {
    /// Source location of its instruction, if the module has line information.
    pub location: Option<SourceLocation>,
    /// Line in the PTX text, 0 if unknown.
    pub text_line: u32,
    /// Call stack of its instruction, innermost first.
    pub callers: Vec<SourceLocation>,
    /// PTX name of its instruction.
    pub instruction: String,
    /// Its block.
    pub block: [u32; 3],
    /// Its thread.
    pub thread: [u32; 3],
}

/// A location in a kernel's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLocation {
    /// Source location, if the module has line information.
    pub location: Option<SourceLocation>,
    /// Line in the PTX text, 0 if unknown.
    pub text_line: u32,
}

impl fmt::Display for CodeLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&place(self.location.as_ref(), self.text_line))
    }
}

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPair {
    /// The later one.
    pub access: CodeLocation,
    /// The earlier one.
    pub other: CodeLocation,
    /// Whether the later one is in the loop's next iteration.
    pub in_next_iteration: bool,
}

/// A finding, with the number of its occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The kind of error.
    pub kind: ReportKind,
    /// The first occurrence, in one line.
    pub message: String,
    /// Source location of the instruction, if the module has line information.
    pub location: Option<SourceLocation>,
    /// Line in the PTX text, 0 if unknown.
    pub text_line: u32,
    /// Call stack of the instruction, innermost first.
    pub callers: Vec<SourceLocation>,
    /// PTX name of the instruction.
    pub instruction: String,
    /// The kernel.
    pub kernel: String,
    /// The block.
    pub block: [u32; 3],
    /// The thread in the block.
    pub thread: [u32; 3],
    /// The address accessed, if any.
    pub address: Option<u64>,
    /// Size of the access in bytes, 0 if unknown.
    pub size: u32,
    /// The allocation or variable accessed, or the nearest one.
    pub allocation: Option<NearAllocation>,
    /// The other access of a race.
    pub other: Option<OtherAccess>,
    /// How far apart the threads of a race are, if its remedy depends on it.
    pub distance: Option<Distance>,
    /// Further races explained by the same missing barrier.
    pub also: Vec<AccessPair>,
    /// Where the memory comes from: the kernel's parameter, and the call that allocated it. Empty if unknown.
    pub allocated: String,
    /// The remedy.
    pub help: String,
    /// Number of occurrences.
    pub count: u64,
    /// The occurrences by access, as `24 reads of x, 24 writes of y`; empty if all are alike.
    pub counted: String,
}

impl Report {
    /// The report of a fault; `None` if the fault is not a finding.
    pub fn from_fault(fault: Fault) -> Option<Report> {
        Some(Report {
            message: fault.message,
            location: fault.location,
            text_line: fault.text_line,
            callers: fault.callers,
            instruction: fault.instruction,
            kernel: fault.kernel,
            block: fault.block,
            thread: fault.thread,
            address: fault.address,
            size: fault.size,
            allocation: fault.allocation,
            help: fault.help,
            ..Report::new(ReportKind::from_fault(fault.kind)?)
        })
    }

    /// The report of a host read of `bytes` uninitialized bytes that start at `address`.
    pub fn host_read(bytes: u64, near: NearAllocation, address: u64) -> Report {
        Report {
            message: format!(
                "uninitialized copy to the host: {bytes} bytes of `{}`; the byte at {}{:+} was never written",
                near.name, near.name, near.offset
            ),
            address: Some(address),
            size: u32::try_from(bytes).unwrap_or(u32::MAX),
            allocation: Some(near),
            help: "let a kernel write all of it, or copy only what was written".to_owned(),
            ..Report::new(ReportKind::Uninitialized)
        }
    }

    /// A report without a place, an address and texts.
    #[doc(hidden)]
    pub fn new(kind: ReportKind) -> Report {
        Report {
            kind,
            message: String::new(),
            location: None,
            text_line: 0,
            callers: Vec::new(),
            instruction: String::new(),
            kernel: String::new(),
            block: [0; 3],
            thread: [0; 3],
            address: None,
            size: 0,
            allocation: None,
            other: None,
            distance: None,
            also: Vec::new(),
            allocated: String::new(),
            help: String::new(),
            count: 1,
            counted: String::new(),
        }
    }

    /// The report of memory that is still allocated.
    pub fn leak(address: u64, bytes: u64, name: &str) -> Report {
        let name = name.to_owned();
        Report {
            message: format!("leak: {bytes} bytes of `{name}` were never freed"),
            address: Some(address),
            allocation: Some(NearAllocation { name, address, bytes, offset: 0, distance: 0 }),
            help: "drop the buffer, or free what was allocated by hand".to_owned(),
            ..Report::new(ReportKind::Leak)
        }
    }

    /// The names of the two stream operations that race.
    pub fn operations(&self) -> Option<(&str, &str)> {
        let other = self.other.as_ref().filter(|_| self.kind.is_of_streams())?;
        Some((&self.instruction, &other.instruction))
    }

    /// Adds a race explained by the same missing barrier. Copies of a line, as in unrolled loops,
    /// count once.
    pub fn add_pair(&mut self, pair: AccessPair) {
        let line = |spot: &CodeLocation| match &spot.location {
            Some(at) => (at.file.clone(), at.line),
            None => (String::new(), spot.text_line),
        };
        let lines = |one: &AccessPair| [line(&one.access), line(&one.other)];
        let known = |one: &AccessPair| lines(one) == lines(&pair);
        if !self.also.iter().any(known) {
            self.also.push(pair);
        }
    }

    /// Adds the occurrences of a report of the same place. The one whose threads are furthest apart stays, since its remedy
    /// repairs both.
    pub fn absorb(&mut self, mut report: Report) {
        if report.distance > self.distance {
            std::mem::swap(self, &mut report);
        }
        self.count += report.count;
        report.also.into_iter().for_each(|pair| self.add_pair(pair));
    }

    /// The line: of the source, else of the PTX text; 0 if unknown.
    pub fn line(&self) -> u32 {
        self.location.as_ref().map_or(self.text_line, |location| location.line)
    }
}

/// Merges reports into a list, and adds the counts of reports at the same place. Copies of a line,
/// as in unrolled loops, are one place.
pub fn merge(to: &mut Vec<Report>, found: Vec<Report>) {
    fn at(location: Option<&SourceLocation>, text_line: u32) -> (Option<&SourceLocation>, u32) {
        (location, if location.is_some() { 0 } else { text_line })
    }
    fn place(report: &Report) -> impl PartialEq + '_ {
        let other = report.other.as_ref();
        let other_at = other.map(|other| at(other.location.as_ref(), other.text_line));
        let place = (report.kind, at(report.location.as_ref(), report.text_line), other_at);
        (place, report.operations())
    }
    for report in found {
        match to.iter_mut().find(|known| place(known) == place(&report)) {
            Some(known) => known.absorb(report),
            None => to.push(report),
        }
    }
}

fn place(location: Option<&SourceLocation>, text_line: u32) -> String {
    match location {
        Some(location) => location.to_string(),
        None if text_line > 0 => format!("line {text_line} of the PTX text"),
        None => "an unknown line".to_owned(),
    }
}

/// A finding of a launch.
pub struct Found {
    /// The report.
    pub report: Report,
    /// Its instruction and the other access's instruction.
    pub ends: [u32; 2],
    /// The race, if its help is still to be given.
    pub race: Option<RaceFacts>,
}

/// A race between threads of a block, as an interval.
struct RaceInterval {
    /// Its index in the list.
    report: usize,
    /// The earlier and the later instruction in the text.
    ends: [u32; 2],
    /// Whether the two belong to different warps.
    warps: bool,
}

/// Merges races of a launch that one missing barrier explains, and gives the help of each.
///
/// *Algorithm.* A race between threads of one block is an interval of the kernel's text, from one
/// access to the other: a barrier anywhere inside orders the two. A greedy interval point cover,
/// sorted by right end, finds the fewest points that stab all intervals. Races stabbed by one point
/// become one finding: the first one found, which lists the others. If a barrier is already inside
/// the interval, the race goes around the back edge of a loop: the missing barrier belongs before the
/// end of the loop body, and races with overlapping intervals belong to one loop.
///
/// *Limits.* Assumes that execution follows the order of the text. If two barriers are missing
/// within one interval, one finding lists both.
pub fn group(kernel: &Kernel, list: Vec<Found>) -> Vec<Report> {
    let origins = |which: fn(&Opcode) -> bool| -> Vec<u32> {
        let chosen = kernel.insts.iter().filter(|inst| which(&inst.opcode));
        chosen.map(|inst| inst.origin).collect()
    };
    let barriers = origins(|opcode| matches!(opcode, Opcode::Barrier { .. }));
    let syncs = origins(|opcode| matches!(opcode, Opcode::Annotation(SyncAnnotation::WarpSync)));
    let has_barrier = |interval: &RaceInterval| {
        let [from, to] = interval.ends;
        let inside = |at: &u32| from < *at && *at < to;
        barriers.iter().any(inside) || !interval.warps && syncs.iter().any(inside)
    };
    let intervals = list.iter().enumerate().filter_map(|(i, found)| interval(i, found));
    let (around, mut plain): (Vec<RaceInterval>, Vec<RaceInterval>) =
        intervals.partition(has_barrier);
    let mut groups: Vec<Vec<RaceInterval>> = Vec::new();
    plain.sort_by_key(|interval| interval.ends[1]);
    while let Some(first) = plain.first() {
        let point = first.ends[1];
        let stabbed =
            |interval: &RaceInterval| interval.ends[0] < point && point <= interval.ends[1];
        let (group, rest) = plain.into_iter().partition(stabbed);
        groups.push(group);
        plain = rest;
    }
    let plain = groups.len();
    groups.extend(overlapping(around));
    let mut kept = keep_first(list, groups, plain);
    blame_wrong_indices(kernel, &mut kept);
    if kept.iter().all(|found| found.race.is_none()) {
        return kept.into_iter().map(|found| found.report).collect();
    }
    let adviser = Adviser::new(kernel);
    let mut advised: Vec<(Report, u32, Option<u32>)> = Vec::new();
    for Found { mut report, ends, race } in kept {
        let prior = race.as_ref().map_or(0, |race| race.accesses[1].instruction);
        if let Some(race) = &race {
            report.help = adviser.advice(race, ends);
            let same_thread =
                report.other.as_ref().is_some_and(|with| with.thread == report.thread);
            if same_thread && adviser.lacks_block_index(race) {
                report.help = format!(
                    "each block accesses the same elements, because the index has no `blockIdx`: add `blockIdx.x * blockDim.x` if each block is to have its own; else {}",
                    report.help
                );
            }
            report.distance = Some(race.distance);
        }
        // One barrier before a signal to other blocks covers all accesses before it. The last one says where to put it.
        let signal = adviser.take_signal();
        let same = advised.iter_mut().find(|(_, _, known)| signal.is_some() && *known == signal);
        let Some((known, at, _)) = same else {
            advised.push((report, prior, signal));
            continue;
        };
        if prior > *at {
            std::mem::swap(known, &mut report);
            *at = prior;
        }
        known.count += report.count;
        let lines = |report: &Report| AccessPair::of(report).lines();
        if lines(known) != lines(&report) {
            known.add_pair(AccessPair::of(&report));
        }
        report.also.into_iter().for_each(|pair| known.add_pair(pair));
    }
    advised.into_iter().map(|(report, ..)| report).collect()
}

/// Races of an instruction whose accesses also leave their array have the same cause.
fn blame_wrong_indices(kernel: &Kernel, list: &mut [Found]) {
    let outside: Vec<u32> = list
        .iter()
        .filter(|found| found.report.kind == ReportKind::OutOfBounds)
        .map(|found| found.ends[0])
        .collect();
    for found in list.iter_mut().filter(|found| found.report.kind == ReportKind::Race) {
        let Some(wrong) = found.ends.iter().find(|end| outside.contains(end)) else { continue };
        let line = line_of(kernel, *wrong).unwrap_or_else(|| "an unknown line".to_owned());
        found.report.help = format!(
            "repair the out-of-bounds finding at {line} first: the index there is wrong, so the access may also reach the element of another thread"
        );
        found.report.distance = found.race.as_ref().map(|race| race.distance);
        found.race = None;
    }
}

/// The interval of a race between different instructions of threads of a block. No barrier orders a
/// race of an instruction with itself.
fn interval(index: usize, found: &Found) -> Option<RaceInterval> {
    let Found { report, ends: [one, other], race } = found;
    let (one, other) = (*one, *other);
    let with = report.other.as_ref()?;
    let unfenced = race.is_some_and(|race| race.unfenced.is_some());
    if report.kind != ReportKind::Race || report.block != with.block || one == other || unfenced {
        return None;
    }
    let warps = race.is_none_or(|race| race.distance > Distance::Lanes);
    Some(RaceInterval { report: index, ends: [one.min(other), one.max(other)], warps })
}

/// Groups intervals that overlap, directly or through others.
fn overlapping(mut intervals: Vec<RaceInterval>) -> Vec<Vec<RaceInterval>> {
    intervals.sort_by_key(|interval| interval.ends[0]);
    let mut groups: Vec<(u32, Vec<RaceInterval>)> = Vec::new();
    for interval in intervals {
        match groups.last_mut() {
            Some((end, group)) if interval.ends[0] <= *end => {
                *end = (*end).max(interval.ends[1]);
                group.push(interval);
            }
            _ => groups.push((interval.ends[1], vec![interval])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Keeps the first race of each group, preferably between different warps, and lists the others in
/// it. The groups after the first `plain` ones go around a loop.
fn keep_first(list: Vec<Found>, groups: Vec<Vec<RaceInterval>>, plain: usize) -> Vec<Found> {
    let mut list: Vec<Option<Found>> = list.into_iter().map(Some).collect();
    for (number, group) in groups.into_iter().enumerate() {
        let Some(first) = group.iter().min_by_key(|one| (!one.warps, one.report)) else { continue };
        let first = first.report;
        let Some(mut kept) = list[first].take() else { continue };
        let mut others: Vec<usize> = group.iter().map(|one| one.report).collect();
        others.sort_unstable();
        for other in others.into_iter().filter_map(|other| list[other].take()) {
            kept.report.count += other.report.count;
            let pair = AccessPair::of(&other.report);
            if number < plain {
                kept.report.add_pair(pair);
            } else if pair.lines() != AccessPair::of(&kept.report).lines() {
                // Around a loop, one barrier orders two accesses whichever of them was found to be the later one.
                kept.report.add_pair(pair.around_loop(other.ends));
            }
        }
        // The part that all intervals have in common. Around a loop, the barrier belongs after the last access of all and before
        // the first one.
        let (firsts, lasts) =
            (group.iter().map(|one| one.ends[0]), group.iter().map(|one| one.ends[1]));
        let common = match number < plain {
            true => [firsts.max().unwrap_or(0), lasts.min().unwrap_or(0)],
            false => [firsts.min().unwrap_or(0), lasts.max().unwrap_or(0)],
        };
        if common[0] < common[1] {
            kept.ends = common;
        }
        list[first] = Some(kept);
    }
    list.into_iter().flatten().collect()
}

impl AccessPair {
    /// The lines of both accesses, in the order of the text.
    fn lines(&self) -> [String; 2] {
        let line = |spot: &CodeLocation| place(spot.location.as_ref(), spot.text_line);
        let mut lines = [line(&self.access), line(&self.other)];
        lines.sort_unstable();
        lines
    }

    /// The two accesses of a race.
    fn of(report: &Report) -> AccessPair {
        let access =
            CodeLocation { location: report.location.clone(), text_line: report.text_line };
        let other = report.other.as_ref().map_or(CodeLocation::default(), |other| CodeLocation {
            location: other.location.clone(),
            text_line: other.text_line,
        });
        AccessPair { access, other, in_next_iteration: false }
    }

    /// The pair if the race goes around the back edge of a loop. `ends` are the two instructions: the one that is later in the
    /// text is executed first, and the other one in the next iteration.
    fn around_loop(self, ends: [u32; 2]) -> AccessPair {
        let AccessPair { access, other, .. } = self;
        let (access, other) = if ends[0] > ends[1] { (other, access) } else { (access, other) };
        AccessPair { access, other, in_next_iteration: true }
    }
}
