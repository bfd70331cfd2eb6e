//! Tests of the order by barriers, fences, releases and acquires.

use crate::races::happens_before::sync_variables::SyncVariable;
use crate::races::happens_before::sync_variables::SyncVariable::{Global, Shared};
use crate::races::happens_before::*;
use lanework_ptx_ir::kernel::Scope;

const LANE: u32 = 0;
const ALL: (u32, u32) = (u32::MAX, u32::MAX);
const FLAG: SyncVariable = Global(64);

fn write(order: &mut HappensBefore, warp: u32, lane: u32) -> PackedEpoch {
    order.packed_now(warp, lane, 7)
}

#[test]
fn a_barrier_orders_warps_that_came_to_it() {
    let mut order = HappensBefore::new(3, 1);
    order.start(0);
    let a = write(&mut order, 0, 3);
    assert!(!order.happens_before(a, 1, 0));
    order.arrive(0, 1);
    order.arrive(1, 1);
    order.complete(1, &[0, 1], false);
    assert!(order.happens_before(a, 1, 0) && !order.happens_before(a, 2, 0));
    let b = write(&mut order, 0, 3);
    assert!(!order.happens_before(b, 1, 0));
    assert!(order.happens_before(b, 0, 3) && !order.happens_before(b, 0, 4));
}

#[test]
fn lanes_are_ordered_by_a_sync_that_has_both() {
    let mut order = HappensBefore::new(1, 1);
    order.start(0);
    let a = write(&mut order, 0, 1);
    assert!(!order.happens_before(a, 0, 2));
    order.warp_sync(0, 0b0110, u32::MAX);
    assert!(order.happens_before(a, 0, 2) && !order.happens_before(a, 0, 3));
    order.warp_sync(0, u32::MAX, 0xf);
    assert!(order.happens_before(a, 0, 3));
}

#[test]
fn a_fence_and_an_atomic_order_blocks() {
    let mut order = HappensBefore::new(1, 1);
    order.start(0);
    let early = write(&mut order, 0, 0);
    order.release((0, LANE), FLAG, (Scope::Device, false), true);
    order.fence(0, u32::MAX, Scope::Device);
    let late = write(&mut order, 0, 0);
    order.release((0, LANE), FLAG, (Scope::Device, false), true);
    order.start(1);
    assert!(!order.happens_before(early, 0, 0));
    order.acquire(0, ALL, FLAG, Scope::Device);
    assert!(order.happens_before(early, 0, 0) && !order.happens_before(late, 0, 0));
}

#[test]
fn a_lock_orders_the_lanes_of_a_warp() {
    let mut order = HappensBefore::new(1, 1);
    order.start(0);
    let held = write(&mut order, 0, 3);
    order.fence(0, 1 << 3, Scope::Device);
    order.release((0, 3), FLAG, (Scope::Device, false), true);
    let after = write(&mut order, 0, 3);
    assert!(!order.happens_before(held, 0, 4));
    order.acquire(0, (1 << 4, u32::MAX), FLAG, Scope::Device);
    assert!(order.happens_before(held, 0, 4) && !order.happens_before(after, 0, 4));
    assert!(!order.happens_before(held, 0, 5), "another lane has not acquired");
}

#[test]
fn a_fence_of_the_block_does_not_reach_others() {
    let mut order = HappensBefore::new(2, 1);
    order.start(0);
    let a = write(&mut order, 0, 0);
    order.fence(0, u32::MAX, Scope::Block);
    let shared = Shared { rank: 0, offset: 0 };
    order.release((0, LANE), shared, (Scope::Device, false), false);
    order.acquire(1, ALL, shared, Scope::Block);
    assert!(order.happens_before(a, 1, 5));
    order.release((0, LANE), Global(0), (Scope::Device, false), false);
    order.start(1);
    order.acquire(0, ALL, Global(0), Scope::Device);
    assert!(!order.happens_before(a, 0, 0));
}

#[test]
fn fences_before_a_barrier_are_released_after_it() {
    for (fenced, scope) in [(true, Scope::Device), (true, Scope::Block), (false, Scope::Device)] {
        let mut order = HappensBefore::new(2, 1);
        order.start(0);
        let a = write(&mut order, 1, 0);
        order.fence(0, u32::MAX, Scope::Device);
        if fenced {
            order.fence(1, u32::MAX, scope);
        }
        (0..2).for_each(|warp| order.arrive(warp, 0));
        order.complete(0, &[0, 1], true);
        order.release((0, LANE), FLAG, (Scope::Device, false), true);
        order.start(1);
        order.acquire(0, ALL, FLAG, Scope::Device);
        assert_eq!(order.happens_before(a, 0, 0), fenced && scope == Scope::Device);
    }
}

#[test]
fn a_read_of_block_scope_acquires_nothing_of_other_blocks() {
    let mut order = HappensBefore::new(1, 1);
    order.start(0);
    let a = write(&mut order, 0, 0);
    order.release((0, LANE), FLAG, (Scope::Device, true), false);
    order.start(1);
    order.acquire(0, ALL, FLAG, Scope::Block);
    assert!(!order.happens_before(a, 0, 0));
    order.acquire(0, ALL, FLAG, Scope::Device);
    assert!(order.happens_before(a, 0, 0));
}

#[test]
fn a_cluster_scope_release_reaches_only_its_cluster() {
    let levels = [Scope::Block, Scope::Cluster, Scope::Device];
    for (fence, write) in levels.into_iter().flat_map(|a| levels.map(|b| (a, b))) {
        let mut order = HappensBefore::new(1, 2);
        order.start(0);
        let a = write_of(&mut order, fence, write);
        order.enter(1, 1);
        order.acquire(0, ALL, FLAG, Scope::Cluster);
        let narrower = fence.min(write);
        assert_eq!(order.happens_before(a, 0, 0), narrower >= Scope::Cluster);
        order.start(2);
        order.acquire(0, ALL, FLAG, Scope::Cluster);
        assert!(!order.happens_before(a, 0, 0), "a read of the cluster's scope");
        order.acquire(0, ALL, FLAG, Scope::Device);
        assert_eq!(order.happens_before(a, 0, 0), narrower == Scope::Device);
    }
}

fn write_of(order: &mut HappensBefore, fence: Scope, scope: Scope) -> PackedEpoch {
    let a = write(order, 0, 0);
    order.fence(0, 1, fence);
    order.release((0, 0), FLAG, (scope, false), true);
    a
}

#[test]
fn a_block_barrier_passes_on_acquired_clocks() {
    let mut order = HappensBefore::new(2, 1);
    order.start(0);
    let a = write(&mut order, 0, 0);
    order.release((0, LANE), FLAG, (Scope::Device, true), false);
    order.start(1);
    order.acquire(0, ALL, FLAG, Scope::Device);
    let shared = Shared { rank: 0, offset: 0 };
    order.release((0, LANE), shared, (Scope::Block, true), false);
    assert!(!order.happens_before(a, 1, 0));
    order.acquire(1, ALL, shared, Scope::Block);
    assert!(order.happens_before(a, 1, 0));
}

#[test]
fn a_chain_of_releases_is_followed_to_its_start() {
    let mut order = HappensBefore::new(1, 1);
    order.start(0);
    let first = write(&mut order, 0, 0);
    order.release((0, LANE), FLAG, (Scope::Device, true), true);
    for block in 1..20_000 {
        order.start(block);
        order.acquire(0, ALL, FLAG, Scope::Device);
        order.release((0, LANE), FLAG, (Scope::Device, true), true);
    }
    order.start(20_000);
    assert!(!order.happens_before(first, 0, 0));
    order.acquire(0, ALL, FLAG, Scope::Device);
    assert!(order.happens_before(first, 0, 0));
    order.start(20_001);
    let other = write(&mut order, 0, 0);
    order.start(20_002);
    order.acquire(0, ALL, FLAG, Scope::Device);
    assert!(!order.happens_before(other, 0, 0), "it released nothing");
}

/// Two warps wait at barrier 1, which has a count, and it opens.
fn pair_waits(order: &mut HappensBefore, pair: [usize; 2]) -> [Option<usize>; 2] {
    let replaced = pair.map(|warp| {
        order.arrive(warp, 1);
        order.waits_at((warp, 7), 1).map(|one| one.warp)
    });
    order.complete(1, &pair, false);
    replaced
}

#[test]
fn groups_that_use_one_barrier_at_once_could_be_released_in_each_others_place() {
    for pairs in [[[0, 1], [2, 3]], [[2, 1], [0, 3]], [[3, 2], [1, 0]]] {
        let mut order = HappensBefore::new(4, 1);
        order.start(0);
        assert_eq!(pair_waits(&mut order, pairs[0]), [None; 2]);
        let replaced = pair_waits(&mut order, pairs[1]);
        assert!(replaced[0].is_some_and(|warp| pairs[0].contains(&warp)), "{pairs:?}");
    }
}

#[test]
fn a_barrier_of_one_group_may_serve_another_later() {
    let mut order = HappensBefore::new(4, 1);
    order.start(0);
    // The same group, again and again.
    (0..3).for_each(|_| assert_eq!(pair_waits(&mut order, [0, 1]), [None; 2]));
    (0..4).for_each(|warp| order.arrive(warp, 0));
    order.complete(0, &[0, 1, 2, 3], true);
    assert_eq!(pair_waits(&mut order, [2, 3]), [None; 2]);
}
