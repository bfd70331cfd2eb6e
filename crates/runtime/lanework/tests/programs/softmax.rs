//! Softmax of rows: run-time subslices, iterators, closures.
use lanework::prelude::*;

#[device]
fn softmax(input: &[f32], output: &mut [f32]) {
    let max = input.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = input.iter().map(|&v| (v - max).exp()).sum();
    for (o, &v) in output.iter_mut().zip(input) {
        *o = (v - max).exp() / total;
    }
}

#[kernel]
fn softmax_rows(x: &[f32], y: &mut [f32], columns: usize) {
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let rows = x.len() / columns;
    if row < rows {
        let begin = row * columns;
        let end = begin + columns;
        softmax(&x[begin..end], &mut y[begin..end]);
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let (rows, columns) = (10usize, 17usize);
    let input: Vec<f32> = (0..rows * columns).map(|i| (i % 5) as f32 * 0.25).collect();
    let x = device.upload(&input)?;
    let mut y = device.zeros::<f32>(rows * columns)?;
    softmax_rows(&x, &mut y, columns).grid(1).block(32).launch(&device)?;
    let got = y.download()?;
    let mut want = vec![0.0f32; rows * columns];
    for r in 0..rows {
        softmax(&input[r * columns..][..columns], &mut want[r * columns..][..columns]);
    }
    for (g, w) in got.iter().zip(&want) {
        assert!((g - w).abs() < 1e-6);
    }
    Ok(())
}
