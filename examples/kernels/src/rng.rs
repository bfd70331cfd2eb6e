//! Random numbers: xorshift with its state in a struct, and uniform and normal deviates.

use lanework::prelude::*;

/// The state of a generator.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Random {
    state: u64,
}

#[device]
impl Random {
    /// The generator for one thread.
    pub fn new(seed: u64, thread: u64) -> Random {
        Random { state: (seed ^ thread.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1 }
    }

    /// 32 random bits (xorshift64*).
    pub fn bits(&mut self) -> u32 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A number in [0, 1).
    pub fn uniform(&mut self) -> f32 {
        (self.bits() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// A normal deviate (Box and Muller).
    pub fn normal(&mut self) -> f32 {
        let (u, v) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f32::consts::TAU * v).cos()
    }
}

/// Fills the array with random bits, four from each thread.
#[kernel]
pub fn fill(numbers: &mut [u32], seed: u64) {
    let thread = block_idx.x * block_dim.x + thread_idx.x;
    let mut random = Random::new(seed, thread as u64);
    for i in 0..4 {
        numbers[thread * 4 + i] = random.bits();
    }
}

/// Fills the array with normal deviates.
#[kernel]
pub fn gauss(numbers: &mut [f32], seed: u64) {
    let thread = block_idx.x * block_dim.x + thread_idx.x;
    if thread < numbers.len() {
        let mut random = Random::new(seed, thread as u64);
        let _ = random.bits();
        numbers[thread] = random.normal();
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let mut expected = Vec::new();
    for thread in 0..64 {
        let mut random = Random::new(42, thread);
        expected.extend((0..4).map(|_| random.bits()));
    }
    for device in crate::devices("random numbers") {
        let mut numbers = device.zeros::<u32>(256)?;
        fill(&mut numbers, 42).grid(2).block(32).launch(&device)?;
        assert_eq!(numbers.download()?, expected);
        let mut normal = device.zeros::<f32>(2000)?;
        gauss(&mut normal, 7).grid(16).block(128).launch(&device)?;
        let normal = normal.download()?;
        let mean = normal.iter().sum::<f32>() / 2000.0;
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 2000.0;
        assert!(mean.abs() < 0.1 && (variance - 1.0).abs() < 0.15, "{mean} {variance}");
    }
    Ok(())
}
