//! Functions that the page does not support: each ends the program with the reason.

use lanework_host::{External, Process, Stop};

fn refuse(process: &mut Process, what: &str) -> Result<u64, Stop> {
    Err(process.fault(
        &format!("{what} are not supported in the page"),
        "run the program with the `lanework` command, which supports them",
    ))
}

fn nodes(process: &mut Process, _: &[u64]) -> Result<u64, Stop> {
    refuse(process, "this call on nodes of CUDA graphs, and nodes of events and of memory,")
}

fn modules(process: &mut Process, _: &[u64]) -> Result<u64, Stop> {
    refuse(process, "modules that a program loads itself, and NVRTC,")
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuModuleLoadData", modules),
    ("cuModuleUnload", modules),
    ("cuModuleGetFunction", modules),
    ("cuModuleGetGlobal_v2", modules),
    ("__lw_rtc_create", modules),
    ("__lw_rtc_compile", modules),
    ("__lw_rtc_bytes", modules),
    ("__lw_rtc_get", modules),
    ("cuGraphExecUpdate_v2", nodes),
    ("cuGraphAddEventRecordNode", nodes),
    ("cuGraphAddEventWaitNode", nodes),
    ("cuGraphAddMemAllocNode", nodes),
    ("cuGraphAddMemFreeNode", nodes),
    ("cuGraphRemoveDependencies", nodes),
    ("cuGraphGetEdges", nodes),
    ("cuGraphNodeGetDependencies", nodes),
    ("cuGraphNodeGetDependentNodes", nodes),
    ("cuGraphNodeFindInClone", nodes),
    ("cuGraphChildGraphNodeGetGraph", nodes),
    ("cuGraphExecChildGraphNodeSetParams", nodes),
    ("cuGraphNodeGetEnabled", nodes),
    ("cuGraphEventRecordNodeGetEvent", nodes),
    ("cuGraphEventRecordNodeSetEvent", nodes),
    ("cuGraphExecEventRecordNodeSetEvent", nodes),
    ("cuGraphEventWaitNodeGetEvent", nodes),
    ("cuGraphEventWaitNodeSetEvent", nodes),
    ("cuGraphExecEventWaitNodeSetEvent", nodes),
    ("cuGraphDebugDotPrint", nodes),
];
