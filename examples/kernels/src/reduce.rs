//! A reduction of any element type: a sum, a minimum or a maximum.

use lanework::prelude::*;

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sum.
    Sum,
    /// The smallest element.
    Min,
    /// The largest element.
    Max,
}

/// `a op b`.
#[device]
fn apply<T: Number>(#[constant] operation: Operation, a: T, b: T) -> T {
    match operation {
        Operation::Sum => a + b,
        Operation::Min => a.min(b),
        Operation::Max => a.max(b),
    }
}

/// One result per block; a block is a multiple of 32 threads.
#[kernel]
pub fn reduce<T: Number>(input: &[T], output: &mut [T], #[constant] operation: Operation) {
    let partial = shared::<T>([32]);
    let neutral = match operation {
        Operation::Sum => T::ZERO,
        Operation::Min => T::MAX,
        Operation::Max => T::MIN,
    };
    let mut value = neutral;
    let mut i = block_idx.x * block_dim.x + thread_idx.x;
    while i < input.len() {
        value = apply(operation, value, input[i]);
        i += grid_dim.x * block_dim.x;
    }
    for offset in [16, 8, 4, 2, 1] {
        value = apply(operation, value, shfl_xor_sync(FULL_MASK, value, offset));
    }
    let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
    if lane == 0 {
        partial[warp] = value;
    }
    sync_threads();
    if warp == 0 {
        value = if lane < block_dim.x / 32 { partial[lane] } else { neutral };
        for offset in [16, 8, 4, 2, 1] {
            value = apply(operation, value, shfl_xor_sync(FULL_MASK, value, offset));
        }
        if lane == 0 {
            output[block_idx.x] = value;
        }
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let floats = crate::values(3000);
    let integers: Vec<i64> = (0..3000).map(|i| (i * 37 % 1001) - 500).collect();
    for device in crate::devices("reduce") {
        let x = device.upload(&floats)?;
        let n = device.upload(&integers)?;
        for operation in [Operation::Sum, Operation::Min, Operation::Max] {
            let mut y = device.zeros::<f32>(1)?;
            reduce(&x, &mut y, operation).grid(1).block(256).launch(&device)?;
            let mut z = device.zeros::<i64>(1)?;
            reduce(&n, &mut z, operation).grid(1).block(256).launch(&device)?;
            let (expected, exact) = match operation {
                Operation::Sum => (floats.iter().sum::<f32>(), integers.iter().sum()),
                Operation::Min => {
                    (floats.iter().copied().fold(1.0, f32::min), *integers.iter().min().unwrap())
                }
                Operation::Max => {
                    (floats.iter().copied().fold(-1.0, f32::max), *integers.iter().max().unwrap())
                }
            };
            crate::assert_close(&y.download()?, &[expected], 1e-4);
            assert_eq!(z.download()?, [exact]);
        }
    }
    Ok(())
}
