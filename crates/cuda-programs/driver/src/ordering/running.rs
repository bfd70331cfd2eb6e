//! The operation that each thread runs, and its comparison with others when a part of it finishes.

use crate::interface::call_sites::CallSite;
use crate::ordering::findings;
use crate::ordering::findings::{Action, Operation, Origin, StreamName};
use crate::ordering::history::{EndedPart, History, Race};
use crate::ordering::strands::{Clock, GraphOrder, Point, Step, Strands};
use crate::state::{Driver, Handle, driver, lock};
use crate::status::Result;
use crate::streams::stream::{OrderedStream, StreamKey};
use lanework::emulator::sanitize::CodeLocation;
use lanework::emulator::sanitize::footprint::{AccessMode, ByteSet, Footprint, LaunchShadow};
use lanework::tool;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Number of issued operations that have not finished.
static OPEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The operation that this thread runs. Never dropped, so that calls are possible while the thread or the process exits.
    static CURRENT: ManuallyDrop<RefCell<Option<CurrentOperation>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

thread_local! {
    /// The memory for devices that the host function which this thread has just run has used, if that was recorded.
    static FUNCTION_USED: RefCell<Option<Footprint>> = const { RefCell::new(None) };
}

/// Records the memory for devices that the current host function has used.
pub fn function_used(footprint: Footprint) {
    FUNCTION_USED.with(|used| used.replace(Some(footprint)));
}

/// The operation that a thread runs, and the position in it.
#[derive(Clone)]
struct CurrentOperation {
    point: Arc<Point>,
    /// Enclosing graph nodes and loop iterations, outermost first.
    steps: Vec<Step>,
    stream: StreamName,
    synchronous: bool,
    /// Where the program issued it.
    site: CallSite,
}

impl CurrentOperation {
    fn origin(&self) -> Origin {
        Origin {
            stream: self.stream.clone(),
            synchronous: self.synchronous,
            in_graph: !self.steps.is_empty(),
            site: self.site.clone(),
        }
    }
}

/// The host's knowledge when a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWaits {
    /// Nothing new.
    No,
    /// Earlier operations of the stream have finished.
    Before,
    /// The operation has finished.
    Yes,
}

/// An issued operation; its work carries the tag until it has run.
pub struct Tag {
    current: CurrentOperation,
    waits: HostWaits,
}

/// Registers a running operation until dropped.
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

    /// Issues an operation to a stream; `None` if races are not checked. `synchronous` tells whether the call is
    /// synchronous by name.
    pub fn issue(
        stream: OrderedStream,
        name: StreamName,
        synchronous: bool,
        waits: HostWaits,
    ) -> Option<Tag> {
        let point = with(|state| state.strands.issue(stream))?;
        let (steps, site) = (Vec::new(), CallSite::here());
        Some(Tag::new(CurrentOperation { point, steps, stream: name, synchronous, site }, waits))
    }

    /// The operation's position in the happens-before order.
    pub fn point(&self) -> Arc<Point> {
        self.current.point.clone()
    }

    /// The tag of a node of the launched graph.
    pub fn node(&self, graph: &Arc<GraphOrder>, node: Handle) -> Tag {
        let steps = vec![Step::Node(graph.clone(), node)];
        Tag::new(CurrentOperation { steps, ..self.current.clone() }, HostWaits::No)
    }

    /// Runs the operation in this thread.
    ///
    /// # Errors
    /// Returns the errors of `run`.
    pub fn run(&self, run: impl FnOnce() -> Result) -> Result {
        let outer = CURRENT.with(|now| now.replace(Some(self.current.clone())));
        let running = Running::begin(self.point());
        let result = run();
        drop(running);
        CURRENT.with(|now| drop(now.replace(outer)));
        let point = &self.current.point;
        match self.waits {
            HostWaits::No => {}
            HostWaits::Before => drop(with(|state| state.strands.host_waited_before(point))),
            HostWaits::Yes => drop(with(|state| state.strands.host_waited(point))),
        }
        result
    }

    /// Records that memory was allocated in stream order.
    pub fn allocated(&self, operation: Operation, address: u64, bytes: u64) {
        let footprint = Footprint::of_ranges([(AccessMode::Write, address, bytes)]);
        compare(&self.current, operation, footprint, Vec::new());
    }
}

/// Records that the host frees bytes of a pool by a call that does not wait for streams: compares it with the
/// operations that the host has not waited for.
pub fn freed_by_host(context: Handle, address: u64, bytes: u64) {
    // An artificial strand that nothing waits for.
    let key = StreamKey { context, stream: Handle::MAX - 1 };
    let issued = with(|state| state.strands.issue(OrderedStream { key, blocking: false }));
    let Some(point) = issued else { return };
    let stream = StreamName::Default;
    let (site, steps) = (CallSite::here(), Vec::new());
    let operation = Operation {
        action: Action::HostFree,
        stream: stream.clone(),
        polls: false,
        site: Some(site.clone()),
    };
    let current = CurrentOperation { point: point.clone(), steps, stream, synchronous: true, site };
    let footprint = Footprint::of_ranges([(AccessMode::Write, address, bytes)]);
    compare(&current, operation, footprint, Vec::new());
    with(|state| state.strands.host_waited(&point));
}

/// A part of an operation: all of it, or a graph node.
pub struct OperationPart<'a> {
    /// Describes the operation for findings.
    pub operation: &'a dyn Fn(&Origin) -> Operation,
    /// Accesses, excluding its launches.
    pub footprint: &'a dyn Fn() -> Footprint,
    /// Whether it frees memory. It is then compared before it runs, because the address may be reused afterwards.
    pub ends_memory: bool,
    /// Whether the program may learn of its completion without a call: it is a callback, or writes memory that the host polls.
    pub tells_host: bool,
    /// Whether the host can poll some of these bytes.
    pub host_may_poll: &'a dyn Fn(&ByteSet) -> bool,
    /// Called if its launches use memory of the host. If they do not signal the host, gets all their accesses. Otherwise gets
    /// the writes that they did not release to the host, and the line of a signaling write.
    pub uses_host: &'a dyn Fn(&Operation, &Footprint, Option<&CodeLocation>),
    /// Whether it waited, beyond stream order, for memory that others wrote.
    pub waited: &'a dyn Fn() -> bool,
}

impl OperationPart<'_> {
    fn operation(&self, current: &CurrentOperation) -> Operation {
        (self.operation)(&current.origin())
    }
}

/// Runs a step of the current operation: a graph node, or a loop iteration.
pub fn within<R>(step: impl FnOnce() -> Step, run: impl FnOnce() -> R) -> R {
    if !CURRENT.with(|now| now.borrow().is_some()) {
        return run();
    }
    let step = step();
    CURRENT.with(|now| now.borrow_mut().iter_mut().for_each(|now| now.steps.push(step.clone())));
    let result = run();
    CURRENT.with(|now| now.borrow_mut().iter_mut().for_each(|now| drop(now.steps.pop())));
    result
}

/// Runs a part of the current operation, and compares its accesses with earlier operations.
///
/// # Errors
/// Returns the errors of `run`.
pub fn run_part(part: &OperationPart<'_>, run: impl FnOnce() -> Result) -> Result {
    let Some(current) = CURRENT.with(|now| now.borrow().clone()) else { return run() };
    if part.ends_memory {
        compare(&current, part.operation(&current), (part.footprint)(), Vec::new());
    }
    let (result, launches) = tool::collect(run);
    let mut tells_host = part.tells_host;
    if (part.waited)() {
        // The writer that this part waited for may still run. The writer is compared when it finishes.
        with(|state| current.point.acquire(&state.all_but(&current.point)));
    } else if !part.ends_memory {
        // Refused operations access nothing.
        let mut footprint = if result.is_ok() { (part.footprint)() } else { Footprint::default() };
        let (mut shadows, mut launched_for_host) = (Vec::new(), false);
        let (mut withheld, mut signal) = (Footprint::default(), None);
        let printed = launches.iter().any(|shadow| shadow.printed);
        for shadow in launches {
            let of_host = |(start, end)| (part.host_may_poll)(&ByteSet::range(start, end));
            if !shadow.allocations().any(of_host) {
                shadows.push(shadow);
                continue;
            }
            let of_launch = shadow.footprint();
            let signals = shadow.signals_to_host();
            let told = signals.accesses.iter().find(|one| (part.host_may_poll)(&one.bytes));
            if let Some(told) = told {
                tells_host = true;
                signal = told.line.clone();
                withheld.add(shadow.withheld_from_host());
            }
            footprint.add(of_launch);
            launched_for_host = true;
        }
        let operation = part.operation(&current);
        if launched_for_host && !tells_host {
            (part.uses_host)(&operation, &footprint, None);
        } else if !withheld.accesses.is_empty() {
            (part.uses_host)(&operation, &withheld, Some(&signal.unwrap_or_default()));
        }
        if printed {
            with(|state| state.add_printed(current.point.clone(), operation.clone()));
        }
        compare(&current, operation, footprint, shadows);
    }
    if let Some(footprint) = FUNCTION_USED.with(RefCell::take) {
        // The program learns of its end from what it writes. Earlier work was compared while it ran.
        let operation = part.operation(&current);
        add_function(&current, operation, footprint);
    } else if part.tells_host {
        with(|state| state.strands.host_waited(&current.point));
    } else if tells_host {
        with(|state| state.strands.host_told(&current.point));
    }
    result
}

/// Compares a finished part with earlier operations, and reports races.
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
        // While other operations are open, forget nothing: they may race with operations that the host has waited for
        // since they started.
        if OPEN.load(Ordering::Acquire) <= 1 {
            state.history.forget(state.strands.host());
            let gone = state.strands.forget_ended();
            state.history.forget_strands(&gone);
        }
        for (start, bytes) in tool::take_ended(&driver.device) {
            state.history.forget_bytes(&ByteSet::range(start, start + bytes));
        }
        let mut races = state.history.add(ended);
        // If an operation still uses the freed memory, omit the race of the free with the allocation.
        let in_use = |race: &Race| race.first.0.action != Action::Allocate;
        if races.iter().any(|race| freed(race) && in_use(race)) {
            races.retain(|race| !freed(race) || in_use(race));
        }
        races.into_iter().for_each(|race| report(driver, race));
    });
}

/// Remembers the memory that a host function has used, for comparisons with later operations.
fn add_function(current: &CurrentOperation, operation: Operation, footprint: Footprint) {
    let (point, steps) = (current.point.clone(), current.steps.as_slice().into());
    let operation = Arc::new(operation);
    let ended = EndedPart { point, steps, operation, footprint, shadows: Vec::new() };
    with(|state| drop(state.history.add(ended)));
}

/// Whether the race is that the host frees memory used by an earlier operation.
fn freed(race: &Race) -> bool {
    race.second.0.action == Action::HostFree
}

/// Reports a race.
pub fn report(driver: &Driver, mut race: Race) {
    let start = race.bytes.ends().map_or(0, |(start, _)| start);
    let memory = tool::allocation(&driver.device, start);
    if let Some((_, first, bytes)) = &memory {
        race.bytes = race.bytes.intersection(&ByteSet::range(*first, first + bytes));
    }
    let report = findings::report(&race, memory);
    tool::keep_findings(&report.kernel.clone(), &[report]);
}

/// The current operation: its position, and its context for findings.
pub fn current_part() -> Option<(Arc<Point>, Origin)> {
    CURRENT.with(|now| {
        let now = now.borrow();
        let now = now.as_ref()?;
        Some((now.point.clone(), now.origin()))
    })
}

/// The point of the current operation, if it is a graph.
pub fn current_graph() -> Option<Arc<Point>> {
    let of_graph = |now: &&CurrentOperation| !now.steps.is_empty();
    CURRENT.with(|now| now.borrow().as_ref().filter(of_graph).map(|now| now.point.clone()))
}

/// Order and accesses of all operations.
#[derive(Default)]
pub struct OrderingState {
    pub strands: Strands,
    pub history: History,
    /// Running operations.
    pub running: Vec<Arc<Point>>,
    /// Operations that printed text, which the host had not waited for when they ended.
    pub printed: Vec<(Arc<Point>, Operation)>,
}

impl OrderingState {
    /// Records that an operation has printed text, and forgets operations that the host has waited for.
    fn add_printed(&mut self, point: Arc<Point>, operation: Operation) {
        let waited = self.strands.waited();
        self.printed.retain(|(point, old)| {
            waited.last(point.strand) < point.number && old.name() != operation.name()
        });
        self.printed.push((point, operation));
    }

    /// Operations that have printed text, which the host has not waited for.
    pub fn take_unwaited_output(&mut self) -> Vec<Operation> {
        let waited = self.strands.waited().clone();
        let all = std::mem::take(&mut self.printed).into_iter();
        let open = all.filter(|(point, _)| waited.last(point.strand) < point.number);
        open.map(|(_, operation)| operation).collect()
    }

    /// A clock that includes everything finished or running except this point: everything that its operation may have
    /// waited for.
    pub fn all_but(&self, own: &Arc<Point>) -> Clock {
        let mut clock = self.history.all();
        for point in self.running.iter().filter(|point| !Arc::ptr_eq(point, own)) {
            clock.join(&point.clock());
        }
        clock
    }
}

static STATE: Mutex<Option<OrderingState>> = Mutex::new(None);

/// Whether races are checked.
pub fn active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        let Ok(driver) = driver() else { return false };
        let checks = tool::checks(&driver.device);
        if checks {
            // From now on, record which memory is freed.
            tool::take_ended(&driver.device);
        }
        checks
    })
}

/// Calls `change` with the state, if races are checked.
pub fn with<R>(change: impl FnOnce(&mut OrderingState) -> R) -> Option<R> {
    active().then(|| change(lock(&STATE).get_or_insert_default()))
}
