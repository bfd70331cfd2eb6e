//! Records as text: the output of a benchmark.

use crate::accuracy::Accuracy;
use crate::record::{ComparisonRecord, Reset, Stop, TimedRecord, Timer, Verified};
use std::collections::BTreeSet;
use std::fmt;

impl fmt::Display for TimedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = &self.summary;
        let half = (summary.interval_ns[1] - summary.interval_ns[0]) / summary.median_ns / 2.0;
        writeln!(
            f,
            "{} on {}, cache {}{}",
            self.subject.title(),
            self.device.name,
            self.cache.name(),
            match self.reset {
                Reset::None => String::new(),
                Reset::Rotation { copies: 1 } =>
                    " (the problem is more than twice as large)".to_owned(),
                Reset::Rotation { copies } => format!(" (rotation over {copies} copies)"),
                Reset::Flush { bytes } =>
                    format!(" ({} MiB overwritten before each launch)", bytes >> 20),
            }
        )?;
        writeln!(
            f,
            "  median    {} +- {:.2} %{}",
            time(summary.median_ns),
            100.0 * half,
            if self.invalid.is_some() { "   INVALID" } else { "" }
        )?;
        let [lower, upper] = summary.quartiles_ns;
        writeln!(
            f,
            "  spread    min {}, quartiles {} and {}",
            time(summary.min_ns),
            time(lower),
            time(upper)
        )?;
        if let Some(rates) = self.rates() {
            writeln!(f, "  rate      {rates}")?;
        }
        let timer = match self.timer {
            Timer::Events => "each by events".to_owned(),
            Timer::Graph(launches) => format!("each of a graph of {launches} launches"),
        };
        let stop = match self.stop {
            Stop::Settled => "the interval was narrow enough",
            Stop::TimeLimit => "the time limit",
        };
        writeln!(f, "  samples   {}, {timer}; stopped by {stop}", summary.count)?;
        if let Some(empty) = self.empty_ns {
            writeln!(f, "  empty     {} for an empty kernel, timed the same way", time(empty))?;
        }
        if let Some(floor) = self.floor_ns {
            writeln!(f, "  floor     {} by the GPU's nominal rates", time(floor))?;
        }
        writeln!(f, "  clocks    {}", self.clocks())?;
        writeln!(f, "  result    {}", self.verification())?;
        if let Some(why) = &self.invalid {
            writeln!(f, "  INVALID   {why}")?;
        }
        Ok(())
    }
}

impl TimedRecord {
    /// The rates of the work, if it is known and the figure is valid.
    pub fn rates(&self) -> Option<String> {
        let valid = self.invalid.is_none();
        let bytes = (valid && self.work.bytes > 0)
            .then(|| format!("{:.0} GB/s", self.gigabytes_per_second()));
        let flops = (valid && self.work.flops > 0)
            .then(|| format!("{:.0} GFLOP/s", self.gigaflops_per_second()));
        let both: Vec<String> = bytes.into_iter().chain(flops).collect();
        (!both.is_empty()).then(|| both.join(", "))
    }

    /// The monitor's readings as text.
    pub fn clocks(&self) -> String {
        let range = |of: &dyn Fn(&crate::TimedSample) -> Option<f64>, unit: &str| {
            let values: Vec<f64> = self.samples.iter().filter_map(of).collect();
            let low = values.iter().copied().min_by(f64::total_cmp)?;
            let high = values.iter().copied().max_by(f64::total_cmp)?;
            Some(match low.round() == high.round() {
                true => format!("{low:.0} {unit}"),
                false => format!("{low:.0} to {high:.0} {unit}"),
            })
        };
        let mut parts: Vec<String> = [
            range(&|sample| sample.sm_mhz.map(f64::from), "MHz"),
            range(&|sample| sample.memory_mhz.map(f64::from), "MHz memory"),
            range(&|sample| sample.watts, "W"),
            range(&|sample| sample.celsius.map(f64::from), "C"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if parts.is_empty() {
            return "not known: NVML, the driver's monitoring library, was not found".to_owned();
        }
        let reasons: BTreeSet<&str> =
            self.samples.iter().flat_map(|sample| &sample.throttle).map(String::as_str).collect();
        parts.extend(
            (!reasons.is_empty()).then(|| {
                format!("throttled: {}", reasons.into_iter().collect::<Vec<_>>().join(", "))
            }),
        );
        let off = self.samples.iter().filter(|sample| sample.off_clock).count();
        parts.extend((off > 0).then(|| format!("{off} samples off the settled clock, kept")));
        parts.join(", ")
    }

    /// How the result was verified, in words.
    pub fn verification(&self) -> String {
        let accuracy = self.accuracy.as_ref().map(Accuracy::short);
        match (self.verified, accuracy) {
            (Verified::Reference, Some(how)) => format!("verified against the reference ({how})"),
            (Verified::Reference, None) => "verified against the reference".to_owned(),
            (Verified::Emulator, _) => {
                "the same bits as on the emulator; no reference was given".to_owned()
            }
            (Verified::Nothing, _) => "NOT VERIFIED: the kernel may compute anything".to_owned(),
        }
    }
}

impl fmt::Display for ComparisonRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.interleaved {
            true => "alternating, A B B A",
            false => "two runs, not alternating",
        };
        writeln!(f, "{} against {}, {how}", self.b.subject.title(), self.a.subject.title())?;
        for (letter, record) in [("A", &self.a), ("B", &self.b)] {
            let rates = record.rates().map_or(String::new(), |rates| format!(", {rates}"));
            writeln!(
                f,
                "  {letter} {:<24} {}{rates}; {}",
                record.subject.title(),
                time(record.summary.median_ns),
                record.verification()
            )?;
        }
        writeln!(f, "  {}: {}", self.verdict.name(), self.why)
    }
}

/// Nanoseconds in a suitable unit.
fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.3} s", ns / 1e9),
    }
}
