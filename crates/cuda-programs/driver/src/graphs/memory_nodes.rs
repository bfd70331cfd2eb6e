//! Memory owned by graphs, and the nodes that allocate it and free it.

use crate::api::api;
use crate::graphs::work::{Graph, Node, Work};
use crate::memory::shared_pages::Pages;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Page size in bytes.
const PAGE: usize = 4096;

/// The memory of one allocation node.
struct GraphRange {
    pages: Pages,
    bytes: usize,
    context: Handle,
    live: bool,
    /// Whether it was backed since the last trim; it then counts as used.
    held: bool,
}

/// All ranges by address, and their total size.
struct GraphRanges {
    all: BTreeMap<u64, GraphRange>,
    counts: GraphBytes,
}

/// Bytes of graph memory: reserved, the maximum reserved, used, and the maximum used.
#[derive(Clone, Copy)]
struct GraphBytes {
    pub used: u64,
    pub used_high: u64,
    pub reserved: u64,
    pub reserved_high: u64,
}

static RANGES: Mutex<GraphRanges> = Mutex::new(GraphRanges {
    all: BTreeMap::new(),
    counts: GraphBytes { used: 0, used_high: 0, reserved: 0, reserved_high: 0 },
});

impl GraphRanges {
    /// Recomputes the totals.
    fn count(&mut self) {
        let counted = self.all.values().filter(|range| range.live || range.held);
        let counts = &mut self.counts;
        counts.used = counted.map(|range| range.bytes as u64).sum();
        counts.used_high = counts.used_high.max(counts.used);
        counts.reserved = counts.reserved.max(counts.used);
        counts.reserved_high = counts.reserved_high.max(counts.reserved);
    }
}

impl Driver {
    /// Reserves an address range for a graph.
    pub fn reserve_for_graph(&self, bytes: usize) -> Result<u64> {
        let context = self.context()?.handle;
        if bytes == 0 {
            return Err(Status::InvalidValue);
        }
        let whole = bytes.checked_next_multiple_of(PAGE).ok_or(Status::OutOfMemory)?;
        let pages = Pages::reserve(whole, PAGE).ok_or(Status::OutOfMemory)?;
        let address = pages.start() as u64;
        lock(&RANGES)
            .all
            .insert(address, GraphRange { pages, bytes, context, live: false, held: false });
        Ok(address)
    }

    /// Backs a reserved address with memory. Fails if it is already backed.
    pub fn allocate_for_graph(&self, address: u64) -> Result {
        self.finish_detached()?;
        let mut ranges = lock(&RANGES);
        let range = ranges.all.get_mut(&address).ok_or(Status::InvalidValue)?;
        if range.live {
            return Err(Status::InvalidValue);
        }
        range.pages.map_private().ok_or(Status::OutOfMemory)?;
        // SAFETY: the pages are mapped, and remain so until `free_of_graph` or `end_memory_of_graphs` unregisters
        // them.
        unsafe {
            self.device.register_host(address as *mut u8, range.bytes as u64, "memory of a graph")
        }
        .map_err(|_| Status::Unknown)?;
        (range.live, range.held) = (true, true);
        ranges.count();
        Ok(())
    }

    /// Whether an address is the start of a graph's memory.
    pub fn is_of_graph(&self, address: u64) -> bool {
        lock(&RANGES).all.contains_key(&address)
    }

    /// Whether a graph's address is backed by memory.
    pub fn has_memory_of_graph(&self, address: u64) -> bool {
        lock(&RANGES).all.get(&address).is_some_and(|range| range.live)
    }

    /// Whether bytes are in a graph's range, backed or not.
    pub fn graph_spans(&self, address: u64, bytes: usize) -> bool {
        let ranges = lock(&RANGES);
        let found = ranges.all.range(..=address).next_back();
        found.is_some_and(|(start, range)| {
            let left = (range.bytes as u64).checked_sub(address - start);
            left.is_some_and(|left| bytes as u64 <= left)
        })
    }

    /// Frees the memory behind an address.
    pub fn free_of_graph(&self, address: u64) -> Result {
        self.finish_detached()?;
        let mut ranges = lock(&RANGES);
        let range = ranges.all.get_mut(&address).filter(|range| range.live);
        self.end_range(address, range.ok_or(Status::InvalidValue)?)
    }

    fn end_range(&self, address: u64, range: &mut GraphRange) -> Result {
        range.live = false;
        self.device.unregister_host(address as *const u8).map_err(|_| Status::Unknown)?;
        range.pages.unmap(range.pages.start(), range.pages.bytes()).ok_or(Status::Unknown)
    }

    /// Frees all graph memory of a context.
    pub fn end_memory_of_graphs(&self, context: Handle) {
        let mut ranges = lock(&RANGES);
        for (&address, range) in
            ranges.all.iter_mut().filter(|(_, range)| range.live && range.context == context)
        {
            let _ = self.end_range(address, range);
        }
        ranges.all.retain(|_, range| range.context != context);
        ranges.count();
    }

    /// Current totals.
    fn bytes_of_graphs(&self) -> GraphBytes {
        lock(&RANGES).counts
    }

    /// Resets the maximum used or reserved.
    fn forget_most_of_graphs(&self, reserved: bool) {
        let counts = &mut lock(&RANGES).counts;
        if reserved {
            counts.reserved_high = counts.reserved
        } else {
            counts.used_high = counts.used
        }
    }

    /// Releases unused memory.
    fn trim_graphs(&self) {
        let mut ranges = lock(&RANGES);
        ranges.all.values_mut().for_each(|range| range.held = range.live);
        ranges.counts.reserved = 0;
        ranges.count();
    }
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AllocationParameters {
    /// Pool properties, and access of other devices. All devices have access anyway.
    pool: [u64; 11],
    accesses: [u64; 2],
    bytes: usize,
    address: u64,
}

abi!(AllocationParameters = 120, 8 { pool: 0, accesses: 88, bytes: 104, address: 112 });

impl AllocationParameters {
    /// Checks the pool: pinned memory of a device.
    fn check(&self) -> Result {
        // Allocation and handle kinds, then kind and number of the location.
        let ([kind, _], [location, device]) = (halves(self.pool[0]), halves(self.pool[1]));
        match location {
            _ if kind != 1 => Err(Status::InvalidValue),
            1 => driver()?.gpu(device).map(drop).map_err(|_| Status::InvalidValue),
            2..=4 => Err(Status::NotSupported),
            _ => Err(Status::InvalidValue),
        }
    }
}

/// The two words of a number.
fn halves(number: u64) -> [i32; 2] {
    [number as i32, (number >> 32) as i32]
}

impl Graph {
    /// Graphs that allocate or free memory can be neither cloned nor part of another graph.
    pub fn check_shareable(&self) -> Result {
        let nodes = lock(&self.nodes);
        let owns =
            |node: &Handle| table::<Node>().some(*node).is_ok_and(|node| node.work().owns_memory());
        match nodes.iter().any(|(node, _)| owns(node)) {
            true => Err(Status::NotSupported),
            false => Ok(()),
        }
    }

    /// Whether one of its nodes frees the memory at an address.
    fn frees(&self, address: u64) -> bool {
        let nodes = lock(&self.nodes);
        let of = |node: &Handle| match table::<Node>().some(*node) {
            Ok(node) => matches!(*node.work(), Work::Release(freed) if freed == address),
            Err(_) => false,
        };
        nodes.iter().any(|(node, _)| of(node))
    }
}

/// The work of an allocation node; its address is stored in the parameters.
pub fn allocation(parameters: Out<'_, AllocationParameters>) -> Result<Work> {
    let given = parameters.get()?;
    given.check()?;
    let address = driver()?.reserve_for_graph(given.bytes)?;
    parameters.store(AllocationParameters { address, ..given })?;
    Ok(Work::Allocate(address, given.bytes))
}

/// The work of a free node.
pub fn release(address: u64) -> Result<Work> {
    if driver()?.is_of_graph(address) {
        Ok(Work::Release(address))
    } else {
        Err(Status::InvalidValue)
    }
}

/// Attributes of graph memory (`CUgraphMem_attribute`): used, maximum used, reserved, maximum reserved.
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
    fn cuGraphAddMemAllocNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, parameters: Out<'_, AllocationParameters>) {
        let made = driver()?.add_node(graph, &after.list(count)?, allocation(parameters)?)?;
        node.store(made)
    }

    fn cuGraphMemAllocNodeGetParams(node: Handle, parameters: Out<'_, AllocationParameters>) {
        let Work::Allocate(address, bytes) = *table::<Node>().some(node)?.work() else {
            return Err(Status::InvalidValue);
        };
        // Pinned device memory without an IPC handle type.
        let mut pool = [0; 11];
        (pool[0], pool[1]) = (1, 1);
        parameters.store(AllocationParameters { pool, accesses: [0; 2], bytes, address })
    }

    fn cuGraphAddMemFreeNode(node: Out<'_, Handle>, graph: Handle, after: In<'_, Handle>, count: usize, address: u64) {
        // Memory is freed once.
        if table::<Graph>().some(graph)?.frees(address) {
            return Err(Status::InvalidValue);
        }
        let made = driver()?.add_node(graph, &after.list(count)?, release(address)?)?;
        node.store(made)
    }

    fn cuGraphMemFreeNodeGetParams(node: Handle, address: Out<'_, u64>) {
        let Work::Release(freed) = *table::<Node>().some(node)?.work() else {
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
