//! Pi by counting random points in a circle.

use crate::rng::Random;
use lanework::prelude::*;

/// Adds the number of this thread's points inside the circle to `inside[0]`.
#[kernel]
pub fn count_inside(inside: &mut [u64], points: u32, seed: u64) {
    let thread = (block_idx.x * block_dim.x + thread_idx.x) as u64;
    let mut random = Random::new(seed, thread);
    let mut count = 0u64;
    for _ in 0..points {
        let (x, y) = (random.uniform(), random.uniform());
        count += (x * x + y * y <= 1.0) as u64;
    }
    atomic_add(&mut inside[0], count);
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let mut expected = 0u64;
    for thread in 0..128 {
        let mut random = Random::new(1, thread);
        for _ in 0..100 {
            let (x, y) = (random.uniform(), random.uniform());
            expected += u64::from(x * x + y * y <= 1.0);
        }
    }
    for device in crate::devices("Monte Carlo") {
        let mut inside = device.zeros::<u64>(1)?;
        count_inside(&mut inside, 100, 1).grid(2).block(64).launch(&device)?;
        assert_eq!(inside.download()?[0], expected);
    }
    Ok(())
}
