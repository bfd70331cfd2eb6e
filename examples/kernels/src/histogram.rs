//! A histogram of bytes: counted per block in shared memory, then added up.

use lanework::prelude::*;

/// Counts every byte value of `data`.
#[kernel]
pub fn histogram(data: &[u8], bins: &mut [u32]) {
    let local = shared::<u32>([256]);
    for bin in (thread_idx.x..256).step_by(block_dim.x) {
        local[bin] = 0;
    }
    sync_threads();
    let stride = grid_dim.x * block_dim.x;
    let mut i = block_idx.x * block_dim.x + thread_idx.x;
    while i < data.len() {
        atomic_add(&mut local[data[i]], 1);
        i += stride;
    }
    sync_threads();
    for bin in (thread_idx.x..256).step_by(block_dim.x) {
        if local[bin] != 0 {
            atomic_add(&mut bins[bin], local[bin]);
        }
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let data: Vec<u8> = (0..10_000u32).map(|i| (i * i % 251) as u8).collect();
    let mut expected = vec![0u32; 256];
    data.iter().for_each(|b| expected[*b as usize] += 1);
    for device in crate::devices("histogram") {
        let d = device.upload(&data)?;
        let mut bins = device.zeros::<u32>(256)?;
        histogram(&d, &mut bins).grid(4).block(96).launch(&device)?;
        assert_eq!(bins.download()?, expected);
    }
    Ok(())
}
