//! The profiler: runs a kernel on the emulator as often as a profile needs, and returns the record.

use lanework::emulator::{Blocks, Trace, TraceConfig};
use lanework::report::{self, By, ProfileRecord};
use lanework::time::trace::KernelTrace;
use lanework::time::trace::sample::Effort;
use lanework::{Dim3, Prepared, Profile, PtxArg, PtxModule, PtxShape, Result};
use lanework_bench::{Gpu, machine};

/// A kernel that can run repeatedly on the emulator.
pub trait Subject {
    /// Blocks, threads of a block, and bytes of dynamic shared memory.
    fn shape(&self) -> (Dim3, Dim3, u32);
    /// Whether its blocks may wait for each other, so that all of them must run.
    fn waits(&self) -> bool;
    /// Runs and counts.
    ///
    /// # Errors
    /// If the kernel faults.
    fn profile(&mut self, blocks: Blocks) -> Result<Profile>;
    /// Traces some blocks.
    ///
    /// # Errors
    /// If the kernel faults.
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace>;
    /// Traces a few blocks for the prediction of its time.
    ///
    /// # Errors
    /// If the kernel faults.
    fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace>;
}

impl Subject for Prepared<'_> {
    fn shape(&self) -> (Dim3, Dim3, u32) {
        Prepared::shape(self)
    }
    fn waits(&self) -> bool {
        Prepared::blocks_may_wait(self)
    }
    fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        Prepared::profile(self, blocks)
    }
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace> {
        Prepared::trace(self, blocks, wanted)
    }
    fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace> {
        Prepared::time_trace(self, effort)
    }
}

/// A kernel from a file, with its arguments.
pub struct PtxLaunch<'a> {
    /// The module, on the emulator.
    pub module: &'a PtxModule,
    /// The entry.
    pub entry: String,
    /// Shape of the launch.
    pub shape: PtxShape,
    /// The entry's arguments.
    pub arguments: &'a [PtxArg<'a>],
}

impl Subject for PtxLaunch<'_> {
    fn shape(&self) -> (Dim3, Dim3, u32) {
        (self.shape.grid, self.shape.block, self.shape.dynamic_shared)
    }
    fn waits(&self) -> bool {
        self.shape.cooperative || self.module.blocks_may_wait(&self.entry)
    }
    fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        self.module.profile(&self.entry, self.shape, self.arguments, blocks)
    }
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace> {
        self.module.trace(&self.entry, self.shape, self.arguments, blocks, wanted)
    }
    fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace> {
        self.module.time_trace(&self.entry, self.shape, self.arguments, effort)
    }
}

/// Profiles a kernel on the emulator, for `gpu`.
///
/// # Errors
/// If the kernel faults.
pub fn profile(
    subject: &mut dyn Subject,
    blocks: Blocks,
    by: By,
    gpu: &Gpu,
) -> Result<ProfileRecord> {
    let machine = machine(gpu);
    let profile = subject.profile(blocks)?;
    let (counted, waits) = (profile.counted(), subject.waits());
    let extras = report::extras(&counted, &machine, waits, &mut |blocks, wanted| {
        subject.trace(blocks, wanted)
    })?;
    Ok(report::record(&counted, extras, by, &machine))
}
