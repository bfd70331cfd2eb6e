//! The GPU that profiles of this process model: an H200, unless what stands for a GPU says otherwise.

use lanework_report::Machine;
use std::sync::OnceLock;

static MACHINE: OnceLock<Machine> = OnceLock::new();

/// Lets profiles of this process model a GPU; the first call counts.
#[doc(hidden)]
pub fn set_machine(machine: Machine) {
    let _ = MACHINE.set(machine);
}

/// The GPU that is modelled.
pub(super) fn machine() -> Machine {
    MACHINE.get().cloned().unwrap_or_else(Machine::h200)
}
