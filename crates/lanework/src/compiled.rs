//! Kernels compiled for a device, once per kernel and its constants.

use crate::device::{Device, Engine};
use crate::lang::{Definition, StageOptions, Staged};
use crate::{Error, Result};
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

/// What a compiled kernel takes of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// 32-bit registers per thread: on a GPU as the driver's compiler assigned them, on the emulator
    /// an estimate from the values alive at once.
    pub registers: u32,
    /// Bytes of local memory per thread (spills and arrays); estimated on the emulator.
    pub local_bytes: u32,
    /// Whether registers and local bytes are estimates.
    pub estimated: bool,
    /// Bytes of static shared memory per block.
    pub static_shared: u32,
}

/// Stages a kernel.
///
/// # Errors
/// [`Error::Stage`] when the kernel is not possible with these constants.
pub(crate) fn stage(definition: &Definition, checked: bool) -> Result<Staged> {
    let staged = (definition.stage)(&StageOptions { checked });
    if staged.errors.is_empty() {
        return Ok(staged);
    }
    Err(Error::Stage { kernel: definition.name.to_owned(), errors: staged.errors })
}

impl Device {
    /// The kernel compiled for this device, from the cache when it was compiled before.
    pub(crate) fn compile(&self, definition: &Definition, checked: bool) -> Result<Arc<Compiled>> {
        let key = (definition.key.clone(), checked);
        let mut cache = self.0.compiled.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(compiled) = cache.get(&key) {
            return Ok(compiled.clone());
        }
        let staged = stage(definition, checked)?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load(&staged.module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.load(&staged.module, &staged.entry)?),
        };
        let compiled = Arc::new(Compiled { staged, code });
        cache.insert(key, compiled.clone());
        Ok(compiled)
    }
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

/// Bytes of the shared variables that the module declares.
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
