//! Warps: divergence, barriers and time slices.

mod checks;
mod independent;
mod interleaved;
mod lockstep;
mod paths;
