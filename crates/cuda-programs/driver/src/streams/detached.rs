//! Detached launches. Work runs at enqueue, so a kernel that polls a word that the host, a copy or another kernel
//! writes later would never finish. Kernels whose loops may poll run in their own thread: the call that queued one
//! returns when the kernel has finished, or when all its blocks do nothing but wait. The launch then continues
//! concurrently, and its stream is busy until it finishes.
//!
//! Memory allocation, freeing and module loading wait for detached launches.

use crate::devices::contexts::set_current;
use crate::handles::Handle;
use crate::state::lock;
use crate::status::{Result, Status};
use lanework::emulator::stall;
use lanework::emulator::stall::Stall;
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
pub fn is_beside() -> bool {
    let beside = |own: &Option<Arc<DetachedLaunch>>| {
        own.as_ref().is_some_and(|own| !matches!(*lock(&own.state), DetachedState::Runs))
    };
    OWN.try_with(|own| beside(&own.borrow())).unwrap_or(false)
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
