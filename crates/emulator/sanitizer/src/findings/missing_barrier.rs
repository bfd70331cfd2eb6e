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

use crate::findings::advice::{Adviser, Distance, RaceFacts};
use crate::findings::kinds::ReportKind;
use crate::findings::report::{AccessPair, CodeLocation, Report};
use lanework_ptx_ir::kernel::{Kernel, Opcode, SyncAnnotation};

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

/// Merges the races of a launch, and gives the help of each.
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
    groups.extend(overlapping(around));
    let kept = keep_first(list, groups);
    if kept.iter().all(|found| found.race.is_none()) {
        return kept.into_iter().map(|found| found.report).collect();
    }
    let adviser = Adviser::new(kernel);
    let advised = |Found { mut report, ends, race }: Found| {
        if let Some(race) = &race {
            report.help = adviser.advice(race, ends);
        }
        report
    };
    kept.into_iter().map(advised).collect()
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
/// it.
fn keep_first(list: Vec<Found>, groups: Vec<Vec<RaceInterval>>) -> Vec<Found> {
    let mut list: Vec<Option<Found>> = list.into_iter().map(Some).collect();
    for group in groups {
        let Some(first) = group.iter().min_by_key(|one| (!one.warps, one.report)) else { continue };
        let first = first.report;
        let Some(mut kept) = list[first].take() else { continue };
        let mut others: Vec<usize> = group.iter().map(|one| one.report).collect();
        others.sort_unstable();
        for other in others.into_iter().filter_map(|other| list[other].take()) {
            kept.report.count += other.report.count;
            kept.report.add_pair(AccessPair::of(&other.report));
        }
        // A barrier inside all intervals; around a loop they need not have a point in common.
        let from = group.iter().map(|one| one.ends[0]).max().unwrap_or(0);
        let to = group.iter().map(|one| one.ends[1]).min().unwrap_or(0);
        if from < to {
            kept.ends = [from, to];
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
