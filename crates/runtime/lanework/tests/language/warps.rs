//! Shuffles, votes, matches and atomics.

use half::f16;
use lanework::prelude::*;

#[kernel]
fn shuffles<E: Element>(x: &[E], out: &mut [E]) {
    let lane = lane_id();
    let v = x[lane];
    out[lane] = shfl_sync(FULL_MASK, v, lane * 7 % 32);
    out[lane + 32] = shfl_up_sync(FULL_MASK, v, 3u32);
    out[lane + 64] = shfl_down_sync(FULL_MASK, v, 5u32);
    out[lane + 96] = shfl_xor_sync(FULL_MASK, v, 9u32);
}

fn check_shuffles<E: Element + std::fmt::Debug>(values: Vec<E>) {
    for device in Device::for_tests("language") {
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<E>(128).unwrap();
        shuffles(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for lane in 0..32usize {
            assert_eq!(out[lane], values[lane * 7 % 32]);
            assert_eq!(out[lane + 32], values[lane.checked_sub(3).unwrap_or(lane)]);
            assert_eq!(out[lane + 64], values[if lane + 5 < 32 { lane + 5 } else { lane }]);
            assert_eq!(out[lane + 96], values[lane ^ 9]);
        }
    }
}

#[test]
fn shuffles_move_every_width() {
    check_shuffles((0..32u32).map(|v| v * 77_777_777).collect());
    check_shuffles((0..32).map(|v| v as f32 * 1.5).collect());
    check_shuffles((0..32u64).map(|v| v.wrapping_mul(0x1234_5678_9abc_def1)).collect());
    check_shuffles((0..32).map(|v| f64::from(v) / 3.0).collect());
    check_shuffles((0..32).map(|v| f16::from_f64(f64::from(v) / 3.0)).collect());
    check_shuffles((0..32i8).map(|v| v - 16).collect());
}

#[kernel]
fn votes(x: &[u32], out: &mut [u32]) {
    let lane = lane_id();
    let v = x[lane];
    out[lane] = ballot_sync(FULL_MASK, v > 20);
    out[lane + 32] = any_sync(FULL_MASK, v == 31) as u32 + any_sync(FULL_MASK, v == 99) as u32 * 2;
    out[lane + 64] = all_sync(FULL_MASK, v < 32) as u32 + all_sync(FULL_MASK, v < 31) as u32 * 2;
    out[lane + 96] = match_any_sync(FULL_MASK, v % 5);
    if v % 2 == 0 {
        out[lane + 128] = active_mask();
    }
    out[lane + 160] = reduce_add_sync(FULL_MASK, v) + reduce_max_sync(FULL_MASK, v) * 1000;
    out[lane + 192] = lane_mask_lt();
}

#[test]
fn votes_are_counted() {
    for device in Device::for_tests("language") {
        let values: Vec<u32> = (0..32).collect();
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<u32>(224).unwrap();
        votes(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        let out = out.download().unwrap();
        let mask =
            |f: &dyn Fn(u32) -> bool| (0..32u32).filter(|l| f(*l)).fold(0, |m, l| m | 1 << l);
        for lane in 0..32u32 {
            let at = |row: u32| out[(row * 32 + lane) as usize];
            assert_eq!(at(0), mask(&|l| l > 20));
            assert_eq!(at(1), 1);
            assert_eq!(at(2), 1);
            assert_eq!(at(3), mask(&|l| l % 5 == lane % 5));
            assert_eq!(at(4), if lane % 2 == 0 { 0x5555_5555 } else { 0 });
            assert_eq!(at(5), 496 + 31_000);
            assert_eq!(at(6), (1 << lane) - 1);
        }
    }
}

#[kernel]
fn atomics(counts: &mut [u32], signed: &mut [i64], floats: &mut [f32], doubles: &mut [f64]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    let bins = shared::<u32>(4);
    if thread_idx.x < 4 {
        bins[thread_idx.x] = 0;
    }
    sync_threads();
    atomic_add(&bins[i % 4], 1);
    sync_threads();
    if thread_idx.x < 4 {
        atomic_add(&counts[thread_idx.x], bins[thread_idx.x]);
    }
    atomic_max(&counts[4], i);
    atomic_min(&counts[5], i);
    atomic_or(&counts[6], 1u32 << (i % 32));
    atomic_and(&counts[7], !(1u32 << (i % 32)));
    atomic_xor(&counts[8], i);
    atomic_inc(&counts[9], 9);
    atomic_sub(&counts[10], 1);
    atomic_dec(&counts[13], 6);
    let mut seen = counts[11];
    loop {
        let before = atomic_cas(&counts[11], seen, seen + 2);
        if before == seen {
            break;
        }
        seen = before;
    }
    if atomic_exch(&counts[12], 1) == 0 {
        atomic_add(&counts[14], 1);
    }
    atomic_add(&signed[0], -(i as i64));
    atomic_add(&floats[0], 0.5);
    atomic_add(&doubles[0], 0.25);
}

#[test]
fn atomics_lose_nothing() {
    for device in Device::for_tests("language") {
        let mut start = [0u32; 15];
        start[5] = u32::MAX;
        start[7] = u32::MAX;
        start[10] = 1000;
        let mut counts = device.upload(&start).unwrap();
        let mut signed = device.zeros::<i64>(1).unwrap();
        let mut floats = device.zeros::<f32>(1).unwrap();
        let mut doubles = device.zeros::<f64>(1).unwrap();
        let launch = atomics(&mut counts, &mut signed, &mut floats, &mut doubles);
        launch.grid(2).block(64).launch(&device).unwrap();
        let xor = (0..128).fold(0, |x, i| x ^ i);
        let expected = [32, 32, 32, 32, 127, 0, u32::MAX, 0, xor, 8, 872, 256, 1, 5, 1];
        assert_eq!(counts.download().unwrap(), expected);
        assert_eq!(signed.download().unwrap(), [-(127 * 128 / 2)]);
        assert_eq!(floats.download().unwrap(), [64.0]);
        assert_eq!(doubles.download().unwrap(), [32.0]);
    }
}

#[kernel]
fn barriers(out: &mut [u32]) {
    let box_ = shared::<u32>(128);
    let i = thread_idx.x;
    box_[i] = i;
    let odd = sync_threads_count(i % 2 == 1);
    let mut v = box_[127 - i];
    sync_threads();
    if i < 64 {
        box_[i] = v + 1;
        barrier(1, 64);
        v = box_[63 - i];
    }
    sync_warp(FULL_MASK);
    threadfence_block();
    out[i] = v + odd * 1000;
}

#[test]
fn barriers_order_shared_memory() {
    for device in Device::for_tests("language") {
        let mut out = device.zeros::<u32>(128).unwrap();
        barriers(&mut out).grid(1).block(128).launch(&device).unwrap();
        let expected: Vec<u32> =
            (0..128).map(|i| 64_000 + if i < 64 { 127 - (63 - i) + 1 } else { 127 - i }).collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn copies(src: &[f32], out: &mut [f32]) {
    let tile = shared::<f32>(128);
    let i = thread_idx.x;
    cp_async::<16, _>(&tile[i * 4], &src[i * 4]);
    cp_async_commit();
    cp_async_wait(0);
    sync_threads();
    let j = 31 - i;
    out[i] = tile[j * 4] + tile[j * 4 + 3] * 1000.0;
}

#[test]
fn asynchronous_copies_arrive() {
    for device in Device::for_tests("language") {
        let values: Vec<f32> = (0..128).map(|v| v as f32).collect();
        let src = device.upload(&values).unwrap();
        let mut out = device.zeros::<f32>(32).unwrap();
        copies(&src, &mut out).grid(1).block(32).launch(&device).unwrap();
        let expected: Vec<f32> =
            (0..32).map(|i| values[(31 - i) * 4] + values[(31 - i) * 4 + 3] * 1000.0).collect();
        assert_eq!(out.download().unwrap(), expected);
    }
}

#[kernel]
fn filled_copies(src: &[f32], out: &mut [f32], #[constant] bytes: u32) {
    let tile = shared::<f32>(128);
    let i = thread_idx.x;
    tile.store4((i * 4,), [7.0; 4]);
    // Half of the lanes copy part of 16 bytes, the others none.
    let have = if i < 16 { bytes } else { 0 };
    cp_async_filled::<16, _>(&tile[i * 4], &src[i * 4], have);
    cp_async_commit();
    cp_async_wait(0);
    out.store4(i * 4, tile.load4((i * 4,)));
}

#[test]
fn asynchronous_copies_zero_fill_missing_bytes() {
    for device in Device::for_tests("language") {
        let values: Vec<f32> = (0..128).map(|v| v as f32 + 1.0).collect();
        let src = device.upload(&values).unwrap();
        for bytes in [0, 4, 12, 16] {
            let mut out = device.zeros::<f32>(128).unwrap();
            filled_copies(&src, &mut out, bytes).grid(1).block(32).launch(&device).unwrap();
            let has = |i: usize| i < 64 && i % 4 < bytes as usize / 4;
            let expected: Vec<f32> =
                (0..128).map(|i| if has(i) { values[i] } else { 0.0 }).collect();
            assert_eq!(out.download().unwrap(), expected, "{bytes} bytes");
        }
    }
}
