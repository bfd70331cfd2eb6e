//! A kernel compiled for a device, and its resource usage.

use lanework_abi::Staged;
use lanework_report::Resources;
use std::sync::Arc;

/// A staged kernel and its code on one device.
pub(crate) struct Compiled {
    pub(crate) staged: Staged,
    pub(crate) code: Code,
    /// The number of its PTX in a tool's records.
    pub(crate) module: Option<u64>,
}

pub(crate) enum Code {
    Emulator(Arc<lanework_emulator::Program>),
    Gpu(lanework_cuda::GpuFunction),
}

impl Compiled {
    pub(crate) fn resources(&self) -> Resources {
        match &self.code {
            Code::Emulator(program) => of_program(program, &self.staged.entry),
            Code::Gpu(function) => Resources {
                registers: function.info().registers,
                local_bytes: function.info().local_bytes,
                estimated: false,
                static_shared: function.info().static_shared,
            },
        }
    }
}

/// The estimated resource usage of an entry; nothing where the emulator does not support it.
pub(crate) fn of_program(program: &lanework_emulator::Program, entry: &str) -> Resources {
    let pressure = program.register_pressure(entry);
    Resources {
        registers: pressure.as_ref().map_or(0, |pressure| pressure.registers),
        local_bytes: pressure.as_ref().map_or(0, |pressure| pressure.spill_bytes),
        estimated: true,
        static_shared: program.static_shared(entry).unwrap_or(0),
    }
}
