//! Compiling kernels for a device, once per kernel and its constants.

use crate::device::compiled::{Code, Compiled};
use crate::device::{Device, Engine};
use crate::tool::Session;
use crate::{Error, Result};
use lanework_abi::{Definition, StageOptions, Staged};
use std::sync::Arc;

/// Stages a kernel.
///
/// # Errors
/// [`Error::Stage`] if the kernel is invalid with these constants.
pub(crate) fn stage(definition: &Definition, checked: bool) -> Result<Staged> {
    let staged = (definition.stage)(&StageOptions { checked });
    if staged.errors.is_empty() {
        return Ok(staged);
    }
    Err(Error::Stage { kernel: definition.name.to_owned(), errors: staged.errors })
}

impl Device {
    /// The kernel compiled for this device, from the cache if possible.
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
        let text = || staged.module.to_string();
        let module = Session::active().map(|session| session.module(&staged.entry, &text));
        let compiled = Arc::new(Compiled { staged, code, module });
        cache.insert(key, compiled.clone());
        Ok(compiled)
    }
}
