//! A launch on the emulator as a tool receives it, and the ways to run it.

use lanework_emulator::sanitize::Report;
use lanework_emulator::{Blocks, Emulator, Fault, LaunchConfig, Outcome, Program, TraceConfig};
use lanework_report::Machine;
use std::sync::OnceLock;

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// Sets the GPU that this process's profiles model; only the first call has an effect.
#[doc(hidden)]
pub fn set_machine(machine: Machine) {
    let _ = MACHINE.set(machine);
}

/// The GPU that is modeled.
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
    pub(super) fn count(
        &self,
        on: &Emulator,
    ) -> Result<(Outcome, lanework_emulator::CountingObserver), Fault> {
        on.count(self.program, self.config, self.arguments)
    }

    pub(super) fn waits(&self) -> bool {
        self.config.cooperative || self.program.polls(self.config.entry)
    }

    pub(super) fn trace(
        &self,
        on: &Emulator,
        blocks: Blocks,
        wanted: TraceConfig,
    ) -> Result<lanework_emulator::Trace, Fault> {
        let config = LaunchConfig { blocks, ..*self.config };
        Ok(on.trace(self.program, &config, self.arguments, wanted)?.1)
    }
}

/// Describes what is at an address.
type Describe = fn(u64) -> Option<String>;

static DESCRIBE: OnceLock<Describe> = OnceLock::new();

/// Lets findings say where their memory was allocated.
pub fn describe_memory(describe: Describe) {
    let _ = DESCRIBE.set(describe);
}

/// Adds where its memory was allocated to a finding.
pub(super) fn name_memory(report: &mut Report) {
    /// Bytes from an allocation beyond which an address has nothing to do with it.
    const FAR: u64 = 1 << 16;
    let Some(describe) = DESCRIBE.get() else { return };
    let near = report.allocation.as_ref().filter(|near| near.distance <= FAR);
    let address = near.map(|near| near.address).or(report.address);
    report.allocated = address.and_then(describe).unwrap_or_default();
}
