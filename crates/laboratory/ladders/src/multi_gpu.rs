//! The all-reduce: every device has a vector, and every device gets the sum of all vectors.
//!
//! One process drives all devices. A rung queues one all-reduce on the streams of all devices; a stream that needs
//! another device's data waits for that device's stream. The host never waits, except in the rung that copies through
//! it.

mod adding;
mod direct;
mod nccl;
mod overlapped_rings;
mod peer_copies;
mod peer_reads;
mod ring;
mod through_host;
mod vectors;

pub use vectors::{AllReduce, LONGEST, Rank, Ranks};

use crate::RungInfo;
use crate::rung::ladder;
use lanework::{Device, Result};

/// A rung of this ladder, for any number of devices.
#[derive(Clone, Copy)]
pub struct SeveralRung {
    /// Its name and source.
    pub info: RungInfo,
    /// Compiles its kernels on each device.
    pub prepare: for<'a> fn(&'a Ranks) -> Result<AllReduce<'a>>,
    /// Why these devices cannot run it, if so.
    pub missing: fn(&[Device]) -> Option<String>,
}

/// Nothing is missing.
fn nothing(_: &[Device]) -> Option<String> {
    None
}

/// The first device that cannot access another one's memory.
fn peers(devices: &[Device]) -> Option<String> {
    let pairs = devices.iter().flat_map(|one| devices.iter().map(move |other| (one, other)));
    let apart = |one: &Device, other: &Device| !one.can_access_peer(other).unwrap_or(false);
    let (one, other) = pairs.into_iter().find(|(one, other)| apart(one, other))?;
    Some(format!("{} cannot access the memory of {}", one.info().id, other.info().id))
}

ladder! {
    "multi-gpu" in "multi_gpu": "sum of vectors of f32 on several devices";
    pub fn rungs() -> [SeveralRung];
    "through-host" through_host { missing: nothing };
    "peer-copies" peer_copies { missing: nothing };
    "peer-reads" peer_reads { missing: peers };
    "ring" ring { missing: peers };
    "overlapped-rings" overlapped_rings { missing: peers };
    "direct" direct { missing: peers };
    "nccl" nccl { missing: nccl::missing };
}

#[cfg(test)]
mod tests;
