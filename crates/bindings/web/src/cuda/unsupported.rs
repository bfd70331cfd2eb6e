//! Functions that the page does not support: each ends the program with the reason.

use lanework_host::{External, Process, Stop};

fn refuse(process: &mut Process, what: &str) -> Result<u64, Stop> {
    Err(process.fault(
        &format!("{what} are not supported in the page"),
        "run the program with the `lanework` command, which supports them",
    ))
}

fn graphs(process: &mut Process, _: &[u64]) -> Result<u64, Stop> {
    refuse(process, "CUDA graphs")
}

fn textures(process: &mut Process, _: &[u64]) -> Result<u64, Stop> {
    refuse(process, "CUDA arrays and textures")
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuStreamBeginCapture_v2", graphs),
    ("cuStreamEndCapture", graphs),
    ("cuGraphCreate", graphs),
    ("cuGraphDestroy", graphs),
    ("cuGraphClone", graphs),
    ("cuGraphInstantiateWithFlags", graphs),
    ("cuGraphExecDestroy", graphs),
    ("cuGraphExecUpdate_v2", graphs),
    ("cuGraphUpload", graphs),
    ("cuGraphLaunch", graphs),
    ("cuGraphGetNodes", graphs),
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
