//! The table, or the JSON, of a run, with one subject's result in a row.

use crate::cases::Case;
use crate::demands::{Demand, Judgement};
use crate::machine::Machine;
use crate::measure::{Engine, Label, Timing, median};
use crate::options::Options;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Collects the rows and prints them: the table as it goes, JSON at the end.
pub struct Report {
    json: Option<Value>,
    wrong: usize,
    unmet: usize,
}

impl Report {
    /// Prints the head of the table, with the machine and, prominently, the reason if `PoCL` is missing.
    pub fn start(options: &Options, machine: &Machine, no_pocl: Option<&String>) -> Report {
        let load = machine.load.unwrap_or(0.0);
        if load > 0.5 {
            eprintln!(
                "warning: load average {load}: other work competes, elapsed times are too long"
            );
        }
        if let Some(why) = no_pocl {
            eprintln!("warning: PoCL IS NOT MEASURED: {why}");
        }
        let head = json!({
            "machine": machine.model, "cores": machine.cores, "simd": machine.simd, "load": machine.load,
            "quick": options.quick, "pocl_missing": no_pocl, "kernels": [],
        });
        if !options.json {
            println!(
                "{}, {} cores, {}, load {load:.2}",
                machine.model, machine.cores, machine.simd
            );
            println!(
                "Medians. Gli/s: 10^9 lane instructions per second; of processor time with 1 worker, of \
                 elapsed time with 2.\n"
            );
            println!(
                "{:<17} {:<9} {:>7} {:>10} {:>9} {:>7}   {:<29} demand",
                "kernel", "engine", "workers", "elapsed ms", "cpu ms", "Gli/s", "figure"
            );
        }
        Report { json: options.json.then_some(head), wrong: 0, unmet: 0 }
    }

    /// Takes one kernel's rows.
    pub fn case(&mut self, case: &Case, rows: Vec<Row>) {
        self.wrong += rows.iter().filter(|row| row.is_failed()).count();
        let judged = rows.iter().filter_map(|row| row.judgement.as_ref());
        self.unmet += judged.filter(|judgement| judgement.met() == Some(false)).count();
        match self.json.as_mut().and_then(|json| json["kernels"].as_array_mut()) {
            Some(kernels) => {
                let rows: Vec<Value> = rows.iter().map(Row::json).collect();
                kernels.push(json!({ "name": case.name, "rows": rows }));
            }
            None => rows.iter().for_each(|row| println!("{}", row.line(case.name))),
        }
    }

    /// Prints the end; exit code 1 if anything was wrong.
    pub fn finish(self) -> ExitCode {
        match &self.json {
            Some(json) => println!("{json:#}"),
            None => println!("\n{} demands not met, {} rows not timed", self.unmet, self.wrong),
        }
        if self.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// One subject's result.
pub struct Row {
    /// Which subject.
    pub label: Label,
    /// How it compares; filled in once all rows are there.
    pub judgement: Option<Judgement>,
    lane_instructions: u64,
    timing: Result<Timing, String>,
}

impl Row {
    /// A subject that was proven and timed.
    pub fn timed(label: Label, lane_instructions: u64, timing: Timing) -> Row {
        Row { label, judgement: None, lane_instructions, timing: Ok(timing) }
    }

    /// A subject that could not run or was wrong.
    pub fn failed(label: Label, why: String) -> Row {
        Row { label, judgement: None, lane_instructions: 0, timing: Err(why) }
    }

    /// Whether it could not run or was wrong.
    pub fn is_failed(&self) -> bool {
        self.timing.is_err()
    }

    /// The samples, if it was timed.
    pub fn timing(&self) -> Option<&Timing> {
        self.timing.as_ref().ok()
    }

    /// The samples that it is judged by: processor time with one worker, because other programs on the
    /// machine do not count in it, and elapsed time with more, because that is what they shorten.
    pub fn samples(&self) -> Option<&[f64]> {
        let timing = self.timing()?;
        Some(if self.label.workers == 1 { &timing.processor } else { &timing.elapsed })
    }

    /// Median 10^9 lane instructions per second; none for native code, which has no PTX instructions.
    pub fn rate(&self) -> Option<f64> {
        let milliseconds = median(self.samples()?);
        let rate = self.lane_instructions as f64 / milliseconds / 1e6;
        (self.label.engine != Engine::Pocl).then_some(rate)
    }

    /// The row as JSON.
    pub fn json(&self) -> Value {
        let mut row = json!({ "engine": self.label.engine.name(), "workers": self.label.workers });
        match &self.timing {
            Ok(timing) => {
                row["gli_per_s"] = json!(self.rate());
                row["elapsed_ms"] = json!(timing.elapsed);
                row["processor_ms"] = json!(timing.processor);
            }
            Err(why) => row["error"] = json!(why),
        }
        if let Some(judgement) = &self.judgement {
            row["figure"] = json!({ "value": judgement.figure, "unit": judgement.unit });
            let (bound, value) = match judgement.demand {
                Some(Demand::AtLeast(value)) => ("at_least", value),
                Some(Demand::AtMost(value)) => ("at_most", value),
                None => return row,
            };
            row["demand"] = json!({ bound: value, "met": judgement.met() });
        }
        row
    }

    /// The row of the table, for the kernel of this name.
    pub fn line(&self, name: &str) -> String {
        let start = format!("{name:<17} {:<9} {:>7}", self.label.engine.name(), self.label.workers);
        let timing = match &self.timing {
            Ok(timing) => timing,
            Err(why) => return format!("{start}   NOT TIMED: {why}"),
        };
        let (elapsed, processor) = (median(&timing.elapsed), median(&timing.processor));
        let rate = self.rate().map_or_else(|| "-".to_owned(), |rate| format!("{rate:.2}"));
        let judgement = self.judgement.as_ref().map_or_else(String::new, Judgement::describe);
        format!("{start} {elapsed:>10.2} {processor:>9.2} {rate:>7}   {judgement}")
    }
}
