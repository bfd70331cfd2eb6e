//! Fast-path equivalence tests: on random histories the fast paths find the same races as the
//! reference path, and leave the same shadow memory.

use crate::fast::line::{ALL, AccessBatch};
use crate::fast::view::ShadowView;
use crate::races::epoch::{self, ATOMIC, LANES, STRONG, STRONG_OF_DEVICE, with_lane};
use crate::races::happens_before::HappensBefore;
use crate::races::happens_before::relation::RelationCache;
use crate::races::happens_before::sync_variables::SyncVariable;
use crate::races::shadow_cell::{LaneAccess, ShadowCell};
use crate::races::shadow_memory::{LINE, ShadowMemory};
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

fn one_by_one(
    shadow: &mut ShadowMemory,
    order: &mut HappensBefore,
    batch: &AccessBatch,
    writes: bool,
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
                true => cell.write(order, &access, |_| true),
                false => cell.read(order, &access),
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

/// The fast paths: for a line of cells, for a broadcast, for one cell, and for an atomic.
#[derive(Clone, Copy)]
enum Path {
    Line,
    AccessPair,
    Scattered,
    Atomic,
}

fn at_once(
    shadow: &mut ShadowMemory,
    order: &mut HappensBefore,
    batch: &AccessBatch,
    path: Path,
    writes: bool,
) -> bool {
    let (warp, base, first) = (batch.warp, batch.base, batch.packed[0]);
    let (writers, readers) = (RelationCache::EMPTY, RelationCache::EMPTY);
    let packed = first & !LANES;
    let mut view =
        ShadowView { shadow, written: None, order, writers, readers, base, warp, packed };
    let lanes = [epoch::lane(first), epoch::lane(first + batch.second)];
    match (path, writes) {
        (Path::Line, true) => view.check::<false>(0, batch),
        (Path::Line, false) => view.check::<true>(0, batch),
        (Path::AccessPair, _) => view.pair(0, packed, lanes),
        (Path::Scattered, true) => view.write(0, first),
        (Path::Scattered, false) => view.read(0, first),
        (Path::Atomic, _) => view.atomic(0, first, epoch::instruction(first).is_multiple_of(2)),
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
    let mut well = [0; 4];
    for seed in 0..600 {
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
            let path = match dice.roll(4) {
                _ if seed % 4 < 2 && dice.roll(4) != 0 => Path::Atomic,
                0 => Path::AccessPair,
                1 => Path::Scattered,
                _ => Path::Line,
            };
            let atomic = matches!(path, Path::Atomic);
            let strong = if atomic { STRONG_OF_DEVICE | ATOMIC } else { weak };
            let writes = atomic || !matches!(path, Path::AccessPair) && dice.roll(3) == 0;
            let (first, spread) = (dice.roll(2) as u32 * 16, dice.roll(4) != 0);
            let lane = |i: usize| if spread { first + i as u32 } else { first };
            let packed = std::array::from_fn(|i| with_lane(start, lane(i)) | strong);
            let some = if dice.roll(3) == 0 { dice.roll(1 << 16) as u32 | 1 } else { ALL };
            let twice = !writes && first == 0 && dice.roll(3) == 0;
            let (active, second) = match path {
                Path::Line if twice && spread => (some, 16),
                Path::Line => (some, u64::from(twice)),
                Path::AccessPair => (1, 1),
                Path::Scattered | Path::Atomic => (1, 0),
            };
            let second = second << epoch::LANE_SHIFT;
            let batch = AccessBatch { packed, second, active, warp, base };
            let races = one_by_one(&mut slow, &mut order, &batch, writes);
            // Other strong accesses never take a fast path.
            if (strong == 0 || atomic) && at_once(&mut fast, &mut order, &batch, path, writes) {
                well[path as usize] += 1;
                assert!(!races, "seed {seed}, step {step}: a race is missed");
            } else {
                one_by_one(&mut fast, &mut order, &batch, writes);
            }
            for i in 0..LINE as u64 {
                let [fast, slow] = [&fast, &slow].map(|shadow| recent(shadow.at(4 * i), base));
                assert_eq!(fast, slow, "seed {seed}, step {step}, cell {i}");
            }
        }
    }
    assert!(well.iter().all(|times| *times > 1000), "too few took a fast path: {well:?}");
}
