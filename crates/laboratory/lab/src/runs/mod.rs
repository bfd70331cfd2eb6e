//! Running ladders: climbs, sweeps, times, profiles and tuning.

pub mod climb;
pub mod occupancy;
pub mod profile;
pub mod reason;
pub mod streams;
pub mod timed;
pub mod tune;
