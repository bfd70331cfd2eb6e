//! Flags in a buffer.

use lanework::prelude::*;
#[kernel]
fn mark(composite: &mut [u8], p: u32) {
    let k = block_idx.x * block_dim.x + thread_idx.x;
    let m = p * p + k * p;
    if m < composite.len() as u32 {
        composite[m] = true as u8;
    }
}
#[kernel]
fn gather(composite: &[u8], n: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i >= 2 && i < composite.len() as u32 && composite[i] == 0 {
        atomic_add(&mut n[0], 1);
    }
}
#[test]
fn primes() -> lanework::Result<()> {
    let device = Device::emulator();
    let mut composite = device.upload(&[0u8; 100])?;
    for p in [2, 3, 5, 7] {
        mark(&mut composite, p).grid(1).block(64).launch(&device)?;
    }
    let mut n = device.zeros::<u32>(1)?;
    gather(&composite, &mut n).grid(1).block(128).launch(&device)?;
    assert_eq!(n.download()?, [25]);
    Ok(())
}
