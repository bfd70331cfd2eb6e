//! Iterators over rows and ranges: means, the position of a maximum, and a sieve with flags.
use lanework::prelude::*;

#[kernel]
fn statistics(
    x: &[f32],
    width: usize,
    mean: &mut [f32],
    variance: &mut [f32],
    argmax: &mut [u32],
    ups: &mut [u32],
) {
    let r = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if r >= mean.len() {
        return;
    }
    let row = &x[r * width..][..width];
    let m = row.iter().sum::<f32>() / width as f32;
    mean[r] = m;
    variance[r] = row.iter().map(|v| (v - m).powi(2)).sum::<f32>() / (width - 1) as f32;
    let (at, _) = row
        .iter()
        .copied()
        .enumerate()
        .fold((0, f32::MIN), |(at, max), (i, v)| if v > max { (i, v) } else { (at, max) });
    argmax[r] = at as u32;
    ups[r] = row.iter().zip(row.iter().skip(1)).filter(|(a, b)| a < b).count() as u32;
}

#[test]
fn rows() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let x: Vec<f32> = (0..50 * 8).map(|i| (i * 31 % 17) as f32).collect();
    let on = device.upload(&x)?;
    let (mut mean, mut var) = (device.zeros::<f32>(50)?, device.zeros::<f32>(50)?);
    let (mut arg, mut ups) = (device.zeros::<u32>(50)?, device.zeros::<u32>(50)?);
    statistics(&on, 8, &mut mean, &mut var, &mut arg, &mut ups)
        .grid(1)
        .block(64)
        .launch(&device)?;
    let (mean, var, arg, ups) =
        (mean.download()?, var.download()?, arg.download()?, ups.download()?);
    for (r, row) in x.chunks(8).enumerate() {
        let m = row.iter().sum::<f32>() / 8.0;
        assert_eq!(mean[r], m);
        assert_eq!(var[r], row.iter().map(|v| (v - m).powi(2)).sum::<f32>() / 7.0);
        let max = row.iter().copied().fold(f32::MIN, f32::max);
        assert_eq!(arg[r] as usize, row.iter().position(|v| *v == max).unwrap());
        assert_eq!(ups[r] as usize, row.windows(2).filter(|w| w[0] < w[1]).count());
    }
    Ok(())
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Root {
    n: u32,
    root: f32,
}

#[kernel]
fn mark(prime: &mut [u8]) {
    let n = block_idx.x * block_dim.x + thread_idx.x;
    if n < prime.len() as u32 {
        prime[n] = (n >= 2 && (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0)) as u8;
    }
}

#[kernel]
fn pairs(prime: &[u8], out: &mut [Root]) {
    let n = block_idx.x * block_dim.x + thread_idx.x;
    if n < prime.len() as u32 {
        out[n] = if prime[n] != 0 {
            Root { n, root: (n as f32).sqrt() }
        } else {
            Root { n: 0, root: 0.0 }
        };
    }
}

#[test]
fn flags() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let mut prime = device.zeros::<u8>(100)?;
    mark(&mut prime).grid(4).block(32).launch(&device)?;
    assert_eq!(prime.download()?.iter().filter(|p| **p != 0).count(), 25);
    let mut out = device.upload(&[Root { n: 0, root: 0.0 }; 100])?;
    pairs(&prime, &mut out).grid(4).block(32).launch(&device)?;
    assert_eq!(out.download()?[97], Root { n: 97, root: 97f32.sqrt() });
    Ok(())
}
