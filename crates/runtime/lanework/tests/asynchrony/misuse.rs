//! Misuse that types cannot prevent is an error of the kernel that names the line and a remedy.

use lanework::prelude::*;
use lanework::{Error, Launch};

/// The message of a kernel that cannot be built.
fn said(launch: Launch<'_>) -> String {
    match launch.module() {
        Err(Error::Stage { errors, .. }) => errors[0].to_string(),
        other => panic!("not refused: {other:?}"),
    }
}

#[kernel]
fn other_token() {
    let first = mbarrier(32);
    let second = mbarrier(32);
    let token = first.arrive();
    second.wait(token);
}

#[kernel]
fn late_count(x: &[u32]) {
    let count = x[0];
    let bar = mbarrier(count);
    bar.arrive();
}

#[kernel]
fn no_cluster(out: &mut [u32]) {
    let tile = shared::<u32>(32);
    out[0] = tile.of_block(1)[0];
}

#[kernel]
fn three_rows(x: &TensorMap<f32, 2>) {
    let rows = shared::<f32>([3, 16]);
    let full = mbarrier(1);
    x.gather(&rows, (0, 1, 2, 3), 0, &full);
}

#[kernel(cluster = 2)]
fn own_store() {
    let tile = shared::<u32>(32);
    let full = mbarrier(1);
    store_async(&mut tile[0], 1, full.of_block(1));
}

#[kernel(cluster = 2)]
fn narrow_store() {
    let tile = shared::<u8>(32);
    let full = mbarrier(1);
    store_async(&mut tile.of_block(1)[0], 1, full.of_block(1));
}

#[kernel(cluster = 2)]
fn wide_minimum() {
    let tile = shared::<u64>(32);
    let full = mbarrier(1);
    min_async(&mut tile.of_block(1)[0], 1, full.of_block(1));
}

#[kernel]
fn odd_copy(x: &[f32]) {
    let tile = shared::<f32>(32);
    let full = mbarrier(1);
    bulk_load(&tile, x.span(0, 30), &full);
}

#[kernel]
fn large_copy(x: &[f32]) {
    let tile = shared::<f32>(32);
    let full = mbarrier(1);
    bulk_load(&tile, x.span(0, 64), &full);
}

#[kernel]
fn odd_barrier() {
    named_barrier(33).sync();
}

#[kernel(block = 128)]
fn many_barriers() {
    #[unroll]
    for _ in 0..16 {
        named_barrier(128).sync();
    }
}

#[kernel(block = 128)]
fn too_few_roles() {
    let [one, two] = warp_roles([1, 2]);
    one.barrier().sync();
    two.barrier().sync();
}

#[kernel(block = 96, max_registers = 64)]
fn part_of_a_warpgroup() {
    let [one, two] = warp_roles([1, 2]);
    if one.active() {
        one.give_registers(24);
    }
    two.barrier().sync();
}

#[kernel(block = 128, max_registers = 64)]
fn odd_registers() {
    let [all] = warp_roles([4]);
    all.give_registers(30);
}

#[kernel(block = 128)]
fn unknown_registers() {
    let [all] = warp_roles([4]);
    all.give_registers(32);
}

#[kernel(block = 256, max_registers = 128)]
fn more_than_there_are() {
    let [one, two] = warp_roles([4, 4]);
    if one.active() {
        one.give_registers(40);
    }
    if two.active() {
        two.take_registers(224);
    }
}

#[kernel(block = 128, max_registers = 64)]
fn keeps_more() {
    let [all] = warp_roles([4]);
    all.give_registers(72);
}

#[kernel(block = 128, max_registers = 64)]
fn takes_less() {
    let [all] = warp_roles([4]);
    all.take_registers(56);
}

#[kernel(block = 128, max_registers = 60)]
fn crooked_registers() {
    let [all] = warp_roles([4]);
    all.give_registers(32);
}

#[kernel]
fn narrow_swizzle(x: &TensorMap<f32, 2>) {
    let tile = shared::<f32>([8, 16]);
    let full = mbarrier(1);
    x.load(tile.swizzled(Swizzle::B128), (0, 0), &full);
}

#[kernel]
fn two_tiles(x: &TensorMap<f32, 2>) {
    let (one, two) = (shared::<f32>([8, 16]), shared::<f32>([16, 16]));
    let full = mbarrier(1);
    x.load(&one, (0, 0), &full);
    x.load(&two, (0, 0), &full);
}

#[kernel]
fn crooked_stages(x: &TensorMap<f32, 2>, i: u32) {
    let stages = shared::<f32>([4, 5, 4]);
    let full = mbarrier(1);
    x.load(stages.slab(i), (0, 0), &full);
}

#[kernel]
fn hint_of_a_store(x: &mut [f32]) {
    store_hinted(&mut x[0], 1.0, CacheHint::new().read_only());
}

#[test]
fn every_misuse_is_reported_with_a_remedy() -> lanework::Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f32>(1024)?;
    let words = device.zeros::<u32>(32)?;
    let mut out = device.zeros::<u32>(32)?;
    let mut y = device.zeros::<f32>(32)?;
    let map = TensorMap::new(&x, &Tiles::new([32, 32], [8, 16]))?;
    for (text, expected, help) in [
        (said(other_token()), "waits at `second` for an arrival at `first`", "`first.wait(..)`"),
        (said(late_count(&words)), "arrivals of `bar` are not a number", "`block_dim.x`"),
        (said(no_cluster(&mut out)), "needs a cluster", "cluster = (2, 1, 1)"),
        (said(odd_copy(&x)), "30 elements has 120 bytes", "a multiple of 4 elements"),
        (said(large_copy(&x)), "index 63 is out of range: `tile` has 32", "correct one of them"),
        (said(three_rows(&map)), "this part has 3", "four rows"),
        (said(own_store()), "this place is not there", "of_block(rank)[i]"),
        (said(narrow_store()), "takes elements of 4 or 8 bytes, not of 1", "bulk_send"),
        (said(wide_minimum()), "takes elements of 4 bytes, not of 8", "this size"),
        (said(odd_barrier()), "33 threads cannot meet", "a multiple of 32"),
        (said(many_barriers()), "more than 15 named barriers", "mbarrier"),
        (said(too_few_roles()), "the roles have 3 warps, the block has 128", "`block = 96`"),
        (said(part_of_a_warpgroup()), "warps 0 to 0 are not whole warpgroups", "multiple of 4"),
        (
            said(unknown_registers()),
            "does not declare how many it is launched with",
            "max_registers = R",
        ),
        (
            said(more_than_there_are()),
            "need 1056 registers per lane in total, but the block's 8 warps have 1024",
            "take fewer",
        ),
        (said(keeps_more()), "cannot keep 72", "keep at most 64"),
        (said(takes_less()), "cannot take 56 in all", "take at least 64"),
        (said(crooked_registers()), "launched with 60 registers", "a multiple of 8"),
        (said(odd_registers()), "30 registers", "a multiple of 8"),
        (said(narrow_swizzle(&map)), "a row of `tile` has 64 bytes", "a last extent of 32"),
        (said(two_tiles(&map)), "tiles of `x` are 8 x 16", "a second map"),
        (said(crooked_stages(&map, 0)), "a part of `stages` has 80 bytes", "multiple of 128"),
        (said(hint_of_a_store(&mut y)), "no `.read_only()`", "`.l1(..)`"),
    ] {
        assert!(text.contains(expected), "{text}\nlacks {expected}");
        assert!(text.contains(help), "{text}\nlacks {help}");
        assert!(text.contains("misuse.rs:"), "{text}");
    }
    Ok(())
}
