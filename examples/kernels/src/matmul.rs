//! A matrix product with tiles in shared memory and four results per thread.

use lanework::prelude::*;

const TILE: usize = 16;
const ROWS: usize = 4;

/// `C = A B` for row-major matrices of `m x k` and `k x n`; a block of `TILE x TILE` threads makes
/// `TILE * ROWS` rows and `TILE` columns of C.
#[kernel]
pub fn matmul(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let left = shared::<f32>([TILE * ROWS, TILE]);
    let right = shared::<f32>([TILE, TILE]);
    let (tx, ty) = (thread_idx.x as usize, thread_idx.y as usize);
    let column = block_idx.x as usize * TILE + tx;
    let row = block_idx.y as usize * TILE * ROWS + ty;
    let mut sums = [0.0f32; ROWS];
    for start in (0..k).step_by(TILE) {
        for r in 0..ROWS {
            let y = row + r * TILE;
            left[[ty + r * TILE, tx]] =
                if y < m && start + tx < k { a[y * k + start + tx] } else { 0.0 };
        }
        right[[ty, tx]] =
            if start + ty < k && column < n { b[(start + ty) * n + column] } else { 0.0 };
        sync_threads();
        for i in 0..TILE {
            for r in 0..ROWS {
                sums[r] += left[[ty + r * TILE, i]] * right[[i, tx]];
            }
        }
        sync_threads();
    }
    for r in 0..ROWS {
        let y = row + r * TILE;
        if y < m && column < n {
            c[y * n + column] = sums[r];
        }
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (m, n, k) = (70, 33, 45);
    let (a, b) = (crate::values(m * k), crate::values(k * n));
    let mut expected = vec![0.0; m * n];
    for i in 0..m {
        for j in 0..n {
            expected[i * n + j] = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
        }
    }
    for device in crate::devices("matmul") {
        let (da, db) = (device.upload(&a)?, device.upload(&b)?);
        let mut c = device.zeros::<f32>(m * n)?;
        matmul(&da, &db, &mut c, m, n, k).grid((3, 2)).block((16, 16)).launch(&device)?;
        crate::assert_close(&c.download()?, &expected, 1e-5);
    }
    Ok(())
}
