//! Functions that are not there: each says so, and answers `ncclInvalidUsage`.

use crate::status::{Status, refuse};
use lanework_standin::call;

macro_rules! unsupported {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[doc = concat!("NCCL's `", stringify!($name), "`, which is not there.")]
        pub extern "C" fn $name() -> i32 {
            call(stringify!($name), || {
                refuse(Status::InvalidUsage, "it is not in the stand-in, which has collectives and messages called from the host")
            })
        }
    )*};
}

unsupported! {
    ncclAllGatherConfig ncclAllReduceConfig ncclAlltoAllConfig ncclBroadcastConfig ncclCommGetUniqueId ncclCommGrow ncclCommMemStats
    ncclCommQueryProperties ncclCommResume ncclCommRevoke ncclCommShrink ncclCommSuspend ncclDevCommCreate ncclDevCommDestroy
    ncclGatherConfig ncclGetCftDeviceLeInfo ncclGetLsaDevicePointer ncclGetLsaMultimemDevicePointer ncclGetMultimemDeviceLeInfo
    ncclGetMultimemDevicePointer ncclGetPeerDeviceLeInfo ncclGetPeerDevicePointer ncclGinBarrierCreateRequirement
    ncclGinInboxA2ACreateRequirement ncclGinOutboxCreateRequirement ncclGroupSimulateEnd ncclLLA2ACalcSlots ncclLLA2ACreateRequirement
    ncclLsaBarrierCreateRequirement ncclPutSignal ncclReduceConfig ncclReduceScatterConfig ncclScatterConfig ncclSetEncryption
    ncclSignal ncclTeamLsa ncclTeamRail ncclTeamRankToLsa ncclTeamRankToWorld ncclTeamWorld ncclWaitSignal ncclWinGetUserPtr
}
