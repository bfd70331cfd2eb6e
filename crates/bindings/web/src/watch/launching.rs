//! A launch, and extra runs of it that count, trace or predict without effect on memory.

use lanework_emulator::{
    Blocks, CountingObserver, Device, Emulator, Fault, LaunchConfig, Program, Trace, TraceConfig,
    Tracer,
};
use lanework_report::{
    By, Counted, InstructionProfile, Machine, ProfileRecord, Resources, extras, record,
};
use lanework_time::machine::GpuModel;
use lanework_time::predict::{Protocol, predict};
use lanework_time::sass::start_assembling;
use lanework_time::trace::sample::{Effort, record as record_trace};
use serde_json::Value;

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
    /// The module's PTX text.
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
    ///
    /// # Errors
    /// A fault of the kernel.
    pub fn predict(&self, model: &GpuModel) -> Result<Value, Fault> {
        let effort = Effort::for_model(model);
        let trace = self.emulator.without_effect(|on: &Device| {
            let code = start_assembling(self.ptx, self.config.entry, model.capability());
            record_trace(on, self.program, self.config, self.arguments, effort, code)
        })?;
        Ok(predict(&trace, model, Protocol::Flushed).value())
    }
}
