//! A signal's statistics: each thread walks through a sub-slice with windows, chunks, rev, zip, enumerate, step_by.
use lanework::prelude::*;

const PER_THREAD: usize = 16;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
struct Stats {
    rises: u32,
    peak: i32,
    peak_at: u32,
    alternating: i32,
    pairs: i32,
    longest: u32,
    palindrome: u32,
}

#[device]
fn stats(part: &[i32]) -> Stats {
    let rises = part.windows(2).filter(|w| w[1] > w[0]).count() as u32;
    let (peak_at, &peak) = part.iter().enumerate().max_by_key(|&(_, v)| *v).unwrap();
    let mut alternating = 0;
    for (i, v) in part.iter().rev().enumerate() {
        alternating += if i % 2 == 0 { *v } else { -*v };
    }
    let pairs = part.chunks(2).map(|c| c.iter().product::<i32>()).sum();
    let mut longest = 0;
    let mut run = 0;
    for w in part.windows(3) {
        if let &[a, b, c] = w
            && a < b
            && b < c
        {
            run += 1;
            longest = longest.max(run);
        } else {
            run = 0;
        }
    }
    let palindrome = part.iter().zip(part.iter().rev()).all(|(a, b)| a == b);
    Stats {
        rises,
        peak,
        peak_at: peak_at as u32,
        alternating,
        pairs,
        longest,
        palindrome: palindrome.into(),
    }
}

#[kernel]
fn all_stats(x: &[i32], out: &mut [Stats], every: &mut [i32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let Some(slot) = out.get_mut(i) else { return };
    let from = i * PER_THREAD;
    let part = &x[from..(from + PER_THREAD).min(x.len())];
    *slot = stats(part);
    every[i] = part.iter().step_by(3).copied().fold(0, |a, v| a * 31 + v);
}

#[test]
fn statistics() -> lanework::Result<()> {
    let mut x: Vec<i32> = (0..1000).map(|i: i32| (i * i * 7 + i * 3) % 41 - 20).collect();
    for i in 0..16 {
        x[32 + i] = if i < 8 { i as i32 } else { 15 - i as i32 };
    }
    let threads = x.len().div_ceil(PER_THREAD);
    let device = Device::emulator().sanitized();
    let on_x = device.upload(&x)?;
    let mut out = device.zeros::<Stats>(threads)?;
    let mut every = device.zeros::<i32>(threads)?;
    all_stats(&on_x, &mut out, &mut every).grid(1).block(64).launch(&device)?;
    let (out, every) = (out.download()?, every.download()?);
    for (t, part) in x.chunks(PER_THREAD).enumerate() {
        let mut want = Stats::default();
        let n = part.len();
        let mut run = 0;
        want.peak = i32::MIN;
        want.palindrome = 1;
        for i in 0..n {
            if i > 0 && part[i] > part[i - 1] {
                want.rises += 1;
            }
            if part[i] >= want.peak {
                (want.peak, want.peak_at) = (part[i], i as u32);
            }
            want.alternating += if (n - 1 - i) % 2 == 0 { part[i] } else { -part[i] };
            if i % 2 == 0 {
                want.pairs += if i + 1 < n { part[i] * part[i + 1] } else { part[i] };
            }
            if i >= 2 {
                run = if part[i - 2] < part[i - 1] && part[i - 1] < part[i] { run + 1 } else { 0 };
                want.longest = want.longest.max(run);
            }
            if part[i] != part[n - 1 - i] {
                want.palindrome = 0;
            }
        }
        assert_eq!(out[t], want, "{t}");
        let mut hash = 0i32;
        for i in (0..n).step_by(3) {
            hash = hash.wrapping_mul(31).wrapping_add(part[i]);
        }
        assert_eq!(every[t], hash);
    }
    Ok(())
}
