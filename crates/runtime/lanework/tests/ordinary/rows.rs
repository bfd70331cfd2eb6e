//! Parts of slices: one row per thread, halves, windows, and a binary search in a part.

use lanework::prelude::*;

#[device]
fn lower_bound(x: &[u32], key: u32) -> usize {
    let (mut low, mut high) = (0, x.len());
    while low < high {
        let mid = low + (high - low) / 2;
        if x[mid] < key { low = mid + 1 } else { high = mid }
    }
    low
}

#[device]
fn is_sorted(row: &[u32]) -> bool {
    row.windows(2).all(|w| w[0] <= w[1])
}

#[device]
fn normalize(row: &mut [u32]) {
    let first = row[0];
    for v in row.iter_mut() {
        *v -= first;
    }
}

#[kernel]
fn rows(x: &mut [u32], width: usize, keys: &[u32], out: &mut [u32], sorted: &mut [u32]) {
    let r = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if r * width >= x.len() {
        return;
    }
    let row = &mut x[r * width..(r + 1) * width];
    normalize(row);
    let (left, right) = row.split_at(width / 2);
    let at = match lower_bound(left, keys[r]) {
        n if n < left.len() => n,
        n => n + lower_bound(right, keys[r]),
    };
    out[r] = at as u32;
    sorted[r] = is_sorted(&row[1..]) as u32;
}

#[test]
fn searches() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let host: Vec<u32> = (0..40 * 16).map(|i| 5 + i % 16 * 3).collect();
    let keys: Vec<u32> = (0..40).collect();
    let (mut x, k) = (device.upload(&host)?, device.upload(&keys)?);
    let (mut out, mut s) = (device.zeros::<u32>(40)?, device.zeros::<u32>(40)?);
    rows(&mut x, 16, &k, &mut out, &mut s).grid(2).block(32).launch(&device)?;
    let row: Vec<u32> = (0..16).map(|i| i * 3).collect();
    let want: Vec<u32> = keys.iter().map(|k| row.partition_point(|v| v < k) as u32).collect();
    assert_eq!(out.download()?, want);
    assert_eq!(s.download()?, [1; 40]);
    Ok(())
}
