//! The typed asynchrony of sm_90 (`docs/src/en/hopper.md`) on the emulator, checked and with several schedules, and on a
//! GPU that supports it.

#![deny(unused_variables, unused_mut, unused_assignments, unused_labels)]

mod assembled;
mod bulk;
mod clusters;
mod gathered;
mod misuse;
mod order;
mod page;
mod pipelines;
mod pixels;
#[path = "../common/sources.rs"]
mod sources;
mod tiles;

use lanework::emulator::{Options, Schedule};
use lanework::{Backend, Device};

/// The GPU, if it supports sm_90, and emulators: sanitized, and with other schedules.
pub fn devices(suite: &str) -> Vec<Device> {
    let mut devices = Device::for_tests(suite);
    devices.retain(|device| {
        let old = device.info().compute_capability < (9, 0);
        if device.backend() == Backend::Cuda && old {
            eprintln!("SKIPPED on a GPU: {suite}: it is older than sm_90");
        }
        device.backend() == Backend::Emulator || !old
    });
    let base = Options { max_instructions: Some(1 << 22), ..Options::default() };
    devices.push(Device::emulator_with(base.clone()).sanitized());
    for seed in 1..4 {
        let schedule = Schedule::Seeded(seed);
        devices.push(Device::emulator_with(Options { schedule, ..base.clone() }));
    }
    devices
}

/// Random words.
pub fn words(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (z ^ z >> 27) as u32
    };
    std::iter::repeat_with(next).take(count).collect()
}
