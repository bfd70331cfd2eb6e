//! Launches: what C passes, their attributes, running them on the emulator, and occupancy.

pub mod attributes;
pub mod calls;
pub mod device_launch;
pub mod launch;
pub mod occupancy;
pub mod older;
pub mod running;
