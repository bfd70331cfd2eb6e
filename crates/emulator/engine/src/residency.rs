//! How many blocks of a launch a device holds at once.

use crate::assembled::Assembled;
use crate::launch::LaunchConfig;
use crate::limits::Limits;
use std::fmt;

/// How many blocks of a kernel the device holds at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// In all: whole clusters.
    pub blocks: u64,
    /// On one multiprocessor.
    pub per_multiprocessor: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// What limits them.
    pub limiter: &'static str,
}

impl fmt::Display for Residency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Residency { blocks, per_multiprocessor, multiprocessors, limiter } = self;
        let plural = if *blocks == 1 { "block" } else { "blocks" };
        write!(
            f,
            "{blocks} {plural} of this kernel fit on the device at once ({per_multiprocessor} on each of {multiprocessors} multiprocessors, limited by {limiter})"
        )
    }
}

/// The part of the estimated registers that a kernel surely takes: of 1,225 kernels of this repository ptxas 13.0 gives
/// none fewer than a quarter. A grid that the driver would take must not be refused.
const SURE_REGISTERS: u32 = 4;

/// How many blocks of a launch the device holds at once, at most: what the driver's compiler makes of the registers is
/// not known.
pub fn residency(assembled: &Assembled, launch: &LaunchConfig<'_>, limits: &Limits) -> Residency {
    let kernel = &assembled.kernel;
    let threads = launch.block.iter().product();
    let shared = kernel.declared_shared.next_multiple_of(16).saturating_add(launch.dynamic_shared);
    let registers = assembled.register_pressure().registers.div_ceil(SURE_REGISTERS);
    let (per_multiprocessor, limiter) =
        limits.multiprocessor.resident_blocks(threads, registers, shared);
    let cluster = launch.cluster.or(kernel.required_cluster).unwrap_or([1; 3]);
    let cluster: u64 = cluster.iter().map(|blocks| u64::from(*blocks)).product();
    let multiprocessors = limits.multiprocessors;
    let blocks = u64::from(per_multiprocessor) * u64::from(multiprocessors);
    let blocks = blocks - blocks % cluster.max(1);
    Residency { blocks, per_multiprocessor, multiprocessors, limiter }
}
