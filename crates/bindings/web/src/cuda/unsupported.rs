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

pub const FUNCTIONS: &[(&str, External)] = &[
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
