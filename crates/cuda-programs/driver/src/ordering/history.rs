//! Past accesses of stream operations, and the search for races with them.
//!
//! *Algorithm.* Each strand (stream) keeps its operations in a list, newest last. A finished operation is compared
//! with operations of other strands that do not happen before it, and with other nodes of its own graph. Everything
//! that happens before it has already finished, so the other direction needs no check.
//!
//! *Forgotten operations.* Operations that the host has waited for are forgotten, because everything issued later comes
//! after them. In long strands, so are bytes that a later operation of the strand *subsumes*: its mode conflicts with
//! everything that the earlier mode conflicts with. Any operation that races with the earlier access and is not ordered with the later one
//! also races with the later one.
//!
//! *Synchronization by kernels.* A kernel that reads a flag that another stream's operation writes with a strong
//! access may have waited for that operation, so it counts as ordered after it. The same holds for two kernels that
//! take the same lock, because both write it.

use crate::ordering::findings::Operation;
use crate::ordering::strands::{Clock, Point, Step, ordered};
use lanework::emulator::sanitize::footprint::{
    AccessMode, AccessedBytes, ByteSet, Footprint, LaunchShadow,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Minimum length of strands that are compacted.
const COMPACT_FROM: usize = 64;
/// Maximum races reported per operation.
pub const MOST_RACES: usize = 8;

/// A finished operation.
struct HistoryEntry {
    number: u64,
    steps: Arc<[Step]>,
    operation: Arc<Operation>,
    clock: Arc<Clock>,
    footprint: Footprint,
    /// Accesses of its launches, not extracted yet.
    shadows: Vec<LaunchShadow>,
}

/// A finished part of an operation.
pub struct EndedPart {
    /// The operation's position among all streams.
    pub point: Arc<Point>,
    /// The part's position in the operation.
    pub steps: Arc<[Step]>,
    /// The operation.
    pub operation: Arc<Operation>,
    /// Accesses, excluding its launches.
    pub footprint: Footprint,
    /// Shadow memory of its launches.
    pub shadows: Vec<LaunchShadow>,
}

/// How two operations are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Operations of streams.
    Streams,
    /// Nodes of one graph.
    Graph,
    /// A grid, and a grid that it launched.
    Parent,
    /// Two grids launched by the same grid.
    Siblings,
}

/// Two operations that race.
pub struct Race {
    /// The operation that finished first, and its access.
    pub first: (Arc<Operation>, AccessedBytes),
    /// The other one.
    pub second: (Arc<Operation>, AccessedBytes),
    /// How the two operations are related.
    pub relation: Relation,
    /// The conflicting bytes.
    pub bytes: ByteSet,
}

/// Operations that later operations may race with.
#[derive(Default)]
pub struct History {
    strands: BTreeMap<u32, StrandHistory>,
}

/// The operations of a strand.
#[derive(Default)]
struct StrandHistory {
    entries: VecDeque<HistoryEntry>,
    /// Number of entries that triggers the next compaction.
    compact_at: usize,
}

impl History {
    /// Adds a finished operation, and returns its races with earlier ones.
    pub fn add(&mut self, mut ended: EndedPart) -> Vec<Race> {
        // If all operations are ordered, no shadow memory needs to be read.
        if self.read_unordered(&ended) {
            read_shadows(&mut ended.footprint, &mut ended.shadows);
            self.synchronize_by_flags(&ended);
        }
        let races = self.races(&ended);
        if !ended.footprint.accesses.is_empty() || !ended.shadows.is_empty() {
            let clock = ended.point.clock();
            let EndedPart { point, steps, operation, footprint, shadows } = ended;
            let number = point.number;
            let entry = HistoryEntry { number, steps, operation, clock, footprint, shadows };
            self.strands.entry(point.strand).or_default().push(entry);
        }
        races
    }

    /// The races of an operation with earlier ones.
    fn races(&self, ended: &EndedPart) -> Vec<Race> {
        let clock = ended.point.clock();
        let mut races = Vec::new();
        for (&strand, StrandHistory { entries, .. }) in &self.strands {
            let in_graph = strand == ended.point.strand;
            let known = last_before(ended, &clock, strand);
            for entry in entries.iter().rev().take_while(|entry| entry.number > known) {
                // Within a graph, its edges decide. Otherwise, an operation of another strand that finished early may
                // have waited for this one.
                let in_order = match in_graph {
                    true => ordered(&entry.steps, &ended.steps),
                    false => entry.clock.last(ended.point.strand) >= ended.point.number,
                };
                if in_order {
                    continue;
                }
                races.extend(entry.race(ended, in_graph));
                if races.len() == MOST_RACES {
                    return races;
                }
            }
        }
        races
    }

    /// Extracts accesses of unordered operations; returns whether there are any.
    fn read_unordered(&mut self, ended: &EndedPart) -> bool {
        let (clock, mut any) = (ended.point.clock(), false);
        for (&strand, StrandHistory { entries, .. }) in &mut self.strands {
            let known = last_before(ended, &clock, strand);
            for entry in entries.iter_mut().rev().take_while(|entry| entry.number > known) {
                read_shadows(&mut entry.footprint, &mut entry.shadows);
                any = true;
            }
        }
        any
    }

    /// Orders an operation after those whose flags it read.
    fn synchronize_by_flags(&self, ended: &EndedPart) {
        let observed = &ended.footprint.observed;
        if observed.is_empty() {
            return;
        }
        for (&strand, StrandHistory { entries, .. }) in &self.strands {
            for entry in entries.iter().rev() {
                if entry.number <= ended.point.clock().last(strand) {
                    break;
                }
                let copied = ended.operation.polls && !entry.operation.is_kernel();
                let mut written = entry.footprint.accesses.iter().filter(|access| {
                    access.mode == AccessMode::StrongWrite
                        || copied && access.mode == AccessMode::Write
                });
                if written.any(|access| !access.bytes.intersection(observed).is_empty()) {
                    ended.point.acquire(&entry.clock);
                }
            }
        }
    }

    /// Forgets operations that the host has waited for.
    pub fn forget(&mut self, host: &Clock) {
        self.strands.retain(|&strand, StrandHistory { entries, .. }| {
            let known = host.last(strand);
            while entries.front().is_some_and(|entry| entry.number <= known) {
                entries.pop_front();
            }
            !entries.is_empty()
        });
    }

    /// Forgets these strands.
    pub fn forget_strands(&mut self, gone: &[u32]) {
        self.strands.retain(|strand, _| !gone.contains(strand));
    }

    /// Forgets accesses to freed memory, whose addresses may be reused.
    pub fn forget_bytes(&mut self, bytes: &ByteSet) {
        for entry in self.strands.values_mut().flat_map(|strand| &mut strand.entries) {
            read_shadows(&mut entry.footprint, &mut entry.shadows);
            entry.footprint.accesses.retain_mut(|access| {
                access.bytes = access.bytes.difference(bytes);
                !access.bytes.is_empty()
            });
        }
    }

    /// A clock that includes all operations so far.
    pub fn all(&self) -> Clock {
        let mut clock = Clock::default();
        for (&strand, StrandHistory { entries, .. }) in &self.strands {
            for entry in entries {
                clock.join(&entry.clock);
                clock.raise(strand, entry.number);
            }
        }
        clock
    }
}

/// Number of the last operation of a strand that happens before, and so need not be compared. Nodes of the operation's
/// own graph share its number, and are compared by their edges.
fn last_before(ended: &EndedPart, clock: &Clock, strand: u32) -> u64 {
    if strand == ended.point.strand { ended.point.number - 1 } else { clock.last(strand) }
}

impl HistoryEntry {
    /// The race with a later, unordered operation, if there is one.
    fn race(&self, ended: &EndedPart, in_graph: bool) -> Option<Race> {
        let relation = if in_graph { Relation::Graph } else { Relation::Streams };
        let (first, second, bytes) = self.footprint.conflict(&ended.footprint)?;
        let first = (self.operation.clone(), first);
        Some(Race { first, second: (ended.operation.clone(), second), relation, bytes })
    }
}

impl StrandHistory {
    fn push(&mut self, entry: HistoryEntry) {
        // Shadow memory is large, so only the last operation of a strand keeps it.
        if let Some(last) = self.entries.back_mut() {
            read_shadows(&mut last.footprint, &mut last.shadows);
        }
        self.entries.push_back(entry);
        if self.entries.len() >= self.compact_at.max(COMPACT_FROM) {
            self.compact();
            self.compact_at = 2 * self.entries.len();
        }
    }

    /// Drops bytes that a later operation of the strand subsumes. Nodes of one graph do not subsume each other.
    fn compact(&mut self) {
        const MODES: [AccessMode; 4] =
            [AccessMode::Read, AccessMode::Write, AccessMode::StrongRead, AccessMode::StrongWrite];
        // Per mode of the earlier access: bytes that later operations subsume.
        let mut subsumed: [ByteSet; 4] = Default::default();
        // Accesses of the current operation, whose nodes are separate entries.
        let mut of_operation: Vec<(AccessMode, ByteSet)> = Vec::new();
        let mut number = 0;
        for entry in self.entries.iter_mut().rev() {
            if entry.number != number {
                number = entry.number;
                for (mode, bytes) in of_operation.drain(..) {
                    for (earlier, subsumed) in MODES.into_iter().zip(&mut subsumed) {
                        if subsumes(mode, earlier) {
                            *subsumed = subsumed.union(&bytes);
                        }
                    }
                }
            }
            entry.footprint.accesses.retain_mut(|access| {
                of_operation.push((access.mode, access.bytes.clone()));
                for (mode, subsumed) in MODES.into_iter().zip(&subsumed) {
                    if mode == access.mode {
                        access.bytes = access.bytes.difference(subsumed);
                    }
                }
                !access.bytes.is_empty()
            });
        }
        self.entries
            .retain(|entry| !entry.footprint.accesses.is_empty() || !entry.shadows.is_empty());
    }
}

/// Adds the accesses recorded in shadow memory.
fn read_shadows(footprint: &mut Footprint, shadows: &mut Vec<LaunchShadow>) {
    shadows.drain(..).for_each(|shadow| footprint.add(shadow.footprint()));
}

/// Whether everything that conflicts with the earlier mode conflicts with the later mode, too.
fn subsumes(later: AccessMode, earlier: AccessMode) -> bool {
    match later {
        AccessMode::Write => true,
        AccessMode::Read => !earlier.writes(),
        AccessMode::StrongWrite => earlier.is_strong(),
        AccessMode::StrongRead => earlier == AccessMode::StrongRead,
    }
}
