//! `[[T; N]; N]` in shared memory: a matrix product in tiles.

use lanework::prelude::*;

#[kernel]
fn matmul<T: Number, const TILE: usize>(a: &[T], b: &[T], c: &mut [T], n: usize) {
    let a_tile = shared::<[[T; TILE]; TILE]>();
    let b_tile = shared::<[[T; TILE]; TILE]>();
    let (tx, ty) = (thread_idx.x as usize, thread_idx.y as usize);
    let row = block_idx.y as usize * TILE + ty;
    let col = block_idx.x as usize * TILE + tx;
    let mut sum = T::ZERO;
    for t in 0..n.div_ceil(TILE) {
        let k = t * TILE;
        a_tile[ty][tx] = if row < n && k + tx < n { a[row * n + k + tx] } else { T::ZERO };
        b_tile[ty][tx] = if col < n && k + ty < n { b[(k + ty) * n + col] } else { T::ZERO };
        sync_threads();
        for k in 0..TILE {
            sum += a_tile[ty][k] * b_tile[k][tx];
        }
        sync_threads();
    }
    if row < n && col < n {
        c[row * n + col] = sum;
    }
}

#[test]
fn multiplies() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let n = 20usize;
    let a: Vec<i32> = (0..400).map(|i| i % 7 - 3).collect();
    let b: Vec<i32> = (0..400).map(|i| i % 5 - 2).collect();
    let (x, y) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeros::<i32>(400)?;
    matmul::<i32, 8>(&x, &y, &mut c, n).grid((3, 3)).block((8, 8)).launch(&device)?;
    let want: Vec<i32> =
        (0..400).map(|i| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum()).collect();
    assert_eq!(c.download()?, want);
    Ok(())
}
