//! `&mut [T; N]` and `swap`: the least values per thread.

use lanework::prelude::*;

#[device]
fn insert<T: Number, const N: usize>(best: &mut [T; N], value: T) {
    let mut v = value;
    for slot in best.iter_mut() {
        if v < *slot {
            core::mem::swap(slot, &mut v);
        }
    }
}

#[kernel]
fn least<const N: usize>(x: &[f32], out: &mut [[f32; N]]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let threads = (grid_dim.x * block_dim.x) as usize;
    let mut best = [f32::INFINITY; N];
    for j in (i..x.len()).step_by(threads) {
        insert(&mut best, x[j]);
    }
    out[i] = best;
}

#[kernel]
fn letters(text: &[u8], counts: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < text.len() as u32 && text[i].is_ascii_lowercase() {
        atomic_add(&mut counts[text[i] - b'a'], 1);
    }
}

#[test]
fn least_of() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let x: Vec<f32> = (0..640).map(|i| (i * 37 % 640) as f32).collect();
    let on = device.upload(&x)?;
    let mut out = device.upload(&[[0.0f32; 3]; 64])?;
    least::<3>(&on, &mut out).grid(2).block(32).launch(&device)?;
    for (i, best) in out.download()?.into_iter().enumerate() {
        let mut mine: Vec<f32> = x.iter().skip(i).step_by(64).copied().collect();
        mine.sort_by(f32::total_cmp);
        assert_eq!(best[..], mine[..3]);
    }
    let text = device.upload(b"hello world")?;
    let mut counts = device.upload(&[0u32; 26])?;
    letters(&text, &mut counts).grid(1).block(32).launch(&device)?;
    assert_eq!(counts.download()?[(b'l' - b'a') as usize], 3);
    Ok(())
}
