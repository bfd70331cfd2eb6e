//! An inclusive prefix sum in three launches: blocks, block sums, addition of what came before.

use lanework::prelude::*;

const BLOCK: u32 = 256;

/// The inclusive sum over the block (Hillis and Steele).
#[device]
fn block_scan<T: Number>(buffer: Shared<T>, value: T) -> T {
    let t = thread_idx.x;
    buffer[t] = value;
    sync_threads();
    let mut offset = 1;
    while offset < BLOCK {
        let before = if t >= offset { buffer[t - offset] } else { T::ZERO };
        sync_threads();
        buffer[t] += before;
        sync_threads();
        offset *= 2;
    }
    buffer[t]
}

/// Scans the `BLOCK` elements of each block and writes the block's sum.
#[kernel]
pub fn scan_blocks<T: Number>(input: &[T], output: &mut [T], sums: &mut [T]) {
    let buffer = shared::<T>([BLOCK]);
    let i = block_idx.x * BLOCK + thread_idx.x;
    let value = if i < input.len() { input[i] } else { T::ZERO };
    let sum = block_scan(buffer, value);
    if i < output.len() {
        output[i] = sum;
    }
    if thread_idx.x == BLOCK - 1 {
        sums[block_idx.x] = sum;
    }
}

/// Adds to every element the sum of all blocks before its own.
#[kernel]
pub fn add_before<T: Number>(output: &mut [T], sums: &[T]) {
    let i = block_idx.x * BLOCK + thread_idx.x;
    if block_idx.x > 0 && i < output.len() {
        output[i] += sums[block_idx.x - 1];
    }
}

/// The inclusive prefix sum of up to 65,536 elements.
pub fn scan<T: Number + Element>(
    device: &Device,
    input: &Buffer<T>,
) -> lanework::Result<Buffer<T>> {
    let blocks = (input.len() as u32).div_ceil(BLOCK);
    let mut output = device.zeros::<T>(input.len())?;
    let mut sums = device.zeros::<T>(blocks as usize)?;
    scan_blocks(input, &mut output, &mut sums).grid(blocks).block(BLOCK).launch(device)?;
    let mut totals = device.zeros::<T>(blocks as usize)?;
    let mut rest = device.zeros::<T>(1)?;
    scan_blocks(&sums, &mut totals, &mut rest).grid(1).block(BLOCK).launch(device)?;
    add_before(&mut output, &totals).grid(blocks).block(BLOCK).launch(device)?;
    Ok(output)
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let integers: Vec<i32> = (0..5000).map(|i| i % 17 - 8).collect();
    let floats: Vec<f64> = integers.iter().map(|&i| f64::from(i)).collect();
    let mut expected = integers.clone();
    (1..expected.len()).for_each(|i| expected[i] += expected[i - 1]);
    for device in crate::devices("scan") {
        assert_eq!(scan(&device, &device.upload(&integers)?)?.download()?, expected);
        let sums = scan(&device, &device.upload(&floats)?)?.download()?;
        assert!(sums.iter().zip(&expected).all(|(a, b)| *a == f64::from(*b)));
    }
    Ok(())
}
