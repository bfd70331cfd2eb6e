//! Waits for words of memory and writes of them: on streams, and as nodes of graphs.

use crate::api::api;
use crate::graphs::node_changes::{change, replace};
use crate::graphs::nodes::add;
use crate::graphs::work::{Node, Work};
use crate::handles::Handle;
use crate::lock::lock;
use crate::pointers::store;
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::streams::memory_ops::{self, MemoryOp, Parameters, words};

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
#[repr(C)]
pub struct NodeParameters {
    context: Handle,
    count: u32,
    operations: *const Parameters,
    flags: u32,
}

/// Queues one operation, of a word that the driver knows.
fn queue(stream: Handle, address: u64, bytes: usize, op: Result<MemoryOp>) -> Result {
    driver()?.stream(stream)?;
    let op = op?;
    known(address, bytes)?;
    // SAFETY: only the driver's memory is used.
    unsafe { driver()?.submit(stream, Work::Memory(vec![op])) }
}

/// Refuses a word that is not memory of the driver, now or when a graph runs.
fn known(address: u64, bytes: usize) -> Result {
    match driver()?.graph_spans(address, bytes) {
        true => Ok(()),
        false => driver()?.held(address, bytes),
    }
}

/// Queues several operations.
///
/// # Safety
/// There are `count` of them.
unsafe fn batch(stream: Handle, count: u32, all: *const Parameters, flags: u32) -> Result {
    driver()?.stream(stream)?;
    // SAFETY: by the caller.
    let ops = unsafe { memory_ops::read(count, all, flags) }?;
    for op in &ops {
        if let MemoryOp::Wait { address, bytes, .. } | MemoryOp::Write { address, bytes, .. } = *op
        {
            known(address, bytes)?;
        }
    }
    // SAFETY: only the driver's memory is used.
    unsafe { driver()?.submit(stream, Work::Memory(ops)) }
}

/// The work of a node.
///
/// # Safety
/// The parameters are null, which is refused, or as C passes them.
pub unsafe fn operations(parameters: *const NodeParameters) -> Result<Work> {
    // SAFETY: by the caller.
    let parameters = unsafe { parameters.as_ref() }.ok_or(Status::InvalidValue)?;
    let NodeParameters { count, operations, flags, .. } = *parameters;
    // SAFETY: by the caller.
    Ok(Work::Memory(unsafe { memory_ops::read(count, operations, flags) }?))
}

/// Stores the parameters of a node; the operations are the node's until it is asked again.
///
/// # Safety
/// `to` is null, which is refused, or valid for a write.
pub unsafe fn show_operations(node: &Node, to: *mut NodeParameters) -> Result {
    let Work::Memory(ops) = &*node.work() else { return Err(Status::InvalidValue) };
    let mut shown = lock(&node.shown);
    *shown = words(ops);
    let (count, operations) = (ops.len() as u32, shown.as_ptr().cast());
    // SAFETY: by the caller.
    unsafe { store(to, NodeParameters { context: 0, count, operations, flags: 0 }) }
}

macro_rules! waits_and_writes {
    ($($name:ident $value:ty, $op:ident;)*) => {
        api! {
            $(fn $name(stream: Handle, address: u64, value: $value, flags: u32) {
                let bytes = size_of::<$value>();
                queue(stream, address, bytes, MemoryOp::$op(address, bytes, u64::from(value), flags))
            })*

            fn cuStreamBatchMemOp(stream: Handle, count: u32, all: *const Parameters, flags: u32) {
                // SAFETY: by the caller.
                unsafe { batch(stream, count, all, flags) }
            }

            fn cuStreamBatchMemOp_v2(stream: Handle, count: u32, all: *const Parameters, flags: u32) {
                // SAFETY: by the caller.
                unsafe { batch(stream, count, all, flags) }
            }

            fn cuGraphAddBatchMemOpNode(node: *mut Handle, graph: Handle, after: *const Handle, count: usize, parameters: *const NodeParameters) {
                // SAFETY: by the caller.
                unsafe { add(node, graph, after, count, operations(parameters)?) }
            }

            fn cuGraphBatchMemOpNodeGetParams(node: Handle, parameters: *mut NodeParameters) {
                // SAFETY: by the caller.
                unsafe { show_operations(&*table::<Node>().get(node)?, parameters) }
            }

            fn cuGraphBatchMemOpNodeSetParams(node: Handle, parameters: *const NodeParameters) {
                // SAFETY: by the caller.
                change(node, unsafe { operations(parameters) }?)
            }

            fn cuGraphExecBatchMemOpNodeSetParams(executable: Handle, node: Handle, parameters: *const NodeParameters) {
                // SAFETY: by the caller.
                replace(executable, node, unsafe { operations(parameters) }?)
            }
        }
    };
}

waits_and_writes! {
    cuStreamWaitValue32 u32, wait;
    cuStreamWaitValue32_v2 u32, wait;
    cuStreamWaitValue64 u64, wait;
    cuStreamWaitValue64_v2 u64, wait;
    cuStreamWriteValue32 u32, write;
    cuStreamWriteValue32_v2 u32, write;
    cuStreamWriteValue64 u64, write;
    cuStreamWriteValue64_v2 u64, write;
}
