//! What nodes do, as C passes it and reads it back.

use crate::graphs::work::{HostFunction, Node, Work};
use crate::handles::Handle;
use crate::launches::launch::Launch;
use crate::launches::running::{NodeParameters, kernel_node};
use crate::lock::lock;
use crate::memory::transfer::{Box3D, Fill};
use crate::pointers::store;
use crate::status::{Result, Status};
use std::ffi::c_void;

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
pub struct HostParameters {
    function: Option<HostFunction>,
    data: *mut c_void,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
pub struct FillParameters {
    address: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

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
///
/// # Safety
/// The parameters are null, which is refused, or as C passes them; so below.
pub unsafe fn kernel(parameters: *const c_void) -> Result<Work> {
    // SAFETY: by the caller.
    let (launch, arguments) = unsafe { kernel_node(parameters) }?;
    Ok(Work::Launch(launch, arguments))
}

/// The work of a node that copies.
///
/// # Safety
/// As [`kernel`].
pub unsafe fn copy(parameters: *const Box3D) -> Result<Work> {
    // SAFETY: by the caller.
    Ok(Work::Copy(*unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?))
}

/// The work of a node that fills.
///
/// # Safety
/// As [`kernel`].
pub unsafe fn fill(parameters: *const FillParameters) -> Result<Work> {
    // SAFETY: by the caller.
    Ok(Work::Fill(unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?.fill()?))
}

/// The work of a node that calls a function of the host.
///
/// # Safety
/// As [`kernel`].
pub unsafe fn host(parameters: *const HostParameters) -> Result<Work> {
    // SAFETY: by the caller.
    let parameters = unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?;
    let function = parameters.function.ok_or(Status::InvalidValue)?;
    Ok(Work::Host(function, parameters.data as usize))
}

/// Stores the parameters of a node of one kind.
///
/// # Safety
/// `to` is null, which is refused, or valid for what the kind of node has.
pub unsafe fn show(node: &Node, kind: i32, to: *mut c_void) -> Result {
    let work = node.work();
    if to.is_null() || work.kind() != kind {
        return Err(Status::InvalidValue);
    }
    // SAFETY: by the caller, for each kind.
    unsafe {
        match &*work {
            Work::Launch(launch, arguments) => {
                // Kept with the node until it is asked again; they point to the node's own copies.
                let mut shown = lock(&node.shown);
                *shown = arguments.iter().map(|bytes| bytes.as_ptr() as usize).collect();
                let each = shown.as_ptr().cast();
                let Launch { function, grid, block, dynamic_shared, .. } = *launch;
                let extra = std::ptr::null();
                let (kernel, context): (Handle, Handle) = (0, 0);
                let all = NodeParameters {
                    function,
                    grid,
                    block,
                    dynamic_shared,
                    each,
                    extra,
                    kernel,
                    context,
                };
                store(to.cast(), all)
            }
            Work::Copy(copy) => store(to.cast(), *copy),
            Work::Fill(fill) => {
                let mut value = [0; 4];
                value[..fill.pattern.len()].copy_from_slice(&fill.pattern);
                let (value, element) = (u32::from_le_bytes(value), fill.pattern.len() as u32);
                let Fill { address, pitch, width, height, .. } = *fill;
                store(to.cast(), FillParameters { address, pitch, value, element, width, height })
            }
            Work::Host(function, data) => store(
                to.cast(),
                HostParameters { function: Some(*function), data: *data as *mut c_void },
            ),
            Work::Record(event) | Work::Wait(event) => store(to.cast(), *event),
            _ => Err(Status::InvalidValue),
        }
    }
}
