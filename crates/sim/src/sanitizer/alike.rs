//! The quick ways to judge against the slow one: the same races, and the same left in shadow memory.

use super::line::{ALL, Now};
use super::order::{self, Memo, Order, STRONG, with_lane};
use super::runs::Ground;
use super::shadow::{Access, Cells, LINE};

/// A generator of numbers, for histories that can be made again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

const WARPS: usize = 3;

fn one_by_one(cells: &mut Cells, order: &mut Order, now: &Now, writes: bool) -> bool {
    let mut races = false;
    for second in [0, now.second] {
        for i in (0..LINE).filter(|i| now.active >> i & 1 != 0) {
            let tag = now.tags[i] + second;
            let lane = order::lane(tag);
            let access = Access { tag, warp: now.warp, lane, base: now.base };
            let found = cells.change(4 * i as u64, |cell| match writes {
                true => cell.write(order, &access, |_| true),
                false => cell.read(order, &access),
            });
            races |= found.is_some();
        }
        if now.second == 0 {
            break;
        }
    }
    races
}

/// Ways to judge more than one cell, or one cell in few steps.
#[derive(Clone, Copy)]
enum Way {
    Line,
    Pair,
    Scattered,
}

fn at_once(cells: &mut Cells, order: &mut Order, now: &Now, way: Way, writes: bool) -> bool {
    let (warp, base) = (now.warp, now.base);
    let (writers, readers) = (Memo::NONE, Memo::NONE);
    let tag = now.tags[0];
    let mut ground = Ground { cells, written: None, order, writers, readers, base, warp, tag };
    let tag = now.tags[0] & !order::LANES;
    let lanes = [order::lane(now.tags[0]), order::lane(now.tags[0] + now.second)];
    match (way, writes) {
        (Way::Line, true) => ground.judge::<false>(0, now),
        (Way::Line, false) => ground.judge::<true>(0, now),
        (Way::Pair, _) => ground.pair(0, tag, lanes),
        (Way::Scattered, _) => ground.alone(0, now.tags[0], writes),
    }
}

/// What orders things, at times.
fn something_orders(dice: &mut Dice, order: &mut Order, block: &mut u64) {
    let warp = dice.roll(WARPS as u64) as usize;
    match dice.roll(8) {
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
        _ => {}
    }
}

#[test]
fn judging_at_once_is_judging_one_by_one() {
    let mut well = [0; 3];
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let mut order = Order::new(WARPS, 1);
        let mut block = 0;
        order.start(block);
        // In shared memory the past ends with the block, in global memory it does not.
        let shared = seed % 2 == 0;
        let (mut fast, mut slow) = (Cells::new(64, 2), Cells::new(64, 2));
        for step in 0..60 {
            something_orders(&mut dice, &mut order, &mut block);
            let warp = dice.roll(WARPS as u64) as u32;
            let tag = order::tag(order.segment_of(warp), step);
            let strong = if dice.roll(20) == 0 { STRONG } else { 0 };
            let base = if shared { order.base() } else { 1 };
            let way = [Way::Line, Way::Line, Way::Pair, Way::Scattered][dice.roll(4) as usize];
            let writes = !matches!(way, Way::Pair) && dice.roll(3) == 0;
            let (first, spread) = (dice.roll(2) as u32 * 16, dice.roll(4) != 0);
            let lane = |i: usize| if spread { first + i as u32 } else { first };
            let tags = std::array::from_fn(|i| with_lane(tag, lane(i)) | strong);
            let some = if dice.roll(3) == 0 { dice.roll(1 << 16) as u32 | 1 } else { ALL };
            let twice = !writes && first == 0 && dice.roll(3) == 0;
            let (active, second) = match way {
                Way::Line if twice && spread => (some, 16),
                Way::Line => (some, u64::from(twice)),
                Way::Pair => (1, 1),
                Way::Scattered => (1, 0),
            };
            let now = Now { tags, second: second << order::LANE, active, warp, base };
            let races = one_by_one(&mut slow, &mut order, &now, writes);
            // Strong accesses are never judged at once.
            if strong == 0 && at_once(&mut fast, &mut order, &now, way, writes) {
                well[way as usize] += 1;
                assert!(!races, "seed {seed}, step {step}: a race is missed");
            } else {
                one_by_one(&mut fast, &mut order, &now, writes);
            }
            for i in 0..LINE as u64 {
                let (fast, slow) = (fast.at(4 * i), slow.at(4 * i));
                assert_eq!(fast, slow, "seed {seed}, step {step}, cell {i}");
            }
        }
    }
    assert!(well.iter().all(|times| *times > 1000), "too few were judged at once: {well:?}");
}
