//! The table, or the JSON, of a run.

use crate::cases::Case;
use crate::machine::Machine;
use crate::options::Options;
use crate::row::Row;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Collects the rows and prints them: the table as it goes, JSON at the end.
pub struct Report {
    json: Option<Value>,
    wrong: usize,
    unmet: usize,
}

impl Report {
    /// Prints the head of the table, with the machine and, loudly, why `PoCL` is missing if it is.
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
