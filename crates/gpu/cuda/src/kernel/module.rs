//! Loaded modules and their variables.

use std::ffi::CString;
use std::sync::Arc;

use crate::driver::sys::{self, CUresult};

use crate::driver::Handle;
use crate::kernel::jit;
use crate::{CudaError, Gpu, JitOptions};

/// A module on a GPU. Unloaded when it and its functions are dropped.
#[derive(Clone, Debug)]
pub struct GpuModule {
    inner: Arc<Module>,
}

#[derive(Debug)]
struct Module {
    gpu: Gpu,
    handle: Handle<sys::CUmod_st>,
    name: String,
    info_log: String,
    kernels: Vec<String>,
}

impl Gpu {
    /// Compiles PTX text with the driver and loads it. `name` is for messages.
    ///
    /// # Errors
    /// [`CudaError::Compile`] with the assembler's log and the lines it names.
    pub fn load(&self, ptx: &str, name: &str) -> Result<GpuModule, CudaError> {
        self.load_with(ptx, name, JitOptions::default())
    }

    /// [`Gpu::load`] with options for the assembler.
    ///
    /// # Errors
    /// As [`Gpu::load`].
    pub fn load_with(
        &self,
        ptx: &str,
        name: &str,
        options: JitOptions,
    ) -> Result<GpuModule, CudaError> {
        let (module, info_log) = jit::load(self, ptx, name, options)?;
        Ok(GpuModule {
            inner: Arc::new(Module {
                gpu: self.clone(),
                handle: Handle(module),
                name: name.to_string(),
                info_log,
                kernels: entry_names(ptx),
            }),
        })
    }
}

impl GpuModule {
    /// The name given at loading.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The GPU that holds the module.
    pub fn gpu(&self) -> &Gpu {
        &self.inner.gpu
    }

    /// The assembler's notes: registers, spills, shared memory per kernel. Empty when the driver
    /// took the code from its cache (CUDA_CACHE_DISABLE=1 turns that off).
    pub fn info_log(&self) -> &str {
        &self.inner.info_log
    }

    /// The names of the module's kernels, in the order of the PTX.
    pub fn kernels(&self) -> &[String] {
        &self.inner.kernels
    }

    /// Address and bytes of a module variable. The address is for kernels; the host uses
    /// [`GpuModule::read_variable`] and [`GpuModule::write_variable`].
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`] if the module lacks this variable.
    pub fn variable(&self, name: &str) -> Result<(u64, usize), CudaError> {
        let symbol = self.symbol("variable", name)?;
        self.inner.gpu.bind()?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded and the name NUL-terminated; stores an address and a size.
        let result = unsafe {
            sys::cuModuleGetGlobal_v2(
                &mut address,
                &mut bytes,
                self.inner.handle.0,
                symbol.as_ptr(),
            )
        };
        if result == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.missing("variable", name));
        }
        self.inner.gpu.check(result, "cuModuleGetGlobal")?;
        Ok((address, bytes))
    }

    /// Copies a module variable to the host. `into` must have its size.
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`], or [`CudaError::Invalid`] for another size.
    pub fn read_variable(&self, name: &str, into: &mut [u8]) -> Result<(), CudaError> {
        let address = self.sized_variable(name, into.len())?;
        // SAFETY: the variable has the slice's size and lives as long as the module.
        let result = unsafe { sys::cuMemcpyDtoH_v2(into.as_mut_ptr().cast(), address, into.len()) };
        self.inner.gpu.check(result, "cuMemcpyDtoH")
    }

    /// Sets a module variable. `from` must have its size.
    ///
    /// # Errors
    /// As [`GpuModule::read_variable`].
    pub fn write_variable(&self, name: &str, from: &[u8]) -> Result<(), CudaError> {
        let address = self.sized_variable(name, from.len())?;
        // SAFETY: the variable has the slice's size and lives as long as the module.
        let result = unsafe { sys::cuMemcpyHtoD_v2(address, from.as_ptr().cast(), from.len()) };
        self.inner.gpu.check(result, "cuMemcpyHtoD")
    }

    fn sized_variable(&self, name: &str, bytes: usize) -> Result<u64, CudaError> {
        self.inner.gpu.outside_capture("copying a variable")?;
        let (address, size) = self.variable(name)?;
        if size == bytes {
            return Ok(address);
        }
        Err(CudaError::Invalid {
            what: format!(
                "variable `{name}` has {size} bytes, the host slice has {bytes}; make them equal"
            ),
        })
    }

    pub(crate) fn raw_module(&self) -> sys::CUmodule {
        self.inner.handle.0
    }

    pub(crate) fn symbol(&self, kind: &'static str, name: &str) -> Result<CString, CudaError> {
        CString::new(name).map_err(|_| self.missing(kind, name))
    }

    pub(crate) fn missing(&self, kind: &'static str, name: &str) -> CudaError {
        let available = match &self.inner.kernels[..] {
            [] => "no kernels".to_string(),
            names => format!("the kernels {}", names.join(", ")),
        };
        CudaError::NoSuchSymbol {
            kind,
            name: name.to_string(),
            module: self.inner.name.clone(),
            available,
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Kernels may still be running. If the wait fails, the context is lost or capturing: the
        // module then stays loaded, since kernels may still use it.
        if self.gpu.synchronize().is_ok() {
            // SAFETY: loaded by `load`, unloaded once; functions hold the module, so none is left.
            let _ = unsafe { sys::cuModuleUnload(self.handle.0) };
        }
    }
}

/// The kernels a PTX text defines, for messages.
fn entry_names(ptx: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in ptx.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let Some((_, after)) = code.split_once(".entry") else { continue };
        let name: String = after
            .trim_start()
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '%'))
            .collect();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_in_ptx_text() {
        let ptx = ".visible .entry saxpy(\n .param .u32 n)\n{}\n// .entry not_this\n.entry _Z3addPf () {}";
        assert_eq!(entry_names(ptx), ["saxpy", "_Z3addPf"]);
    }
}
