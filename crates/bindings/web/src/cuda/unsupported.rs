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

pub const FUNCTIONS: &[(&str, External)] = &[
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
];
