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

use crate::{Ladder, RungInfo};
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

macro_rules! rungs {
    ($($name:literal $file:ident $missing:path;)*) => {
        /// The rungs, in the order of the ladder.
        pub fn rungs() -> Vec<SeveralRung> {
            vec![$(SeveralRung {
                info: RungInfo {
                    name: $name,
                    experiment: "beyond",
                    source: include_str!(concat!("multi_gpu/", stringify!($file), ".rs")),
                },
                prepare: $file::prepare,
                missing: $missing,
            }),*]
        }
    };
}

rungs! {
    "through-host" through_host nothing;
    "peer-copies" peer_copies nothing;
    "peer-reads" peer_reads peers;
    "ring" ring peers;
    "overlapped-rings" overlapped_rings peers;
    "direct" direct peers;
    "nccl" nccl nccl::missing;
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "multi-gpu",
        title: "sum of vectors of f32 on several devices",
        story: [include_str!("multi_gpu/story.en.md"), include_str!("multi_gpu/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}

#[cfg(test)]
mod tests;
