//! What nodes do, as C passes it and reads it back.

use crate::graphs::work::{HostCall, HostFunction, Node, Work};
use crate::handles::Handle;
use crate::launches::launch::Launch;
use crate::launches::running::{NodeParameters, kernel_node};
use crate::lock::lock;
use crate::memory::transfer::{Box3D, Fill};
use crate::pointers::{In, Plain, abi};
use crate::status::{Result, Status};
use std::ffi::c_void;

/// `CUDA_HOST_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct HostParameters {
    function: Option<HostFunction>,
    data: *mut c_void,
}

// SAFETY: null is `None`, and any other address is a valid bit pattern of a function pointer; calling it is unsafe.
unsafe impl Plain for Option<HostFunction> {}

abi!(HostParameters = 16, 8 { function: 0, data: 8 });

/// `CUDA_MEMSET_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct FillParameters {
    address: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

abi!(FillParameters = 40, 8 { address: 0, pitch: 8, value: 16, element: 20, width: 24, height: 32 });

impl FillParameters {
    fn fill(&self) -> Result<Fill> {
        let FillParameters { address, pitch, value, element, width, height } = *self;
        if !matches!(element, 1 | 2 | 4) {
            return Err(Status::InvalidValue);
        }
        let pattern = value.to_le_bytes()[..element as usize].to_vec();
        Ok(Fill { address, pitch, pattern, width, height })
    }
}

/// The work of a kernel node.
pub fn kernel(parameters: In<'_, NodeParameters>) -> Result<Work> {
    let (launch, arguments) = kernel_node(parameters)?;
    Ok(Work::Launch(launch, arguments))
}

/// The work of a node that copies.
pub fn copy(parameters: In<'_, Box3D>) -> Result<Work> {
    Ok(Work::Copy(parameters.get()?))
}

/// The work of a node that fills.
pub fn fill(parameters: In<'_, FillParameters>) -> Result<Work> {
    Ok(Work::Fill(parameters.get()?.fill()?))
}

/// The work of a node that calls a function of the host.
pub fn host(parameters: In<'_, HostParameters>) -> Result<Work> {
    let parameters = parameters.get()?;
    let function = parameters.function.ok_or(Status::InvalidValue)?;
    Ok(Work::Host(HostCall::new(function, parameters.data)))
}

/// Work as the parameters that C reads; another kind of node is refused.
pub fn shown_launch(node: &Node) -> Result<NodeParameters> {
    let Work::Launch(launch, arguments) = &*node.work() else { return Err(Status::InvalidValue) };
    // The node keeps the list until it is asked again; the pointers are to its own copies of the arguments.
    let mut shown = lock(&node.shown);
    *shown = arguments.iter().map(|bytes| bytes.as_ptr() as usize).collect();
    let each = shown.as_ptr().cast();
    let Launch { function, grid, block, dynamic_shared, .. } = *launch;
    let (extra, kernel, context) = (std::ptr::null(), 0, 0);
    Ok(NodeParameters { function, grid, block, dynamic_shared, each, extra, kernel, context })
}

/// As [`shown_launch`].
pub fn shown_copy(node: &Node) -> Result<Box3D> {
    match &*node.work() {
        Work::Copy(copy) => Ok(*copy),
        _ => Err(Status::InvalidValue),
    }
}

/// As [`shown_launch`].
pub fn shown_fill(node: &Node) -> Result<FillParameters> {
    let Work::Fill(fill) = &*node.work() else { return Err(Status::InvalidValue) };
    let mut value = [0; 4];
    value[..fill.pattern.len()].copy_from_slice(&fill.pattern);
    let (value, element) = (u32::from_le_bytes(value), fill.pattern.len() as u32);
    let Fill { address, pitch, width, height, .. } = *fill;
    Ok(FillParameters { address, pitch, value, element, width, height })
}

/// As [`shown_launch`].
pub fn shown_host(node: &Node) -> Result<HostParameters> {
    let Work::Host(call) = &*node.work() else { return Err(Status::InvalidValue) };
    let (function, data) = call.parts();
    Ok(HostParameters { function: Some(function), data })
}

/// The event of a node of the kind.
pub fn shown_event(node: &Node, kind: i32) -> Result<Handle> {
    let work = node.work();
    match &*work {
        Work::Record(event) | Work::Wait(event) if work.kind() == kind => Ok(*event),
        _ => Err(Status::InvalidValue),
    }
}
