//! A softmax of rows of f16, one block per row, and the scores' tuple-valued reduction.
use lanework::prelude::*;

const THREADS: u32 = 64;

#[device]
fn merge((m1, s1): (f32, f32), (m2, s2): (f32, f32)) -> (f32, f32) {
    let m = m1.max(m2);
    if m == f32::NEG_INFINITY {
        return (m, 0.0);
    }
    (m, s1 * (m1 - m).exp() + s2 * (m2 - m).exp())
}

#[device]
fn block_reduce<T: Copy>(tile: SharedSlice<T>, mine: T, f: impl Fn(T, T) -> T) -> T {
    let t = thread_idx.x;
    tile[t] = mine;
    sync_threads();
    let mut half = block_dim.x / 2;
    while half > 0 {
        if t < half {
            tile[t] = f(tile[t], tile[t + half]);
        }
        sync_threads();
        half /= 2;
    }
    tile[0]
}

#[kernel]
fn softmax(x: &[f16], y: &mut [f16], columns: usize) {
    let tile = shared::<(f32, f32)>([THREADS]);
    let row = block_idx.x as usize * columns..(block_idx.x as usize + 1) * columns;
    let input = &x[row.clone()];
    let output = &mut y[row];
    let t = thread_idx.x as usize;
    let mine = input
        .iter()
        .skip(t)
        .step_by(THREADS as usize)
        .fold((f32::NEG_INFINITY, 0.0), |acc, v| merge(acc, (v.to_f32(), 1.0)));
    let (max, sum) = block_reduce(tile[..], mine, merge);
    for (o, v) in output.iter_mut().zip(input).skip(t).step_by(THREADS as usize) {
        *o = f16::from_f32((v.to_f32() - max).exp() / sum);
    }
}

#[kernel]
fn axpy_f16(a: f16, x: &[f16], y: &mut [f16]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < y.len() {
        y[i] += a * x[i];
        if y[i] > f16::from_f32(100.0) {
            y[i] = -y[i];
        }
    }
}

#[test]
fn rows() -> lanework::Result<()> {
    let (rows, columns) = (5, 150);
    let x: Vec<f16> =
        (0..rows * columns).map(|i| f16::from_f32(((i * 37) % 101) as f32 / 10.0 - 5.0)).collect();
    let device = Device::emulator().sanitized();
    let on_x = device.upload(&x)?;
    let mut y = device.zeros::<f16>(x.len())?;
    softmax(&on_x, &mut y, columns).grid(rows as u32).block(THREADS).launch(&device)?;
    let y = y.download()?;
    for (x, y) in x.chunks(columns).zip(y.chunks(columns)) {
        let max = x.iter().map(|v| v.to_f32()).fold(f32::MIN, f32::max);
        let sum: f32 = x.iter().map(|v| (v.to_f32() - max).exp()).sum();
        for (x, y) in x.iter().zip(y) {
            let want = (x.to_f32() - max).exp() / sum;
            assert!((y.to_f32() - want).abs() <= want * 1e-3 + 1e-7, "{} {want}", y.to_f32());
        }
    }
    Ok(())
}

#[test]
fn axpy() -> lanework::Result<()> {
    let x: Vec<f16> = (0..200).map(|i| f16::from_f32(i as f32)).collect();
    let device = Device::emulator().sanitized();
    let on_x = device.upload(&x)?;
    let mut y = device.upload(&x)?;
    axpy_f16(f16::from_f32(0.3), &on_x, &mut y).grid(2).block(128).launch(&device)?;
    for (i, y) in y.download()?.into_iter().enumerate() {
        let mut want = x[i] + f16::from_f32(0.3) * x[i];
        if want > f16::from_f32(100.0) {
            want = -want;
        }
        assert_eq!(y, want, "{i}");
    }
    Ok(())
}
