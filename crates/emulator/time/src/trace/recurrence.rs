//! Blocks that return, some blocks later, to units of device memory of which earlier blocks used a part: blocks that walk
//! through the columns of a matrix, for example, return to its first rows with each new column.
//!
//! Neighbors share nothing then, so more blocks run, further along x: 2, 4, 8, ... blocks away. Walks turn back: the first
//! of these blocks that is not where its distance suggests shows how many blocks a walk has. Only the distance and the shared
//! part of the units are kept.

use crate::numbers::NumberSet;
use crate::trace::{AccessTarget, BlockTrace, GlobalRange, Recurrence, Runs};
use lanework_ptx_ir::kernel::{Kernel, Opcode};
use std::collections::BTreeMap;

/// Bytes per unit, the smallest transfer of device memory.
pub const UNIT: u64 = 64;

/// A block that uses more of the bytes of its units leaves little to other blocks.
const PARTIAL: f64 = 0.5;

/// Units of a contiguous block are at least this part of the units from its first to its last.
const CONTIGUOUS: f64 = 0.5;

/// If neighbors share more than this, they show how footprints grow.
const LITTLE: f64 = 0.25;

/// A block that shares less than this is somewhere else.
const MUCH: f64 = 0.4;

/// The bytes of one allocation that a block uses.
#[derive(Default)]
struct Use {
    units: NumberSet,
    /// Bytes that lanes access.
    bytes: f64,
    /// The first sector of each access.
    places: Vec<u64>,
}

impl Use {
    /// The used part of the bytes of the units.
    fn part(&self) -> f64 {
        self.bytes / (self.units.len() as u64 * UNIT).max(1) as f64
    }

    fn is_contiguous(&self) -> bool {
        let (first, last) = (self.units.iter().min(), self.units.iter().max());
        let span = last.zip(first).map_or(0, |(last, first)| last - first + 1);
        self.units.len() as f64 >= CONTIGUOUS * span as f64
    }

    /// Fraction of the units that the other block uses, too. A unit next to one of its units counts: whether a walk that
    /// continues there returns to the same unit or to the next one depends on where in its units it is.
    fn shared(&self, other: &Use) -> f64 {
        let near = |unit: u64| [unit, unit + 1, unit.wrapping_sub(1)];
        let uses = |unit: &&u64| near(**unit).iter().any(|unit| other.units.contains(unit));
        self.units.iter().filter(uses).count() as f64 / self.units.len().max(1) as f64
    }

    /// Distance in sectors of the other block's accesses from those of this block: the median.
    fn shift(&self, other: &Use) -> Option<f64> {
        if self.places.len() != other.places.len() {
            return None;
        }
        let pairs = self.places.iter().zip(&other.places);
        let mut shifts: Vec<i64> = pairs.map(|(from, to)| *to as i64 - *from as i64).collect();
        shifts.sort_unstable();
        shifts.get(shifts.len() / 2).map(|shift| *shift as f64)
    }
}

/// The use of each allocation by a block.
fn uses(
    block: &BlockTrace,
    (kernel, runs): (&Kernel, &Runs),
    allocations: &[GlobalRange],
) -> BTreeMap<u64, Use> {
    let lane_bytes = |run: u32| -> u32 {
        let run = &runs.all[run as usize];
        let insts = &kernel.insts[run.start as usize..run.end as usize];
        let bytes = |opcode: &Opcode| match opcode {
            Opcode::Memory(op) => op.ty.size() * u32::from(op.count),
            _ => 0,
        };
        insts.iter().map(|inst| bytes(&inst.opcode)).sum()
    };
    let mut found: BTreeMap<u64, Use> = BTreeMap::new();
    for warp in &block.warps {
        for record in warp.traffic.iter().filter(|record| record.target == AccessTarget::Global) {
            let range = record.first as usize..(record.first + record.sectors) as usize;
            let sectors = block.sectors.get(range).unwrap_or_default();
            let Some(&first) = sectors.first() else { continue };
            let holds = |range: &&GlobalRange| {
                (range.start..range.start + range.bytes).contains(&(first * 32))
            };
            let Some(allocation) = allocations.iter().find(holds) else { continue };
            let found = found.entry(allocation.start).or_default();
            let step = warp.steps[record.step as usize];
            found.bytes += f64::from(step.mask.count_ones() * lane_bytes(step.run));
            found.places.push(first);
            found.units.extend(sectors.iter().map(|sector| sector * 32 / UNIT));
        }
    }
    found
}

/// Finds how blocks return to units, by allocation. `trace` runs another block of the same row of the grid; the block
/// `most` blocks away is the last that counts.
pub fn find(
    blocks: &[BlockTrace],
    code: (&Kernel, &Runs),
    allocations: &[GlobalRange],
    most: u64,
    trace: &mut dyn FnMut(u64) -> Option<BlockTrace>,
) -> Vec<Recurrence> {
    let Some(first) = blocks.first() else { return Vec::new() };
    let Some(next) = blocks.iter().find(|block| block.block == first.block + 1) else {
        return Vec::new();
    };
    if !first.complete || first.recorded() < first.executed() {
        return Vec::new();
    }
    let (own, after) = (uses(first, code, allocations), uses(next, code, allocations));
    let mut at = |distance: u64| Some(uses(&trace(first.block + distance)?, code, allocations));
    let mut open: Vec<Walk<'_>> = own.iter().filter_map(|of| Walk::new(of, &after)).collect();
    let mut found = Vec::new();
    let mut distance = 2;
    while !open.is_empty() && distance <= most {
        let Some(there) = at(distance) else { break };
        open.retain_mut(|walk| {
            let Some(there) = there.get(&walk.start) else { return false };
            let mut returned = walk.recurrence(distance, there);
            let Some(blocks) = walk.blocks(distance, there).filter(|_| returned.is_none()) else {
                found.extend(returned);
                return false;
            };
            if blocks.abs() < 0.5 {
                return true;
            }
            let blocks = blocks.round() as u64;
            if (2..=most).contains(&blocks) && blocks != distance {
                let there = at(blocks);
                let there = there.as_ref().and_then(|there| there.get(&walk.start));
                returned = there.and_then(|there| walk.recurrence(blocks, there));
            }
            found.extend(returned);
            false
        });
        distance *= 2;
    }
    found
}

/// Blocks that walk through an allocation, seen from the first traced one.
struct Walk<'a> {
    start: u64,
    own: &'a Use,
    next: &'a Use,
    /// Distance in sectors from a block's accesses to those of the next one.
    step: f64,
}

impl<'a> Walk<'a> {
    /// A walk, if the block uses little of its units, and the next one uses others.
    fn new(of: (&u64, &'a Use), next: &'a BTreeMap<u64, Use>) -> Option<Walk<'a>> {
        let (&start, own) = of;
        let next = next.get(&start)?;
        let alone = own.part() < PARTIAL && !own.is_contiguous() && own.shared(next) < LITTLE;
        let step = own.shift(next)?;
        (alone && step != 0.0).then_some(Walk { start, own, next, step })
    }

    /// The recurrence at this distance, if the block there returns to the units of the first one.
    fn recurrence(&self, distance: u64, there: &Use) -> Option<Recurrence> {
        let near = self.own.shared(there);
        // It uses other bytes, of the next units if none are left.
        let shared = near * (1.0 - self.own.part());
        (near > MUCH).then_some(Recurrence { start: self.start, distance, shared })
    }

    /// Number of blocks of the walk, if the block at this distance is in the next one; 0 if it is in the same one.
    fn blocks(&mut self, distance: u64, there: &Use) -> Option<f64> {
        if distance == 2 {
            // The walk may end with one of the first two blocks. The way back is the longer one.
            let other = self.next.shift(there)?;
            self.step = if other.abs() < self.step.abs() { other } else { self.step };
        }
        let moved = self.own.shift(there)?;
        (self.step != 0.0).then(|| distance as f64 - moved / self.step)
    }
}
