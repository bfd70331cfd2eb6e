//! Records of synthetic samples, for tests.

use crate::record::about::About;
use crate::record::{
    Cache, DeviceRecord, PROTOCOL, Reset, Stop, SummaryRecord, TimedRecord, TimedSample, Timer,
    Verified,
};
use crate::sampling::stats::Summary;
use crate::sampling::target::Target;
use crate::simulated::fake::Fake;

/// A record of 200 samples around this time.
pub fn record(ns: f64, noise: f64, seed: u64) -> TimedRecord {
    let mut fake = Fake { noise, ..Fake::of(ns, seed) };
    let times = fake.launches(200).expect("a fake does not fail").times;
    let samples: Vec<TimedSample> =
        times.iter().map(|&ns| TimedSample { ns, ..TimedSample::default() }).collect();
    let about = About::kernel("synthetic");
    TimedRecord {
        protocol: PROTOCOL,
        taken: "2026-11-22T16:00:00Z".to_owned(),
        subject: about.subject,
        device: DeviceRecord {
            name: "synthetic".to_owned(),
            backend: "cuda".to_owned(),
            driver: "none".to_owned(),
            uuid: None,
            compute_capability: "9.0".to_owned(),
            multiprocessors: 132,
        },
        revision: None,
        version: "0.1.0".to_owned(),
        problem: about.problem,
        work: about.work,
        cache: Cache::Cold,
        reset: Reset::None,
        timer: Timer::Events,
        stop: Stop::Settled,
        samples,
        summary: SummaryRecord::from(&Summary::of(&times).expect("samples")),
        empty_ns: None,
        floor_ns: None,
        invalid: None,
        verified: Verified::Nothing,
        accuracy: None,
    }
}

/// The record with every sample at this clock.
pub fn at_clock(mut record: TimedRecord, mhz: u32) -> TimedRecord {
    record.samples.iter_mut().for_each(|sample| sample.sm_mhz = Some(mhz));
    record
}
