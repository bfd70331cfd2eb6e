//! A block-wide scan for any monoid in shared memory, double buffered; closures; u64.
use lanework::prelude::*;

#[device]
trait Monoid: Copy {
    const ZERO: Self;
    const COMMUTATIVE: bool = true;
    fn plus(self, other: Self) -> Self;
}

#[device]
impl Monoid for u64 {
    const ZERO: u64 = 0;
    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }
}

/// x -> scale * x + offset, composed: does not commute.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct AffineMap {
    scale: u32,
    offset: u32,
}

#[device]
impl Monoid for AffineMap {
    const ZERO: Self = Self { scale: 1, offset: 0 };
    const COMMUTATIVE: bool = false;
    fn plus(self, next: Self) -> Self {
        Self {
            scale: self.scale.wrapping_mul(next.scale),
            offset: next.scale.wrapping_mul(self.offset).wrapping_add(next.offset),
        }
    }
}

#[kernel]
fn scan<M: Monoid, const BLOCK: usize>(x: &[M], out: &mut [M], totals: &mut [M]) {
    let tiles = shared::<[[M; BLOCK]; 2]>();
    let t = thread_idx.x as usize;
    let i = block_idx.x as usize * BLOCK + t;
    let load = |at: usize| if at < x.len() { x[at] } else { M::ZERO };
    tiles[0][t] = load(i);
    sync_threads();
    let (mut from, mut to) = (0, 1);
    let mut distance = 1;
    while distance < BLOCK {
        let mine = tiles[from][t];
        tiles[to][t] = if t >= distance { tiles[from][t - distance].plus(mine) } else { mine };
        sync_threads();
        (from, to) = (to, from);
        distance <<= 1;
    }
    if i < out.len() {
        out[i] = tiles[from][t];
    }
    if t == BLOCK - 1 {
        totals[block_idx.x] = tiles[from][t];
    }
}

fn check<M: Monoid + PartialEq + std::fmt::Debug + lanework::Storable>(
    x: Vec<M>,
) -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let on_x = device.upload(&x)?;
    let mut out = device.upload(&x)?;
    let blocks = x.len().div_ceil(128);
    let mut totals = device.upload(&x[..blocks])?;
    scan::<M, 128>(&on_x, &mut out, &mut totals).grid(blocks as u32).block(128).launch(&device)?;
    let (out, totals) = (out.download()?, totals.download()?);
    let mut sum = M::ZERO;
    for (i, &v) in x.iter().enumerate() {
        sum = if i % 128 == 0 { v } else { sum.plus(v) };
        assert_eq!(out[i], sum, "{i}");
        if i % 128 == 127 || i == x.len() - 1 {
            assert_eq!(totals[i / 128], sum);
        }
    }
    Ok(())
}

#[test]
fn sums() -> lanework::Result<()> {
    check((0..1000u64).map(|i| i << 40 | i * i).collect())
}

#[test]
fn lines() -> lanework::Result<()> {
    check((0..700u32).map(|i| AffineMap { scale: 2 * i + 1, offset: i ^ 0x55 }).collect())
}
