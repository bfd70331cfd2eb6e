//! Functions that the page does not support: each ends the program with the reason.

use lanework_host::{External, Process, Stop};

fn refuse(process: &mut Process, what: &str) -> Result<u64, Stop> {
    Err(process.fault(
        &format!("{what} are not supported in the page"),
        "run the program with the `lanework` command, which supports them",
    ))
}

fn nodes(process: &mut Process, _: &[u64]) -> Result<u64, Stop> {
    refuse(process, "nodes of CUDA graphs, other than from a capture,")
}

fn textures(process: &mut Process, _: &[u64]) -> Result<u64, Stop> {
    refuse(process, "CUDA arrays and textures")
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
    ("cuGraphGetNodes", nodes),
    ("cuGraphAddKernelNode_v2", nodes),
    ("cuGraphAddMemcpyNode", nodes),
    ("cuGraphAddMemsetNode", nodes),
    ("cuGraphAddHostNode", nodes),
    ("cuGraphAddEmptyNode", nodes),
    ("cuGraphAddChildGraphNode", nodes),
    ("cuGraphAddEventRecordNode", nodes),
    ("cuGraphAddEventWaitNode", nodes),
    ("cuGraphAddMemAllocNode", nodes),
    ("cuGraphAddMemFreeNode", nodes),
    ("cuGraphKernelNodeSetParams_v2", nodes),
    ("cuGraphExecKernelNodeSetParams_v2", nodes),
    ("cuGraphMemcpyNodeSetParams", nodes),
    ("cuGraphExecMemcpyNodeSetParams", nodes),
    ("cuGraphMemsetNodeSetParams", nodes),
    ("cuGraphExecMemsetNodeSetParams", nodes),
    ("cuGraphHostNodeSetParams", nodes),
    ("cuGraphExecHostNodeSetParams", nodes),
    ("cuGraphAddDependencies", nodes),
    ("cuGraphRemoveDependencies", nodes),
    ("cuGraphGetRootNodes", nodes),
    ("cuGraphGetEdges", nodes),
    ("cuGraphNodeGetDependencies", nodes),
    ("cuGraphNodeGetDependentNodes", nodes),
    ("cuGraphNodeGetType", nodes),
    ("cuGraphDestroyNode", nodes),
    ("cuGraphNodeFindInClone", nodes),
    ("cuGraphChildGraphNodeGetGraph", nodes),
    ("cuGraphExecChildGraphNodeSetParams", nodes),
    ("cuGraphNodeSetEnabled", nodes),
    ("cuGraphNodeGetEnabled", nodes),
    ("cuGraphEventRecordNodeGetEvent", nodes),
    ("cuGraphEventRecordNodeSetEvent", nodes),
    ("cuGraphExecEventRecordNodeSetEvent", nodes),
    ("cuGraphEventWaitNodeGetEvent", nodes),
    ("cuGraphEventWaitNodeSetEvent", nodes),
    ("cuGraphExecEventWaitNodeSetEvent", nodes),
    ("cuGraphDebugDotPrint", nodes),
    ("cuArray3DCreate_v2", textures),
    ("cuArray3DGetDescriptor_v2", textures),
    ("cuArrayDestroy", textures),
    ("cuMipmappedArrayCreate", textures),
    ("cuMipmappedArrayGetLevel", textures),
    ("cuMipmappedArrayDestroy", textures),
    ("cuTexObjectCreate", textures),
    ("cuTexObjectDestroy", textures),
    ("cuSurfObjectCreate", textures),
    ("cuSurfObjectDestroy", textures),
];
