//! A device with known times, and records of synthetic samples, for tests of the protocol: distributions, drift,
//! outliers, a clock that ramps and drops.

use crate::record::{
    About, Cache, DeviceRecord, PROTOCOL, Reset, Stop, SummaryRecord, TimedRecord, TimedSample,
    Timer, Verified,
};
use crate::sampling::Summary;
use crate::sampling::sampler::{Batch, Target};
use lanework_runtime::{Reading, Result};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// The full clock in MHz.
pub const CLOCK: f64 = 1980.0;

/// A kernel with a known time.
pub struct Fake {
    /// The source of its noise.
    pub random: StdRng,
    /// Nanoseconds of a launch at the full clock, without noise.
    pub ns: f64,
    /// Standard deviation of the noise, as a fraction of the time; its median is 1.
    pub noise: f64,
    /// Fraction of launches that take up to three times as long.
    pub outliers: f64,
    /// Growth of the time per second.
    pub drift: f64,
    /// The clock at a time in seconds, as a fraction of the full clock; the time is inversely proportional.
    pub clock: fn(f64) -> f64,
    /// Whether a monitor sees the clock.
    pub monitored: bool,
    pub copies: usize,
    pub recordable: bool,
    /// Launches in the recorded graph.
    pub graph: Option<usize>,
    /// Nanoseconds since the start; two kernels that are compared share it.
    pub now: Rc<Cell<f64>>,
}

impl Fake {
    /// A kernel of this time, with 1 % of noise.
    pub fn of(ns: f64, seed: u64) -> Fake {
        Fake {
            random: StdRng::seed_from_u64(seed),
            ns,
            noise: 0.01,
            outliers: 0.0,
            drift: 0.0,
            clock: |_| 1.0,
            monitored: true,
            copies: 1,
            recordable: true,
            graph: None,
            now: Rc::new(Cell::new(0.0)),
        }
    }

    /// Advances the clock by one launch and returns its time.
    fn launch(&mut self) -> f64 {
        let seconds = self.now.get() / 1e9;
        // Box-Muller transform; lognormal noise has a known median and a long tail.
        let (u, v): (f64, f64) = (1.0 - self.random.random::<f64>(), self.random.random());
        let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        let mut ns = self.ns * (self.noise * normal).exp();
        ns *= (1.0 + self.drift * seconds) / (self.clock)(seconds);
        if self.random.random::<f64>() < self.outliers {
            ns *= 1.0 + 2.0 * self.random.random::<f64>();
        }
        self.now.set(self.now.get() + ns);
        ns
    }

    fn reading(&self) -> Option<Reading> {
        let mhz = CLOCK * (self.clock)(self.now.get() / 1e9);
        let reading = Reading { sm_mhz: Some(mhz.round() as u32), ..Reading::default() };
        self.monitored.then_some(reading)
    }
}

impl Target for Fake {
    fn launches(&mut self, count: usize) -> Result<Batch> {
        assert_eq!(self.graph, None, "recorded jobs are replayed");
        self.launch();
        let times = (0..count).map(|_| self.launch()).collect();
        Ok(Batch { times, reading: self.reading() })
    }

    fn is_recordable(&self) -> bool {
        self.recordable
    }

    fn copies(&self) -> usize {
        self.copies
    }

    fn record(&mut self, launches: usize) -> Result<()> {
        self.graph = Some(launches);
        Ok(())
    }

    fn replays(&mut self, count: usize) -> Result<Batch> {
        let launches = self.graph.expect("recorded");
        // One draw of noise per graph: the launches of a replay share clock and memory.
        let times = (0..=count).map(|_| {
            let once = self.launch();
            self.now.set(self.now.get() + once * (launches - 1) as f64);
            once * launches as f64
        });
        let times: Vec<f64> = times.collect();
        Ok(Batch { times: times[1..].to_vec(), reading: self.reading() })
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.now.get() as u64)
    }
}

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
