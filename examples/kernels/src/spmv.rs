//! A sparse matrix (compressed rows) times a vector.

use lanework::prelude::*;

/// `y = A x`, one thread per row.
#[kernel]
pub fn spmv(starts: &[u32], columns: &[u32], values: &[f64], x: &[f64], y: &mut [f64]) {
    let row = block_idx.x * block_dim.x + thread_idx.x;
    if row >= y.len() {
        return;
    }
    let mut sum = 0.0;
    for i in starts[row]..starts[row + 1] {
        sum += values[i] * x[columns[i]];
    }
    y[row] = sum;
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let rows = 200u32;
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        for k in 0..row % 5 {
            columns.push((row * 13 + k * 29) % rows);
            values.push(f64::from(row) - f64::from(k) * 3.5);
        }
        starts.push(columns.len() as u32);
    }
    let x: Vec<f64> = (0..rows).map(|i| 1.0 / f64::from(i + 1)).collect();
    let expected: Vec<f64> = (0..rows as usize)
        .map(|r| {
            (starts[r] as usize..starts[r + 1] as usize)
                .map(|i| values[i] * x[columns[i] as usize])
                .sum()
        })
        .collect();
    for device in crate::devices("sparse matrix") {
        let (s, c) = (device.upload(&starts)?, device.upload(&columns)?);
        let (v, dx) = (device.upload(&values)?, device.upload(&x)?);
        let mut y = device.zeros::<f64>(rows as usize)?;
        spmv(&s, &c, &v, &dx, &mut y).grid(2).block(128).launch(&device)?;
        for (got, expected) in y.download()?.iter().zip(&expected) {
            assert!((got - expected).abs() <= 1e-12 * expected.abs().max(1.0));
        }
    }
    Ok(())
}
