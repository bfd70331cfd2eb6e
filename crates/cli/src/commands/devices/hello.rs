//! `lanework hello`: every thread of a small grid prints a line.

use crate::args::HelloArgs;
use lanework::Device;
use lanework_terminal::failure::Outcome;
use lanework_terminal::output::print;

/// Prints a line from every thread on the device, and one from the host.
///
/// # Errors
/// If the device is unknown.
pub fn run(args: &HelloArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    lanework_ladders::intro::say_hello(&device, args.blocks, args.threads)?;
    print(&format!(
        "Hello World from the host! {} blocks of {}x{} threads ran on {}.\n\
         The threads of a warp print in x-then-y order; the order of blocks is unspecified.\n",
        args.blocks,
        args.threads.x,
        args.threads.y,
        device.info().name
    ))
}
