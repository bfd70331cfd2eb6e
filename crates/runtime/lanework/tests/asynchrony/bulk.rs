//! Bulk copies and tensor copies of every rank; reductions; policies and prefetches.

use crate::{devices, words};
use lanework::Result;
use lanework::prelude::*;

/// Every block adds its span to the same place.
#[kernel(block = 32)]
pub fn add_up(input: &[u32], sums: &mut [u32], most: &mut [u32]) {
    let values = shared::<u32>(64);
    let full = mbarrier(1);
    let filled = full.waiter();
    if elect_sync(FULL_MASK) {
        let from = input.span(block_idx.x * 64, 64);
        bulk_prefetch(from);
        full.arrive_expect(from.bytes());
        bulk_load(&values, from, &full);
    }
    filled.wait();
    if thread_idx.x == 0 {
        bulk_add(sums.span_mut(0, 64), &values);
        bulk_max(most.span_mut(0, 64), &values);
        bulk_commit();
        bulk_wait(0);
    }
}

#[test]
fn bulk_copies_reduce() -> Result<()> {
    for device in devices("bulk copies") {
        let input = words(9 * 64, 6);
        let x = device.upload(&input)?;
        let (mut sums, mut most) = (device.zeros::<u32>(64)?, device.zeros::<u32>(64)?);
        add_up(&x, &mut sums, &mut most).grid(9).block(32).launch(&device)?;
        let column = |i: usize| input.chunks(64).map(move |row| row[i]);
        let sum: Vec<u32> = (0..64).map(|i| column(i).fold(0u32, u32::wrapping_add)).collect();
        let max: Vec<u32> = (0..64).map(|i| column(i).max().unwrap_or_default()).collect();
        assert_eq!((sums.download()?, most.download()?), (sum, max));
    }
    Ok(())
}

#[test]
fn a_span_beyond_its_slice_is_refused() -> Result<()> {
    for device in devices("bulk copies") {
        let x = device.zeros::<u32>(2 * 64 - 4)?;
        let (mut sums, mut most) = (device.zeros::<u32>(64)?, device.zeros::<u32>(64)?);
        let launched = add_up(&x, &mut sums, &mut most).grid(2).block(32).launch(&device);
        let said =
            launched.and_then(|()| sums.download().map(drop)).expect_err("too far").to_string();
        assert!(said.contains("input") && said.contains("127"), "{said}");
    }
    Ok(())
}

macro_rules! ranks {
    ($($name:ident $rank:literal $tile:expr, $shape:expr, $at:expr;)*) => {$(
        /// Copies a tile out and adds it to another tensor.
        #[kernel(block = 32)]
        pub fn $name(input: &TensorMap<i32, $rank>, output: &mut TensorMapMut<i32, $rank>) {
            let tile = shared::<i32>($tile);
            let full = mbarrier(1);
            let filled = full.waiter();
            let policy = l2_policy(Evict::First, 0.5);
            if thread_idx.x == 0 {
                input.prefetch_map();
                input.prefetch($at);
                full.arrive_expect(tile.bytes());
                input.with_policy(policy).load(&tile, $at, &full);
            }
            filled.wait();
            if thread_idx.x == 0 {
                output.store(&tile, $at);
                bulk_commit();
                bulk_wait(0);
                output.with_policy(policy).reduce_add(&tile, $at);
                output.reduce_max(&tile, $at);
                bulk_commit();
                bulk_wait(0);
            }
        }
    )*};
}

ranks! {
    one 1 [32], [100], 40;
    two 2 [4, 8], [9, 20], (2, 8);
    three 3 [2, 4, 8], [3, 9, 20], (1, 2, 8);
    four 4 [2, 2, 2, 8], [3, 4, 5, 12], (0, 1, 2, 4);
    five 5 [2, 1, 2, 2, 8], [3, 2, 3, 4, 8], (1, 1, 0, 1, 0);
}

/// The indices in the tensor of a tile's elements.
fn inside(shape: &[usize], tile: &[usize], at: &[usize]) -> Vec<usize> {
    let count = tile.iter().product::<usize>();
    let mut all = Vec::new();
    for mut i in 0..count {
        let (mut index, mut stride, mut there) = (0, 1, true);
        for axis in (0..shape.len()).rev() {
            let place = at[axis] + i % tile[axis];
            i /= tile[axis];
            there &= place < shape[axis];
            index += place * stride;
            stride *= shape[axis];
        }
        if there {
            all.push(index);
        }
    }
    all
}

fn rank<const R: usize>(
    shape: [usize; R],
    tile: [u32; R],
    at: [usize; R],
    run: impl Fn(&Device, &TensorMap<'_, i32, R>, TensorMapMut<'_, i32, R>) -> Result<()>,
) -> Result<()> {
    for device in devices("tensors of every rank") {
        let count = shape.iter().product::<usize>();
        let input: Vec<i32> = words(count, 9).iter().map(|v| (v % 1000) as i32).collect();
        let x = device.upload(&input)?;
        let mut y = device.zeros::<i32>(count)?;
        let tiles = Tiles::new(shape, tile);
        run(&device, &TensorMap::new(&x, &tiles)?, TensorMapMut::new(&mut y, &tiles)?)?;
        let mut expected = vec![0; count];
        for i in inside(&shape, &tile.map(|n| n as usize), &at) {
            expected[i] = 2 * input[i];
        }
        assert_eq!(y.download()?, expected, "rank {R}");
    }
    Ok(())
}

#[test]
fn tensors_of_every_rank_are_copied() -> Result<()> {
    rank([100], [32], [40], |d, x, y| one(x, y).grid(1).block(32).launch(d))?;
    rank([9, 20], [4, 8], [2, 8], |d, x, y| two(x, y).grid(1).block(32).launch(d))?;
    rank([3, 9, 20], [2, 4, 8], [1, 2, 8], |d, x, y| three(x, y).grid(1).block(32).launch(d))?;
    rank([3, 4, 5, 12], [2, 2, 2, 8], [0, 1, 2, 4], |d, x, y| {
        four(x, y).grid(1).block(32).launch(d)
    })?;
    let at = [1, 1, 0, 1, 0];
    rank([3, 2, 3, 4, 8], [2, 1, 2, 2, 8], at, |d, x, y| five(x, y).grid(1).block(32).launch(d))
}

/// Threads wait with the token of their own arrival.
#[kernel(block = 64)]
pub fn tokens(out: &mut [u32]) {
    let values = shared::<u32>(64);
    let all = mbarrier(block_dim.x);
    let t = thread_idx.x;
    let mut sum = 0u32;
    for round in 0..4u32 {
        values[t] = t + round;
        let written = all.arrive();
        all.wait(written);
        sum += values[63 - t];
        let read = all.arrive();
        while !all.is_complete(read) {}
    }
    out[t] = sum;
}

#[test]
fn arrivals_are_waited_for_by_their_token() -> Result<()> {
    for device in devices("mbarriers") {
        let mut out = device.zeros::<u32>(64)?;
        tokens(&mut out).grid(1).block(64).launch(&device)?;
        let expected: Vec<u32> = (0..64).map(|t| 4 * (63 - t) + 6).collect();
        assert_eq!(out.download()?, expected);
    }
    Ok(())
}
