//! Arrays as arguments and elements.

use lanework::prelude::*;
#[device]
fn insert(best: &mut [u32; 4], value: u32) {
    let mut v = value;
    for i in 0..4 {
        if v > best[i] {
            let old = best[i];
            best[i] = v;
            v = old;
        }
    }
}
#[kernel]
fn letters(text: &[u8], counts: &mut [u32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < text.len() as u32 && text[i].is_ascii_lowercase() {
        atomic_add(&mut counts[text[i] - b'a'], 1);
    }
}
#[kernel]
fn top4(x: &[u32], out: &mut [[u32; 4]]) {
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if row < out.len() {
        let mut best = [0u32; 4];
        for i in 0..8 {
            insert(&mut best, x[row * 8 + i]);
        }
        out[row] = best;
    }
}
#[test]
fn counts() -> lanework::Result<()> {
    let device = Device::emulator();
    let text = device.upload(b"hello world")?;
    let mut counts = device.zeros::<u32>(26)?;
    letters(&text, &mut counts).grid(1).block(32).launch(&device)?;
    assert_eq!(counts.download()?[(b'l' - b'a') as usize], 3);
    let x = device.upload(&[5u32, 1, 9, 3, 7, 2, 8, 6])?;
    let mut out = device.upload(&[[0u32; 4]])?;
    top4(&x, &mut out).grid(1).block(32).launch(&device)?;
    assert_eq!(out.download()?, [[9, 8, 7, 6]]);
    Ok(())
}
