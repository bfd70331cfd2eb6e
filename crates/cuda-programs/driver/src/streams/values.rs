//! Waits for words of memory and writes of them: on streams, and as nodes of graphs.

use crate::api::api;
use crate::graphs::node_changes::{change, replace};
use crate::graphs::nodes::add;
use crate::graphs::work::{Node, Work};
use crate::handles::Handle;
use crate::lock::lock;
use crate::pointers::{In, Out, abi};
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::streams::memory_ops::{self, MemoryOp, Parameters, words};

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct NodeParameters {
    context: Handle,
    count: u32,
    operations: *const Parameters,
    flags: u32,
}

abi!(NodeParameters = 32, 8 { context: 0, count: 8, operations: 16, flags: 24 });

/// Queues one operation, of a word that the driver knows.
fn queue(stream: Handle, address: u64, bytes: usize, op: Result<MemoryOp>) -> Result {
    driver()?.stream(stream)?;
    let op = op?;
    known(address, bytes)?;
    driver()?.submit(stream, Work::Memory(vec![op]))
}

/// Refuses a word that is not memory of the driver, now or when a graph runs.
fn known(address: u64, bytes: usize) -> Result {
    match driver()?.graph_spans(address, bytes) {
        true => Ok(()),
        false => driver()?.held(address, bytes),
    }
}

/// Queues several operations.
fn batch(stream: Handle, count: u32, all: In<'_, Parameters>, flags: u32) -> Result {
    driver()?.stream(stream)?;
    let ops = memory_ops::read(count, all, flags)?;
    for op in &ops {
        if let MemoryOp::Wait { address, bytes, .. } | MemoryOp::Write { address, bytes, .. } = *op
        {
            known(address, bytes)?;
        }
    }
    driver()?.submit(stream, Work::Memory(ops))
}

/// The work of a node.
pub fn operations(parameters: In<'_, NodeParameters>) -> Result<Work> {
    let parameters = parameters.get()?;
    let NodeParameters { count, operations, flags, .. } = parameters;
    // SAFETY: the struct comes from a caller of the driver, who passes `operations` with `count` elements.
    let operations = unsafe { In::new(operations) };
    Ok(Work::Memory(memory_ops::read(count, operations, flags)?))
}

/// Stores the parameters of a node; the operations are the node's until it is asked again.
pub fn show_operations(node: &Node, to: Out<'_, NodeParameters>) -> Result {
    let Work::Memory(ops) = &*node.work() else { return Err(Status::InvalidValue) };
    let mut shown = lock(&node.shown);
    *shown = words(ops);
    let (count, operations) = (ops.len() as u32, shown.as_ptr().cast());
    to.store(NodeParameters { context: 0, count, operations, flags: 0 })
}

macro_rules! waits_and_writes {
    ($($name:ident $value:ty, $op:ident;)*) => {
        api! {
            $(fn $name(stream: Handle, address: u64, value: $value, flags: u32) {
                let bytes = size_of::<$value>();
                queue(stream, address, bytes, MemoryOp::$op(address, bytes, u64::from(value), flags))
            })*

            fn cuStreamBatchMemOp(stream: Handle, count: u32, all: In<'_, Parameters>, flags: u32) {
                batch(stream, count, all, flags)
            }

            fn cuStreamBatchMemOp_v2(stream: Handle, count: u32, all: In<'_, Parameters>, flags: u32) {
                batch(stream, count, all, flags)
            }

            fn cuGraphAddBatchMemOpNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: In<'_, NodeParameters>) {
                add(node, graph, after, count, operations(parameters)?)
            }

            fn cuGraphBatchMemOpNodeGetParams(node: Handle, parameters: Out<'_, NodeParameters>) {
                show_operations(&*table::<Node>().get(node)?, parameters)
            }

            fn cuGraphBatchMemOpNodeSetParams(node: Handle, parameters: In<'_, NodeParameters>) {
                change(node, operations(parameters)?)
            }

            fn cuGraphExecBatchMemOpNodeSetParams(executable: Handle, node: Handle, parameters: In<'_, NodeParameters>) {
                replace(executable, node, operations(parameters)?)
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
