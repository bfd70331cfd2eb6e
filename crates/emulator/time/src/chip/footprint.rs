//! Footprints: the 64-byte units of device memory that blocks touch, by allocation, and how many of them blocks share.
//!
//! The traced blocks include neighbors along each axis of the grid. The fraction of units that a block shares with its
//! neighbor determines how the footprint of many blocks grows along that axis; the size of the allocation bounds it. If
//! blocks further along x return to a block's units ([`recurrence`]), the footprint grows along x by the blocks up to there, and
//! by the number of returns. A unit is the smallest transfer of device memory.

use crate::chip::swaps::Swaps;
use crate::machine::Timings;
use crate::numbers::{NumberMap, NumberSet};
use crate::sm::memory::LOCAL_SECTORS;
use crate::trace::recurrence;
use crate::trace::{AccessTarget, BlockTrace, KernelTrace, NO_SECTORS, Residence, WarpTrace};
use lanework_engine::event::AccessKind;
use lanework_ptx_ir::kernel::{MemoryKind, Opcode};
use std::collections::HashMap;

/// Bytes per unit.
pub const UNIT: f64 = recurrence::UNIT as f64;

/// Part of the touched units of an allocation above which loads that return to them show a second walk through it.
const AGAIN: f64 = 0.01;

/// The units of one allocation that a block touches.
#[derive(Clone, Debug, Default)]
struct Touched {
    read: NumberSet,
    written: NumberSet,
}

impl Touched {
    /// Whether most of the units that the block reads are in an allocation that it writes elsewhere.
    fn is_of_others(&self) -> bool {
        let foreign = self.read.iter().filter(|unit| !self.written.contains(unit)).count();
        !self.written.is_empty() && 2 * foreign > self.read.len()
    }
}

/// How the blocks use one allocation.
#[derive(Clone, Debug)]
pub struct Region {
    /// Where the allocation is.
    pub residence: Residence,
    /// First line of 128 bytes of the allocation, and number of its lines.
    pub lines: (u64, u64),
    /// Size of the allocation in units.
    pub units: f64,
    /// Units that a block reads before it writes them.
    pub read: f64,
    /// Units that a block writes.
    pub written: f64,
    /// Loads of a block that return to a unit after a long time.
    pub returns: f64,
    /// The same, with bulk copies.
    pub again: f64,
    /// Fraction of a block's units that its neighbor touches, too, by axis.
    pub shared: [f64; 3],
    /// Number of blocks along x after which a block returns to the units, and the fraction of its units that it then touches, too.
    pub returning: Option<(u64, f64)>,
}

/// Footprints of a launch.
pub struct Footprints {
    /// One per allocation.
    pub regions: Vec<Region>,
    /// The region of each run, if it accesses device memory.
    pub of_run: Vec<Option<usize>>,
    /// By run: whether neighboring blocks share less than half of the units of the region that it accesses.
    pub private: Vec<bool>,
    /// Atomics on global memory.
    atomics: Atomics,
    /// Compare-and-swap operations on global memory.
    pub swaps: Swaps,
    /// Whether the middle block reads what other blocks write in the same launch.
    pub races: bool,
    /// Sectors of local memory of a block.
    pub local_sectors: f64,
    /// By run: whether it stores tiles of tensor maps.
    pub stores_tiles: Vec<bool>,
    /// Bytes of these tiles that a block stores.
    stored: f64,
    /// Bytes of the largest allocation.
    largest: f64,
    /// By run: sectors that the middle block requests, caches ignored.
    sectors: Vec<f64>,
    grid: [u64; 3],
}

impl Footprints {
    /// Computes the footprints from the traced blocks.
    pub fn new(trace: &KernelTrace) -> Footprints {
        let mut allocations = trace.allocations.clone();
        allocations.sort_unstable();
        let place = |sector: u64| {
            let address = sector * 32;
            let at = allocations.partition_point(|range| range.start <= address);
            at.checked_sub(1).filter(|&at| address < allocations[at].start + allocations[at].bytes)
        };
        let runs = trace.runs.all.len();
        let (mut of_run, mut sectors) = (vec![None; runs], vec![0.0; runs]);
        let mut touched: Vec<HashMap<usize, Touched>> = Vec::new();
        let (mut returns, mut again) = (HashMap::new(), HashMap::new());
        for (number, block) in trace.blocks.iter().enumerate() {
            touched.push(touch(block, &place, &mut of_run));
            if number == 0 {
                returns = long_returns(block, &place, &[AccessTarget::Global]);
                again = long_returns(block, &place, &[AccessTarget::Global, AccessTarget::Bulk]);
                count_sectors(block, &mut sectors);
            }
        }
        let grid = trace.grid.map(u64::from);
        let strides = [1, grid[0], grid[0] * grid[1]];
        let base = trace.blocks.first().map_or(0, |block| block.block);
        let neighbor =
            |axis: usize| trace.blocks.iter().position(|block| block.block == base + strides[axis]);
        let neighbors = [0, 1, 2].map(neighbor);
        let empty = HashMap::new();
        let own = touched.first().unwrap_or(&empty);
        let mut numbers: Vec<usize> = own.keys().copied().collect();
        numbers.sort_unstable();
        let scale = trace
            .blocks
            .first()
            .map_or(1.0, |block| block.executed() as f64 / block.recorded().max(1) as f64);
        let regions: Vec<Region> = numbers
            .iter()
            .map(|&number| {
                let mine = &own[&number];
                let shared = neighbors.map(|at| {
                    let other = at.and_then(|at| touched[at].get(&number));
                    other.map_or(0.0, |other| overlap(mine, other))
                });
                let units = (allocations[number].bytes as f64 / UNIT).ceil();
                let bounded = |found: f64| (found * scale).min(units);
                Region {
                    residence: allocations[number].residence,
                    lines: (allocations[number].start / 128, allocations[number].bytes / 128),
                    units,
                    read: bounded(mine.read.len() as f64),
                    written: bounded(mine.written.len() as f64),
                    returns: returns.get(&number).copied().unwrap_or(0.0) * scale,
                    again: again.get(&number).copied().unwrap_or(0.0) * scale,
                    shared,
                    returning: trace
                        .recurrences
                        .iter()
                        .find(|found| found.start == allocations[number].start)
                        .map(|found| (found.distance, found.shared)),
                }
            })
            .collect();
        let of_run: Vec<Option<usize>> = of_run
            .iter()
            .map(|found| found.and_then(|number| numbers.binary_search(&number).ok()))
            .collect();
        let private = of_run.iter().map(|region| {
            region.is_none_or(|at: usize| regions[at].shared.iter().all(|part| *part < 0.5))
        });
        let first = trace.blocks.first();
        let local: NumberSet = first
            .iter()
            .flat_map(|block| &block.sectors)
            .copied()
            .filter(|at| *at >= LOCAL_SECTORS)
            .collect();
        let local_sectors = local.len() as f64;
        let atomics = first.map(|block| Atomics::new(trace, block, scale)).unwrap_or_default();
        let private = private.collect();
        let swaps = Swaps::new(trace);
        let races = own.values().any(Touched::is_of_others);
        let (stores_tiles, stored) = stored_tiles(trace);
        let stored = stored * scale;
        sectors.iter_mut().for_each(|sum| *sum *= scale);
        let largest = allocations.iter().map(|range| range.bytes as f64).fold(0.0, f64::max);
        Footprints {
            private,
            regions,
            of_run,
            atomics,
            swaps,
            races,
            local_sectors,
            stores_tiles,
            stored,
            largest,
            sectors,
            grid,
        }
    }

    /// By run: sectors that a block requests, caches ignored.
    pub fn sectors_per_block(&self) -> Vec<f64> {
        self.sectors.clone()
    }

    /// Cycles that the busiest slice of the L2 takes for its atomics.
    pub fn busiest_slice(&self, timings: &Timings, blocks: f64) -> f64 {
        let [plain, float] = [timings.atomic_address_interval, timings.atomic_float_interval];
        let cycles = |of: &[f64; 2]| of[0] * plain + of[1] * float;
        let operations = cycles(&self.atomics.operations);
        if operations == 0.0 {
            return 0.0;
        }
        // Assumes that blocks share lines with atomics to the same extent as the regions that they write.
        let units = self.atomics.lines.len() as f64;
        let region = self.regions.iter().filter(|region| region.written > 0.0);
        let shared =
            region.map(|region| region.shared).reduce(|a, b| [0, 1, 2].map(|i| a[i].min(b[i])));
        let region = Region {
            residence: Residence::Device,
            lines: (0, 0),
            units: f64::INFINITY,
            read: 0.0,
            written: 0.0,
            returns: 0.0,
            again: 0.0,
            shared: shared.unwrap_or_default(),
            returning: None,
        };
        let lines = self.of_blocks(&region, units, blocks);
        let per_line = operations * blocks / lines;
        let most = self.atomics.lines.values().map(cycles).fold(0.0, f64::max);
        let hottest = most * blocks * units / lines;
        (per_line * most_of_slice(lines, timings.l2_slices)).max(hottest)
    }

    /// Fraction of the allocation with the most touched units that `blocks` blocks touch; 1 if no allocation is known. Tiles
    /// of tensor maps, whose addresses are unknown, count as stores to the largest allocation.
    pub fn coverage(&self, blocks: f64) -> f64 {
        let known = self
            .most_touched(blocks)
            .map_or(1.0, |region| (self.touched(region, blocks) / region.units.max(1.0)).min(1.0));
        match self.stored > 0.0 {
            true => (self.stored * blocks / self.largest.max(1.0)).min(1.0),
            false => known,
        }
    }

    /// Whether a block walks through this allocation more than once.
    pub fn walks_again(&self, blocks: f64) -> bool {
        let again = |region: &Region| region.again > AGAIN * region.read.max(region.written);
        self.most_touched(blocks).is_none_or(again) || self.stored > 0.0
    }

    fn touched(&self, region: &Region, blocks: f64) -> f64 {
        self.of_blocks(region, region.read.max(region.written), blocks)
    }

    fn most_touched(&self, blocks: f64) -> Option<&Region> {
        let touched = |region: &Region| self.touched(region, blocks);
        self.regions.iter().max_by(|a, b| touched(a).total_cmp(&touched(b)))
    }

    /// Units that `blocks` consecutive blocks touch if one block touches `units`.
    pub fn of_blocks(&self, region: &Region, units: f64, blocks: f64) -> f64 {
        let [x, y, z] = self.grid.map(|extent| extent as f64);
        let along = [
            blocks.min(x),
            (blocks / x).ceil().clamp(1.0, y),
            (blocks / (x * y)).ceil().clamp(1.0, z),
        ];
        let grows = |axis: usize| 1.0 + (along[axis] - 1.0) * (1.0 - region.shared[axis]);
        let along_x = region.returning.map_or(grows(0), |(distance, shared)| {
            let walk = along[0].min(distance as f64);
            let walks = (along[0] / distance as f64).ceil().max(1.0);
            (1.0 + (walk - 1.0) * (1.0 - region.shared[0])) * (1.0 + (walks - 1.0) * (1.0 - shared))
        });
        (units * along_x * grows(1) * grows(2)).min(region.units).min(units * blocks)
    }
}

/// Atomics of a block on global memory.
#[derive(Clone, Debug, Default)]
struct Atomics {
    /// Operations. Lanes on one address are serialized; lanes on different addresses of a sector share an operation. The
    /// second number counts the serialized lanes of sums of floats, which take longer.
    operations: [f64; 2],
    /// The same by 128-byte line.
    lines: NumberMap<[f64; 2]>,
}

impl Atomics {
    fn new<'b>(trace: &KernelTrace, block: &'b BlockTrace, scale: f64) -> Atomics {
        let mut found = Atomics::default();
        let is_float = |run: u32| {
            let run = &trace.runs.all[run as usize];
            trace.kernel.insts[run.start as usize..run.end as usize].iter().any(|inst| {
                matches!(inst.opcode, Opcode::Memory(op)
                    if matches!(op.kind, MemoryKind::Atomic(atomic) if atomic.is_float()))
            })
        };
        let of_warp = |warp: &'b WarpTrace| warp.traffic.iter().map(move |record| (warp, record));
        for (warp, record) in block.warps.iter().flat_map(of_warp) {
            if record.kind != AccessKind::Atomic || record.target != AccessTarget::Global {
                continue;
            }
            let range = record.first as usize..(record.first + record.sectors) as usize;
            let sectors = block.sectors.get(range).unwrap_or_default();
            let turns = scale * f64::from(record.collisions) / sectors.len().max(1) as f64;
            let each = match is_float(warp.steps[record.step as usize].run) {
                true => [scale, turns],
                false => [scale + turns, 0.0],
            };
            for sector in sectors {
                let line = found.lines.entry(sector / 4).or_default();
                for sum in [line, &mut found.operations] {
                    sum.iter_mut().zip(each).for_each(|(sum, one)| *sum += one);
                }
            }
        }
        found
    }
}

/// The number of lines in the fullest of `slices` slices, if a hash spreads `lines` lines over
/// them: the largest count that at least half a slice is expected to reach (Poisson distribution).
fn most_of_slice(lines: f64, slices: f64) -> f64 {
    let mean = lines / slices;
    if mean > 200.0 {
        return mean + 2.5 * mean.sqrt();
    }
    let (mut term, mut below, mut count) = ((-mean).exp(), 0.0, 0.0);
    while slices * (1.0 - below - term) >= 0.5 {
        below += term;
        count += 1.0;
        term *= mean / count;
    }
    f64::max(count, 1.0)
}

/// By run: whether it stores tiles of tensor maps; and the bytes that the middle block stores so.
fn stored_tiles(trace: &KernelTrace) -> (Vec<bool>, f64) {
    let mut stores = vec![false; trace.runs.all.len()];
    let mut bytes = 0.0;
    for warp in trace.blocks.first().iter().flat_map(|block| &block.warps) {
        let tiles = warp.traffic.iter().filter(|record| {
            record.target == AccessTarget::Bulk
                && record.kind == AccessKind::Store
                && record.first == NO_SECTORS
        });
        for record in tiles {
            stores[warp.steps[record.step as usize].run as usize] = true;
            bytes += 32.0 * f64::from(record.sectors);
        }
    }
    (stores, bytes)
}

fn overlap(one: &Touched, other: &Touched) -> f64 {
    let all = one.read.union(&one.written);
    let (mut count, mut common) = (0u64, 0u64);
    for unit in all {
        count += 1;
        common += u64::from(other.read.contains(unit) || other.written.contains(unit));
    }
    common as f64 / count.max(1) as f64
}

fn touch(
    block: &BlockTrace,
    place: &dyn Fn(u64) -> Option<usize>,
    of_run: &mut [Option<usize>],
) -> HashMap<usize, Touched> {
    let mut found: HashMap<usize, Touched> = HashMap::new();
    for warp in &block.warps {
        for record in &warp.traffic {
            if !matches!(
                record.target,
                AccessTarget::Global | AccessTarget::Constant | AccessTarget::Bulk
            ) {
                continue;
            }
            let range = record.first as usize..(record.first + record.sectors) as usize;
            let run = warp.steps[record.step as usize].run as usize;
            for &sector in block.sectors.get(range).unwrap_or_default() {
                let Some(number) = place(sector) else { continue };
                of_run[run] = Some(number);
                let touched = found.entry(number).or_default();
                let unit = sector / 2;
                match record.kind {
                    AccessKind::Load => {
                        if !touched.written.contains(&unit) {
                            touched.read.insert(unit);
                        }
                    }
                    AccessKind::Store => {
                        touched.written.insert(unit);
                    }
                    AccessKind::Atomic => {
                        touched.read.insert(unit);
                        touched.written.insert(unit);
                    }
                }
            }
        }
    }
    found
}

/// By allocation: reads of a unit at least a fifth of the block's steps after the previous read of that unit, by accesses to
/// these targets.
fn long_returns(
    block: &BlockTrace,
    place: &dyn Fn(u64) -> Option<usize>,
    targets: &[AccessTarget],
) -> HashMap<usize, f64> {
    let steps = block.warps.iter().map(|warp| warp.steps.len()).max().unwrap_or(0) as u32;
    let mut events: Vec<(u32, u64)> = Vec::new();
    for warp in &block.warps {
        for record in &warp.traffic {
            let known = targets.contains(&record.target) && record.first != NO_SECTORS;
            if known && record.kind == AccessKind::Load {
                let range = record.first as usize..(record.first + record.sectors) as usize;
                let sectors = block.sectors.get(range).unwrap_or_default();
                events.extend(sectors.iter().map(|&sector| (record.step, sector)));
            }
        }
    }
    events.sort_unstable();
    let mut last: NumberMap<u32> = NumberMap::default();
    let mut found: HashMap<usize, f64> = HashMap::new();
    for (step, sector) in events {
        let before = last.insert(sector / 2, step);
        if before.is_some_and(|before| step - before > steps / 5)
            && let Some(number) = place(sector)
        {
            *found.entry(number).or_default() += 1.0;
        }
    }
    found
}

fn count_sectors(block: &BlockTrace, sectors: &mut [f64]) {
    for warp in &block.warps {
        for record in &warp.traffic {
            if record.target != AccessTarget::Shared {
                let run = warp.steps[record.step as usize].run as usize;
                sectors[run] += f64::from(record.sectors);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coverage_is_that_of_the_allocation_with_the_most_touched_units() {
        let region = |units: f64, read: f64, written: f64| Region {
            residence: Residence::Device,
            lines: (0, 0),
            units,
            read,
            written,
            returns: 0.0,
            again: 0.0,
            shared: [0.0; 3],
            returning: None,
        };
        let mut footprints = Footprints {
            regions: vec![region(1000.0, 20.0, 0.0), region(10.0, 10.0, 0.0)],
            of_run: Vec::new(),
            private: Vec::new(),
            atomics: Atomics::default(),
            swaps: Swaps::default(),
            races: false,
            stores_tiles: Vec::new(),
            stored: 0.0,
            largest: 0.0,
            local_sectors: 0.0,
            sectors: Vec::new(),
            grid: [16, 1, 1],
        };
        assert!((footprints.coverage(16.0) - 0.32).abs() < 1e-9);
        footprints.regions[1] = region(800.0, 0.0, 60.0);
        assert_eq!(footprints.coverage(16.0), 1.0);
        assert!(!footprints.walks_again(16.0));
        footprints.regions[1].again = 30.0;
        assert!(footprints.walks_again(16.0));
        footprints.regions.clear();
        assert_eq!(footprints.coverage(16.0), 1.0);
        (footprints.stored, footprints.largest) = (64.0, 4096.0);
        assert_eq!(footprints.coverage(16.0), 0.25, "tiles of unknown addresses");
        assert!(footprints.walks_again(16.0), "unknown addresses");
    }

    #[test]
    fn a_hash_spreads_many_lines_better_than_few() {
        assert_eq!(most_of_slice(1.0, 96.0), 1.0);
        assert_eq!(most_of_slice(96.0, 96.0), 4.0);
        let many = most_of_slice(96_000.0, 96.0) / 1000.0;
        assert!((1.0..1.2).contains(&many), "{many}");
        let around = [most_of_slice(19_100.0, 96.0), most_of_slice(19_300.0, 96.0)];
        assert!((0.9..1.1).contains(&(around[0] / around[1])), "{around:?}");
    }
}
