//! Detached launches. Work runs at enqueue, so a kernel that polls a word that the host, a copy or another kernel
//! writes later would never finish. Kernels whose loops may poll run in their own thread: the call that queued one
//! returns when the kernel has finished, or when all its blocks do nothing but wait. The launch then continues
//! concurrently, and its stream is busy until it finishes.
//!
//! Memory allocation, freeing and module loading wait for detached launches. The calls that wait for a stream's
//! detached or deferred work are here as well. On a GPU, an endless wait hangs. Here, a waiting call gives up if nothing
//! happens for a while (`LANEWORK_WAIT_SECONDS`, default 30): it reports the word and its value, and the context is
//! lost, as after a kernel that never ends.

use crate::devices::contexts::{Context, set_current};
use crate::graphs::work::Work;
use crate::ordering;
use crate::state::{Driver, Handle, lock, table};
use crate::status::{Result, Status};
use crate::streams::deferred::{ANY_DEFERRED, QUEUES, QUEUES_CHANGED, StreamQueue, StreamQueues};
use crate::streams::memory_ops::{MemoryOp, report_endless_wait, wait_limit};
use crate::streams::stream::StreamKey;
use lanework::emulator::stall::{self, Stall};
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Runs when a detached launch finishes.
type Follow = Box<dyn FnOnce(Result) + Send>;

/// State of a launch.
enum DetachedState {
    /// The call that queued the launch waits for it.
    Runs,
    /// The launch only polls.
    Waits,
    /// The launch runs concurrently with the program.
    Detached(Follow),
    /// The launch has finished.
    Ended(Result),
    /// The launch has finished, and its follow-up has run.
    Followed,
}

/// A launch in its own thread.
pub struct DetachedLaunch {
    state: Mutex<DetachedState>,
    changed: Condvar,
    /// When it last polled unchanged memory.
    stalled: Mutex<Option<Instant>>,
    /// Whether it was requested to stop.
    given_up: AtomicBool,
    /// Whether it ends with its context, without a report.
    quiet: AtomicBool,
}

/// State of a launch when the call that queued it returns.
pub enum Progress {
    Ended(Result),
    /// The launch continues in its thread.
    Detached(Arc<DetachedLaunch>),
}

/// Number of detached launches.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Number of suspected stalls before a launch is detached, because it may also be computing.
const STALLS_BEFORE_DETACH: u32 = 64;

/// Maximum sleep between two checks.
const REST: Duration = Duration::from_micros(200);

/// Time after a stall for which a launch counts as stalled.
const STALL_WINDOW: Duration = Duration::from_millis(50);

thread_local! {
    /// The launch that this thread runs.
    static OWN: RefCell<Option<Arc<DetachedLaunch>>> = const { RefCell::new(None) };
}

/// Whether this thread's launch ends without a report.
pub fn is_quiet() -> bool {
    let quiet = |own: &Option<Arc<DetachedLaunch>>| {
        own.as_ref().is_some_and(|own| own.quiet.load(Ordering::Acquire))
    };
    OWN.try_with(|own| quiet(&own.borrow())).unwrap_or(false)
}

/// Whether this thread's launch is or was detached.
pub fn is_detached() -> bool {
    let detached = |own: &Option<Arc<DetachedLaunch>>| {
        own.as_ref().is_some_and(|own| !matches!(*lock(&own.state), DetachedState::Runs))
    };
    OWN.try_with(|own| detached(&own.borrow())).unwrap_or(false)
}

/// Whether there are detached launches.
pub fn any() -> bool {
    RUNNING.load(Ordering::Acquire) > 0
}

/// Runs a kernel that may poll, until it finishes or does nothing but poll.
pub fn run(context: Handle, launch: impl FnOnce() -> Result + Send + 'static) -> Progress {
    let detached = Arc::new(DetachedLaunch {
        state: Mutex::new(DetachedState::Runs),
        changed: Condvar::new(),
        stalled: Mutex::default(),
        given_up: AtomicBool::new(false),
        quiet: AtomicBool::new(false),
    });
    let own = detached.clone();
    let thread = std::thread::Builder::new().name("lanework-launch".to_owned());
    let started = thread.spawn(move || {
        set_current(context);
        OWN.set(Some(own.clone()));
        let (stalls, rested) = (Cell::new(0), Cell::new(Instant::now()));
        let goes_on = |stall| own.goes_on(stall, &stalls, &rested);
        let run = || stall::with_handler(&goes_on, launch);
        own.end(catch_unwind(AssertUnwindSafe(run)).unwrap_or(Err(Status::Unknown)));
        OWN.set(None);
        set_current(0);
    });
    if started.is_err() {
        return Progress::Ended(Err(Status::OutOfMemory));
    }
    let mut state = lock(&detached.state);
    while matches!(*state, DetachedState::Runs) {
        state = detached.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    match *state {
        DetachedState::Ended(result) => Progress::Ended(result),
        _ => {
            drop(state);
            Progress::Detached(detached)
        }
    }
}

impl DetachedLaunch {
    /// Runs a follow-up when the launch finishes.
    pub fn follow(&self, follow: impl FnOnce(Result) + Send + 'static) {
        let mut state = lock(&self.state);
        if let DetachedState::Ended(result) = *state {
            *state = DetachedState::Followed;
            drop(state);
            return follow(result);
        }
        RUNNING.fetch_add(1, Ordering::AcqRel);
        *state = DetachedState::Detached(Box::new(follow));
    }

    fn end(&self, result: Result) {
        let mut state = lock(&self.state);
        let before = std::mem::replace(&mut *state, DetachedState::Ended(result));
        if let DetachedState::Detached(follow) = before {
            *state = DetachedState::Followed;
            RUNNING.fetch_sub(1, Ordering::AcqRel);
            drop(state);
            follow(result);
            state = lock(&self.state);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Whether the launch continues. Called on its thread. Sleeps at most as long as the launch ran since the
    /// last check.
    fn goes_on(&self, stall: Stall, stalls: &Cell<u32>, rested: &Cell<Instant>) -> bool {
        stalls.set(stalls.get().saturating_add(1));
        if stall == Stall::Certain {
            *lock(&self.stalled) = Some(Instant::now());
        }
        if stall == Stall::Certain || stalls.get() >= STALLS_BEFORE_DETACH {
            let mut state = lock(&self.state);
            if matches!(*state, DetachedState::Runs) {
                *state = DetachedState::Waits;
                self.changed.notify_all();
            }
            drop(state);
            let ran = rested.get().elapsed();
            std::thread::sleep(if stall == Stall::Certain { REST } else { ran.min(REST) });
        }
        rested.set(Instant::now());
        !self.given_up.load(Ordering::Acquire)
    }

    /// Whether it only polls memory that does not change.
    pub fn is_stalled(&self) -> bool {
        lock(&self.stalled).is_some_and(|since| since.elapsed() < STALL_WINDOW)
    }

    /// Stops the launch the next time it polls.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
    }

    /// Ends the launch with its context, without a report.
    pub fn end_quietly(&self) {
        self.quiet.store(true, Ordering::Release);
        self.give_up();
        self.join();
    }

    /// Waits for the launch to finish.
    pub fn join(&self) {
        let mut state = lock(&self.state);
        while !matches!(*state, DetachedState::Ended(_) | DetachedState::Followed) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

thread_local! {
    /// Whether this is the worker thread. It must not wait for streams, because streams wait for it; CUDA forbids such
    /// calls in callbacks.
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as the worker thread.
pub fn become_worker() {
    IS_WORKER.set(true);
}

impl Driver {
    /// Waits for detached launches, before operations that cannot run concurrently with one.
    pub fn finish_detached(&self) -> Result {
        if !any() {
            return Ok(());
        }
        if IS_WORKER.get() {
            let of_queue = |queue: &StreamQueue| queue.detached.clone();
            let launches: Vec<Arc<DetachedLaunch>> =
                lock(&QUEUES).all.values().filter_map(of_queue).collect();
            launches.iter().for_each(|launch| launch.join());
            return Ok(());
        }
        let of_launches =
            |queue: &StreamQueue| queue.detached.is_some().then_some(queue.busy).flatten();
        let open: Vec<u64> = lock(&QUEUES).all.values().filter_map(of_launches).collect();
        self.wait_for(&open)
    }

    /// Whether the work of a ticket is unfinished.
    pub fn is_open(&self, ticket: u64) -> bool {
        ticket != 0 && ANY_DEFERRED.load(Ordering::Acquire) && lock(&QUEUES).is_open(ticket)
    }

    /// Whether a stream has unfinished work.
    pub fn is_waiting(&self, stream: Handle) -> Result<bool> {
        Ok(!self.open_of(stream)?.is_empty())
    }

    /// Tickets of a stream's unfinished work.
    fn open_of(&self, stream: Handle) -> Result<Vec<u64>> {
        let ordered = self.ordered_stream(stream)?;
        if !ANY_DEFERRED.load(Ordering::Acquire) {
            return Ok(Vec::new());
        }
        let queues = lock(&QUEUES);
        let mut open: Vec<u64> =
            queues.all.get(&ordered.key).into_iter().flat_map(StreamQueue::tickets).collect();
        if ordered.key.stream == 0 {
            open.extend(queues.before(ordered));
        }
        Ok(open)
    }

    /// Waits for a stream.
    pub fn finish_stream(&self, stream: Handle) -> Result {
        self.wait_for(&self.open_of(stream)?)?;
        self.stream(stream).map(drop)
    }

    /// Waits for all streams of a context.
    pub fn finish_context(&self, context: Handle) -> Result {
        let waited = ordering::waited_for_context(context);
        self.finish_queues(context)?;
        ordering::synchronized(&waited);
        Ok(())
    }

    /// Waits for the deferred work of a context's streams.
    fn finish_queues(&self, context: Handle) -> Result {
        if !ANY_DEFERRED.load(Ordering::Acquire) {
            return Ok(());
        }
        let of_context = |(key, queue): (&StreamKey, &StreamQueue)| {
            (key.context == context).then(|| queue.tickets().collect::<Vec<_>>())
        };
        let open: Vec<u64> = lock(&QUEUES).all.iter().filter_map(of_context).flatten().collect();
        self.wait_for(&open)
    }

    /// Drops the deferred work of a context's streams.
    pub fn forget_queues(&self, context: Handle) {
        ordering::ended_context(context);
        let mut queues = lock(&QUEUES);
        let mut launches: Vec<Arc<DetachedLaunch>> = Vec::new();
        for (_, queue) in queues.all.iter_mut().filter(|(key, _)| key.context == context) {
            queue.operations.clear();
            launches.extend(queue.detached.clone());
        }
        drop(queues);
        launches.iter().for_each(|launch| launch.end_quietly());
        let mut queues = lock(&QUEUES);
        queues.all.retain(|key, _| key.context != context);
        queues.changed();
    }

    /// Waits for tickets.
    pub fn wait_for(&self, tickets: &[u64]) -> Result {
        let began = Instant::now();
        let mut queues = lock(&QUEUES);
        while tickets.iter().any(|&ticket| queues.is_open(ticket)) {
            if IS_WORKER.get() {
                return Err(Status::NotPermitted);
            }
            let busy = queues.all.values().any(StreamQueue::advances);
            if busy {
                queues.progress = Some(Instant::now());
            }
            let last = queues.progress.map_or(began, |progress| progress.max(began));
            if !busy && last.elapsed() > wait_limit() {
                give_up(&mut queues)?;
            }
            queues = QUEUES_CHANGED
                .wait_timeout(queues, Duration::from_millis(20))
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .0;
        }
        Ok(())
    }
}

/// After a timeout, stops launches that poll; their reports name the condition that they wait for.
///
/// # Errors
/// If no launch polls: drops all queues, and reports the words that they wait for.
fn give_up(queues: &mut StreamQueues) -> Result {
    let launches: Vec<&Arc<DetachedLaunch>> =
        queues.all.values().filter_map(|queue| queue.detached.as_ref()).collect();
    if !launches.is_empty() {
        launches.iter().for_each(|launch| launch.give_up());
        queues.progress = Some(Instant::now());
        return Ok(());
    }
    let waits: Vec<MemoryOp> = queues
        .all
        .values()
        .filter_map(|queue| match &queue.operations.front()?.work {
            Work::Memory(ops) => ops.first().copied(),
            _ => None,
        })
        .collect();
    let words = waits.iter().map(|op| format!("it waits for {op}")).collect::<Vec<_>>();
    report_endless_wait(&words.join("\n  and "));
    for key in queues.all.keys() {
        if let Some(context) = table::<Context>().find(key.context) {
            context.fail(Status::LaunchTimeout);
        }
    }
    queues.all.clear();
    queues.changed();
    Err(Status::LaunchTimeout)
}
