//! Functions that are not implemented. They return `CUDA_ERROR_NOT_SUPPORTED`, and `LANEWORK_TRACE` prints their names.

use crate::status::Status;

macro_rules! unsupported {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            #[doc = concat!("CUDA's `", stringify!($name), "`, which is not supported.")]
            pub extern "C" fn $name() -> i32 {
                $crate::api::call(stringify!($name), &Vec::new, || Err(Status::NotSupported))
            }
        )*

        /// The functions of this file.
        pub const TABLE: &[$crate::api::ExportedFunction] = &[$((stringify!($name), $name as *const ())),*];
    };
}

unsupported! {
    cuArray3DCreate cuArray3DGetDescriptor cuArrayCreate cuArrayGetDescriptor cuArrayGetPlane
    cuArrayGetSparseProperties cuCheckpointProcessCheckpoint cuCheckpointProcessGetRestoreThreadId
    cuCheckpointProcessGetState cuCheckpointProcessLock cuCheckpointProcessRestore cuCheckpointProcessUnlock

    cuCtxAttach cuCtxDetach cuDestroyExternalMemory cuDestroyExternalSemaphore
    cuDeviceGetHostAtomicCapabilities cuDeviceGetLuid cuDeviceGetNvSciSyncAttributes
    cuDeviceGetP2PAtomicCapabilities cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification
    cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray cuFlushGPUDirectRDMAWrites
    cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode
    cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
    cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuGraphicsMapResources
    cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer
    cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2
    cuGLGetDevices_v2 cuGraphicsEGLRegisterImage cuGraphicsGLRegisterBuffer cuGraphicsGLRegisterImage
    cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources cuGraphicsUnregisterResource
    cuImportExternalMemory cuImportExternalSemaphore cuIpcOpenMemHandle cuLaunchCooperativeKernelMultiDevice
    cuLibraryGetUnifiedFunction cuLogsCurrent cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback
    cuLogsUnregisterCallback cuMemBatchDecompressAsync cuMemGetHandleForAddressRange cuMemMapArrayAsync
    cuMemcpyAtoA cuMemcpyAtoD cuMemcpyAtoH cuMemcpyAtoHAsync cuMemcpyDtoA cuMemcpyHtoA cuMemcpyHtoAAsync
    cuMipmappedArrayGetSparseProperties cuSignalExternalSemaphoresAsync cuTensorMapEncodeIm2colWide
    cuTexRefGetAddress cuTexRefSetAddress cuTexRefSetAddress2D cuWaitExternalSemaphoresAsync

    cuEGLApiInit cuEGLStreamConsumerAcquireFrame cuEGLStreamConsumerConnect
    cuEGLStreamConsumerConnectWithFlags cuEGLStreamConsumerDisconnect cuEGLStreamConsumerReleaseFrame
    cuEGLStreamProducerConnect cuEGLStreamProducerDisconnect cuEGLStreamProducerPresentFrame
    cuEGLStreamProducerReturnFrame cuGLCtxCreate cuGLCtxCreate_v2 cuGLInit cuGLMapBufferObject
    cuGLMapBufferObjectAsync cuGLMapBufferObjectAsync_v2 cuGLMapBufferObjectAsync_v2_ptsz
    cuGLMapBufferObject_v2 cuGLMapBufferObject_v2_ptds cuGLRegisterBufferObject cuGLSetBufferObjectMapFlags
    cuGLUnmapBufferObject cuGLUnmapBufferObjectAsync cuGLUnregisterBufferObject
    cuGraphicsResourceGetMappedEglFrame cuGraphicsVDPAURegisterOutputSurface
    cuGraphicsVDPAURegisterVideoSurface cuMemGetAttribute cuMemGetAttribute_v2 cuVDPAUCtxCreate
    cuVDPAUCtxCreate_v2 cuVDPAUGetDevice

    cuCheckpointOperationComplete cuCoredumpDeregisterCompleteCallback cuCoredumpDeregisterStartCallback
    cuCoredumpRegisterCompleteCallback cuCoredumpRegisterStartCallback cuDevSmResourceSplit cuDeviceGetCliqueCount
    cuDeviceGetCliqueInfo cuDeviceGetFabricClusterUuid cuFabricCpyBatchAsync cuGraphExecGetId cuGraphGetId
    cuGraphNodeGetContainingGraph cuGraphNodeGetLocalId cuGraphNodeGetToolsId cuLogicalEndpointAddDevice
    cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate cuLogicalEndpointDestroy
    cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease cuLogicalEndpointIdReserve
    cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind cuStreamBeginCaptureToCig
    cuStreamBeginRecaptureToGraph cuStreamEndCaptureToCig cuStreamGetDevResource cuTensorMapSetAllocationClass
}
