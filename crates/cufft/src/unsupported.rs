//! Functions that are not computed: each says so, and answers `CUFFT_NOT_SUPPORTED`.

use crate::status::{Status, refuse};
use lanework_standin::call;

macro_rules! unsupported {
    ($why:literal: $($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("cuFFT's `", stringify!($name), "`, which is not computed.")]
        pub extern "C" fn $name() -> i32 {
            call(stringify!($name), || refuse(Status::NotSupported, concat!(stringify!($name), " is not computed: ", $why)))
        }
    )*};
}

unsupported! {
    "callbacks are machine code of a GPU; do what they do by kernels before and after the transform":
    cufftXtSetCallback cufftXtClearCallback cufftXtSetCallbackSharedSize cufftXtSetJITCallback
}

unsupported! {
    "there are no plans over several GPUs, nor their descriptors; call cufftXtExec or cufftExec* on memory of one":
    cufftXtMalloc cufftXtMemcpy cufftXtFree cufftXtQueryPlan cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorR2C
    cufftXtExecDescriptorC2R cufftXtExecDescriptorZ2Z cufftXtExecDescriptorD2Z cufftXtExecDescriptorZ2D cufftXtMakePlanGuru64
}

unsupported! {
    "it gives what a GPU's compiler links into kernels; transform by cufftExec*":
    cufftDebug cufftDescriptionCreate cufftDescriptionDestroy cufftDescriptionGetTraitInt64 cufftDescriptionSetTraitInt64
    cufftDeviceCreate cufftDeviceDestroy cufftDeviceGetDatabaseStr cufftDeviceGetDatabaseStrSize
    cufftDeviceGetDeviceFunctionTraitInt64 cufftDeviceGetDeviceFunctions cufftDeviceGetLTOIRSizes cufftDeviceGetLTOIRs
    cufftDeviceGetNumDeviceFunctions cufftDeviceGetNumLTOIRs cufftDeviceGetSemanticVersion cufftDeviceGetVersion
    cufftDeviceIsSupported
}
