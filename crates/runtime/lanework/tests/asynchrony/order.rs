//! Order between threads: named barriers, the grid's barrier, launches that overlap, messages, look-back.

use crate::{devices, words};
use lanework::Result;
use lanework::prelude::*;

/// Two warps alternate (ping-pong).
#[kernel(block = 64)]
pub fn ping_pong(rounds: u32, out: &mut [u32]) {
    let [left, right] = warp_roles([1, 1]);
    let ball = shared::<u32>(32);
    let ping = named_barrier(64);
    let pong = named_barrier(64);
    if left.active() {
        let lane = left.thread();
        ball[lane] = lane;
        for _ in 0..rounds {
            ball[lane] = ball[lane] + 1;
            ping.arrive();
            pong.sync();
        }
        out[lane] = ball[lane];
    }
    if right.active() {
        let lane = right.thread();
        for _ in 0..rounds {
            ping.sync();
            ball[31 - lane] = ball[31 - lane] * 2;
            pong.arrive();
        }
    }
}

#[test]
fn named_barriers_alternate_two_warps() -> Result<()> {
    for device in devices("order") {
        let mut out = device.zeros::<u32>(32)?;
        ping_pong(5, &mut out).grid(3).block(64).launch(&device)?;
        let expected: Vec<u32> = (0..32).map(|v| (0..5).fold(v, |v, _| (v + 1) * 2)).collect();
        assert_eq!(out.download()?, expected);
    }
    Ok(())
}

/// Sums in two phases, with a grid barrier in between.
#[kernel(block = (16, 4))]
pub fn grid_reduction(input: &[u32], parts: &mut [u32], sums: &mut [u32]) {
    let total = shared::<u32>(1);
    let thread = thread_idx.y * 16 + thread_idx.x;
    let block = block_idx.y * grid_dim.x + block_idx.x;
    for round in 0..3u32 {
        if thread == 0 {
            total[0] = 0;
        }
        sync_threads();
        atomic_add(&mut total[0], input[block * 64 + thread] + round);
        sync_threads();
        if thread == 0 {
            parts[block] = total[0];
        }
        grid_sync();
        if thread == 0 {
            let mut sum = 0u32;
            for other in 0..grid_dim.x * grid_dim.y {
                sum += parts[other];
            }
            sums[block * 3 + round] = sum;
        }
        grid_sync();
    }
}

#[test]
fn a_grid_barrier_can_be_reused() -> Result<()> {
    for device in devices("order") {
        let input = words(6 * 64, 11);
        let x = device.upload(&input)?;
        let (mut parts, mut sums) = (device.zeros::<u32>(6)?, device.zeros::<u32>(18)?);
        let launch = grid_reduction(&x, &mut parts, &mut sums).grid((3, 2)).block((16, 4));
        launch.cooperative().launch(&device)?;
        let sum =
            |round: u32| input.iter().fold(0u32, |sum, v| sum.wrapping_add(v.wrapping_add(round)));
        let expected: Vec<u32> = (0..18).map(|i| sum(i % 3)).collect();
        assert_eq!(sums.download()?, expected);
    }
    Ok(())
}

#[kernel(block = 128)]
pub fn first(x: &mut [u32], round: u32) {
    let i = block_idx.x * 128 + thread_idx.x;
    launch_dependents();
    wait_for_dependencies();
    x[i] = x[i] * 3 + round + i;
}

#[test]
fn dependent_launches_see_earlier_writes() -> Result<()> {
    for device in devices("order") {
        let mut x = device.zeros::<u32>(1024)?;
        for round in 0..20 {
            first(&mut x, round).grid(8).block(128).programmatic().launch(&device)?;
        }
        let value = |i: u32| {
            (0..20).fold(0u32, |v, round| v.wrapping_mul(3).wrapping_add(round).wrapping_add(i))
        };
        assert_eq!(x.download()?, (0..1024).map(value).collect::<Vec<_>>());
    }
    Ok(())
}

/// A message goes from block to block; each adds to it and passes it on.
#[kernel(block = 32)]
pub fn messages(data: &mut [u32], flags: &mut [u32]) {
    let lane = thread_idx.x;
    let block = block_idx.x;
    let before = shared::<u32>(1);
    if block > 0 {
        if lane == 0 {
            while load_acquire(&flags[block - 1], Scope::Device) == 0 {}
            before[0] = data[block - 1];
        }
        sync_threads();
    } else if lane == 0 {
        before[0] = 0;
    }
    if lane == 0 {
        data[block] = before[0] + block + 1;
        store_release(&mut flags[block], 1, Scope::Device);
    }
}

#[test]
fn released_messages_are_acquired() -> Result<()> {
    for device in devices("order") {
        let (mut data, mut flags) = (device.zeros::<u32>(12)?, device.zeros::<u32>(12)?);
        messages(&mut data, &mut flags).grid(12).block(32).launch(&device)?;
        let expected: Vec<u32> = (1..=12).map(|n| n * (n + 1) / 2).collect();
        assert_eq!(data.download()?, expected);
    }
    Ok(())
}

/// An inclusive scan in one pass: decoupled look-back (Merrill and Garland 2016). A block's state is its flag in the upper
/// half of a word, 1 with the block's own sum, 2 with the sum up to it, and the sum in the lower half.
#[kernel(block = 128)]
pub fn scan(input: &[u32], output: &mut [u32], states: &mut [u64], tickets: &mut [u32]) {
    let values = shared::<u32>(128);
    let ticket = shared::<u32>(1);
    let prefix = shared::<u32>(1);
    let t = thread_idx.x;
    if t == 0 {
        ticket[0] = atomic(&mut tickets[0], Order::Relaxed, Scope::Device).add(1);
    }
    sync_threads();
    let block = ticket[0];
    values[t] = input[block * 128 + t];
    sync_threads();
    let mut step = 1u32;
    while step < 128 {
        let mut before = 0u32;
        if t >= step {
            before = values[t - step];
        }
        sync_threads();
        values[t] = values[t] + before;
        sync_threads();
        step *= 2;
    }
    if t == 0 {
        let own = values[127] as u64;
        let mut sum = 0u64;
        if block > 0 {
            store_release(&mut states[block], (1u64 << 32) | own, Scope::Device);
            let mut at = block - 1;
            loop {
                let state = load_acquire(&states[at], Scope::Device);
                let flag = state >> 32;
                if flag != 0 {
                    sum += state & 0xffff_ffff;
                    if flag == 2 {
                        break;
                    }
                    at -= 1;
                }
            }
        }
        let up_to = (sum + own) & 0xffff_ffff;
        store_release(&mut states[block], (2u64 << 32) | up_to, Scope::Device);
        prefix[0] = sum as u32;
    }
    sync_threads();
    output[block * 128 + t] = values[t] + prefix[0];
}

#[test]
fn a_scan_looks_back() -> Result<()> {
    for device in devices("order") {
        let input: Vec<u32> = words(20 * 128, 2).iter().map(|v| v % 1000).collect();
        let x = device.upload(&input)?;
        let mut y = device.zeros::<u32>(input.len())?;
        let (mut states, mut tickets) = (device.zeros::<u64>(20)?, device.zeros::<u32>(1)?);
        scan(&x, &mut y, &mut states, &mut tickets).grid(20).block(128).launch(&device)?;
        let mut sum = 0;
        let expected: Vec<u32> = input
            .iter()
            .map(|v| {
                sum += v;
                sum
            })
            .collect();
        assert_eq!(y.download()?, expected);
    }
    Ok(())
}
