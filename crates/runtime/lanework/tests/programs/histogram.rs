//! Histogram of bytes with classes as an enum, block-local bins.
use lanework::prelude::*;

const BINS: usize = 4;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Class {
    Upper = 0,
    Lower = 1,
    Digit = 2,
    Other = 3,
}

#[device]
impl Class {
    fn of(byte: u8) -> Self {
        match byte {
            b'A'..=b'Z' => Self::Upper,
            b'a'..=b'z' => Self::Lower,
            b'0'..=b'9' => Self::Digit,
            _ => Self::Other,
        }
    }

    fn bin(self) -> usize {
        self as usize
    }
}

#[kernel]
fn histogram(text: &[u8], bins: &mut [u32]) {
    let local = shared::<u32>([BINS]);
    if (thread_idx.x as usize) < BINS {
        local[thread_idx.x] = 0;
    }
    sync_threads();
    let mut i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    while i < text.len() {
        let class = Class::of(text[i]);
        atomic_add(&mut local[class.bin()], 1);
        i += (grid_dim.x * block_dim.x) as usize;
    }
    sync_threads();
    if (thread_idx.x as usize) < BINS {
        atomic_add(&mut bins[thread_idx.x], local[thread_idx.x]);
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let text = b"Hello, World 2026! abcABC";
    let x = device.upload(text)?;
    let mut bins = device.zeros::<u32>(BINS)?;
    histogram(&x, &mut bins).grid(2).block(64).launch(&device)?;
    let mut want = [0u32; BINS];
    for &b in text {
        want[Class::of(b).bin()] += 1;
    }
    assert_eq!(bins.download()?, want);
    Ok(())
}
