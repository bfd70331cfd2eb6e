//! CUDA's driver for programs in the page, with one emulated device: the functions that the runtime's headers call.
//!
//! Each call does its work immediately, so all work runs in call order. This order is valid for every program without a
//! race between streams. Kernel errors are sticky, as on a GPU: later calls return them.

mod arrays;
mod copies;
mod devices;
mod graphs;
mod launches;
mod memory;
mod nodes;
mod state;
mod streams;
mod textures;
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
    graphs::FUNCTIONS,
    nodes::FUNCTIONS,
    arrays::FUNCTIONS,
    textures::FUNCTIONS,
    unsupported::FUNCTIONS,
];
