//! A trait with default functions and `&mut self`, a generic function over it, and labels: random walks.

use lanework::prelude::*;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Pcg {
    state: u64,
}

#[device]
trait RandomBits {
    const BITS: u32 = 32;
    fn next_u32(&mut self) -> u32;
    fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 / (1u32 << 24) as f32
    }
    fn below(&mut self, n: u32) -> u32 {
        ((self.next_u32() as u64 * n as u64) >> Self::BITS) as u32
    }
}

#[device]
impl RandomBits for Pcg {
    fn next_u32(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = ((self.state >> 18) ^ self.state) >> 27;
        (x as u32).rotate_right((self.state >> 59) as u32)
    }
}

#[device]
fn walk<R: RandomBits>(rng: &mut R, steps: u32) -> Option<(i32, u32)> {
    let mut position = 0i32;
    'steps: for step in 0..steps {
        position += match rng.below(3) {
            0 => -1,
            1 => 0,
            _ => 1,
        };
        if position.abs() > 5 {
            break 'steps;
        }
        if step + 1 == steps {
            return Some((position, step));
        }
    }
    (position.abs() <= 5).then_some((position, steps))
}

#[kernel]
fn walks(
    seeds: &mut [Pcg],
    steps: u32,
    position: &mut [i32],
    escaped: &mut [u32],
    mean: &mut [f32],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let Some(&seed) = seeds.get(i) else { return };
    let mut rng = seed;
    if let Some((at, _)) = walk(&mut rng, steps) {
        position[i] = at;
    } else {
        position[i] = i32::MIN;
        atomic_add(&mut escaped[0], 1);
    }
    mean[i] = (0..16).map(|_| rng.next_f32()).sum::<f32>() / 16.0;
    seeds[i] = rng;
}

#[test]
fn random_walks() -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let seeds: Vec<Pcg> = (0..100).map(|i| Pcg { state: i * 77 + 1 }).collect();
    let mut s = device.upload(&seeds)?;
    let (mut p, mut e, mut m) =
        (device.zeros::<i32>(100)?, device.zeros::<u32>(1)?, device.zeros::<f32>(100)?);
    walks(&mut s, 40, &mut p, &mut e, &mut m).grid(4).block(32).launch(&device)?;
    let (p, m) = (p.download()?, m.download()?);
    let mut escaped = 0;
    for (i, mut rng) in seeds.into_iter().enumerate() {
        match walk(&mut rng, 40) {
            Some((at, _)) => assert_eq!(p[i], at),
            None => {
                assert_eq!(p[i], i32::MIN);
                escaped += 1;
            }
        }
        assert_eq!(m[i], (0..16).map(|_| rng.next_f32()).sum::<f32>() / 16.0);
        assert_eq!(s.download()?[i], rng);
    }
    assert_eq!(e.download()?, [escaped]);
    Ok(())
}
