//! Commands on devices.

pub mod devices;
pub mod gpus;
pub mod hello;
pub mod streams;
