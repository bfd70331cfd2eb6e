//! Memory of graphs: an address is fixed when a node is made, and has memory behind it from the time that the node runs until it is freed,
//! by another node or by the host.

use crate::handles::Handle;
use crate::lock::lock;
use crate::shared::Pages;
use crate::state::Driver;
use crate::status::{Result, Status};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Pages are this large.
const PAGE: usize = 4096;

/// The memory of one node.
struct Range {
    pages: Pages,
    bytes: usize,
    context: Handle,
    live: bool,
}

/// The ranges by their addresses, and the most bytes that were in use.
struct Ranges {
    all: BTreeMap<u64, Range>,
    high: u64,
}

static RANGES: Mutex<Ranges> = Mutex::new(Ranges { all: BTreeMap::new(), high: 0 });

impl Ranges {
    fn used(&self) -> u64 {
        self.all.values().filter(|range| range.live).map(|range| range.bytes as u64).sum()
    }
}

impl Driver {
    /// Reserves an address for memory of a graph.
    pub fn reserve_for_graph(&self, bytes: usize) -> Result<u64> {
        let context = self.context()?.handle;
        if bytes == 0 {
            return Err(Status::InvalidValue);
        }
        let whole = bytes.checked_next_multiple_of(PAGE).ok_or(Status::OutOfMemory)?;
        let pages = Pages::reserve(whole, PAGE).ok_or(Status::OutOfMemory)?;
        let address = pages.start() as u64;
        lock(&RANGES).all.insert(address, Range { pages, bytes, context, live: false });
        Ok(address)
    }

    /// Gives an address its memory, which must have none.
    pub fn allocate_for_graph(&self, address: u64) -> Result {
        self.finish_detached()?;
        let mut ranges = lock(&RANGES);
        let range = ranges.all.get_mut(&address).ok_or(Status::InvalidValue)?;
        if range.live {
            return Err(Status::InvalidValue);
        }
        range.pages.map_private().ok_or(Status::OutOfMemory)?;
        // SAFETY: these pages are mapped, and stay so until they are unregistered here.
        unsafe {
            self.device.register_host(address as *mut u8, range.bytes as u64, "memory of a graph")
        }
        .map_err(|_| Status::Unknown)?;
        range.live = true;
        ranges.high = ranges.used().max(ranges.high);
        Ok(())
    }

    /// Whether an address is of memory of a graph.
    pub fn is_of_graph(&self, address: u64) -> bool {
        lock(&RANGES).all.contains_key(&address)
    }

    /// Whether there is memory at an address of a graph.
    pub fn has_memory_of_graph(&self, address: u64) -> bool {
        lock(&RANGES).all.get(&address).is_some_and(|range| range.live)
    }

    /// Whether some bytes lie in the range of a node, whether or not there is memory now.
    pub fn graph_spans(&self, address: u64, bytes: usize) -> bool {
        let ranges = lock(&RANGES);
        let found = ranges.all.range(..=address).next_back();
        found.is_some_and(|(start, range)| {
            let left = (range.bytes as u64).checked_sub(address - start);
            left.is_some_and(|left| bytes as u64 <= left)
        })
    }

    /// Takes the memory of an address away.
    pub fn free_of_graph(&self, address: u64) -> Result {
        self.finish_detached()?;
        let mut ranges = lock(&RANGES);
        let range = ranges.all.get_mut(&address).filter(|range| range.live);
        self.end_range(address, range.ok_or(Status::InvalidValue)?)
    }

    fn end_range(&self, address: u64, range: &mut Range) -> Result {
        range.live = false;
        self.device.unregister_host(address as *const u8).map_err(|_| Status::Unknown)?;
        range.pages.unmap(range.pages.start(), range.pages.bytes()).ok_or(Status::Unknown)
    }

    /// Ends the memory of graphs of a context.
    pub fn end_memory_of_graphs(&self, context: Handle) {
        let mut ranges = lock(&RANGES);
        for (&address, range) in
            ranges.all.iter_mut().filter(|(_, range)| range.live && range.context == context)
        {
            let _ = self.end_range(address, range);
        }
        ranges.all.retain(|_, range| range.context != context);
    }

    /// Bytes in use, and most that were.
    pub fn used_by_graphs(&self) -> (u64, u64) {
        let ranges = lock(&RANGES);
        (ranges.used(), ranges.high)
    }

    /// Lets the most that was in use start anew.
    pub fn forget_most_of_graphs(&self) {
        let mut ranges = lock(&RANGES);
        ranges.high = ranges.used();
    }
}
