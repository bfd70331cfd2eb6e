//! A matrix times a vector: one warp per row, whose lanes read adjacent elements.

use lanework::prelude::*;

/// `y = A x`, where `A` has `y.len()` rows of `x.len()` elements, row-major; blocks of whole warps.
#[kernel]
pub fn gemv(a: &[f32], x: &[f32], y: &mut [f32]) {
    let warp = (block_idx.x * block_dim.x + thread_idx.x) / 32;
    let lane = thread_idx.x % 32;
    if warp >= y.len() {
        return;
    }
    let columns = x.len() as u32;
    let mut sum = 0.0;
    for c in (lane..columns).step_by(32) {
        sum = a[warp * columns + c].mul_add(x[c], sum);
    }
    for shift in (0..5).rev() {
        sum += shfl_down_sync(FULL_MASK, sum, 1 << shift);
    }
    if lane == 0 {
        y[warp] = sum;
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (rows, columns) = (37, 130);
    let (a, x) = (crate::values(rows * columns), crate::values(columns));
    let expected: Vec<f32> =
        a.chunks(columns).map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
    for device in crate::devices("gemv") {
        let (da, dx) = (device.upload(&a)?, device.upload(&x)?);
        let mut y = device.zeros::<f32>(rows)?;
        gemv(&da, &dx, &mut y).grid(10).block(128).launch(&device)?;
        crate::assert_close(&y.download()?, &expected, 1e-5);
    }
    Ok(())
}
