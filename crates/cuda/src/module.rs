//! Loaded modules, their kernels and variables.

use std::ffi::CString;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult};

use crate::driver::{self, Handle};
use crate::{CudaError, Gpu, JitOptions, LaunchShape, jit};

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

/// What the driver says about a compiled kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionInfo {
    /// The kernel's name.
    pub name: Arc<str>,
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes: spilled registers and local arrays.
    pub local_bytes: u32,
    /// Shared memory declared in the kernel, bytes per block.
    pub static_shared: u32,
    /// Constant memory declared in the module, bytes.
    pub constant_bytes: u32,
    /// Threads per block this kernel can have: its registers and `.maxntid` limit it.
    pub max_threads: u32,
    /// Architecture of the machine code, 90 for sm_90.
    pub binary_version: u32,
    /// PTX version it was compiled from, 80 for 8.0.
    pub ptx_version: u32,
    /// Bytes of each parameter; `None` when the driver (before CUDA 12.4) does not tell.
    pub parameters: Option<Vec<usize>>,
}

/// A kernel of a loaded module. Clones share it.
#[derive(Clone, Debug)]
pub struct GpuFunction {
    pub(crate) inner: Arc<Function>,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub handle: Handle<sys::CUfunc_st>,
    pub info: FunctionInfo,
    /// Dynamic shared memory the driver was told to allow, bytes.
    shared_allowed: AtomicU32,
    large_clusters_allowed: AtomicBool,
    module: GpuModule,
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

    /// A kernel by its name.
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`], with the names there are.
    pub fn function(&self, name: &str) -> Result<GpuFunction, CudaError> {
        let gpu = &self.inner.gpu;
        let symbol = self.symbol("kernel", name)?;
        gpu.bind()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the module is loaded and the name NUL-terminated; stores one handle.
        let result =
            unsafe { sys::cuModuleGetFunction(&mut handle, self.inner.handle.0, symbol.as_ptr()) };
        if result == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.missing("kernel", name));
        }
        gpu.check(result, "cuModuleGetFunction")?;
        let read = |attribute: Attribute| -> Result<u32, CudaError> {
            let mut value = 0;
            // SAFETY: the function handle was just returned; stores one integer.
            let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, handle) };
            gpu.check(result, "cuFuncGetAttribute")?;
            Ok(value.max(0) as u32)
        };
        let info = FunctionInfo {
            name: name.into(),
            registers: read(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: read(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared: read(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            constant_bytes: read(Attribute::CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
            max_threads: read(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            binary_version: read(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?,
            ptx_version: read(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION)?,
            parameters: parameter_sizes(handle),
        };
        let shared_allowed = read(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?;
        Ok(GpuFunction {
            inner: Arc::new(Function {
                handle: Handle(handle),
                info,
                shared_allowed: AtomicU32::new(shared_allowed),
                large_clusters_allowed: AtomicBool::new(false),
                module: self.clone(),
            }),
        })
    }

    /// Address and bytes of a module variable. The address is for kernels; the host uses
    /// [`GpuModule::read_variable`] and [`GpuModule::write_variable`].
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`] when the module has no such variable.
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

    fn symbol(&self, kind: &'static str, name: &str) -> Result<CString, CudaError> {
        CString::new(name).map_err(|_| self.missing(kind, name))
    }

    fn missing(&self, kind: &'static str, name: &str) -> CudaError {
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
        // module is then left loaded rather than pulled from under them.
        if self.gpu.synchronize().is_ok() {
            // SAFETY: loaded by `load`, unloaded once; functions hold the module, so none is left.
            let _ = unsafe { sys::cuModuleUnload(self.handle.0) };
        }
    }
}

impl GpuFunction {
    /// What the driver says about the compiled kernel.
    pub fn info(&self) -> &FunctionInfo {
        &self.inner.info
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.inner.info.name
    }

    /// The module the kernel is in.
    pub fn module(&self) -> &GpuModule {
        &self.inner.module
    }

    /// Blocks of `block_threads` threads and `dynamic_shared` bytes of dynamic shared memory that
    /// fit on one multiprocessor at once.
    ///
    /// # Errors
    /// [`CudaError::Limit`] when not even one such block can exist.
    pub fn occupancy(&self, block_threads: u32, dynamic_shared: u32) -> Result<u32, CudaError> {
        let gpu = self.module().gpu();
        let shape =
            LaunchShape::new([1, 1, 1], [block_threads, 1, 1]).dynamic_shared(dynamic_shared);
        shape.check(gpu.info(), self.info())?;
        gpu.bind()?;
        self.allow_shared(dynamic_shared)?;
        let mut blocks = 0;
        // SAFETY: the function is loaded; stores one integer.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.inner.handle.0,
                block_threads as i32,
                dynamic_shared as usize,
            )
        };
        gpu.check(result, "cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        Ok(blocks.max(0) as u32)
    }

    /// Lets launches use more than the default 48 KB of shared memory. The context is bound.
    pub(crate) fn allow_shared(&self, bytes: u32) -> Result<(), CudaError> {
        if bytes <= self.inner.shared_allowed.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
        self.inner.shared_allowed.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Lets launches use clusters of more than 8 blocks. The context is bound.
    pub(crate) fn allow_large_clusters(&self) -> Result<(), CudaError> {
        if !self.inner.large_clusters_allowed.load(Ordering::Relaxed) {
            self.set(Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
            self.inner.large_clusters_allowed.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn set(&self, attribute: Attribute, value: u32) -> Result<(), CudaError> {
        // SAFETY: the function is loaded; takes plain values.
        let result =
            unsafe { sys::cuFuncSetAttribute(self.inner.handle.0, attribute, value as i32) };
        self.module().gpu().check(result, "cuFuncSetAttribute")
    }
}

impl fmt::Display for FunctionInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} registers, {} bytes of local memory, {} bytes of shared memory, up to {} threads",
            self.name, self.registers, self.local_bytes, self.static_shared, self.max_threads
        )
    }
}

/// The size of each parameter, where the driver tells.
fn parameter_sizes(function: sys::CUfunction) -> Option<Vec<usize>> {
    if !driver::has("cuFuncGetParamInfo") {
        return None;
    }
    let mut sizes = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the function is loaded; stores two sizes. Past the last index it answers
        // CUDA_ERROR_INVALID_VALUE.
        match unsafe { sys::cuFuncGetParamInfo(function, sizes.len(), &mut offset, &mut size) } {
            CUresult::CUDA_SUCCESS => sizes.push(size),
            CUresult::CUDA_ERROR_INVALID_VALUE => return Some(sizes),
            _ => return None,
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
