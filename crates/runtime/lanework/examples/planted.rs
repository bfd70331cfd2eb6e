//! Runs a planted kernel of the sanitizer's suite on a GPU, for NVIDIA's compute-sanitizer to check: `planted` lists the kernels,
//! `planted NAME` runs one.

#[path = "../tests/sanitizer/planted.rs"]
mod planted;

use lanework::Device;
use planted::{UNITS, planted, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(wanted) = std::env::args().nth(1) else {
        for kernel in UNITS.iter().flat_map(|unit| planted(unit.cuda)) {
            let kinds = kernel.bugs.iter().chain(&kernel.maybe);
            let kinds: Vec<&str> = kinds.map(|(kind, _)| kind.name()).collect();
            println!("{} {}", kernel.name, kinds.join(","));
        }
        return ExitCode::SUCCESS;
    };
    let known =
        UNITS.iter().flat_map(|unit| planted(unit.cuda).into_iter().map(move |k| (unit, k)));
    let Some((unit, kernel)) = known.into_iter().find(|(_, kernel)| kernel.name == wanted) else {
        println!("no planted kernel is called {wanted}");
        return ExitCode::from(2);
    };
    let result = Device::cuda(0).and_then(|device| {
        run(&device, unit, &kernel)?;
        device.synchronize()
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
