//! Tensor cores in the kernel language: tiles, fragments, pipelines and accumulators, on every device
//! and sanitized, against products computed on the host.
#![cfg(test)]

mod fragments;
mod groups;
mod host;
mod kernels;
mod page;
mod refusals;

use lanework::{Backend, Device};

/// The devices that a test runs on: a GPU of `architecture` where there is one, the emulator, and the
/// emulator with its sanitizer.
pub fn devices(suite: &str, architecture: (u32, u32)) -> Vec<Device> {
    let mut devices = Device::for_tests(suite);
    devices.retain(|device| {
        let able = device.backend() == Backend::Emulator
            || device.info().compute_capability >= architecture;
        if !able {
            eprintln!(
                "SKIPPED on a GPU: {suite}: it is older than sm_{}{}",
                architecture.0, architecture.1
            );
        }
        able
    });
    devices.push(Device::emulator().sanitized());
    devices
}
