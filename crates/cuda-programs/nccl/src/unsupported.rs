//! Unimplemented functions: each reports it and returns `ncclInvalidUsage`.

use crate::status::{Status, refuse};
use lanework_standin::unsupported;

unsupported! {
    "NCCL", refuse, Status::InvalidUsage;

    "the stand-in has collectives and messages called from the host":
    ncclAllGatherConfig ncclAllReduceConfig ncclAlltoAllConfig ncclBroadcastConfig ncclCommGetUniqueId ncclCommGrow ncclCommMemStats
    ncclCommQueryProperties ncclCommResume ncclCommRevoke ncclCommShrink ncclCommSuspend ncclDevCommCreate ncclDevCommDestroy
    ncclGatherConfig ncclGetCftDeviceLeInfo ncclGetLsaDevicePointer ncclGetLsaMultimemDevicePointer ncclGetMultimemDeviceLeInfo
    ncclGetMultimemDevicePointer ncclGetPeerDeviceLeInfo ncclGetPeerDevicePointer ncclGinBarrierCreateRequirement
    ncclGinInboxA2ACreateRequirement ncclGinOutboxCreateRequirement ncclGroupSimulateEnd ncclLLA2ACalcSlots ncclLLA2ACreateRequirement
    ncclLsaBarrierCreateRequirement ncclPutSignal ncclReduceConfig ncclReduceScatterConfig ncclScatterConfig ncclSetEncryption
    ncclSignal ncclTeamLsa ncclTeamRail ncclTeamRankToLsa ncclTeamRankToWorld ncclTeamWorld ncclWaitSignal ncclWinGetUserPtr;
}
