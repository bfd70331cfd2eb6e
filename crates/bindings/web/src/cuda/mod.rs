//! CUDA's driver for programs in the page: the functions that the runtime's headers call, on one emulated device.
//!
//! All work runs at once and in the order of its calls, which is a legal order of every program without a race between streams. Errors
//! of kernels stay, as on a GPU: later calls return them.

mod copies;
mod devices;
mod launches;
mod memory;
mod state;
mod streams;
mod unsupported;

pub use state::{Cuda, keep_calls};

use lanework_host::External;

/// The functions of the driver, by name.
pub const FUNCTIONS: &[&[(&str, External)]] = &[
    devices::FUNCTIONS,
    memory::FUNCTIONS,
    copies::FUNCTIONS,
    streams::FUNCTIONS,
    launches::FUNCTIONS,
    unsupported::FUNCTIONS,
];
