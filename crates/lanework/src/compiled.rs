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
    /// 32-bit registers per thread, as the driver's compiler assigned them; `None` on the emulator.
    pub registers: Option<u32>,
    /// Bytes of local memory per thread (spills and arrays); `None` on the emulator.
    pub local_bytes: Option<u32>,
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
            Code::Emulator(_) => Resources {
                registers: None,
                local_bytes: None,
                static_shared: static_shared(&self.staged),
            },
            Code::Gpu(function) => Resources {
                registers: Some(function.info().registers),
                local_bytes: Some(function.info().local_bytes),
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
