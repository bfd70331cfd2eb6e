//! Softmax of every row of a matrix: one block per row.

use lanework::prelude::*;

const BLOCK: u32 = 128;

/// One value per thread, combined over the block; every thread gets the result.
#[device]
fn block_reduce(scratch: Shared<f32>, value: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
    scratch[thread_idx.x] = value;
    sync_threads();
    let mut stride = BLOCK / 2;
    while stride > 0 {
        if thread_idx.x < stride {
            scratch[thread_idx.x] = combine(scratch[thread_idx.x], scratch[thread_idx.x + stride]);
        }
        sync_threads();
        stride /= 2;
    }
    let result = scratch[0];
    sync_threads();
    result
}

/// `output[r][c] = exp(input[r][c] - max of row r) / sum`, a block per row of `columns` elements.
#[kernel(block = (BLOCK, 1))]
pub fn softmax(input: &[f32], output: &mut [f32], columns: u32) {
    let scratch = shared::<f32>([BLOCK]);
    let row = block_idx.x * columns;

    let mut largest = f32::NEG_INFINITY;
    for c in (thread_idx.x..columns).step_by(BLOCK) {
        largest = largest.max(input[row + c]);
    }
    let largest = block_reduce(scratch, largest, |a, b| a.max(b));

    let mut sum = 0.0;
    for c in (thread_idx.x..columns).step_by(BLOCK) {
        sum += (input[row + c] - largest).exp();
    }
    let sum = block_reduce(scratch, sum, |a, b| a + b);

    for c in (thread_idx.x..columns).step_by(BLOCK) {
        output[row + c] = (input[row + c] - largest).exp() / sum;
    }
}

/// The same on the host.
pub fn reference(input: &[f32], columns: usize) -> Vec<f32> {
    input
        .chunks(columns)
        .flat_map(|row| {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let powers: Vec<f32> = row.iter().map(|x| (x - largest).exp()).collect();
            let sum: f32 = powers.iter().sum();
            powers.into_iter().map(move |p| p / sum)
        })
        .collect()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (rows, columns) = (7, 300);
    let input = crate::values(rows * columns);
    for device in crate::devices("softmax") {
        let x = device.upload(&input)?;
        let mut y = device.zeros::<f32>(input.len())?;
        softmax(&x, &mut y, columns as u32).grid(rows as u32).block(BLOCK).launch(&device)?;
        crate::assert_close(&y.download()?, &reference(&input, columns), 1e-5);
    }
    Ok(())
}
