//! What runs: the operation that a thread runs, where in it the thread is, and what is compared when a part of it ends.

use crate::handles::Handle;
use crate::ordering::findings;
use crate::ordering::findings::{Operation, Origin, StreamName};
use crate::ordering::graph_order::{GraphOrder, Step};
use crate::ordering::history::{EndedPart, History};
use crate::ordering::strands::{Clock, Point, Strands};
use crate::state::{driver, lock};
use crate::status::Result;
use crate::streams::stream::OrderedStream;
use lanework::emulator::sanitize::footprint::{AccessMode, ByteSet, Footprint, LaunchShadow};
use lanework::tool;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Operations that were issued and have not ended.
static OPEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The operation that this thread runs.
    static CURRENT: RefCell<Option<CurrentOperation>> = const { RefCell::new(None) };
}

/// The operation that a thread runs, and where in it the thread is.
#[derive(Clone)]
struct CurrentOperation {
    point: Arc<Point>,
    /// The nodes of graphs and the iterations of loops that lead to where the thread is, from the outside in.
    steps: Vec<Step>,
    stream: StreamName,
    synchronous: bool,
}

/// What the host knows when a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWaits {
    /// No more than before.
    No,
    /// That what comes before the operation in its stream has ended.
    Before,
    /// That the operation has ended.
    Yes,
}

/// An operation that was issued. It goes with the work until that has been done.
pub struct Tag {
    current: CurrentOperation,
    waits: HostWaits,
}

/// Counts an operation among those that run until it is dropped.
struct Running(Arc<Point>);

impl Running {
    fn begin(point: Arc<Point>) -> Running {
        with(|state| state.running.push(point.clone()));
        Running(point)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        with(|state| {
            let at = state.running.iter().position(|point| Arc::ptr_eq(point, &self.0));
            at.map(|at| state.running.swap_remove(at))
        });
    }
}

impl Drop for Tag {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Tag {
    fn new(current: CurrentOperation, waits: HostWaits) -> Tag {
        OPEN.fetch_add(1, Ordering::AcqRel);
        Tag { current, waits }
    }

    /// Issues an operation to a stream, by a call that is synchronous by its name or not; `None` where operations are not compared.
    pub fn issue(
        stream: OrderedStream,
        name: StreamName,
        synchronous: bool,
        waits: HostWaits,
    ) -> Option<Tag> {
        let point = with(|state| state.strands.issue(stream))?;
        Some(Tag::new(
            CurrentOperation { point, steps: Vec::new(), stream: name, synchronous },
            waits,
        ))
    }

    /// The operation's place in the order of operations.
    pub fn point(&self) -> Arc<Point> {
        self.current.point.clone()
    }

    /// The tag of a node of the graph that this operation launches.
    pub fn node(&self, graph: &Arc<GraphOrder>, node: Handle) -> Tag {
        let steps = vec![Step::Node(graph.clone(), node)];
        Tag::new(CurrentOperation { steps, ..self.current.clone() }, HostWaits::No)
    }

    /// Runs the operation in this thread.
    ///
    /// # Errors
    /// Those of `run`.
    pub fn run(&self, run: impl FnOnce() -> Result) -> Result {
        let outer = CURRENT.replace(Some(self.current.clone()));
        let running = Running::begin(self.point());
        let result = run();
        drop(running);
        CURRENT.set(outer);
        let point = &self.current.point;
        match self.waits {
            HostWaits::No => {}
            HostWaits::Before => drop(with(|state| state.strands.host_waited_before(point))),
            HostWaits::Yes => drop(with(|state| state.strands.host_waited(point))),
        }
        result
    }

    /// Memory was allocated in the order of the operation's stream.
    pub fn allocated(&self, operation: Operation, address: u64, bytes: u64) {
        let footprint = Footprint::of_ranges([(AccessMode::Write, address, bytes)]);
        compare(&self.current, operation, footprint, Vec::new());
    }
}

/// A part of an operation: the whole of it, or a node of its graph.
pub struct OperationPart<'a> {
    /// What it is, as findings name it.
    pub operation: &'a dyn Fn(&Origin) -> Operation,
    /// What it accesses beside what its launches do.
    pub footprint: &'a dyn Fn() -> Footprint,
    /// Whether it ends memory, which is compared before it runs: afterwards the bytes may be those of another allocation.
    pub ends_memory: bool,
    /// Whether the program may learn that it has ended without a call: it is a callback, or writes what the host polls.
    pub tells_host: bool,
    /// Whether the host can poll some of these bytes.
    pub host_may_poll: &'a dyn Fn(&ByteSet) -> bool,
    /// Whether it has waited for others by what they wrote, and not by the order of streams alone.
    pub waited: &'a dyn Fn() -> bool,
}

impl OperationPart<'_> {
    fn operation(&self, current: &CurrentOperation) -> Operation {
        let CurrentOperation { stream, synchronous, steps, .. } = current;
        let (stream, synchronous, in_graph) = (stream.clone(), *synchronous, !steps.is_empty());
        (self.operation)(&Origin { stream, synchronous, in_graph })
    }
}

/// Calls `run` as a step of the operation that this thread runs: a node of its graph, or an iteration of a loop.
pub fn within<R>(step: impl FnOnce() -> Step, run: impl FnOnce() -> R) -> R {
    if !CURRENT.with_borrow(Option::is_some) {
        return run();
    }
    let step = step();
    CURRENT.with_borrow_mut(|now| now.iter_mut().for_each(|now| now.steps.push(step.clone())));
    let result = run();
    CURRENT.with_borrow_mut(|now| now.iter_mut().for_each(|now| drop(now.steps.pop())));
    result
}

/// Runs a part of the operation that this thread runs, and compares what it accesses with what operations before it accessed.
///
/// # Errors
/// Those of `run`.
pub fn run_part(part: &OperationPart<'_>, run: impl FnOnce() -> Result) -> Result {
    let Some(current) = CURRENT.with_borrow(Clone::clone) else { return run() };
    if part.ends_memory {
        compare(&current, part.operation(&current), (part.footprint)(), Vec::new());
    }
    let (result, launches) = tool::collect(run);
    let mut tells_host = part.tells_host;
    if (part.waited)() {
        // Who wrote what it waited for may still run, and is compared when it has ended.
        with(|state| current.point.acquire(&state.all_but(&current.point)));
    } else if !part.ends_memory {
        // What is refused accesses nothing.
        let mut footprint = if result.is_ok() { (part.footprint)() } else { Footprint::default() };
        let mut shadows = Vec::new();
        for shadow in launches {
            let of_host = |(start, end)| (part.host_may_poll)(&ByteSet::range(start, end));
            if !shadow.allocations().any(of_host) {
                shadows.push(shadow);
                continue;
            }
            let of_launch = shadow.footprint();
            let mut strong =
                of_launch.accesses.iter().filter(|access| access.mode == AccessMode::StrongWrite);
            tells_host |= strong.any(|access| (part.host_may_poll)(&access.bytes));
            footprint.add(of_launch);
        }
        compare(&current, part.operation(&current), footprint, shadows);
    }
    if tells_host {
        with(|state| state.strands.host_waited(&current.point));
    }
    result
}

/// Compares a part of an operation, which has ended, with what ended before it, and reports the races.
fn compare(
    current: &CurrentOperation,
    operation: Operation,
    footprint: Footprint,
    shadows: Vec<LaunchShadow>,
) {
    let Ok(driver) = driver() else { return };
    let (point, steps) = (current.point.clone(), current.steps.as_slice().into());
    let ended = EndedPart { point, steps, operation: Arc::new(operation), footprint, shadows };
    with(|state| {
        // With other operations open nothing is forgotten: one of them may race with what the host has waited for since.
        if OPEN.load(Ordering::Acquire) <= 1 {
            state.history.forget(state.strands.host());
            let gone = state.strands.forget_ended();
            state.history.forget_strands(&gone);
        }
        for (start, bytes) in tool::take_ended(&driver.device) {
            state.history.forget_bytes(&ByteSet::range(start, start + bytes));
        }
        for mut race in state.history.add(ended) {
            let start = race.bytes.ends().map_or(0, |(start, _)| start);
            let memory = tool::allocation(&driver.device, start);
            if let Some((_, first, bytes)) = &memory {
                race.bytes = race.bytes.intersection(&ByteSet::range(*first, first + bytes));
            }
            let report = findings::report(&race, memory);
            tool::keep_findings(&report.kernel.clone(), &[report]);
        }
    });
}

/// The operation that this thread runs, where it is a graph.
pub fn current_graph() -> Option<Arc<Point>> {
    let of_graph = |now: &&CurrentOperation| !now.steps.is_empty();
    CURRENT.with_borrow(|now| now.as_ref().filter(of_graph).map(|now| now.point.clone()))
}

/// The order of operations, and what they accessed.
#[derive(Default)]
pub struct OrderingState {
    pub strands: Strands,
    pub history: History,
    /// Operations that run.
    pub running: Vec<Arc<Point>>,
}

impl OrderingState {
    /// A clock that knows all that others have done so far, or do: what an operation of this point may have waited for.
    pub fn all_but(&self, own: &Arc<Point>) -> Clock {
        let mut clock = self.history.all();
        for point in self.running.iter().filter(|point| !Arc::ptr_eq(point, own)) {
            clock.join(&point.clock());
        }
        clock
    }
}

static STATE: Mutex<Option<OrderingState>> = Mutex::new(None);

/// Whether operations are compared.
pub fn active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        let Ok(driver) = driver() else { return false };
        let checks = tool::checks(&driver.device);
        if checks {
            // From now on, the device notes which memory ends.
            tool::take_ended(&driver.device);
        }
        checks
    })
}

/// Calls `change` with the state, where operations are compared.
pub fn with<R>(change: impl FnOnce(&mut OrderingState) -> R) -> Option<R> {
    active().then(|| change(lock(&STATE).get_or_insert_default()))
}
