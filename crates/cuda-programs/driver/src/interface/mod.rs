//! Entry points: functions by name, versions, private tables, and older names.
//!
//! Programs may look up names by `dlsym`, so this file exports further names of the same functions. With them the
//! library exports every function of NVIDIA's `libcuda.so.1` (580.159.04), but not its debugger's variables
//! (`cudbg...`). The variants for the per-thread default stream (`_ptsz`, `_ptds`) are the same functions, because both
//! default streams are one here. A name without a version is the newest version, as with `cuGetProcAddress`.

pub mod call_sites;
pub mod caller;
pub mod failures;
pub mod host_findings;
pub mod interpreted;
pub mod memory_names;
pub mod nvtx;
pub mod older;
pub mod private;
pub mod procedures;
pub mod unsupported;

/// Exports functions that jump to others and leave all arguments in place.
macro_rules! forwards {
    ($($name:ident => $to:literal,)*) => {
        $(
            #[unsafe(no_mangle)]
            // SAFETY: the function is only the jump below, so it has the stack and registers of its caller.
            #[unsafe(naked)]
            #[doc = concat!("The function `", $to, "` under the name `", stringify!($name), "`.")]
            pub unsafe extern "C" fn $name() -> i32 {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!(concat!("jmp ", $to, "@PLT"));
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!(concat!("b ", $to));
            }
        )*

        /// The names of this file, with the functions that they refer to.
        #[cfg(test)]
        const NAMES: &[(&str, &str)] = &[$((stringify!($name), $to)),*];
    };
}

forwards! {
    cuCtxCreate => "cuCtxCreate_v2",
    cuDeviceTotalMem => "cuDeviceTotalMem_v2",
    cuEventRecordWithFlags_ptsz => "cuEventRecordWithFlags",
    cuEventRecord_ptsz => "cuEventRecord",
    cuFabricCpyBatchAsync_ptsz => "cuFabricCpyBatchAsync",
    cuGLGetDevices => "cuGLGetDevices_v2",
    cuGraphInstantiateWithParams_ptsz => "cuGraphInstantiateWithParams",
    cuGraphLaunch_ptsz => "cuGraphLaunch",
    cuGraphUpload_ptsz => "cuGraphUpload",
    cuGraphicsMapResources_ptsz => "cuGraphicsMapResources",
    cuGraphicsUnmapResources_ptsz => "cuGraphicsUnmapResources",
    cuLaunchCooperativeKernel_ptsz => "cuLaunchCooperativeKernel",
    cuLaunchHostFunc_ptsz => "cuLaunchHostFunc",
    cuLaunchHostFunc_v2_ptsz => "cuLaunchHostFunc_v2",
    cuLaunchKernelEx_ptsz => "cuLaunchKernelEx",
    cuLaunchKernel_ptsz => "cuLaunchKernel",
    cuMemAlloc => "cuMemAlloc_v2",
    cuMemAllocAsync_ptsz => "cuMemAllocAsync",
    cuMemAllocFromPoolAsync_ptsz => "cuMemAllocFromPoolAsync",
    cuMemAllocHost => "cuMemAllocHost_v2",
    cuMemAllocPitch => "cuMemAllocPitch_v2",
    cuMemBatchDecompressAsync_ptsz => "cuMemBatchDecompressAsync",
    cuMemDiscardAndPrefetchBatchAsync_ptsz => "cuMemDiscardAndPrefetchBatchAsync",
    cuMemDiscardBatchAsync_ptsz => "cuMemDiscardBatchAsync",
    cuMemFree => "cuMemFree_v2",
    cuMemFreeAsync_ptsz => "cuMemFreeAsync",
    cuMemGetAddressRange => "cuMemGetAddressRange_v2",
    cuMemGetInfo => "cuMemGetInfo_v2",
    cuMemHostGetDevicePointer => "cuMemHostGetDevicePointer_v2",
    cuMemMapArrayAsync_ptsz => "cuMemMapArrayAsync",
    cuMemPrefetchAsync_ptsz => "cuMemPrefetchAsync",
    cuMemPrefetchAsync_v2_ptsz => "cuMemPrefetchAsync_v2",
    cuMemPrefetchBatchAsync_ptsz => "cuMemPrefetchBatchAsync",
    cuMemcpy2D => "cuMemcpy2D_v2",
    cuMemcpy2DAsync => "cuMemcpy2DAsync_v2",
    cuMemcpy2DAsync_v2_ptsz => "cuMemcpy2DAsync_v2",
    cuMemcpy2DUnaligned => "cuMemcpy2DUnaligned_v2",
    cuMemcpy2DUnaligned_v2_ptds => "cuMemcpy2DUnaligned_v2",
    cuMemcpy2D_v2_ptds => "cuMemcpy2D_v2",
    cuMemcpy3D => "cuMemcpy3D_v2",
    cuMemcpy3DAsync => "cuMemcpy3DAsync_v2",
    cuMemcpy3DAsync_v2_ptsz => "cuMemcpy3DAsync_v2",
    cuMemcpy3DBatchAsync_ptsz => "cuMemcpy3DBatchAsync",
    cuMemcpy3DBatchAsync_v2_ptsz => "cuMemcpy3DBatchAsync_v2",
    cuMemcpy3DPeerAsync_ptsz => "cuMemcpy3DPeerAsync",
    cuMemcpy3DPeer_ptds => "cuMemcpy3DPeer",
    cuMemcpy3DWithAttributesAsync_ptsz => "cuMemcpy3DWithAttributesAsync",
    cuMemcpy3D_v2_ptds => "cuMemcpy3D_v2",
    cuMemcpyAsync_ptsz => "cuMemcpyAsync",
    cuMemcpyAtoA_v2_ptds => "cuMemcpyAtoA_v2",
    cuMemcpyAtoD_v2_ptds => "cuMemcpyAtoD_v2",
    cuMemcpyAtoHAsync_v2_ptsz => "cuMemcpyAtoHAsync_v2",
    cuMemcpyAtoH_v2_ptds => "cuMemcpyAtoH_v2",
    cuMemcpyBatchAsync_ptsz => "cuMemcpyBatchAsync",
    cuMemcpyBatchAsync_v2_ptsz => "cuMemcpyBatchAsync_v2",
    cuMemcpyDtoA_v2_ptds => "cuMemcpyDtoA_v2",
    cuMemcpyDtoD => "cuMemcpyDtoD_v2",
    cuMemcpyDtoDAsync_v2_ptsz => "cuMemcpyDtoDAsync_v2",
    cuMemcpyDtoD_v2_ptds => "cuMemcpyDtoD_v2",
    cuMemcpyDtoH => "cuMemcpyDtoH_v2",
    cuMemcpyDtoHAsync => "cuMemcpyDtoHAsync_v2",
    cuMemcpyDtoHAsync_v2_ptsz => "cuMemcpyDtoHAsync_v2",
    cuMemcpyDtoH_v2_ptds => "cuMemcpyDtoH_v2",
    cuMemcpyHtoAAsync_v2_ptsz => "cuMemcpyHtoAAsync_v2",
    cuMemcpyHtoA_v2_ptds => "cuMemcpyHtoA_v2",
    cuMemcpyHtoD => "cuMemcpyHtoD_v2",
    cuMemcpyHtoDAsync => "cuMemcpyHtoDAsync_v2",
    cuMemcpyHtoDAsync_v2_ptsz => "cuMemcpyHtoDAsync_v2",
    cuMemcpyHtoD_v2_ptds => "cuMemcpyHtoD_v2",
    cuMemcpyPeerAsync_ptsz => "cuMemcpyPeerAsync",
    cuMemcpyPeer_ptds => "cuMemcpyPeer",
    cuMemcpyWithAttributesAsync_ptsz => "cuMemcpyWithAttributesAsync",
    cuMemcpy_ptds => "cuMemcpy",
    cuMemsetD16 => "cuMemsetD16_v2",
    cuMemsetD16Async_ptsz => "cuMemsetD16Async",
    cuMemsetD16_v2_ptds => "cuMemsetD16_v2",
    cuMemsetD2D16 => "cuMemsetD2D16_v2",
    cuMemsetD2D16Async_ptsz => "cuMemsetD2D16Async",
    cuMemsetD2D16_v2_ptds => "cuMemsetD2D16_v2",
    cuMemsetD2D32 => "cuMemsetD2D32_v2",
    cuMemsetD2D32Async_ptsz => "cuMemsetD2D32Async",
    cuMemsetD2D32_v2_ptds => "cuMemsetD2D32_v2",
    cuMemsetD2D8 => "cuMemsetD2D8_v2",
    cuMemsetD2D8Async_ptsz => "cuMemsetD2D8Async",
    cuMemsetD2D8_v2_ptds => "cuMemsetD2D8_v2",
    cuMemsetD32 => "cuMemsetD32_v2",
    cuMemsetD32Async_ptsz => "cuMemsetD32Async",
    cuMemsetD32_v2_ptds => "cuMemsetD32_v2",
    cuMemsetD8 => "cuMemsetD8_v2",
    cuMemsetD8Async_ptsz => "cuMemsetD8Async",
    cuMemsetD8_v2_ptds => "cuMemsetD8_v2",
    cuModuleGetGlobal => "cuModuleGetGlobal_v2",
    cuSignalExternalSemaphoresAsync_ptsz => "cuSignalExternalSemaphoresAsync",
    cuStreamAddCallback_ptsz => "cuStreamAddCallback",
    cuStreamAttachMemAsync_ptsz => "cuStreamAttachMemAsync",
    cuStreamBatchMemOp_ptsz => "cuStreamBatchMemOp",
    cuStreamBatchMemOp_v2_ptsz => "cuStreamBatchMemOp_v2",
    cuStreamBeginCaptureToCig_ptsz => "cuStreamBeginCaptureToCig",
    cuStreamBeginCaptureToGraph_ptsz => "cuStreamBeginCaptureToGraph",
    cuStreamBeginCapture_ptsz => "cuStreamBeginCapture",
    cuStreamBeginCapture_v2_ptsz => "cuStreamBeginCapture_v2",
    cuStreamBeginRecaptureToGraph_ptsz => "cuStreamBeginRecaptureToGraph",
    cuStreamCopyAttributes_ptsz => "cuStreamCopyAttributes",
    cuStreamEndCaptureToCig_ptsz => "cuStreamEndCaptureToCig",
    cuStreamEndCapture_ptsz => "cuStreamEndCapture",
    cuStreamGetAttribute_ptsz => "cuStreamGetAttribute",
    cuStreamGetCaptureInfo_ptsz => "cuStreamGetCaptureInfo",
    cuStreamGetCaptureInfo_v2_ptsz => "cuStreamGetCaptureInfo_v2",
    cuStreamGetCaptureInfo_v3_ptsz => "cuStreamGetCaptureInfo_v3",
    cuStreamGetCtx_ptsz => "cuStreamGetCtx",
    cuStreamGetCtx_v2_ptsz => "cuStreamGetCtx_v2",
    cuStreamGetDevResource_ptsz => "cuStreamGetDevResource",
    cuStreamGetDevice_ptsz => "cuStreamGetDevice",
    cuStreamGetFlags_ptsz => "cuStreamGetFlags",
    cuStreamGetId_ptsz => "cuStreamGetId",
    cuStreamGetPriority_ptsz => "cuStreamGetPriority",
    cuStreamIsCapturing_ptsz => "cuStreamIsCapturing",
    cuStreamQuery_ptsz => "cuStreamQuery",
    cuStreamSetAttribute_ptsz => "cuStreamSetAttribute",
    cuStreamSynchronize_ptsz => "cuStreamSynchronize",
    cuStreamUpdateCaptureDependencies_ptsz => "cuStreamUpdateCaptureDependencies",
    cuStreamUpdateCaptureDependencies_v2_ptsz => "cuStreamUpdateCaptureDependencies_v2",
    cuStreamWaitEvent_ptsz => "cuStreamWaitEvent",
    cuStreamWaitValue32_ptsz => "cuStreamWaitValue32",
    cuStreamWaitValue32_v2_ptsz => "cuStreamWaitValue32_v2",
    cuStreamWaitValue64_ptsz => "cuStreamWaitValue64",
    cuStreamWaitValue64_v2_ptsz => "cuStreamWaitValue64_v2",
    cuStreamWriteValue32_ptsz => "cuStreamWriteValue32",
    cuStreamWriteValue32_v2_ptsz => "cuStreamWriteValue32_v2",
    cuStreamWriteValue64_ptsz => "cuStreamWriteValue64",
    cuStreamWriteValue64_v2_ptsz => "cuStreamWriteValue64_v2",
    cuWaitExternalSemaphoresAsync_ptsz => "cuWaitExternalSemaphoresAsync",
}

#[cfg(test)]
mod tests {
    use super::NAMES;
    use crate::interface::procedures::functions_by_name;

    #[test]
    fn names_lead_to_functions() {
        for (name, to) in NAMES {
            assert!(functions_by_name().contains_key(to), "{name} is {to}");
            assert!(!functions_by_name().contains_key(name), "{name}");
        }
        assert!(NAMES.is_sorted());
    }
}
