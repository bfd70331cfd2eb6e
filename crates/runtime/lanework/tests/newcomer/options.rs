//! `Option`, a closure, and shuffles.

use lanework::prelude::*;
#[device]
fn find(x: &[u32], wanted: impl Fn(u32) -> bool) -> Option<usize> {
    let (mut low, mut high) = (0, x.len());
    while low < high {
        let mid = low + (high - low) / 2;
        if wanted(x[mid]) {
            high = mid;
        } else {
            low = mid + 1;
        }
    }
    if low < x.len() { Some(low) } else { None }
}
#[kernel]
fn lower_bounds(x: &[u32], queries: &[u32], out: &mut [i32], hits: &mut [u32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let mut hit = 0u32;
    if i < queries.len() {
        let q = queries[i];
        out[i] = if let Some(at) = find(x, |v| v >= q) {
            hit = (x[at] == q) as u32;
            at as i32
        } else {
            -1
        };
    }
    let mut offset = 16;
    while offset > 0 {
        hit += shfl_down_sync(FULL_MASK, hit, offset);
        offset /= 2;
    }
    if thread_idx.x % 32 == 0 {
        atomic_add(&mut hits[0], hit);
    }
}
#[test]
fn searches() -> lanework::Result<()> {
    let device = Device::emulator();
    let x = device.upload(&[2u32, 4, 8, 16])?;
    let q = device.upload(&[1u32, 4, 9, 17])?;
    let mut out = device.zeros::<i32>(4)?;
    let mut hits = device.zeros::<u32>(1)?;
    lower_bounds(&x, &q, &mut out, &mut hits).grid(1).block(32).launch(&device)?;
    assert_eq!((out.download()?, hits.download()?), (vec![0, 1, 3, -1], vec![1]));
    Ok(())
}
