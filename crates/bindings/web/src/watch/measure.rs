//! Watches the launches of a run. Optionally checks, counts or predicts them, and records one launch for a picture.
//!
//! The first launches of a kernel in one shape are counted and predicted; each of these extra runs has no effect on memory.

use crate::request::{LookRequest, RunRequest};
use crate::watch::findings::{fault_json, report_json};
use crate::watch::launching::Launching;
use crate::watch::picture::{self, BlockPicture};
use lanework_emulator::sanitize::{Checks, Report, merge, readable_name};
use lanework_emulator::{Emulator, Fault, LaunchConfig, Options, Outcome, Program};
use lanework_gpu_specs::specs;
use lanework_report::{Machine, ProfileRecord, machine};
use lanework_time::machine::GpuModel;
use serde_json::{Value, json};
use std::rc::Rc;

/// Maximum bytes of device memory that extra runs save and restore.
const SAVED: u64 = 512 << 20;

/// Maximum number of counted pairs of kernel and shape.
const SHAPES: usize = 64;

/// The launches of one kernel in one shape.
struct LaunchedShape {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    launches: u64,
    instructions: u64,
    profile: Option<ProfileRecord>,
    predictions: Vec<Value>,
}

/// The watched launches of a run.
pub struct Measuring {
    check: bool,
    profile: bool,
    models: Vec<GpuModel>,
    machine: Machine,
    look: Option<LookRequest>,
    /// Kernel output since the last time it was taken.
    pub printed: String,
    /// Number of launches.
    pub launches: u64,
    instructions: u64,
    lanes: u64,
    findings: Vec<Report>,
    fault: Option<Fault>,
    shapes: Vec<LaunchedShape>,
    shown: Option<Result<BlockPicture, (String, String)>>,
    notes: Vec<String>,
    ptx: Rc<str>,
}

/// The emulator for a run.
pub fn options(run: &RunRequest) -> Options {
    let limits =
        lanework_emulator::Limits { memory: run.memory_mib.min(2048) << 20, ..Default::default() };
    Options {
        limits,
        workers: Some(run.workers.min(64)),
        total_instructions: Some(run.instructions),
        checks: run.check.then(Checks::default),
        ..Options::default()
    }
}

impl Measuring {
    /// The state before the first launch.
    pub fn new(run: &RunRequest, ptx: &str) -> Measuring {
        let specs = specs();
        let known = run.predict.iter().filter(|name| specs.gpu(name).is_some());
        let first = run.predict.iter().find_map(|name| specs.gpu(name));
        Measuring {
            check: run.check,
            profile: run.profile,
            models: known.map(|name| GpuModel::named(name)).collect(),
            machine: first.map_or_else(Machine::h200, machine),
            look: run.look.clone(),
            printed: String::new(),
            launches: 0,
            instructions: 0,
            lanes: 0,
            findings: Vec::new(),
            fault: None,
            shapes: Vec::new(),
            shown: None,
            notes: Vec::new(),
            ptx: ptx.into(),
        }
    }

    /// Adds a finding that is not from a kernel.
    pub fn add_finding(&mut self, report: Report) {
        merge(&mut self.findings, vec![report]);
    }

    /// Runs a launch with its effect on memory, and the extra runs that the request needs.
    ///
    /// # Errors
    /// The fault of the kernel, or a launch that does not fit.
    pub fn launch(
        &mut self,
        emulator: &Emulator,
        program: &Program,
        config: &LaunchConfig<'_>,
        arguments: &[&[u8]],
    ) -> Result<(), Fault> {
        self.launches += 1;
        let ptx = self.ptx.clone();
        let launching = Launching { emulator, program, config, arguments, ptx: &ptx };
        self.extra_runs(&launching);
        let outcome = match self.check {
            false => emulator.run(program, config, arguments),
            true => emulator.check(program, config, arguments).and_then(|checked| {
                merge(&mut self.findings, checked.reports);
                self.printed.push_str(&checked.outcome.printed);
                checked.fault.map_or(Ok(Outcome { printed: String::new(), ..checked.outcome }), Err)
            }),
        };
        match outcome {
            Ok(outcome) => {
                self.printed.push_str(&outcome.printed);
                self.instructions += outcome.warp_instructions;
                self.lanes += outcome.lane_instructions;
                let shape = self.shape(config);
                self.shapes[shape].instructions += outcome.warp_instructions;
                Ok(())
            }
            Err(fault) => {
                self.fault.get_or_insert_with(|| fault.clone());
                Err(fault)
            }
        }
    }

    /// The index of a launch's kernel and shape.
    fn shape(&mut self, config: &LaunchConfig<'_>) -> usize {
        let same = |one: &LaunchedShape| {
            one.kernel == config.entry
                && (one.grid, one.block) == (config.grid, config.block)
                && one.shared == config.dynamic_shared
        };
        self.shapes.iter().position(same).unwrap_or_else(|| {
            self.shapes.push(LaunchedShape {
                kernel: config.entry.to_owned(),
                grid: config.grid,
                block: config.block,
                shared: config.dynamic_shared,
                launches: 0,
                instructions: 0,
                profile: None,
                predictions: Vec::new(),
            });
            self.shapes.len() - 1
        })
    }

    /// Does the runs without effect on memory: counters, predictions, a picture.
    fn extra_runs(&mut self, launching: &Launching<'_>) {
        let shape = self.shape(launching.config);
        self.shapes[shape].launches += 1;
        let is_first = self.shapes[shape].launches == 1 && shape < SHAPES;
        let is_shown = self.look.as_ref().is_some_and(|look| look.launch == self.launches);
        let asks = is_first && (self.profile || !self.models.is_empty());
        if !asks && !is_shown {
            return;
        }
        if launching.emulator.memory_used() > SAVED {
            self.note("more than 512 MiB of device memory is allocated: launches are neither counted nor predicted");
            return;
        }
        if is_first && self.profile {
            // A kernel that faults has no profile; the run itself reports the fault.
            self.shapes[shape].profile = launching.profile(&self.machine).ok();
        }
        if is_first {
            for model in &self.models {
                match launching.predict(model) {
                    Ok(found) => self.shapes[shape].predictions.push(found),
                    Err(fault) => self.shapes[shape]
                        .predictions
                        .push(json!({ "gpu": model.gpu.name, "error": fault.message })),
                }
            }
        }
        if let Some(look) = self.look.clone().filter(|_| is_shown) {
            let found = picture::shown(launching, &look, &self.machine);
            self.shown = Some(found);
        }
    }

    fn note(&mut self, text: &str) {
        if !self.notes.iter().any(|known| known == text) {
            self.notes.push(text.to_owned());
        }
    }

    /// The findings.
    pub fn findings(&self) -> &[Report] {
        &self.findings
    }

    /// The first fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// All results as members of an answer.
    pub fn json(&self) -> Value {
        let shapes = self.shapes.iter().map(|shape| {
            json!({
                "kernel": readable_name(&shape.kernel),
                "grid": shape.grid,
                "block": shape.block,
                "shared": shape.shared,
                "launches": shape.launches,
                "warp_instructions": shape.instructions,
                "profile": shape.profile,
                "predictions": shape.predictions,
            })
        });
        let shown = self.shown.as_ref().map(|shown| match shown {
            Ok(shown) => shown.json(),
            Err((why, help)) => json!({ "error": why, "help": help }),
        });
        json!({
            "launches": self.launches,
            "warp_instructions": self.instructions,
            "thread_instructions": self.lanes,
            "findings": self.findings.iter().map(report_json).collect::<Vec<_>>(),
            "checked": self.check,
            "fault": self.fault.as_ref().map(fault_json),
            "kernels": shapes.collect::<Vec<_>>(),
            "look": shown,
            "notes": self.notes,
        })
    }
}
