//! Monte Carlo: several experiments with one generic kernel and an own random number generator.
use lanework::prelude::*;

#[device]
trait Rng {
    type Seed: Copy;
    fn seeded(seed: Self::Seed, stream: u64) -> Self;
    fn next(&mut self) -> u32;

    fn unit(&mut self) -> f32 {
        (self.next() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    fn below(&mut self, n: u32) -> u32 {
        ((self.next() as u64 * n as u64) >> 32) as u32
    }
}

#[device]
#[derive(Clone, Copy)]
struct Pcg {
    state: u64,
    increment: u64,
}

#[device]
impl Rng for Pcg {
    type Seed = u64;

    fn seeded(seed: u64, stream: u64) -> Self {
        let mut rng = Pcg { state: 0, increment: stream << 1 | 1 };
        rng.next();
        rng.state = rng.state.wrapping_add(seed);
        rng.next();
        rng
    }

    fn next(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
        let shifted = ((old >> 18 ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }
}

#[device]
trait Experiment {
    const TRIALS: u32;
    fn succeeds<R: Rng>(rng: &mut R) -> bool;
}

struct QuarterCircle;
struct Birthdays<const PEOPLE: usize>;
struct Walk;

#[device]
impl Experiment for QuarterCircle {
    const TRIALS: u32 = 50;
    fn succeeds<R: Rng>(rng: &mut R) -> bool {
        let (x, y) = (rng.unit(), rng.unit());
        x * x + y * y < 1.0
    }
}

#[device]
impl<const PEOPLE: usize> Experiment for Birthdays<PEOPLE> {
    const TRIALS: u32 = 10;
    fn succeeds<R: Rng>(rng: &mut R) -> bool {
        let mut seen = [0u64; 6];
        let mut twice = false;
        for _ in 0..PEOPLE {
            let day = rng.below(365);
            let (word, bit) = ((day / 64) as usize, 1u64 << (day % 64));
            twice |= seen[word] & bit != 0;
            seen[word] |= bit;
        }
        twice
    }
}

#[device]
impl Experiment for Walk {
    const TRIALS: u32 = 20;
    fn succeeds<R: Rng>(rng: &mut R) -> bool {
        let mut position = (0i32, 0i32);
        (0..20).any(|_| {
            match rng.below(4) {
                0 => position.0 += 1,
                1 => position.0 -= 1,
                2 => position.1 += 1,
                _ => position.1 -= 1,
            }
            position == (0, 0)
        })
    }
}

#[kernel]
fn simulate<E: Experiment>(seed: u64, successes: &mut [u32]) {
    let sums = shared::<[u32; 64]>();
    let thread = block_idx.x * block_dim.x + thread_idx.x;
    let mut rng = Pcg::seeded(seed, thread as u64);
    sums[thread_idx.x] = (0..E::TRIALS).filter(|_| E::succeeds(&mut rng)).count() as u32;
    sync_threads();
    let mut half = block_dim.x / 2;
    while half > 0 {
        if thread_idx.x < half {
            sums[thread_idx.x] += sums[thread_idx.x + half];
        }
        sync_threads();
        half /= 2;
    }
    if thread_idx.x == 0 {
        successes[block_idx.x] = sums[0];
    }
}

/// The same generator, as a closure.
fn generator(seed: u64, stream: u64) -> impl FnMut() -> u32 {
    let mut state = ((stream * 2 + 1) as u128 + seed as u128) as u64;
    state = (state as u128 * 6_364_136_223_846_793_005 + (stream * 2 + 1) as u128) as u64;
    move || {
        let out = ((((state >> 18) ^ state) >> 27) as u32).rotate_right((state >> 59) as u32);
        state = (state as u128 * 6_364_136_223_846_793_005 + (stream * 2 + 1) as u128) as u64;
        out
    }
}

fn check<E: Experiment>(
    trials: u32,
    trial: impl Fn(&mut dyn FnMut() -> u32) -> bool,
) -> lanework::Result<f64> {
    let device = Device::emulator().sanitized();
    let mut successes = device.zeros::<u32>(3)?;
    simulate::<E>(2024, &mut successes).grid(3).block(64).launch(&device)?;
    let got = successes.download()?;
    for (block, &got) in got.iter().enumerate() {
        let mut want = 0;
        for thread in 0..64 {
            let mut next = generator(2024, block as u64 * 64 + thread);
            want += (0..trials).filter(|_| trial(&mut next)).count() as u32;
        }
        assert_eq!(got, want);
    }
    Ok(got.iter().sum::<u32>() as f64 / (3 * 64 * trials) as f64)
}

#[test]
fn experiments() -> lanework::Result<()> {
    let below = |r: u32, n: u64| r as u64 * n / (1 << 32);
    let pi = check::<QuarterCircle>(50, |next| {
        let (x, y) = ((next() >> 8) as f32 / 16_777_216.0, (next() >> 8) as f32 / 16_777_216.0);
        x * x + y * y < 1.0
    })? * 4.0;
    assert!((pi - 3.14).abs() < 0.1, "{pi}");
    let birthdays = check::<Birthdays<23>>(10, |next| {
        let days: std::collections::HashSet<u64> = (0..23).map(|_| below(next(), 365)).collect();
        days.len() < 23
    })?;
    assert!((birthdays - 0.507).abs() < 0.08, "{birthdays}");
    check::<Walk>(20, |next| {
        let steps = [(1, 0), (-1, 0), (0, 1), (0, -1)];
        let mut at = (0, 0);
        for _ in 0..20 {
            let (dx, dy) = steps[below(next(), 4) as usize];
            at = (at.0 + dx, at.1 + dy);
            if at == (0, 0) {
                return true;
            }
        }
        false
    })?;
    Ok(())
}
