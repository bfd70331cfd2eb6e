//! Launching kernels.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::driver::sys::{self, CUlaunchAttributeID as AttributeId, CUresult};

use crate::driver::ledger::Queue;
use crate::driver::{self, lock};
use crate::{CudaError, Gpu, GpuFunction, LaunchShape, Stream};

impl Gpu {
    /// Queues `grid` blocks of `block` threads, with `dynamic_shared` bytes of dynamic shared memory each, on `stream`
    /// or on the default stream, and returns immediately. Each argument holds the bytes of one parameter. A later call
    /// reports a fault on the GPU.
    ///
    /// # Errors
    /// [`CudaError::Limit`] or [`CudaError::Arguments`] if the launch is invalid; [`CudaError::Fault`] if an *earlier*
    /// kernel failed, or, in blocking mode, this one.
    ///
    /// # Safety
    /// The driver does not check the kernel's accesses. Until the kernel has finished, it must access only allocated
    /// memory within its bounds, must not race with other work, and must not write host-visible memory
    /// ([`crate::PinnedBuffer`]) that the host borrows. Argument bytes must be valid for the parameters' types. If the
    /// driver does not report parameter sizes (before CUDA 12.4), there must be one argument per parameter, of the same
    /// size. If a graph captures the launch, all this must hold for each launch of the graph.
    pub unsafe fn launch(
        &self,
        function: &GpuFunction,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared: u32,
        arguments: &[&[u8]],
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        let shape = LaunchShape::new(grid, block).dynamic_shared(dynamic_shared);
        // SAFETY: this function has the same requirements as `launch_shaped`.
        unsafe { self.launch_shaped(function, &shape, arguments, stream) }
    }

    /// [`Gpu::launch`] with a shape that may also have clusters or be cooperative.
    ///
    /// # Errors
    /// As [`Gpu::launch`].
    ///
    /// # Safety
    /// As [`Gpu::launch`].
    pub unsafe fn launch_shaped(
        &self,
        function: &GpuFunction,
        shape: &LaunchShape,
        arguments: &[&[u8]],
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        self.owns(function.module().gpu(), format_args!("kernel `{}`", function.name()))?;
        let stream = self.resolve(stream)?;
        let stream = stream.as_ref();
        shape.check(self.info(), function.info())?;
        function.info().check_arguments(arguments)?;
        self.bind()?;
        function.allow_shared(shape.dynamic_shared)?;
        if shape.cluster_is_large() {
            function.allow_large_clusters()?;
        }
        // The driver copies the values that the pointers name before it returns.
        let mut pointers: Vec<*mut c_void> =
            arguments.iter().map(|bytes| bytes.as_ptr().cast_mut().cast()).collect();
        // SAFETY: `check_arguments` found one pointer per parameter, of its size; `launch_shaped`
        // requires that the kernel accesses live memory only.
        let result =
            unsafe { queue(function, shape, &mut pointers, Stream::raw_or_default(stream)) };
        self.launched(result, function, shape, stream)
    }

    /// Checks the driver's result and records the launch.
    fn launched(
        &self,
        result: CUresult,
        function: &GpuFunction,
        shape: &LaunchShape,
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        let name = &function.info().name;
        match result {
            CUresult::CUDA_SUCCESS => {}
            CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
                let registers = function.info().registers;
                return Err(CudaError::Limit {
                    kernel: (**name).into(),
                    what: "registers per block".into(),
                    asked: format!("{registers} x {} threads", shape.block_threads()).into(),
                    limit: self.info().registers_per_block.to_string().into(),
                    remedy: "use smaller blocks, or limit the kernel's registers".into(),
                });
            }
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
                let multiprocessors = self.info().multiprocessors;
                return Err(CudaError::Limit {
                    kernel: (**name).into(),
                    what: "cooperative grid".into(),
                    asked: format!("{:?} blocks", shape.grid).into(),
                    limit: "the blocks that fit on the GPU at once".into(),
                    remedy: format!("launch at most `occupancy()` x {multiprocessors} blocks")
                        .into(),
                });
            }
            CUresult::CUDA_ERROR_INVALID_VALUE => {
                return Err(CudaError::Invalid {
                    what: format!(
                        "the driver rejected the shape of the launch of `{name}`: {shape:?}\n  \
                         = help: if the kernel declares .reqntid or .reqnctapercluster, block and cluster must equal them"
                    ),
                });
            }
            failed => {
                // In blocking mode the driver may already have waited; the fault is then from this launch.
                if self.is_blocking() {
                    self.note_launch(Arc::clone(name), shape.grid, shape.block, stream);
                }
                return self.check(failed, "cuLaunchKernel");
            }
        }
        if self.is_capturing(stream)? {
            self.record_functions(std::slice::from_ref(function));
            return Ok(());
        }
        self.note_launch(Arc::clone(name), shape.grid, shape.block, stream);
        if self.is_blocking() { self.synchronize() } else { Ok(()) }
    }

    /// Records work whose failure a later call may report.
    pub(crate) fn note_launch(
        &self,
        name: Arc<str>,
        grid: [u32; 3],
        block: [u32; 3],
        stream: Option<&Stream>,
    ) {
        let queue = stream.map_or(Queue::DEFAULT, Stream::queue);
        lock(&self.inner.ledger).launched(name, grid, block, queue);
    }

    /// The stream to queue work on. During a capture on this thread, the captured stream replaces the default one.
    /// `None` is the driver's default stream.
    pub(crate) fn resolve(&self, stream: Option<&Stream>) -> Result<Option<Stream>, CudaError> {
        if let Some(stream) = stream {
            self.owns(stream.gpu(), "the stream")?;
            return Ok(Some(stream.clone()));
        }
        if !self.inner.capturing.load(Ordering::Acquire) {
            return Ok(None);
        }
        Ok(self.recorded_stream())
    }

    /// Binds the context and returns, as a number, the stream for work without a stream: the default stream (0), or the
    /// one that is being recorded.
    ///
    /// # Errors
    /// If the context is lost.
    pub fn raw_stream(&self) -> Result<u64, CudaError> {
        self.bind()?;
        let stream = self.resolve(None)?;
        Ok(Stream::raw_or_default(stream.as_ref()) as u64)
    }

    /// Whether work on `stream` is recorded instead of run. Requires a bound context.
    pub(crate) fn is_capturing(&self, stream: Option<&Stream>) -> Result<bool, CudaError> {
        let Some(stream) = stream else { return Ok(false) };
        if !self.inner.capturing.load(Ordering::Acquire) {
            return Ok(false);
        }
        let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: the stream is live; stores one value.
        let result = unsafe { sys::cuStreamIsCapturing(stream.raw_stream(), &mut status) };
        self.check(result, "cuStreamIsCapturing")?;
        Ok(status != sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
    }
}

/// Calls the driver: `cuLaunchKernel`, or `cuLaunchKernelEx` for clusters, cooperative grids and early starts.
///
/// # Safety
/// `parameters` must hold one pointer per parameter, to as many readable bytes as the parameter has. The caller is
/// responsible for the kernel's accesses.
unsafe fn queue(
    function: &GpuFunction,
    shape: &LaunchShape,
    parameters: &mut [*mut c_void],
    stream: sys::CUstream,
) -> CUresult {
    let [grid_x, grid_y, grid_z] = shape.grid;
    let [block_x, block_y, block_z] = shape.block;
    let mut attributes = attributes(shape);
    if attributes.is_empty() {
        // SAFETY: `function` keeps its module loaded, and the caller's stream is live or null. `parameters` has a
        // pointer for each parameter, as this function requires.
        return unsafe {
            sys::cuLaunchKernel(
                function.inner.handle.0,
                grid_x,
                grid_y,
                grid_z,
                block_x,
                block_y,
                block_z,
                shape.dynamic_shared,
                stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
    }
    if !driver::has("cuLaunchKernelEx") {
        return CUresult::CUDA_ERROR_NOT_SUPPORTED;
    }
    let config = sys::CUlaunchConfig {
        gridDimX: grid_x,
        gridDimY: grid_y,
        gridDimZ: grid_z,
        blockDimX: block_x,
        blockDimY: block_y,
        blockDimZ: block_z,
        sharedMemBytes: shape.dynamic_shared,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: attributes.len() as u32,
    };
    // SAFETY: as for `cuLaunchKernel` above: function and stream are live, and `parameters` fit. `config` and
    // `attributes` are locals that outlive the call.
    unsafe {
        sys::cuLaunchKernelEx(
            &config,
            function.inner.handle.0,
            parameters.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    }
}

/// The launch attributes of a shape.
fn attributes(shape: &LaunchShape) -> Vec<sys::CUlaunchAttribute> {
    let attribute = |id, set: &dyn Fn(&mut sys::CUlaunchAttributeValue)| {
        let mut value = sys::CUlaunchAttributeValue { pad: [0; 64] };
        set(&mut value);
        sys::CUlaunchAttribute { id, pad: [0; 4], value }
    };
    let mut attributes = Vec::new();
    if let Some([x, y, z]) = shape.cluster {
        attributes.push(attribute(AttributeId::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &|value| {
            value.clusterDim = sys::ClusterDim { x, y, z };
        }));
    }
    if shape.cooperative {
        attributes.push(attribute(AttributeId::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &|value| {
            value.cooperative = 1;
        }));
    }
    if shape.programmatic {
        let id = AttributeId::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes.push(attribute(id, &|value| {
            value.programmaticStreamSerializationAllowed = 1;
        }));
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clusters_and_cooperation_need_attributes() {
        let shape = LaunchShape::new([4, 1, 1], [32, 1, 1]);
        assert!(attributes(&shape).is_empty());
        let both = attributes(&shape.cluster([2, 1, 1]).cooperative());
        assert_eq!(both.len(), 2);
        assert_eq!(attributes(&shape.programmatic()).len(), 1);
        // SAFETY: the first attribute was set through this field.
        let cluster = unsafe { both[0].value.clusterDim };
        assert_eq!((cluster.x, cluster.y, cluster.z), (2, 1, 1));
    }
}
