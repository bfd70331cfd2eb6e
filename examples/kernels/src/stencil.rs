//! A one-dimensional stencil of radius 3 with its halo in shared memory.

use lanework::prelude::*;

const RADIUS: usize = 3;
const BLOCK: usize = 128;
const WEIGHTS: [f32; 2 * RADIUS + 1] = [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05];

/// Every element becomes the weighted sum of its neighbors, zero outside the array; blocks of `BLOCK` threads.
#[kernel]
pub fn stencil(input: &[f32], output: &mut [f32]) {
    let tile = shared::<f32>([BLOCK + 2 * RADIUS]);
    let local = thread_idx.x as usize + RADIUS;
    let global = (block_idx.x * block_dim.x + thread_idx.x) as usize;

    tile[local] = if global < input.len() { input[global] } else { 0.0 };
    if (thread_idx.x as usize) < RADIUS {
        let left = global as isize - RADIUS as isize;
        tile[local - RADIUS] = if left >= 0 { input[left as usize] } else { 0.0 };
        let right = global + BLOCK;
        tile[local + BLOCK] = if right < input.len() { input[right] } else { 0.0 };
    }
    sync_threads();

    if global < output.len() {
        let mut sum = 0.0;
        for k in 0..WEIGHTS.len() {
            sum += WEIGHTS[k] * tile[local + k - RADIUS];
        }
        output[global] = sum;
    }
}

/// The same on the host.
pub fn reference(input: &[f32]) -> Vec<f32> {
    let at = |i: isize| if i < 0 { 0.0 } else { input.get(i as usize).copied().unwrap_or(0.0) };
    (0..input.len() as isize)
        .map(|i| (0..7).map(|k| WEIGHTS[k] * at(i + k as isize - RADIUS as isize)).sum())
        .collect()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let input = crate::values(1000);
    for device in crate::devices("stencil") {
        let x = device.upload(&input)?;
        let mut y = device.zeros::<f32>(input.len())?;
        stencil(&x, &mut y).grid(8).block(BLOCK as u32).launch(&device)?;
        crate::assert_close(&y.download()?, &reference(&input), 1e-5);
    }
    Ok(())
}
