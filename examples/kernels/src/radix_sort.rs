//! Radix sort of 32-bit keys, four bits a pass: counts, offsets, scatter.

use lanework::prelude::*;

const BLOCK: u32 = 128;
const DIGITS: u32 = 16;

/// `counts[digit * blocks + block]` = how often `digit` occurs in the block's part.
#[kernel]
pub fn count(keys: &[u32], counts: &mut [u32], shift: u32) {
    let local = shared::<u32>([DIGITS]);
    if thread_idx.x < DIGITS {
        local[thread_idx.x] = 0;
    }
    sync_threads();
    let i = block_idx.x * BLOCK + thread_idx.x;
    if i < keys.len() {
        atomic_add(&mut local[(keys[i] >> shift) % DIGITS], 1);
    }
    sync_threads();
    if thread_idx.x < DIGITS {
        counts[thread_idx.x * grid_dim.x + block_idx.x] = local[thread_idx.x];
    }
}

/// The exclusive prefix sum of `counts`, by one thread.
#[kernel]
pub fn offsets(counts: &mut [u32]) {
    let mut sum = 0;
    for i in 0..counts.len() {
        let count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

/// Moves every key to its place by this digit; keys of one digit keep their order.
#[kernel]
pub fn scatter(keys: &[u32], offsets: &[u32], sorted: &mut [u32], shift: u32) {
    let digits = shared::<u32>([BLOCK]);
    let i = block_idx.x * BLOCK + thread_idx.x;
    let inside = i < keys.len();
    let key = if inside { keys[i] } else { u32::MAX };
    let digit = if inside { (key >> shift) % DIGITS } else { DIGITS };
    digits[thread_idx.x] = digit;
    sync_threads();
    if !inside {
        return;
    }
    let mut rank = 0;
    for t in 0..thread_idx.x {
        if digits[t] == digit {
            rank += 1;
        }
    }
    sorted[offsets[digit * grid_dim.x + block_idx.x] + rank] = key;
}

/// Sorts keys in ascending order.
pub fn sort(device: &Device, keys: &[u32]) -> lanework::Result<Vec<u32>> {
    let blocks = (keys.len() as u32).div_ceil(BLOCK);
    let mut from = device.upload(keys)?;
    let mut to = device.zeros::<u32>(keys.len())?;
    let mut counts = device.zeros::<u32>((blocks * DIGITS) as usize)?;
    for shift in (0..32).step_by(4) {
        count(&from, &mut counts, shift).grid(blocks).block(BLOCK).launch(device)?;
        offsets(&mut counts).grid(1).block(1).launch(device)?;
        scatter(&from, &counts, &mut to, shift).grid(blocks).block(BLOCK).launch(device)?;
        std::mem::swap(&mut from, &mut to);
    }
    from.download()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let keys: Vec<u32> = (0..1000u32).map(|i| i.wrapping_mul(2_654_435_761) ^ (i << 7)).collect();
    let mut expected = keys.clone();
    expected.sort();
    for device in crate::devices("radix sort") {
        assert_eq!(sort(&device, &keys)?, expected);
    }
    Ok(())
}
