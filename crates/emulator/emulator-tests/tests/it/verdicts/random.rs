//! Reproducible random numbers (SplitMix64), and the seeds that a test runs.

#![allow(dead_code, reason = "each test uses some of these")]

use std::ops::Range;

/// The seeds in an environment variable (`1000-2000`), or the test's default seeds.
pub fn seeds(variable: &str, usual: Range<u64>) -> Range<u64> {
    let Ok(range) = std::env::var(variable) else { return usual };
    let (first, last) = range.split_once('-').expect("FIRST-LAST");
    first.parse().expect("a number")..last.parse().expect("a number")
}

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a limit; 0 if the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// Returns true with a probability of one in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
