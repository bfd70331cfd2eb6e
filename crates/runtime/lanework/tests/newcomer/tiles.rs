//! Shared tiles of arrays.

use lanework::prelude::*;
const TILE: usize = 16;
#[kernel]
fn matmul(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let ta = shared::<[[f32; TILE]; TILE]>(1);
    let tb = shared::<[f32; TILE]>(TILE);
    let (tx, ty) = (thread_idx.x as usize, thread_idx.y as usize);
    let (row, col) = (block_idx.y as usize * TILE + ty, block_idx.x as usize * TILE + tx);
    let mut sum = 0.0;
    for t in 0..n / TILE {
        ta[0][ty][tx] = a[row * n + t * TILE + tx];
        tb[ty][tx] = b[(t * TILE + ty) * n + col];
        sync_threads();
        for k in 0..TILE {
            sum += ta[0][ty][k] * tb[k][tx];
        }
        sync_threads();
    }
    c[row * n + col] = sum;
}
#[test]
fn multiplies() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let n = 32;
    let a: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32).collect();
    let (da, db) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeros::<f32>(n * n)?;
    matmul(&da, &db, &mut c, n).grid((2, 2)).block((16, 16)).launch(&device)?;
    let want: f32 = (0..n).map(|k| a[3 * n + k] * b[k * n + 5]).sum();
    assert_eq!(c.download()?[3 * n + 5], want);
    Ok(())
}
