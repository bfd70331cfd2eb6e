//! Kernels of a loaded module and their occupancy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::driver::sys::{self, CUfunction_attribute as Attribute, CUresult};

use crate::driver::{self, Handle};
use crate::{CudaError, FunctionInfo, GpuModule, LaunchShape};

/// A kernel of a loaded module. Clones share it.
#[derive(Clone, Debug)]
pub struct GpuFunction {
    pub(crate) inner: Arc<Function>,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub handle: Handle<sys::CUfunc_st>,
    pub info: FunctionInfo,
    /// Dynamic shared memory in bytes that the driver currently allows.
    shared_allowed: AtomicU32,
    large_clusters_allowed: AtomicBool,
    module: GpuModule,
}

impl GpuModule {
    /// The kernel with this name.
    ///
    /// # Errors
    /// [`CudaError::NoSuchSymbol`], with the available names.
    pub fn function(&self, name: &str) -> Result<GpuFunction, CudaError> {
        let gpu = self.gpu();
        let symbol = self.symbol("kernel", name)?;
        gpu.bind()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the module is loaded and the name NUL-terminated; stores one handle.
        let result =
            unsafe { sys::cuModuleGetFunction(&mut handle, self.raw_module(), symbol.as_ptr()) };
        if result == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.missing("kernel", name));
        }
        gpu.check(result, "cuModuleGetFunction")?;
        GpuFunction::describe(self, name, Handle(handle))
    }
}

impl GpuFunction {
    /// Reads the driver's description of a kernel of a loaded module. The context is bound.
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

    /// The driver's description of the compiled kernel.
    pub fn info(&self) -> &FunctionInfo {
        &self.inner.info
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.inner.info.name
    }

    /// The kernel's module.
    pub fn module(&self) -> &GpuModule {
        &self.inner.module
    }

    /// Number of blocks of `block_threads` threads, with `dynamic_shared` bytes of dynamic shared memory each, that fit
    /// on one multiprocessor.
    ///
    /// # Errors
    /// [`CudaError::Limit`] if not even one block fits.
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

/// The size of each parameter, where the driver reports it.
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
