//! A kernel compiled for a device, and its resource usage.

use crate::lang::Staged;
use std::sync::Arc;

/// A staged kernel and its code on one device.
pub(crate) struct Compiled {
    pub(crate) staged: Staged,
    pub(crate) code: Code,
}

pub(crate) enum Code {
    Emulator(Arc<lanework_sim::Program>),
    Gpu(lanework_cuda::GpuFunction),
}

/// Resource usage of a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// 32-bit registers per thread: on a GPU as the driver's compiler assigned them, on the emulator
    /// an estimate from register pressure.
    pub registers: u32,
    /// Bytes of local memory per thread (spills and arrays); estimated on the emulator.
    pub local_bytes: u32,
    /// Whether registers and local bytes are estimates.
    pub estimated: bool,
    /// Bytes of static shared memory per block.
    pub static_shared: u32,
}

impl Compiled {
    pub(crate) fn resources(&self) -> Resources {
        match &self.code {
            Code::Emulator(program) => {
                let pressure = program.register_pressure(&self.staged.entry);
                Resources {
                    registers: pressure.map_or(0, |pressure| pressure.registers),
                    local_bytes: pressure.map_or(0, |pressure| pressure.spill_bytes),
                    estimated: true,
                    static_shared: static_shared(&self.staged),
                }
            }
            Code::Gpu(function) => Resources {
                registers: function.info().registers,
                local_bytes: function.info().local_bytes,
                estimated: false,
                static_shared: function.info().static_shared,
            },
        }
    }
}

/// Bytes of static shared memory that the module declares.
fn static_shared(staged: &Staged) -> u32 {
    use lanework_ptx::{StateSpace, Statement};
    let in_body = staged.module.entry(&staged.entry).and_then(|entry| entry.body.as_ref());
    let declared = in_body.into_iter().flatten().filter_map(|statement| match statement {
        Statement::Variable(variable) => Some(variable),
        _ => None,
    });
    staged
        .module
        .variables()
        .chain(declared)
        .filter(|variable| variable.space == StateSpace::Shared)
        .map(|variable| variable.size() as u32)
        .sum()
}
