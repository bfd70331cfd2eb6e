//! Merges races that one missing barrier explains into one finding.
//!
//! *Algorithm.* A race between threads of one block is an interval of the kernel's text, from one
//! access to the other: a barrier anywhere inside orders the two. A greedy interval point cover,
//! sorted by right end, finds the fewest points that stab all intervals. Races stabbed by one point
//! become one finding, the first that was found; it lists the others. A race with a barrier inside
//! its interval goes around the back edge of a loop: the missing barrier is before the end of the
//! loop body, and races with overlapping intervals belong to one loop.
//!
//! *Limits.* Assumes that execution follows the order of the text. If two barriers are missing
//! within one interval, one finding lists both.

use crate::findings::kinds::ReportKind;
use crate::findings::report::{AccessPair, CodeLocation, Report};
use lanework_ptx_ir::kernel::{Kernel, Opcode, SyncAnnotation};

/// A race between threads of a block, as an interval.
struct RaceInterval {
    /// Its index in the list.
    report: usize,
    /// The earlier and the later instruction in the text.
    ends: [u32; 2],
    /// Whether the two belong to different warps.
    warps: bool,
}

/// Merges the races of a launch; each report comes with its instruction and that of the other
/// access.
pub fn group(kernel: &Kernel, list: Vec<(Report, [u32; 2])>) -> Vec<Report> {
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
    let intervals =
        list.iter().enumerate().filter_map(|(i, (report, ends))| interval(i, report, *ends));
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
    groups.extend(overlapping(around));
    keep_first(list.into_iter().map(|(report, _)| report).collect(), groups)
}

/// The interval of a race between different instructions of threads of a block. No barrier orders a
/// race of an instruction with itself.
fn interval(index: usize, report: &Report, [one, other]: [u32; 2]) -> Option<RaceInterval> {
    let with = report.other.as_ref()?;
    if report.kind != ReportKind::Race || report.block != with.block || one == other {
        return None;
    }
    let warps = !report.message.contains("by another lane of the warp");
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
/// it.
fn keep_first(list: Vec<Report>, groups: Vec<Vec<RaceInterval>>) -> Vec<Report> {
    let mut list: Vec<Option<Report>> = list.into_iter().map(Some).collect();
    for group in groups {
        let Some(first) = group.iter().min_by_key(|one| (!one.warps, one.report)) else { continue };
        let first = first.report;
        let Some(mut kept) = list[first].take() else { continue };
        let mut others: Vec<usize> = group.iter().map(|one| one.report).collect();
        others.sort_unstable();
        for report in others.into_iter().filter_map(|other| list[other].take()) {
            kept.count += report.count;
            kept.add_pair(AccessPair::of(&report));
        }
        list[first] = Some(kept);
    }
    list.into_iter().flatten().collect()
}

impl AccessPair {
    /// The two accesses of a race.
    fn of(report: &Report) -> AccessPair {
        let access =
            CodeLocation { location: report.location.clone(), text_line: report.text_line };
        let other = report.other.as_ref().map_or(CodeLocation::default(), |other| CodeLocation {
            location: other.location.clone(),
            text_line: other.text_line,
        });
        AccessPair { access, other }
    }
}
