//! Unimplemented functions: each reports it and returns `CUFFT_NOT_SUPPORTED`.

use crate::status::{Status, refuse};
use lanework_standin::unsupported;

unsupported! {
    "cuFFT", refuse, Status::NotSupported;

    "callbacks are GPU machine code; use kernels before and after the transform instead":
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtSetJITCallback;

    "plans and descriptors for several GPUs are not supported; call cufftXtExec or cufftExec* on the memory of one GPU":
    cufftXtMalloc cufftXtMemcpy cufftXtFree cufftXtQueryPlan cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorR2C
    cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z cufftXtExecDescriptorD2Z cufftXtExecDescriptorZ2D cufftXtMakePlanGuru64;

    "it returns code for linking into kernels; use cufftExec* instead":
    cufftDebug cufftDescriptionCreate cufftDescriptionDestroy cufftDescriptionGetTraitInt64 cufftDescriptionSetTraitInt64
    cufftDeviceCreate cufftDeviceDestroy cufftDeviceGetDatabaseStr cufftDeviceGetDatabaseStrSize
    cufftDeviceGetDeviceFunctionTraitInt64 cufftDeviceGetDeviceFunctions cufftDeviceGetLTOIRSizes cufftDeviceGetLTOIRs
    cufftDeviceGetNumDeviceFunctions cufftDeviceGetNumLTOIRs cufftDeviceGetSemanticVersion cufftDeviceGetVersion
    cufftDeviceIsSupported;
}
