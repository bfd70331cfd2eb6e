//! Describes work to race checking (`ordering`): its name, its accesses, and the work that has finished when the call
//! returns.

use crate::graphs::work::{Graph, Work};
use crate::interface::call_sites::CallSite;
use crate::memory::allocations::AllocationKind;
use crate::memory::transfer::Copy3D;
use crate::memory::unwritten;
use crate::modules::function::Function;
use crate::modules::managed_variables::variables_in;
use crate::ordering;
use crate::ordering::findings::{Action, Operation, Origin, StreamName};
use crate::ordering::host_access::{WatchedOperation, during_function, watch, whole_pages};
use crate::ordering::strands::{GraphOrder, Point, Step};
use crate::ordering::touched_pages::touched_parts;
use crate::ordering::{HostWaits, OperationPart, Tag};
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::Result;
use crate::streams::memory_ops::MemoryOp;
use crate::streams::stream::{PER_THREAD, SYNCHRONOUS};
use crate::streams::{Event, detached};
use lanework::emulator::sanitize::footprint::{AccessMode, AccessedBytes, ByteSet, Footprint};
use lanework::emulator::sanitize::{CodeLocation, readable_name};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

impl Driver {
    /// Name of a stream for findings.
    fn stream_name(&self, stream: Handle) -> StreamName {
        match (stream, self.stream(stream)) {
            (_, Ok(Some(created))) => {
                StreamName::Created { number: created.number, blocking: created.is_blocking() }
            }
            (PER_THREAD, _) => StreamName::PerThread,
            _ => StreamName::Default,
        }
    }

    /// Issues an operation, if races are checked.
    pub fn tag(&self, stream: Handle, work: &Work) -> Result<Option<Arc<Tag>>> {
        if !ordering::active() {
            return Ok(None);
        }
        let (ordered, name) = (self.ordered_stream(stream)?, self.stream_name(stream));
        let waits = work.host_waits(stream);
        Ok(Tag::issue(ordered, name, stream == SYNCHRONOUS, waits).map(Arc::new))
    }

    /// Operations that synchronizing with a stream waits for.
    pub fn waited_for(&self, stream: Handle) -> Result<Vec<Arc<Point>>> {
        match ordering::active() {
            true => Ok(ordering::waited_for_stream(self.ordered_stream(stream)?.key)),
            false => Ok(Vec::new()),
        }
    }

    /// Makes a stream wait for an event recorded at a point.
    pub fn wait_for_event(&self, stream: Handle, event: Option<Arc<Point>>) -> Result {
        ordering::wait(self.ordered_stream(stream)?, event);
        Ok(())
    }

    /// Records that memory was allocated in stream order.
    pub fn allocated_on(&self, stream: Handle, address: u64, bytes: u64) -> Result {
        if let Some(tag) = self.tag(stream, &Work::Nothing)? {
            let stream = self.stream_name(stream);
            let site = Some(CallSite::here());
            let operation = Operation { action: Action::Allocate, stream, polls: false, site };
            tag.allocated(operation, address, bytes);
        }
        Ok(())
    }

    /// Kind of the memory at an address, if the program allocated or registered it.
    pub fn kind_of_memory(&self, address: u64) -> Option<AllocationKind> {
        let found = self.allocations().find(address).map(|(_, found)| found.kind);
        let is_variable = || !variables_in(address, address + 1).is_empty();
        found.or_else(|| is_variable().then_some(AllocationKind::Managed))
    }

    /// The memory between two addresses that the host can access, and whether it has its own pages.
    fn host_memory(&self, low: u64, high: u64) -> Vec<(Range<u64>, bool)> {
        let allocations = self.allocations();
        let has_pages = |start| allocations.find(start).is_some_and(|(_, found)| found.has_pages);
        let allocated = allocations.of_host(low, high);
        let allocated = allocated.map(|(start, bytes)| (start..start + bytes, has_pages(start)));
        let variables = variables_in(low, high).into_iter();
        allocated.chain(variables.map(|(start, bytes)| (start..start + bytes, true))).collect()
    }

    /// Whether the host can poll some of these bytes.
    fn host_may_poll(&self, bytes: &ByteSet) -> bool {
        let (low, high) = bytes.hull();
        self.host_memory(low, high).into_iter().any(|(range, _)| {
            !bytes.intersection(&ByteSet::range(range.start, range.end)).is_empty()
        })
    }
}

/// Memory kind of one side of a copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemorySide {
    Device,
    Managed,
    Pinned,
    Pageable,
}

fn memory(address: u64) -> MemorySide {
    let Ok(driver) = driver() else { return MemorySide::Pageable };
    match driver.kind_of_memory(address) {
        Some(AllocationKind::Managed) => MemorySide::Managed,
        Some(AllocationKind::Host | AllocationKind::Registered) => MemorySide::Pinned,
        Some(AllocationKind::Device) => MemorySide::Device,
        None if driver.device.allocation_at(address).is_some() => MemorySide::Device,
        None => MemorySide::Pageable,
    }
}

/// The host's knowledge when a copy's call returns (CUDA driver API, "API synchronization behavior").
fn copy_waits(copy: &Copy3D, synchronous: bool) -> HostWaits {
    use MemorySide::{Device, Managed, Pageable, Pinned};
    let Some((to, from)) = copy.first_row() else { return HostWaits::No };
    match (memory(from), memory(to)) {
        (Pageable | Pinned, Pageable | Pinned) | (Device | Managed, Pageable) => HostWaits::Yes,
        _ if !synchronous => HostWaits::No,
        (Managed, _) | (_, Managed) | (Pinned, _) | (_, Pinned) => HostWaits::Yes,
        (Pageable, _) => HostWaits::Before,
        _ => HostWaits::No,
    }
}

impl Graph {
    /// Order of the nodes that follows from their edges, if races are checked.
    pub fn node_order(&self, order: &[(Handle, Work)]) -> Option<Arc<GraphOrder>> {
        if !ordering::active() {
            return None;
        }
        let nodes: HashMap<Handle, Vec<Handle>> = lock(&self.nodes).iter().cloned().collect();
        let after = order.iter().map(|(node, _)| (*node, nodes.get(node).map_or(&[][..], |v| v)));
        Some(Arc::new(GraphOrder::from_nodes(after)))
    }
}

impl Work {
    /// The host's knowledge when the call returns.
    fn host_waits(&self, stream: Handle) -> HostWaits {
        match self {
            Work::Copy(copy) => copy_waits(copy, stream == SYNCHRONOUS),
            Work::Fill(fill) if stream == 0 && memory(fill.address) != MemorySide::Device => {
                HostWaits::Yes
            }
            _ => HostWaits::No,
        }
    }

    /// Describes the work for findings.
    fn operation(&self, origin: &Origin) -> Operation {
        static LAUNCHES: AtomicU64 = AtomicU64::new(0);
        let mut polls = false;
        let Origin { stream, synchronous, in_graph, site } = origin;
        let action = match self {
            Work::Launch(launch, _) => {
                let function = table::<Function>().get(launch.function);
                let name = function.as_ref().map_or("", |function| function.name()).to_owned();
                polls = launch.may_wait();
                Action::Kernel(name, LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1)
            }
            Work::Copy(copy) if *synchronous && copy_waits(copy, true) == HostWaits::Before => {
                Action::StagedCopy(copy.bytes())
            }
            Work::Copy(copy) => Action::Copy(
                match (in_graph, synchronous) {
                    (true, _) => "a memcpy node",
                    (_, true) => "cudaMemcpy",
                    _ => "cudaMemcpyAsync",
                },
                copy.bytes(),
            ),
            Work::Fill(fill) => Action::Fill(
                match (in_graph, stream) {
                    (true, _) => "a memset node",
                    (_, StreamName::Default) => "cudaMemset",
                    _ => "cudaMemsetAsync",
                },
                fill.bytes(),
            ),
            Work::Free(_) | Work::Release(_) => Action::Free,
            Work::Allocate(..) => Action::Allocate,
            _ if self.calls_host() => Action::Call("a host function"),
            _ => Action::Call("cuStreamWriteValue"),
        };
        Operation { action, stream: stream.clone(), polls, site: Some(site.clone()) }
    }

    /// Accesses, excluding its launches.
    fn footprint(&self) -> Footprint {
        match self {
            Work::Copy(copy) => Footprint::of_ranges(copy.accesses()),
            Work::Fill(fill) => Footprint::of_ranges(fill.accesses()),
            Work::Memory(ops) => Footprint::of_ranges(ops.iter().filter_map(|op| match *op {
                MemoryOp::Write { address, bytes, .. } => {
                    Some((AccessMode::StrongWrite, address, bytes as u64))
                }
                _ => None,
            })),
            Work::Free(address) | Work::Release(address) => {
                let found = driver().ok().and_then(|driver| driver.range_at(*address));
                let found = found.filter(|(start, _)| start == address);
                Footprint::of_ranges(found.map(|(start, bytes)| (AccessMode::Write, start, bytes)))
            }
            Work::Allocate(address, bytes) => {
                Footprint::of_ranges([(AccessMode::Write, *address, *bytes as u64)])
            }
            _ => Footprint::default(),
        }
    }

    /// Whether the program may learn of its completion without a call: it is a callback, or writes memory that the host polls.
    fn tells_host(&self) -> bool {
        match self {
            Work::Memory(ops) => ops.iter().any(|op| match *op {
                MemoryOp::Write { address, .. } => memory(address) != MemorySide::Device,
                _ => false,
            }),
            _ => self.calls_host(),
        }
    }

    /// Runs the work as the operation of its tag.
    pub fn run_tagged(&self, tag: Option<&Tag>) -> Result {
        match tag {
            None => self.run(),
            Some(tag) => tag.run(|| self.run_part(|| self.run())),
        }
    }

    /// Runs the work as a node of a child graph.
    pub fn run_node(&self, order: Option<&Arc<GraphOrder>>, node: Handle) -> Result {
        match order {
            None => self.run(),
            Some(order) => ordering::within(
                || Step::Node(order.clone(), node),
                || self.run_part(|| self.run()),
            ),
        }
    }

    fn run_part(&self, run: impl FnOnce() -> Result) -> Result {
        // Graphs are compared node by node.
        if matches!(self, Work::Graph(_) | Work::Conditional { .. } | Work::Reset(_)) {
            return run();
        }
        if let Work::Record(event) | Work::Wait(event) = self
            && let Some(point) = ordering::current_graph()
            && let Some(event) = table::<Event>().find(*event)
        {
            let mut recorded = lock(&event.point);
            match self {
                Work::Record(_) => *recorded = Some(point),
                _ => recorded.iter().for_each(|event| point.acquire(&event.clock())),
            }
        }
        let waits = matches!(self, Work::Memory(ops) if ops.iter().any(MemoryOp::is_wait));
        let may_poll = |bytes: &ByteSet| driver().is_ok_and(|driver| driver.host_may_poll(bytes));
        let part = OperationPart {
            operation: &|origin| self.operation(origin),
            footprint: &|| self.footprint(),
            ends_memory: matches!(self, Work::Free(_) | Work::Release(_)),
            tells_host: self.tells_host(),
            host_may_poll: &may_poll,
            uses_host: &|operation, footprint, signal| {
                watch_memory(operation, "kernel", footprint, signal);
            },
            waited: &|| waits || detached::is_detached(),
        };
        if let (Work::Launch(..) | Work::Copy(_), Ok(driver)) = (self, driver()) {
            note_host_writes(driver);
        }
        let result = ordering::run_part(&part, || match ordering::current_part() {
            Some((point, origin)) if self.calls_host() => {
                let clock = point.clock();
                let comes_before = |other: &Point| clock.last(other.strand) >= other.number;
                during_function(&origin.stream.to_string(), comes_before, run)
            }
            _ => run(),
        });
        if let (Work::Copy(copy), Ok(())) = (self, &result) {
            unwritten::check(copy);
            if let Some((_, origin)) = ordering::current_part() {
                let footprint = Footprint::of_ranges(copy.accesses());
                watch_memory(&self.operation(&origin), "copy", &footprint, None);
            }
        }
        result
    }
}

/// Counts the pages of managed memory that the host has touched as written.
fn note_host_writes(driver: &Driver) {
    let is_live = |start, bytes| driver.range_at(start) == Some((start, bytes));
    let mark = |start, bytes| {
        if let Ok(held) = driver.device.hold_at(start, bytes) {
            held.wrote();
        }
    };
    touched_parts(is_live, mark);
}

/// Watches the memory of the host that a copy or kernel uses, until the host has waited for it. If a kernel signals the
/// host before that, `signal` is the line of the signaling write.
fn watch_memory(
    operation: &Operation,
    kind: &'static str,
    footprint: &Footprint,
    signal: Option<&CodeLocation>,
) {
    let (Ok(driver), Some((point, _))) = (driver(), ordering::current_part()) else { return };
    let of_mode = |wanted: fn(AccessMode) -> bool| {
        let accesses = footprint.accesses.iter().filter(|one| wanted(one.mode));
        accesses.fold(ByteSet::default(), |all, one| all.union(&one.bytes))
    };
    let written = of_mode(AccessMode::writes);
    // A word that the kernel reads by atomics or `volatile` may be a flag that the host sets meanwhile.
    let read = of_mode(|mode| mode == AccessMode::Read);
    for (bytes, writes) in [(read.difference(&written), false), (written, true)] {
        let (low, high) = bytes.hull();
        for (range, has_pages) in driver.host_memory(low, high) {
            let used = bytes.intersection(&ByteSet::range(range.start, range.end));
            let Some((start, end)) = used.ends() else { continue };
            let pages = match has_pages {
                true => whole_pages(&(start..end), &(start..end), true),
                false => whole_pages(&(start..end), &range, false),
            };
            let line = |signal: &CodeLocation| {
                let overlaps = |one: &&AccessedBytes| !one.bytes.intersection(&used).is_empty();
                let write = footprint.accesses.iter().find(overlaps);
                let write = write.and_then(|one| one.line.clone()).unwrap_or_default();
                [write.to_string(), signal.to_string()]
            };
            let unfenced = signal.map(line);
            watch_operation(&point, operation, (kind, used), pages, writes, unfenced);
        }
    }
}

/// Watches host memory that an operation uses.
fn watch_operation(
    point: &Arc<Point>,
    operation: &Operation,
    (kind, bytes): (&'static str, ByteSet),
    pages: Range<usize>,
    writes: bool,
    unfenced: Option<[String; 2]>,
) {
    let (point, position) = (point.clone(), point.clone());
    let (call, stream) =
        (readable_name(operation.name()).into_owned(), operation.stream.to_string());
    let told = unfenced.is_some();
    let has_ended = Box::new(move || match told {
        true => ordering::is_waited_for(&point),
        false => ordering::is_known(&point),
    });
    let site = operation.site.clone().unwrap_or_else(CallSite::here);
    let operation = operation.to_string();
    watch(WatchedOperation {
        bytes,
        pages,
        writes,
        kind,
        operation,
        call,
        stream,
        site,
        unfenced,
        point: position,
        has_ended,
    });
}
