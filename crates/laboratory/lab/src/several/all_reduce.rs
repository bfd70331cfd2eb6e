//! The ladder of all-reduces: climbed, verified, and timed on GPUs.

use super::{time, wait};
use crate::Progress;
use lanework::{Backend, Device, Result};
use lanework_bench::{DeviceRecord, SummaryRecord};
use lanework_ladders::multi_gpu::{Ranks, SeveralRung, rungs};
use serde::Serialize;
use std::time::Duration;

/// The ladder climbed on several devices.
#[derive(Clone, Debug, Serialize)]
pub struct SeveralRecord {
    /// `multi-gpu`.
    pub ladder: &'static str,
    /// In the order of ranks.
    pub devices: Vec<DeviceRecord>,
    /// Elements of a vector.
    pub size: u64,
    /// In the order of the ladder.
    pub rungs: Vec<SeveralRungRecord>,
}

/// One rung on several devices.
#[derive(Clone, Debug, Serialize)]
pub struct SeveralRungRecord {
    /// Its name.
    pub name: &'static str,
    /// Whether every device had the right sum, before and after timing.
    pub verified: bool,
    /// The error.
    pub error: Option<String>,
    /// Why it was skipped.
    pub skipped: Option<String>,
    /// Time of one all-reduce; `None` on emulated devices.
    pub time: Option<SummaryRecord>,
    /// Bytes per second of a vector: its bytes by the time.
    pub vector_bandwidth: Option<f64>,
    /// Least bytes per second that each device receives: 2 (n - 1) / n of that.
    pub link_bandwidth: Option<f64>,
    /// Speedup over the previous rung.
    pub speedup: Option<f64>,
}

/// Climbs the ladder with vectors of `length` elements; `chosen` lists rungs, all if it is empty.
///
/// # Errors
/// If the devices have no memory for two vectors each, or fail. A wrong sum is not an error: the rung's record says
/// so.
pub fn climb_several(
    devices: &[Device],
    length: usize,
    chosen: &[String],
    limit: Duration,
    progress: Progress<'_>,
) -> Result<SeveralRecord> {
    progress("on the host");
    let mut ranks = Ranks::new(devices, length, element)?;
    let sum = |index: usize| (0..devices.len()).map(|rank| element(rank, index)).sum::<f32>();
    let wanted: Vec<f32> = (0..length).map(sum).collect();
    let mut record = SeveralRecord {
        ladder: "multi-gpu",
        devices: devices.iter().map(DeviceRecord::of).collect(),
        size: length as u64,
        rungs: Vec::new(),
    };
    let named =
        |rung: &SeveralRung| chosen.is_empty() || chosen.iter().any(|name| name == rung.info.name);
    for rung in rungs().into_iter().filter(named) {
        progress(rung.info.name);
        let mut found = SeveralRungRecord {
            name: rung.info.name,
            verified: false,
            error: None,
            skipped: (rung.missing)(devices),
            time: None,
            vector_bandwidth: None,
            link_bandwidth: None,
            speedup: None,
        };
        if found.skipped.is_none() {
            match climb_rung(&rung, &mut ranks, &wanted, limit) {
                Ok((time, error)) => {
                    let bytes = 4.0 * length as f64;
                    let size = devices.len() as f64;
                    found.vector_bandwidth = time.as_ref().map(|time| bytes / time.median_ns * 1e9);
                    found.link_bandwidth =
                        found.vector_bandwidth.map(|vector| vector * 2.0 * (size - 1.0) / size);
                    (found.verified, found.error, found.time) = (error.is_none(), error, time);
                }
                Err(error) => found.error = Some(error.to_string()),
            }
        }
        let median = |rung: &SeveralRungRecord| rung.time.as_ref().map(|time| time.median_ns);
        let before = record.rungs.iter().rev().find_map(median);
        found.speedup = before.zip(median(&found)).map(|(before, now)| before / now);
        record.rungs.push(found);
    }
    Ok(record)
}

/// Small integers.
fn element(rank: usize, index: usize) -> f32 {
    let mixed = (index as u32).wrapping_mul(2_654_435_761).wrapping_add(rank as u32 * 40_503) >> 20;
    mixed as f32 - 2048.0
}

/// Verifies a rung, times it on GPUs, and verifies it again; returns its time and the error.
fn climb_rung(
    rung: &SeveralRung,
    ranks: &mut Ranks,
    wanted: &[f32],
    limit: Duration,
) -> Result<(Option<SummaryRecord>, Option<String>)> {
    for rank in &mut ranks.ranks {
        rank.y.fill_bytes(0xFF)?;
    }
    let devices: Vec<Device> = ranks.ranks.iter().map(|rank| rank.device.clone()).collect();
    wait(&devices)?;
    let mut all_reduce = (rung.prepare)(ranks)?;
    all_reduce()?;
    wait(&devices)?;
    if let Some(wrong) = wrong(ranks, wanted)? {
        return Ok((None, Some(wrong)));
    }
    let gpus = devices.iter().all(|device| device.backend() == Backend::Cuda);
    let time = if gpus { Some(time(&devices, &mut all_reduce, limit)?) } else { None };
    wait(&devices)?;
    drop(all_reduce);
    Ok((time, wrong(ranks, wanted)?))
}

/// The first wrong element of any device.
fn wrong(ranks: &Ranks, wanted: &[f32]) -> Result<Option<String>> {
    for (rank, of) in ranks.ranks.iter().enumerate() {
        let got = of.y.download()?;
        let first =
            got.iter().zip(wanted).position(|(got, wanted)| got.to_bits() != wanted.to_bits());
        if let Some(index) = first {
            let (got, wanted) = (got[index], wanted[index]);
            return Ok(Some(format!("rank {rank}: [{index}] is {got}, should be {wanted}")));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rung_is_verified_or_says_why_not() -> Result<()> {
        for size in [1, 2, 3] {
            let devices = Device::emulators(size);
            let record = climb_several(&devices, 1000, &[], Duration::ZERO, &mut |_| ())?;
            for rung in &record.rungs {
                let nccl = rung.name == "nccl";
                assert_eq!((rung.verified, rung.skipped.is_some()), (!nccl, nccl), "{rung:?}");
                assert!(rung.time.is_none());
            }
            assert_eq!(record.rungs.len(), 7);
        }
        Ok(())
    }
}
