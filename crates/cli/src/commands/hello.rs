//! `lanework hello`: every thread of a small grid prints a line.

use crate::args::HelloArgs;
use crate::failure::Outcome;
use crate::output::print;
use lanework::Device;

/// Lets every thread print its line from the device, and the host its own.
///
/// # Errors
/// When there is no such device.
pub fn run(args: &HelloArgs) -> Outcome {
    let device = Device::open(&args.on.device)?;
    lanework_kernels::intro::say_hello(&device, args.blocks, args.threads)?;
    print(&format!(
        "Hello World from the host! {} blocks of {}x{} threads ran on {}.\n\
         Threads of a warp speak in x-then-y order; blocks in no order you may rely on.\n",
        args.blocks,
        args.threads.x,
        args.threads.y,
        device.info().name
    ))
}
