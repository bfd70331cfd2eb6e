//! Pipelines of several stages between a producer and consumers.

use crate::{devices, words};
use lanework::Result;
use lanework::prelude::*;

/// One warp fetches tiles, four warps add up their columns.
#[kernel(block = 160)]
pub fn column_sums<const STAGES: u32>(input: &TensorMap<u32, 2>, tiles: u32, sums: &mut [u32]) {
    let buffers = shared::<u32>([STAGES, 16, 128]);
    let pipe = pipeline(STAGES, 1, 128);
    if thread_idx.x >= 128 {
        if thread_idx.x == 128 {
            let producer = pipe.producer();
            for i in 0..tiles {
                let slot = producer.acquire_for(16 * 128 * 4);
                input.load(buffers.slab(slot.index), (i * 16, block_idx.x * 128), slot);
            }
        }
        return;
    }
    let consumer = pipe.consumer();
    let mut sum = 0u32;
    for _ in 0..tiles {
        let slot = consumer.wait();
        let tile = buffers.slab(slot.index);
        for row in 0..16u32 {
            sum += tile[[row, thread_idx.x]];
        }
        slot.release();
    }
    sums[block_idx.x * 128 + thread_idx.x] = sum;
}

fn sums<const STAGES: u32>() -> Result<()> {
    for device in devices("pipelines") {
        for rows in [16usize, 160, 170] {
            let columns = 256;
            let input = words(rows * columns, 7);
            let x = device.upload(&input)?;
            let mut y = device.zeros::<u32>(columns)?;
            let map = TensorMap::new(&x, &Tiles::new([rows, columns], [16, 128]))?;
            let tiles = rows.div_ceil(16) as u32;
            column_sums::<STAGES>(&map, tiles, &mut y).grid(2).block(160).launch(&device)?;
            let expected: Vec<u32> = (0..columns)
                .map(|column| {
                    (0..rows).fold(0u32, |sum, row| sum.wrapping_add(input[row * columns + column]))
                })
                .collect();
            assert_eq!(y.download()?, expected, "{STAGES} stages, {rows} rows");
        }
    }
    Ok(())
}

#[test]
fn a_pipeline_of_any_depth_keeps_order() -> Result<()> {
    sums::<1>()?;
    sums::<2>()?;
    sums::<4>()
}
