//! Kernels of a loaded module: what the driver says about them, and their occupancy.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult};

use crate::driver::{self, Handle};
use crate::{CudaError, GpuModule, LaunchShape};

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

impl FunctionInfo {
    /// Refuses arguments that do not fit the parameters, where their sizes are known.
    pub(crate) fn check_arguments(&self, arguments: &[&[u8]]) -> Result<(), CudaError> {
        let Some(parameters) = &self.parameters else { return Ok(()) };
        let refuse =
            |what: String| Err(CudaError::Arguments { kernel: self.name.to_string(), what });
        if parameters.len() != arguments.len() {
            return refuse(format!(
                "it has {} parameters (of {parameters:?} bytes), {} arguments were given",
                parameters.len(),
                arguments.len()
            ));
        }
        for (index, (&parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
            if parameter != argument.len() {
                return refuse(format!(
                    "parameter {index} has {parameter} bytes, the argument has {}",
                    argument.len()
                ));
            }
        }
        Ok(())
    }
}

impl GpuFunction {
    /// Reads what the driver says about a kernel of a loaded module. The context is bound.
    pub(crate) fn describe(
        module: &GpuModule,
        name: &str,
        handle: Handle<sys::CUfunc_st>,
    ) -> Result<GpuFunction, CudaError> {
        let gpu = module.gpu();
        let read = |attribute: Attribute| -> Result<u32, CudaError> {
            let mut value = 0;
            // SAFETY: the function handle was just returned; stores one integer.
            let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, handle.0) };
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
            parameters: parameter_sizes(handle.0),
        };
        let shared_allowed = read(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?;
        Ok(GpuFunction {
            inner: Arc::new(Function {
                handle,
                info,
                shared_allowed: AtomicU32::new(shared_allowed),
                large_clusters_allowed: AtomicBool::new(false),
                module: module.clone(),
            }),
        })
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_must_fit_the_parameters() {
        let function = FunctionInfo {
            name: "k".into(),
            registers: 0,
            local_bytes: 0,
            static_shared: 0,
            constant_bytes: 0,
            max_threads: 1024,
            binary_version: 90,
            ptx_version: 80,
            parameters: Some(vec![8, 4]),
        };
        let (pointer, count) = (0u64.to_ne_bytes(), 7u32.to_ne_bytes());
        assert!(function.check_arguments(&[&pointer, &count]).is_ok());
        let missing = function.check_arguments(&[&pointer]).expect_err("one is missing");
        assert!(
            missing.to_string().contains("2 parameters (of [8, 4] bytes), 1 arguments"),
            "{missing}"
        );
        let swapped = function.check_arguments(&[&count, &pointer]).expect_err("sizes differ");
        assert!(
            swapped.to_string().contains("parameter 0 has 8 bytes, the argument has 4"),
            "{swapped}"
        );
        let unknown = FunctionInfo { parameters: None, ..function };
        assert!(unknown.check_arguments(&[]).is_ok());
    }
}
