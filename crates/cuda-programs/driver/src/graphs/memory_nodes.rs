//! Nodes of graphs that allocate and free memory.

use crate::api::api;
use crate::graphs::work::{Node, Work};
use crate::handles::Handle;
use crate::pointers::{In, Out, abi};
use crate::state::{driver, table};
use crate::status::{Result, Status};

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Allocation {
    /// Properties of the pool, and accesses by other devices, which all have anyway.
    pool: [u64; 11],
    accesses: [u64; 2],
    bytes: usize,
    address: u64,
}

abi!(Allocation = 120, 8 { pool: 0, accesses: 88, bytes: 104, address: 112 });

/// The work of a node that allocates; the parameters are told its address.
pub fn allocation(parameters: Out<'_, Allocation>) -> Result<Work> {
    let given = parameters.get()?;
    let address = driver()?.reserve_for_graph(given.bytes)?;
    parameters.store(Allocation { address, ..given })?;
    Ok(Work::Allocate(address, given.bytes))
}

/// The work of a node that frees.
pub fn release(address: u64) -> Result<Work> {
    if driver()?.is_of_graph(address) {
        Ok(Work::Release(address))
    } else {
        Err(Status::InvalidValue)
    }
}

/// Attributes of the memory of graphs (`CUgraphMem_attribute`): used now, most used, and the same of what is reserved.
fn attribute(device: i32, attribute: i32) -> Result<u64> {
    let driver = driver()?;
    driver.gpu(device)?;
    let bytes = driver.bytes_of_graphs();
    match attribute {
        0 => Ok(bytes.used),
        1 => Ok(bytes.used_high),
        2 => Ok(bytes.reserved),
        3 => Ok(bytes.reserved_high),
        _ => Err(Status::InvalidValue),
    }
}

api! {
    fn cuGraphAddMemAllocNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: Out<'_, Allocation>) {
        let made = driver()?.add_node(graph, &after.list(count)?, allocation(parameters)?)?;
        node.store(made)
    }

    fn cuGraphMemAllocNodeGetParams(node: Handle, parameters: Out<'_, Allocation>) {
        let Work::Allocate(address, bytes) = *table::<Node>().get(node)?.work() else {
            return Err(Status::InvalidValue);
        };
        // Pinned memory of a device, without a handle.
        let mut pool = [0; 11];
        (pool[0], pool[1]) = (1, 1);
        parameters.store(Allocation { pool, accesses: [0; 2], bytes, address })
    }

    fn cuGraphAddMemFreeNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, address: u64) {
        let made = driver()?.add_node(graph, &after.list(count)?, release(address)?)?;
        node.store(made)
    }

    fn cuGraphMemFreeNodeGetParams(node: Handle, address: Out<'_, u64>) {
        let Work::Release(freed) = *table::<Node>().get(node)?.work() else {
            return Err(Status::InvalidValue);
        };
        address.store(freed)
    }

    fn cuDeviceGetGraphMemAttribute(device: i32, kind: i32, value: Out<'_, u64>) {
        value.store(attribute(device, kind)?)
    }

    fn cuDeviceSetGraphMemAttribute(device: i32, kind: i32, _value: Out<'_, u64>) {
        driver()?.gpu(device)?;
        match kind {
            1 | 3 => driver()?.forget_most_of_graphs(kind == 3),
            _ => return Err(Status::InvalidValue),
        }
        Ok(())
    }

    fn cuDeviceGraphMemTrim(device: i32) {
        driver()?.gpu(device)?;
        driver()?.trim_graphs();
        Ok(())
    }
}
