//! Inclusive scan generic over a user trait with an associated constant.
use lanework::prelude::*;

#[device]
trait Monoid: Copy {
    const IDENTITY: Self;
    fn combine(self, other: Self) -> Self;
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Max(i32);

#[device]
impl Monoid for Max {
    const IDENTITY: Self = Max(i32::MIN);
    fn combine(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }
}

#[kernel]
fn scan<M: Monoid>(x: &mut [M]) {
    let tile = shared::<M>([256]);
    let t = thread_idx.x;
    tile[t] = if t < x.len() { x[t] } else { M::IDENTITY };
    sync_threads();
    let mut d = 1;
    while d < block_dim.x {
        let v = if t >= d { tile[t - d].combine(tile[t]) } else { tile[t] };
        sync_threads();
        tile[t] = v;
        sync_threads();
        d *= 2;
    }
    if t < x.len() {
        x[t] = tile[t];
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let input: Vec<Max> = (0..200).map(|i| Max((i * 37) % 101)).collect();
    let mut x = device.upload(&input)?;
    scan(&mut x).grid(1).block(256).launch(&device)?;
    let mut best = Max::IDENTITY;
    let want: Vec<Max> = input
        .iter()
        .map(|&v| {
            best = best.combine(v);
            best
        })
        .collect();
    assert_eq!(x.download()?, want);
    Ok(())
}
