//! Records for the tests of the store.
#![allow(dead_code)]

use lanework_lab::timing::PROTOCOL;
use lanework_lab::{
    Cache, DeviceRecord, Reset, Stop, SubjectKind, SubjectRecord, Summary, SummaryRecord,
    TimedRecord, TimedSample, Timer, Verified, Work,
};
use lanework_store::{NewRun, RunCommand, RunId, Store};
use serde_json::Value;
use std::collections::BTreeMap;

pub fn device() -> DeviceRecord {
    DeviceRecord {
        name: "NVIDIA H200".to_owned(),
        backend: "cuda".to_owned(),
        driver: "580.65".to_owned(),
        uuid: Some("GPU-1".to_owned()),
        compute_capability: "9.0".to_owned(),
        multiprocessors: 132,
    }
}

/// A timed rung, or a kernel if `ladder` is `None`, with samples around `ns`.
pub fn timed(ladder: Option<&str>, name: &str, ns: f64) -> TimedRecord {
    let times: Vec<f64> =
        (0..101).map(|index| ns * (1.0 + f64::from(index % 11 - 5) / 1e4)).collect();
    let sample = |&ns: &f64| TimedSample {
        ns,
        sm_mhz: Some(1980),
        watts: Some(500.5),
        ..TimedSample::default()
    };
    TimedRecord {
        protocol: PROTOCOL,
        taken: "2026-11-22T16:00:00Z".to_owned(),
        subject: SubjectRecord {
            kind: if ladder.is_some() { SubjectKind::Rung } else { SubjectKind::Kernel },
            name: name.to_owned(),
            ladder: ladder.map(str::to_owned),
            file: ladder.is_none().then(|| "own.ptx".to_owned()),
            ptx_hash: Some("0011223344556677".to_owned()),
        },
        device: device(),
        revision: Some("abc1234+".to_owned()),
        version: "0.1.0".to_owned(),
        problem: BTreeMap::from([("rows".to_owned(), "1024".to_owned())]),
        work: Work { bytes: 8192, flops: 0 },
        cache: Cache::Cold,
        reset: Reset::Rotation { copies: 30 },
        timer: Timer::Events,
        stop: Stop::Settled,
        samples: times.iter().map(sample).collect(),
        summary: SummaryRecord::from(&Summary::of(&times).expect("samples")),
        empty_ns: None,
        floor_ns: None,
        invalid: None,
        verified: Verified::Reference,
        accuracy: None,
    }
}

/// Begins a run.
pub fn begin(store: &mut Store, kind: RunCommand, request: &Value, points: usize) -> RunId {
    let command = ["sweep".to_owned(), "transpose".to_owned()];
    let device = device();
    store
        .begin(&NewRun {
            kind,
            command: &command,
            request,
            points,
            device: &device,
            revision: Some("abc1234+"),
        })
        .expect("a run")
}
