//! A launch on the emulator as a tool receives it, and the ways to run it: once, for a picture, or for a prediction.
//!
//! `lanework look` requests a picture from a process: one warp's accesses at a line of one launch. `lanework exec
//! --predict` predicts the times of a program's launches. A launch that would take long on the emulator runs in part:
//! its traced blocks only. The first launches of a kernel in one shape are predicted.

use crate::Profile;
use crate::tool::record::{Launched, Picture, Predicted};
use lanework_emulator::{
    Blocks, CountingObserver, Device, Emulator, Fault, Keep, LaunchConfig, Outcome, Program, Trace,
    TraceConfig, Tracer,
};
use lanework_report as report;
use lanework_report::{By, Extras, Machine};
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::sass::start_assembling;
use lanework_time::trace::sample::{Effort, record};
use lanework_time::trace::{KernelTrace, stored};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// Sets the GPU that this process's profiles model; only the first call has an effect.
#[doc(hidden)]
pub fn set_machine(machine: Machine) {
    let _ = MACHINE.set(machine);
}

/// The GPU that profiles model.
pub(super) fn machine() -> Machine {
    MACHINE.get().cloned().unwrap_or_else(Machine::h200)
}

/// A launch on the emulator.
#[derive(Clone, Copy)]
pub(crate) struct Launching<'a> {
    pub(crate) emulator: &'a Emulator,
    pub(crate) program: &'a Program,
    pub(crate) config: &'a LaunchConfig<'a>,
    pub(crate) arguments: &'a [&'a [u8]],
    /// The number of the module, if it was text.
    pub(crate) module: Option<u64>,
}

impl Launching<'_> {
    /// Counts the launch on this device or a copy of it.
    pub(super) fn count(&self, on: &Device) -> Result<(Outcome, CountingObserver), Fault> {
        let mut counting = CountingObserver::default();
        let outcome = on.launch(self.program, self.config, self.arguments, &mut counting)?;
        Ok((outcome, counting))
    }

    /// Counts the launch and traces its first blocks for patterns and caches, without effect on the device; `None` after a
    /// fault.
    pub(super) fn patterns(&self) -> Option<(Profile, Extras)> {
        let counted = self.emulator.without_effect(|on| self.count(on)).ok()?;
        let profile = Profile::new(counted, self.program, self.config);
        let mut trace =
            |blocks, wanted| self.emulator.without_effect(|on| self.trace(on, blocks, wanted));
        let extras = report::extras(&profile.counted(), &machine(), self.waits(), &mut trace);
        Some((profile, extras.ok()?))
    }

    pub(super) fn waits(&self) -> bool {
        self.config.cooperative || self.program.polls(self.config.entry)
    }

    /// Records steps and accesses of blocks, on this device or a copy of it.
    pub(super) fn trace(
        &self,
        on: &Device,
        blocks: Blocks,
        wanted: TraceConfig,
    ) -> Result<Trace, Fault> {
        let config = LaunchConfig { blocks, ..*self.config };
        let mut tracer = Tracer::new(wanted);
        on.launch(self.program, &config, self.arguments, &mut tracer)?;
        Ok(tracer.trace)
    }
}

/// Maximum number of steps and of accesses of a block in a picture.
const STEPS: usize = 1 << 20;

/// The launch, line, block and warp that a picture shows.
pub(super) struct LookAt {
    /// The kernel; empty for the first one.
    pub(super) kernel: String,
    /// The number of its launch, from 1.
    pub(super) launch: u64,
    /// The line; `None` for the costliest.
    line: Option<u32>,
    block: u64,
    warp: u32,
}

impl LookAt {
    pub(super) fn parse(text: &str) -> Option<LookAt> {
        let [kernel, launch, line, block, warp] =
            text.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let line: u32 = line.parse().ok()?;
        Some(LookAt {
            kernel: kernel.to_owned(),
            launch: launch.parse().ok()?,
            line: (line > 0).then_some(line),
            block: block.parse().ok()?,
            warp: warp.parse().ok()?,
        })
    }

    /// Runs the launch without effect on the device's memory and returns the requested accesses.
    pub(super) fn picture(&self, launch: Launching<'_>) -> Result<Picture, Fault> {
        if launch.emulator.memory_used() > COPIED {
            let kind = lanework_emulator::FaultKind::LimitExceeded;
            let what = "more than 1 GiB of device memory is allocated: too much to be saved";
            let help = "look at a launch with less memory";
            return Err(Fault::before_launch(kind, launch.config.entry, what.to_owned(), help));
        }
        let counted = launch.emulator.without_effect(|on| launch.count(on))?;
        let profile = Profile::new(counted, launch.program, launch.config);
        let mut picture = Picture {
            profile,
            module: launch.module,
            refused: None,
            file: None,
            line: 0,
            instructions: Vec::new(),
            touches: Vec::new(),
            steps: Vec::new(),
        };
        let blocks = picture.profile.blocks;
        if self.block >= blocks {
            let what = format!("there is no block {}", self.block);
            picture.refused = Some((what, format!("the grid has blocks 0 to {}", blocks - 1)));
            return Ok(picture);
        }
        let machine = machine();
        let record =
            report::record(&picture.profile.counted(), Extras::default(), By::Source, &machine);
        let chosen = match report::choose(&record, self.line) {
            Ok(chosen) => chosen,
            Err(refused) => {
                picture.refused = Some(refused);
                return Ok(picture);
            }
        };
        let wanted = TraceConfig {
            steps: true,
            accesses: Keep::Of(chosen.instructions.clone()),
            most: STEPS,
            only: Some(self.block..self.block + 1),
        };
        let blocks = match launch.waits() {
            true => Blocks::All,
            false => Blocks::Range { first: self.block, count: 1 },
        };
        let trace = launch.emulator.without_effect(|on| launch.trace(on, blocks, wanted))?;
        picture.touches = report::first_of_each(&trace.touches, self.warp);
        (picture.file, picture.line) = (chosen.file, chosen.line);
        (picture.instructions, picture.steps) = (chosen.instructions, trace.steps);
        Ok(picture)
    }
}

/// Maximum number of warp instructions of a launch that runs as a whole.
const WHOLE: f64 = 2e8;

/// Maximum bytes of device memory that a tool copies or saves, so that its own runs have no effect.
pub(super) const COPIED: u64 = 1 << 30;

/// Number of predicted launches for each kernel and shape.
const LAUNCHES: u64 = 2;

/// The tool.
pub(super) struct Predictor {
    model: GpuModel,
    protocol: Protocol,
    /// Folder for the traces of the predicted launches.
    traces: Option<PathBuf>,
    seen: Mutex<Vec<(Launched, u64, bool)>>,
    texts: Mutex<HashMap<u64, Arc<str>>>,
}

/// The prediction of one launch.
pub(super) struct PredictedLaunch {
    /// Its record, if it is one of the first of its kernel and shape.
    pub(super) record: Option<Predicted>,
    /// Whether to run only the traced blocks.
    pub(super) partial: bool,
}

impl Predictor {
    /// The tool for a GPU, a protocol, and a folder for traces or nothing, separated by tabs.
    pub(super) fn parse(text: &str) -> Predictor {
        let mut of = text.splitn(3, '\t');
        let gpu = of.next().unwrap_or_default();
        let protocol = match of.next().unwrap_or_default() {
            "warm" => Protocol::Warm,
            _ => Protocol::Flushed,
        };
        let (seen, texts) = (Mutex::default(), Mutex::default());
        let traces = of.next().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        Predictor { model: GpuModel::named(gpu), protocol, traces, seen, texts }
    }

    /// Keeps the PTX of a module.
    pub(super) fn keep_text(&self, module: u64, text: String) {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).insert(module, text.into());
    }

    fn text(&self, module: u64) -> Option<Arc<str>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).get(&module).cloned()
    }

    /// Stores a trace, if a folder is given. Traces are numbered in the order of the launches.
    fn store(&self, trace: &KernelTrace, text: &str, launched: &Launched, entry: &str) {
        let Some(folder) = &self.traces else { return };
        let number = self.seen.lock().unwrap_or_else(PoisonError::into_inner).len();
        let process = std::process::id();
        let path = (0..).map(|copy| folder.join(format!("{process}-{number:03}-{copy}.trace")));
        let free = path.into_iter().find(|path| !path.exists());
        // A trace that cannot be stored has no effect on the prediction.
        let _ = free.map(|path| stored::write(trace, (text, entry), launched.block, &path));
    }

    /// Predicts a launch. Its traced blocks have no effect on the memory of the device, unless it is too large to be saved.
    ///
    /// # Errors
    /// A fault of a traced block.
    pub(super) fn predict(
        &self,
        launch: Launching<'_>,
        launched: Launched,
    ) -> Result<PredictedLaunch, Fault> {
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, count, partial)) = seen.iter_mut().find(|(of, ..)| *of == launched) {
                *count += 1;
                if *count > LAUNCHES {
                    return Ok(PredictedLaunch { record: None, partial: *partial });
                }
            }
        }
        let effort = Effort::for_model(&self.model);
        let text = launch.module.and_then(|id| self.text(id)).unwrap_or_default();
        let code = start_assembling(&text, launch.config.entry, self.model.capability());
        let traced =
            |on: &Device| record(on, launch.program, launch.config, launch.arguments, effort, code);
        // The traced blocks run again with the others.
        let trace = match launch.emulator.memory_used() <= COPIED {
            true => launch.emulator.without_effect(traced)?,
            false => traced(launch.emulator)?,
        };
        let whole = trace.mean_work() * trace.total_blocks() as f64;
        let partial = whole > WHOLE || trace.blocks.iter().any(|block| !block.complete);
        let found = predict(&trace, &self.model, self.protocol);
        self.store(&trace, &text, &launched, launch.config.entry);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.iter().any(|(of, ..)| *of == launched) {
            seen.push((launched.clone(), 1, partial));
        }
        let record =
            Predicted { launch: launched, module: launch.module, json: found.json(), partial };
        Ok(PredictedLaunch { record: Some(record), partial })
    }
}
