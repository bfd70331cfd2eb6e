//! Layer normalisation: one warp per row.

use lanework::prelude::*;

/// The sum over the warp; every lane gets it.
#[device]
fn warp_sum(mut value: f32) -> f32 {
    for offset in [16, 8, 4, 2, 1] {
        value += shfl_xor_sync(FULL_MASK, value, offset);
    }
    value
}

/// `y = (x - mean) / sqrt(variance + epsilon) * gamma + beta` for every row of `gamma.len()` elements.
#[kernel]
pub fn layer_norm(x: &[f32], gamma: &[f32], beta: &[f32], y: &mut [f32], epsilon: f32) {
    let columns = gamma.len();
    let lane = (thread_idx.x % 32) as usize;
    let row = (block_idx.x * (block_dim.x / 32) + thread_idx.x / 32) as usize;
    if row * columns >= x.len() {
        return;
    }
    let mut sum = 0.0;
    for c in (lane..columns).step_by(32) {
        sum += x[row * columns + c];
    }
    let mean = warp_sum(sum) / columns as f32;
    let mut squares = 0.0;
    for c in (lane..columns).step_by(32) {
        squares += (x[row * columns + c] - mean).powi(2);
    }
    let scale = 1.0 / (warp_sum(squares) / columns as f32 + epsilon).sqrt();
    for c in (lane..columns).step_by(32) {
        let i = row * columns + c;
        y[i] = (x[i] - mean) * scale * gamma[c] + beta[c];
    }
}

/// The same on the host.
pub fn reference(x: &[f32], gamma: &[f32], beta: &[f32], epsilon: f32) -> Vec<f32> {
    let n = gamma.len() as f32;
    x.chunks(gamma.len())
        .flat_map(|row| {
            let mean = row.iter().sum::<f32>() / n;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / n;
            let scale = 1.0 / (variance + epsilon).sqrt();
            row.iter()
                .zip(gamma.iter().zip(beta))
                .map(move |(v, (g, b))| (v - mean) * scale * g + b)
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (rows, columns) = (9, 100);
    let input = crate::values(rows * columns);
    let gamma: Vec<f32> = (0..columns).map(|c| 1.0 + c as f32 / 100.0).collect();
    let beta: Vec<f32> = (0..columns).map(|c| c as f32 / 50.0 - 1.0).collect();
    for device in crate::devices("layer norm") {
        let (x, g, b) = (device.upload(&input)?, device.upload(&gamma)?, device.upload(&beta)?);
        let mut y = device.zeros::<f32>(input.len())?;
        layer_norm(&x, &g, &b, &mut y, 1e-5).grid(3).block(128).launch(&device)?;
        crate::assert_close(&y.download()?, &reference(&input, &gamma, &beta, 1e-5), 1e-4);
    }
    Ok(())
}
