//! Commands on devices.

pub mod gpus;
pub mod hello;
pub mod list;
pub mod streams;
