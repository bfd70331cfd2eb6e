//! `macro_rules!`, and parts of slices at run-time indices.

use lanework::prelude::*;
#[device]
macro_rules! idx {
    ($x:expr, $y:expr, $w:expr) => {
        ($y * $w + $x) as usize
    };
}
#[device]
macro_rules! max3 {
    ($a:expr, $b:expr, $c:expr) => {
        $a.max($b).max($c)
    };
}
#[kernel]
fn dilate(src: &[f32], dst: &mut [f32], w: u32, h: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x == 0 || y >= h || x + 1 >= w {
        return;
    }
    dst[idx!(x, y, w)] = max3!(src[idx!(x - 1, y, w)], src[idx!(x, y, w)], src[idx!(x + 1, y, w)]);
}
#[test]
fn dilates() -> lanework::Result<()> {
    let device = Device::emulator();
    let src = device.upload(&[1.0f32, 5.0, 2.0, 3.0])?;
    let mut dst = device.zeros::<f32>(4)?;
    dilate(&src, &mut dst, 4, 1).grid((1, 1)).block((32, 1)).launch(&device)?;
    assert_eq!(dst.download()?, [0.0, 5.0, 5.0, 0.0]);
    Ok(())
}

#[device]
fn mean(row: &[f32]) -> f32 {
    let mut sum = 0.0;
    for v in row {
        sum += v;
    }
    sum / row.len() as f32
}
#[device]
fn center(row: &mut [f32], mean: f32) {
    for i in 0..row.len() {
        row[i] -= mean;
    }
}
#[kernel]
fn center_rows(x: &mut [f32], cols: usize) {
    let r = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if (r + 1) * cols <= x.len() {
        let m = mean(&x[r * cols..(r + 1) * cols]);
        center(&mut x[r * cols..(r + 1) * cols], m);
    }
}
#[test]
fn centers() -> lanework::Result<()> {
    let device = Device::emulator();
    let mut x = device.upload(&[1.0f32, 3.0, 10.0, 20.0])?;
    center_rows(&mut x, 2).grid(1).block(32).launch(&device)?;
    assert_eq!(x.download()?, [-1.0, 1.0, -5.0, 5.0]);
    Ok(())
}
