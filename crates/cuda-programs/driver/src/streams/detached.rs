//! Launches that run in a thread of their own. Work happens when it is queued, so a kernel that polls a word which the host, a copy or
//! another kernel writes later would never end. Such a kernel, known by its loops, is launched detached: the call that queued it returns when
//! the launch has ended, or when its blocks only wait. The launch then goes on beside the program, and its stream is busy until it ends.
//!
//! Memory is neither allocated nor freed, and no module is loaded, while a launch runs: such calls wait for it.

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

/// What is done when a launch has ended that goes on beside the program.
type Follow = Box<dyn FnOnce(Result) + Send>;

/// How far a launch is.
enum DetachedState {
    /// The call that queued it waits for it.
    Runs,
    /// It only waits.
    Waits,
    /// It goes on beside the program.
    Detached(Follow),
    /// It has ended.
    Ended(Result),
    /// It has ended, and what follows has been done.
    Followed,
}

/// A launch in a thread of its own.
pub struct DetachedLaunch {
    state: Mutex<DetachedState>,
    changed: Condvar,
    /// When it last polled memory that does not change.
    stalled: Mutex<Option<Instant>>,
    /// Whether it is to end.
    given_up: AtomicBool,
    /// Whether it ends without a word, since its context does.
    quiet: AtomicBool,
}

/// How far a launch is when the call that queued it returns.
pub enum Progress {
    Ended(Result),
    /// It waits, and goes on in its thread.
    Detached(Arc<DetachedLaunch>),
}

/// Launches that go on beside the program.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Suspected stalls of a launch, which may compute as well, before it is detached and the call that queued it returns.
const STALLS_BEFORE_DETACH: u32 = 64;
/// The longest rest between two questions.
const REST: Duration = Duration::from_micros(200);
/// For so long after a stall a launch counts as stalled.
const STALL_WINDOW: Duration = Duration::from_millis(50);

thread_local! {
    /// The launch of this thread.
    static OWN: RefCell<Option<Arc<DetachedLaunch>>> = const { RefCell::new(None) };
}

/// Whether the launch of this thread ends without a word.
pub fn is_quiet() -> bool {
    let quiet = |own: &Option<Arc<DetachedLaunch>>| {
        own.as_ref().is_some_and(|own| own.quiet.load(Ordering::Acquire))
    };
    OWN.try_with(|own| quiet(&own.borrow())).unwrap_or(false)
}

/// Whether the launch of this thread goes on beside the program, or has done so.
pub fn is_beside() -> bool {
    let beside = |own: &Option<Arc<DetachedLaunch>>| {
        own.as_ref().is_some_and(|own| !matches!(*lock(&own.state), DetachedState::Runs))
    };
    OWN.try_with(|own| beside(&own.borrow())).unwrap_or(false)
}

/// Whether launches go on beside the program.
pub fn any() -> bool {
    RUNNING.load(Ordering::Acquire) > 0
}

/// Does what launches a kernel that may wait for others, in a context, until it has ended or waits.
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
    /// Does something when the launch has ended.
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

    /// Whether the launch goes on, asked on its thread; rests at most as long as the launch ran since the last question.
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

    /// Ends the launch, the next time that it waits.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
    }

    /// Ends the launch with its context.
    pub fn end_quietly(&self) {
        self.quiet.store(true, Ordering::Release);
        self.give_up();
        self.join();
    }

    /// Waits until the launch has ended.
    pub fn join(&self) {
        let mut state = lock(&self.state);
        while !matches!(*state, DetachedState::Ended(_) | DetachedState::Followed) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
