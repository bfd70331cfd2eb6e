//! Tensor cores in the kernel language: tiles, fragments, pipelines and accumulators, on every device
//! and sanitized, compared with products on the host.

#![deny(unused_variables, unused_mut, unused_assignments, unused_labels)]
#![cfg(test)]

mod fragments;
mod groups;
mod host;
mod kernels;
mod page;
mod refusals;
#[path = "../common/sources.rs"]
mod sources;

use lanework::{Backend, Device, Launch};
use std::process::Command;
use std::sync::Once;

/// The devices of a test: a GPU of `architecture` if there is one, the emulator, and the
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

/// Checks that ptxas, if `PTXAS` names it, accepts the PTX of a kernel for its target.
pub fn accepted(launch: &Launch<'_>) {
    static SKIPPED: Once = Once::new();
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        SKIPPED.call_once(|| {
            eprintln!("SKIPPED: what ptxas says of the kernels: PTXAS does not name it")
        });
        return;
    };
    let module = launch.module().expect("staged");
    let name = format!("lanework-tiles-{}-{:?}", std::process::id(), std::thread::current().id());
    let file = std::env::temp_dir().join(name.replace(['(', ')'], "-"));
    std::fs::write(&file, module.to_string()).expect("written");
    let target = format!("-arch={}", module.target);
    let mut command = Command::new(ptxas);
    let output = command.args([target.as_str(), "-o", "/dev/null"]).arg(&file).output();
    let output = output.expect("ptxas runs");
    let _ = std::fs::remove_file(&file);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{module}");
    assert!(!said.contains("warning"), "{said}");
}
