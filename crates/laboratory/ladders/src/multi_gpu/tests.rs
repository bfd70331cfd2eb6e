//! Every rung on several emulated devices, with lengths that do not divide evenly, run twice.

use super::{Ranks, rungs};
use lanework::emulator::Options;
use lanework::{Checks, Device, Result};

/// Small integers, which give the same bits in every order of additions.
fn element(rank: usize, index: usize) -> f32 {
    ((index * 31 + rank * 17) % 101) as f32 - 50.0
}

#[test]
fn every_rung_gives_the_sum_to_every_device() -> Result<()> {
    let devices = Device::emulators(8);
    for size in [1, 2, 3, 4, 8] {
        for length in [0, 1, 37, 4096 * size + 5] {
            let wanted: Vec<f32> =
                (0..length).map(|index| (0..size).map(|rank| element(rank, index)).sum()).collect();
            for rung in
                rungs().into_iter().filter(|rung| (rung.missing)(&devices[..size]).is_none())
            {
                let ranks = Ranks::new(&devices[..size], length, element)?;
                {
                    let mut all_reduce = (rung.prepare)(&ranks)?;
                    all_reduce()?;
                    all_reduce()?;
                }
                for (rank, of) in ranks.ranks.iter().enumerate() {
                    let name = rung.info.name;
                    assert!(of.y.download()? == wanted, "{name}: rank {rank} of {size}, {length}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_sanitizer_finds_nothing_in_any_rung() -> Result<()> {
    let options = Options { checks: Some(Checks::default()), ..Options::default() };
    let devices = Device::emulators_with(3, options);
    for rung in rungs().into_iter().filter(|rung| (rung.missing)(&devices).is_none()) {
        for size in [2, 3] {
            let ranks = Ranks::new(&devices[..size], 3 * 4096 + 7, element)?;
            let mut all_reduce = (rung.prepare)(&ranks)?;
            all_reduce()?;
        }
    }
    Ok(())
}
