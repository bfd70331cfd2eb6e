//! Launches: what C passes, their attributes, running them on the emulator, and occupancy.

pub mod attributes;
pub mod device_launch;
pub mod launch;
pub mod legacy;
pub mod occupancy;
