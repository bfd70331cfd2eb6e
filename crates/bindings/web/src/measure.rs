//! Watches the launches of a run: plain or checked, counted, predicted, and one of them drawn.
//!
//! The first launches of a kernel in one shape are counted and predicted; each of these extra runs has no effect on memory.

use crate::findings::{fault_json, report_json};
use crate::picture::{self, Shown};
use crate::requests::{Look, Run};
use lanework_emulator::sanitize::{Checks, Report, merge, readable_name};
use lanework_emulator::{
    Blocks, CountingObserver, Device, Emulator, Fault, LaunchConfig, Options, Outcome, Program,
    Trace, TraceConfig, Tracer,
};
use lanework_gpu_specs::specs;
use lanework_report::{
    By, Counted, InstructionProfile, Machine, ProfileRecord, Resources, extras, machine, record,
};
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::sass::start_assembling;
use lanework_time::trace::sample::{Effort, record as record_trace};
use serde_json::{Value, json};
use std::rc::Rc;

/// Maximum bytes of device memory that extra runs save and restore.
const SAVED: u64 = 512 << 20;

/// Maximum number of kernels and shapes that are counted.
const SHAPES: usize = 64;

/// The launches of one kernel in one shape.
struct Shape {
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
    look: Option<Look>,
    /// Output of kernels since it was last taken.
    pub printed: String,
    /// Number of launches.
    pub launches: u64,
    instructions: u64,
    lanes: u64,
    findings: Vec<Report>,
    fault: Option<Fault>,
    shapes: Vec<Shape>,
    shown: Option<Result<Shown, (String, String)>>,
    notes: Vec<String>,
    ptx: Rc<str>,
}

/// The emulator for a run.
pub fn options(run: &Run) -> Options {
    let limits =
        lanework_emulator::Limits { memory: run.memory_mib.min(2048) << 20, ..Default::default() };
    Options {
        limits,
        workers: Some(1),
        total_instructions: Some(run.instructions),
        checks: run.check.then(Checks::default),
        ..Options::default()
    }
}

impl Measuring {
    /// Nothing launched yet.
    pub fn new(run: &Run, ptx: &str) -> Measuring {
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

    /// Adds a finding outside of kernels.
    pub fn add_finding(&mut self, report: Report) {
        merge(&mut self.findings, vec![report]);
    }

    /// Runs a launch with its effect on memory, and everything that the run asks about it.
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
        let same = |one: &Shape| {
            one.kernel == config.entry
                && (one.grid, one.block) == (config.grid, config.block)
                && one.shared == config.dynamic_shared
        };
        self.shapes.iter().position(same).unwrap_or_else(|| {
            self.shapes.push(Shape {
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

    /// The runs without effect: counters, predictions, a picture.
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

    /// The counters of the first kernel, if it was counted.
    pub fn first_profile(&self) -> Option<&ProfileRecord> {
        self.shapes.first()?.profile.as_ref()
    }

    /// The findings.
    pub fn findings(&self) -> &[Report] {
        &self.findings
    }

    /// The first fault.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Everything as members of an answer.
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

/// A launch.
pub struct Launching<'a> {
    /// The device.
    pub emulator: &'a Emulator,
    /// The loaded module.
    pub program: &'a Program,
    /// The shape.
    pub config: &'a LaunchConfig<'a>,
    /// The arguments.
    pub arguments: &'a [&'a [u8]],
    /// The text of the module.
    pub ptx: &'a str,
}

impl Launching<'_> {
    /// Whether blocks may wait for each other.
    pub fn waits(&self) -> bool {
        self.config.cooperative || self.program.polls(self.config.entry)
    }

    /// Traces blocks without effect on memory.
    ///
    /// # Errors
    /// A fault of the kernel.
    pub fn trace(&self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace, Fault> {
        let config = LaunchConfig { blocks, ..*self.config };
        self.emulator.without_effect(|on| {
            let mut tracer = Tracer::new(wanted);
            on.launch(self.program, &config, self.arguments, &mut tracer)?;
            Ok(tracer.trace)
        })
    }

    /// Counts the launch without effect on memory.
    ///
    /// # Errors
    /// A fault of the kernel.
    pub fn profile(&self, machine: &Machine) -> Result<ProfileRecord, Fault> {
        let (outcome, counting) = self.emulator.without_effect(|on: &Device| {
            let mut counting = CountingObserver::default();
            let outcome = on.launch(self.program, self.config, self.arguments, &mut counting)?;
            Ok((outcome, counting))
        })?;
        let entry = self.config.entry;
        let pressure = self.program.register_pressure(entry);
        let origins = self.program.origins(entry).iter().cloned();
        let instructions: Vec<InstructionProfile> = origins
            .zip(&counting.instructions)
            .map(|(origin, counters)| InstructionProfile { origin, counters: counters.clone() })
            .collect();
        let counted = Counted {
            kernel: entry,
            grid: self.config.grid,
            block: self.config.block,
            dynamic_shared: self.config.dynamic_shared,
            resources: Resources {
                registers: pressure.as_ref().map_or(0, |found| found.registers),
                local_bytes: pressure.as_ref().map_or(0, |found| found.spill_bytes),
                estimated: true,
                static_shared: self.program.static_shared(entry).unwrap_or(0),
            },
            counters: &counting.total(),
            instructions: &instructions,
            blocks_run: outcome.blocks_run,
            blocks: outcome.blocks_total,
        };
        let mut trace = |blocks, wanted| self.trace(blocks, wanted);
        let extra = extras(&counted, machine, self.waits(), &mut trace)?;
        Ok(record(&counted, extra, By::Source, machine))
    }

    /// Predicts the time without effect on memory.
    fn predict(&self, model: &GpuModel) -> Result<Value, Fault> {
        let effort = Effort::for_model(model);
        let trace = self.emulator.without_effect(|on: &Device| {
            let code = start_assembling(self.ptx, self.config.entry, model.capability());
            record_trace(on, self.program, self.config, self.arguments, effort, code)
        })?;
        Ok(predict(&trace, model, Protocol::Flushed).value())
    }
}
