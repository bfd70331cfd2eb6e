//! Keeps the elements that satisfy a condition: one atomic per warp.

use lanework::prelude::*;

/// Appends the positive elements to `kept`, in any order of warps, and counts them; blocks of whole warps.
#[kernel]
pub fn keep_positive(input: &[f32], kept: &mut [f32], count: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    let value = if i < input.len() { input[i] } else { 0.0 };
    let keep = value > 0.0;
    let votes = ballot_sync(FULL_MASK, keep);
    let lane = thread_idx.x % 32;
    let mut first = 0;
    if lane == 0 && votes != 0 {
        first = atomic_add(&mut count[0], votes.count_ones());
    }
    let first = shfl_sync(FULL_MASK, first, 0);
    if keep {
        let before = votes & ((1 << lane) - 1);
        kept[first + before.count_ones()] = value;
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let input = crate::values(1000);
    let mut expected: Vec<f32> = input.iter().copied().filter(|v| *v > 0.0).collect();
    expected.sort_by(f32::total_cmp);
    for device in crate::devices("compaction") {
        let x = device.upload(&input)?;
        let mut kept = device.zeros::<f32>(input.len())?;
        let mut count = device.zeros::<u32>(1)?;
        keep_positive(&x, &mut kept, &mut count).grid(8).block(128).launch(&device)?;
        let count = count.download()?[0] as usize;
        let mut got = kept.download()?[..count].to_vec();
        got.sort_by(f32::total_cmp);
        assert_eq!(got, expected);
    }
    Ok(())
}
