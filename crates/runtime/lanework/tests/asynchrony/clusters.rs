//! Clusters: multicast, distributed shared memory, arrivals at barriers of other blocks.

use crate::{devices, words};
use lanework::Result;
use lanework::prelude::*;

/// Each of two blocks loads half of each tile for both (multicast); threads of both blocks release the stages.
#[kernel(block = 64, cluster = 2)]
pub fn shared_loads(input: &TensorMap<u32, 2>, tiles: u32, sums: &mut [u32]) {
    let buffers = shared::<u32>([4, 8, 64]); // two halves of each of two stages
    let pipe = pipeline(2, 1, 2 * 64);
    let producer = pipe.producer();
    let consumer = pipe.consumer();
    let mut sum = 0u32;
    for i in 0..tiles {
        if thread_idx.x == 0 {
            let slot = producer.acquire_for(2 * 8 * 64 * 4);
            let half = buffers.slab(2 * slot.index + cluster_rank());
            input.multicast(0b11).load(half, (i * 16 + cluster_rank() * 8, 0), slot);
        }
        let slot = consumer.wait();
        for row in 0..16u32 {
            sum += buffers[[2 * slot.index + row / 8, row % 8, thread_idx.x]];
        }
        slot.release_to(0);
        slot.release_to(1);
    }
    sums[block_idx.x * 64 + thread_idx.x] = sum;
    cluster_sync(); // no thread may arrive at a block that has exited
}

#[test]
fn two_blocks_load_for_both() -> Result<()> {
    for device in devices("clusters") {
        for tiles in [1usize, 2, 5] {
            let rows = tiles * 16;
            let input = words(rows * 64, 3);
            let x = device.upload(&input)?;
            let mut y = device.zeros::<u32>(4 * 64)?;
            let map = TensorMap::new(&x, &Tiles::new([rows, 64], [8, 64]))?;
            shared_loads(&map, tiles as u32, &mut y).grid(4).block(64).launch(&device)?;
            let sum = |column: usize| {
                (0..rows).fold(0u32, |sum, row| sum.wrapping_add(input[row * 64 + column]))
            };
            let expected: Vec<u32> = (0..4 * 64).map(|i| sum(i % 64)).collect();
            assert_eq!(y.download()?, expected, "{tiles} tiles");
        }
    }
    Ok(())
}

/// The blocks of a cluster add up their shares in the first one's shared memory.
#[kernel(block = 64, cluster = (4, 1, 1))]
pub fn reduction(input: &[u32], sums: &mut [u32]) {
    let total = shared::<u32>(1);
    let shares = shared::<u32>(4);
    if thread_idx.x == 0 {
        total[0] = 0;
        shares[cluster_rank()] = 0;
    }
    cluster_sync();
    let value = input[block_idx.x * 64 + thread_idx.x];
    atomic_add(&mut total.of_block(0)[0], value);
    atomic_add(&mut shares[cluster_rank()], value);
    cluster_sync();
    let first = shares.of_block(0);
    if thread_idx.x == 0 && cluster_rank() != 0 {
        first[cluster_rank()] = shares[cluster_rank()];
    }
    cluster_sync();
    if cluster_rank() == 0 && thread_idx.x == 0 {
        let mut again = 0u32;
        for rank in 0..4u32 {
            again += shares.of_block(0)[rank];
        }
        sums[2 * cluster_idx.x] = total[0];
        sums[2 * cluster_idx.x + 1] = again;
    }
    cluster_sync();
}

#[test]
fn a_cluster_reduces_in_distributed_shared_memory() -> Result<()> {
    for device in devices("clusters") {
        let input = words(8 * 64, 4);
        let x = device.upload(&input)?;
        let mut y = device.zeros::<u32>(4)?;
        reduction(&x, &mut y).grid(8).block(64).launch(&device)?;
        let sums = input.chunks(256).map(|c| c.iter().fold(0u32, |sum, v| sum.wrapping_add(*v)));
        let expected: Vec<u32> = sums.flat_map(|sum| [sum, sum]).collect();
        assert_eq!(y.download()?, expected);
    }
    Ok(())
}

/// A relay: each block waits for the previous block's value, adds its own and passes the sum on.
#[kernel(block = 32, cluster = 4)]
pub fn relay(out: &mut [u32]) {
    let held = shared::<u32>(32);
    let arrived = mbarrier(32);
    let next = arrived.waiter();
    let lane = thread_idx.x;
    let rank = cluster_rank();
    if rank == 0 {
        held[lane] = lane;
    } else {
        next.wait();
    }
    let sum = held[lane] + 10 * rank;
    out[block_idx.x * 32 + lane] = sum;
    if rank + 1 < cluster_size() {
        let there = held.of_block(rank + 1);
        there[lane] = sum;
        arrived.of_block(rank + 1).arrive();
    }
    cluster_sync();
}

#[test]
fn a_remote_arrival_releases_earlier_writes() -> Result<()> {
    for device in devices("clusters") {
        let mut y = device.zeros::<u32>(8 * 32)?;
        relay(&mut y).grid(8).block(32).launch(&device)?;
        let sums = [0, 10, 30, 60];
        let expected: Vec<u32> = (0..256).map(|i| i % 32 + sums[i as usize / 32 % 4]).collect();
        assert_eq!(y.download()?, expected);
    }
    Ok(())
}

/// Every block sends its sums to the first block, which waits for all their bytes; all blocks also add to its
/// counters.
#[kernel(block = 32, cluster = 4)]
pub fn mailboxes(input: &[u32], sums: &mut [u32]) {
    let inbox = shared::<u32>([4, 32]);
    let counts = shared::<u32>(3);
    let full = mbarrier(1);
    let filled = full.waiter();
    let (lane, rank) = (thread_idx.x, cluster_rank());
    if lane == 0 {
        for i in 0..3u32 {
            counts[i] = 0;
        }
        if rank == 0 {
            full.arrive_expect(inbox.bytes() + 3 * 4 * 32 * 4);
        }
    }
    cluster_sync(); // the first block's counts are 0
    let value = input[block_idx.x * 32 + lane];
    let there = full.of_block(0);
    store_async(&mut inbox.of_block(0)[[rank, lane]], 3 * value, there);
    add_async(&mut counts.of_block(0)[0], value, there);
    max_async(&mut counts.of_block(0)[1], value, there);
    xor_async(&mut counts.of_block(0)[2], value, there);
    if rank == 0 {
        filled.wait();
        let mut sum = 0u32;
        for from in 0..4u32 {
            sum += inbox[[from, lane]];
        }
        sums[cluster_idx.x * 35 + lane] = sum;
        if lane < 3 {
            sums[cluster_idx.x * 35 + 32 + lane] = counts[lane];
        }
    }
    cluster_sync(); // no block exits while the first one waits
}

#[test]
fn asynchronous_stores_and_reductions_arrive_with_their_barrier() -> Result<()> {
    for device in devices("clusters") {
        let input: Vec<u32> = words(3 * 128, 8).iter().map(|v| v % 1000).collect();
        let x = device.upload(&input)?;
        let mut y = device.zeros::<u32>(3 * 35)?;
        mailboxes(&x, &mut y).grid(12).block(32).launch(&device)?;
        let mut expected = Vec::new();
        for values in input.chunks(128) {
            expected.extend((0..32).map(|i| 3 * (0..4).map(|k| values[32 * k + i]).sum::<u32>()));
            expected.push(values.iter().sum());
            expected.push(values.iter().copied().max().unwrap_or(0));
            expected.push(values.iter().fold(0, |all, v| all ^ v));
        }
        assert_eq!(y.download()?, expected);
    }
    Ok(())
}
