//! Functions that are not computed: each says so, and answers `CUFFT_NOT_SUPPORTED`.

use crate::status::{Status, refuse};
use lanework_standin::unsupported;

unsupported! {
    "cuFFT", refuse, Status::NotSupported;

    "callbacks are machine code of a GPU; do what they do by kernels before and after the transform":
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtSetJITCallback;

    "there are no plans over several GPUs, nor their descriptors; call cufftXtExec or cufftExec* on memory of one":
    cufftXtMalloc cufftXtMemcpy cufftXtFree cufftXtQueryPlan cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorR2C
    cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z cufftXtExecDescriptorD2Z cufftXtExecDescriptorZ2D cufftXtMakePlanGuru64;

    "it gives what a GPU's compiler links into kernels; transform by cufftExec*":
    cufftDebug cufftDescriptionCreate cufftDescriptionDestroy cufftDescriptionGetTraitInt64 cufftDescriptionSetTraitInt64
    cufftDeviceCreate cufftDeviceDestroy cufftDeviceGetDatabaseStr cufftDeviceGetDatabaseStrSize
    cufftDeviceGetDeviceFunctionTraitInt64 cufftDeviceGetDeviceFunctions cufftDeviceGetLTOIRSizes cufftDeviceGetLTOIRs
    cufftDeviceGetNumDeviceFunctions cufftDeviceGetNumLTOIRs cufftDeviceGetSemanticVersion cufftDeviceGetVersion
    cufftDeviceIsSupported;
}
