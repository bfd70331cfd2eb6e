//! Fast-path equivalence tests: on random histories the fast paths find the same races as the
//! reference path, and leave the same shadow memory.

use crate::access::reference::lanes_of;
use crate::fast::line::AccessBatch;
use crate::fast::stored::StoredValues;
use crate::fast::whole::ShadowView;
use crate::races::epoch::{
    self, ALL, ATOMIC, LANES, LINE, STRONG, STRONG_OF_DEVICE, WholeField, with_lane,
};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::RelationCache;
use crate::races::happens_before::sync_variables::SyncVariable;
use crate::races::shadow_cell::{LaneAccess, ShadowCell};
use crate::races::shadow_memory::ShadowMemory;
use crate::races::strong_accesses::StrongAccesses;
use lanework_ptx_ir::kernel::Scope;

/// A linear congruential generator, so histories are reproducible.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

const WARPS: usize = 3;
const FLAG: SyncVariable = SyncVariable::Global(64);

/// Checks the accesses of a batch by the reference path. A write changes the values of these cells; `None` if it is a read.
fn one_by_one(
    shadow: &mut ShadowMemory,
    order: &mut HappensBefore,
    batch: &AccessBatch,
    writes: Option<u32>,
) -> bool {
    let mut races = false;
    for second in [0, batch.second] {
        for i in (0..LINE).filter(|i| batch.active >> i & 1 != 0) {
            let packed = batch.packed[i] + second;
            let instruction = epoch::instruction(packed);
            let lane = epoch::lane(packed);
            let observes = instruction.is_multiple_of(2);
            let access = LaneAccess { packed, warp: batch.warp, lane, base: batch.base, observes };
            let found = shadow.change(4 * i as u64, |cell| match writes {
                Some(changed) => cell.write(order, &access, |_| changed >> i & 1 != 0),
                None => cell.read(order, &access),
            });
            races |= found.is_some();
        }
        if batch.second == 0 {
            break;
        }
    }
    races
}

/// Drops strong accesses before `base`, which only the reference path clears.
fn recent(mut cell: ShadowCell, base: u32) -> ShadowCell {
    let StrongAccesses { writes, reads, polled } = &mut cell.strong;
    for access in writes.iter_mut().chain(reads).chain([polled]) {
        if epoch::number(*access) < base {
            *access = 0;
        }
    }
    cell
}

/// The fast paths: for some cells of a line, for all, for a broadcast, for one cell, for one cell per lane, for an atomic, for
/// a compare-and-swap that fails, and for atomics of several lanes on one word.
#[derive(Clone, Copy)]
enum Path {
    Line,
    Whole,
    AccessPair,
    Scattered,
    Words,
    Atomic,
    FailedSwap,
    AtomicsOfOne,
}

/// The number of fast paths.
const PATHS: usize = 8;

/// Accesses of some lanes to the words at their offsets, lane by lane.
fn lane_by_lane(
    shadow: &mut ShadowMemory,
    order: &mut HappensBefore,
    batch: &AccessBatch,
    (lanes, offsets): (u32, &[u64; 32]),
    writes: Option<u32>,
) -> bool {
    let mut races = false;
    for lane in lanes_of(lanes) {
        let packed = [with_lane(batch.packed[0] & !LANES, lane as u32); LINE];
        let AccessBatch { warp, base, .. } = *batch;
        let active = 1 << (offsets[lane] >> 2);
        let one = AccessBatch { packed, second: 0, active, warp, base };
        races |= one_by_one(shadow, order, &one, writes);
    }
    races
}

fn at_once(
    shadow: &mut ShadowMemory,
    order: &mut HappensBefore,
    batch: &AccessBatch,
    (path, lanes_of_one, form, offsets): (Path, u32, u8, &[u64; 32]),
    writes: Option<u32>,
) -> bool {
    let (warp, base, first) = (batch.warp, batch.base, batch.packed[0]);
    let (writers, readers) = (RelationCache::EMPTY, RelationCache::EMPTY);
    let packed = first & !LANES;
    let stored = writes.map(StoredValues::of_changes);
    let mut view =
        ShadowView { shadow, written: None, order, writers, readers, base, warp, packed, stored };
    let lanes = [epoch::lane(first), epoch::lane(first + batch.second)];
    let observes = epoch::instruction(first).is_multiple_of(2);
    let field = WholeField { start: first, form };
    match (path, writes.is_some()) {
        (Path::Whole, true) => view.whole_line::<false>(0, field, batch.second),
        (Path::Whole, false) => view.whole_line::<true>(0, field, batch.second),
        (Path::AtomicsOfOne, _) => view.atomics_of_one(0, packed, lanes_of_one, observes),
        (Path::Line, true) => view.check::<false>(0, batch),
        (Path::Line, false) => view.check::<true>(0, batch),
        (Path::AccessPair, _) => view.pair(0, packed, lanes),
        (Path::Words, true) => view.write_words(offsets, lanes_of_one) == 0,
        (Path::Words, false) => view.read_words(offsets, lanes_of_one) == 0,
        (Path::Scattered, true) => view.write(0, first),
        (Path::Scattered, false) => view.read(0, first),
        (Path::Atomic, _) => view.atomic_words(&[0; 32], 1 << lanes[0], packed, observes) == 0,
        (Path::FailedSwap, _) => view.atomic(0, first, observes, writes.is_some()),
    }
}

/// Synchronizes in one of several ways, or not at all.
fn synchronize(dice: &mut Dice, order: &mut HappensBefore, block: &mut u64) {
    let warp = dice.roll(WARPS as u64) as usize;
    let (scope, lane) = (Scope::Device, dice.roll(4) as u32);
    match dice.roll(16) {
        0 => {
            *block += 1;
            order.start(*block);
        }
        1 | 2 => {
            (0..WARPS).for_each(|warp| order.arrive(warp, 0));
            order.complete(0, &[0, 1, 2], true);
        }
        3 => order.warp_sync(warp, u32::MAX, u32::MAX),
        4 => order.warp_sync(warp, dice.roll(1 << 32) as u32, u32::MAX),
        5 => order.release((warp, lane), FLAG, (scope, true), true),
        6 => order.acquire(warp, (1 << lane, u32::MAX), FLAG, scope),
        7 => order.acquire(warp, (u32::MAX, u32::MAX), FLAG, scope),
        _ => {}
    }
}

#[test]
fn fast_paths_agree_with_the_reference() {
    let mut well = [0; PATHS];
    for seed in 0..1500 {
        let mut dice = Dice(seed);
        let mut order = HappensBefore::new(WARPS, 1);
        let mut block = 0;
        order.start(block);
        // Epochs of earlier blocks are ignored in shared memory only.
        let shared = seed % 2 == 0;
        let (mut fast, mut slow) = (ShadowMemory::new(64, 2), ShadowMemory::new(64, 2));
        for step in 0..60 {
            synchronize(&mut dice, &mut order, &mut block);
            let warp = dice.roll(WARPS as u64) as u32;
            let start = order.packed_now(warp, 0, step);
            let weak = if dice.roll(20) == 0 { STRONG } else { 0 };
            let base = if shared { order.base() } else { 1 };
            // In half of the histories, most accesses are atomics, so that weak ones do not hide them.
            let of_atomics = match dice.roll(8) {
                0 | 1 => Path::FailedSwap,
                2 | 3 => Path::AtomicsOfOne,
                _ => Path::Atomic,
            };
            let path = match dice.roll(8) {
                _ if seed % 4 < 2 && dice.roll(4) != 0 => of_atomics,
                0 => Path::AccessPair,
                1 => Path::Scattered,
                2 | 3 => Path::Whole,
                4 | 5 => Path::Words,
                _ => Path::Line,
            };
            let atomic = matches!(path, Path::Atomic | Path::FailedSwap | Path::AtomicsOfOne);
            let strong = if atomic { STRONG_OF_DEVICE | ATOMIC } else { weak };
            let writes = match path {
                Path::Atomic | Path::AtomicsOfOne => true,
                Path::FailedSwap | Path::AccessPair => false,
                _ => dice.roll(3) == 0,
            };
            let changed = match dice.roll(4) {
                _ if atomic => ALL,
                0 => 0,
                1 => dice.roll(1 << 16) as u32,
                _ => ALL,
            };
            let writes = writes.then_some(changed);
            let (form, spread) = (dice.roll(3) as u8, dice.roll(4) != 0);
            let (first, form) = match path {
                Path::Whole => (dice.roll(2 << form) as u32 * (16 >> form), form),
                _ => (dice.roll(2) as u32 * 16, 0),
            };
            let spread = spread || matches!(path, Path::Whole);
            let lane = |i: usize| if spread { first + (i >> form) as u32 } else { first };
            let packed = std::array::from_fn(|i| with_lane(start, lane(i)) | strong);
            let some = if dice.roll(3) == 0 { dice.roll(1 << 16) as u32 | 1 } else { ALL };
            let lanes = dice.roll(1 << 32) as u32 | 0x8421;
            // Words that lanes share, or one each.
            let (some_words, distinct) = (1 << dice.roll(5), dice.roll(2) == 0);
            let offsets = std::array::from_fn(|lane| match path {
                Path::Words if distinct => 4 * ((5 * lane as u64 + some_words) % 16),
                Path::Words => 4 * dice.roll(some_words),
                _ => 0,
            });
            let lanes = if distinct { lanes & 0xffff } else { lanes };
            let twice = writes.is_none() && first < 16 && dice.roll(3) == 0;
            let (active, second) = match path {
                Path::Whole => (ALL, if twice { 16 } else { 0 }),
                Path::Line if twice && spread => (some, 16),
                Path::Line => (some, u64::from(twice)),
                Path::AccessPair => (1, 1),
                _ => (1, 0),
            };
            let second = second << epoch::LANE_SHIFT;
            let batch = AccessBatch { packed, second, active, warp, base };
            let step_by_step = |shadow: &mut _, order: &mut _| match path {
                Path::AtomicsOfOne | Path::Words => {
                    lane_by_lane(shadow, order, &batch, (lanes, &offsets), writes)
                }
                _ => one_by_one(shadow, order, &batch, writes),
            };
            let races = step_by_step(&mut slow, &mut order);
            // Other strong accesses never take a fast path.
            let how = (path, lanes, form, &offsets);
            if (strong == 0 || atomic) && at_once(&mut fast, &mut order, &batch, how, writes) {
                well[path as usize] += 1;
                assert!(!races, "seed {seed}, step {step}: a race is missed");
            } else if matches!(path, Path::Words) {
                // The reference path checks the remaining lanes after the others.
                fast = slow.clone();
            } else {
                step_by_step(&mut fast, &mut order);
            }
            for i in 0..LINE as u64 {
                let [fast, slow] = [&fast, &slow].map(|shadow| recent(shadow.at(4 * i), base));
                assert_eq!(fast, slow, "seed {seed}, step {step}, cell {i}");
            }
        }
    }
    assert!(well.iter().all(|times| *times > 1000), "too few took a fast path: {well:?}");
}
