//! Host functions that streams call: CUDA refuses most of its calls in them.
//!
//! Work runs at enqueue, and so do host functions. But a host function may tell the program, through memory, that the
//! work before it has ended. While races with the host are watched, the time at which it runs therefore matters: until
//! then the program knows nothing new. So a tool that checks holds host functions back. They run when the program makes
//! its next call, or after a short time, because the program may wait for them without a call.

use crate::state::lock;
use crate::status::{Result, Status, refuse};
use std::cell::Cell;
use std::sync::{Condvar, Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Time after which a held host function runs without a call of the program.
const HELD_FOR: Duration = Duration::from_millis(2);

/// Maximum time that a call waits for a host function, which may itself wait for the calling thread.
const MOST_WAIT: Duration = Duration::from_secs(5);

thread_local! {
    /// Whether this thread runs a host function of a stream.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Host functions that have not run yet, as operations of their streams.
struct Held {
    operations: Vec<Box<dyn FnOnce() + Send>>,
    /// When the last one was added.
    since: Option<Instant>,
    /// Whether a thread of the driver runs some.
    busy: bool,
}

static HELD: Mutex<Held> = Mutex::new(Held { operations: Vec::new(), since: None, busy: false });

/// Signaled whenever [`HELD`] changes.
static HELD_CHANGED: Condvar = Condvar::new();

/// Functions to call when a thread of the driver starts to work like the program, and when it stops.
pub type Around = [fn(); 2];

static AROUND: OnceLock<Around> = OnceLock::new();

/// Runs what is still held when the process ends.
extern "C" fn run_at_exit() {
    // A panic must not unwind out of a function that C calls.
    let _ = std::panic::catch_unwind(|| {
        let Some([enter, leave]) = AROUND.get() else { return };
        enter();
        run_held();
        leave();
    });
}

/// Holds an operation that calls a host function.
pub fn hold(operation: impl FnOnce() + Send + 'static, around: Around) {
    static RUNNER: Once = Once::new();
    RUNNER.call_once(|| {
        drop(std::thread::spawn(move || run_after_some_time(around)));
        // SAFETY: `run_at_exit` is a function of this library, which a process does not unload, and it does not unwind.
        unsafe { libc::atexit(run_at_exit) };
    });
    AROUND.set(around).unwrap_or_default();
    let mut held = lock(&HELD);
    held.operations.push(Box::new(operation));
    held.since = Some(Instant::now());
    HELD_CHANGED.notify_all();
}

/// Runs held operations. Each call of the program does this first.
pub fn run_held() {
    if RUNNING.get() {
        return;
    }
    let held = lock(&HELD);
    let wait = HELD_CHANGED.wait_timeout_while(held, MOST_WAIT, |held| held.busy);
    let mut held = wait.unwrap_or_else(PoisonError::into_inner).0;
    let operations = std::mem::take(&mut held.operations);
    drop(held);
    operations.into_iter().for_each(|operation| operation());
}

/// Runs operations that have been held for long enough, until the process ends.
fn run_after_some_time([enter, leave]: Around) {
    let mut held = lock(&HELD);
    loop {
        let age = held.since.filter(|_| !held.operations.is_empty()).map(|since| since.elapsed());
        let rest = age.map_or(Duration::from_secs(3600), |age| HELD_FOR.saturating_sub(age));
        if !rest.is_zero() {
            let waited = HELD_CHANGED.wait_timeout(held, rest);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        let operations = std::mem::take(&mut held.operations);
        held.busy = true;
        drop(held);
        enter();
        operations.into_iter().for_each(|operation| operation());
        leave();
        held = lock(&HELD);
        held.busy = false;
        HELD_CHANGED.notify_all();
    }
}

/// Runs a host function of a stream.
pub fn run(function: impl FnOnce()) {
    let outer = RUNNING.replace(true);
    function();
    RUNNING.set(outer);
}

/// Records whether this thread runs a host function of a stream that calls no CUDA function. Returns what was recorded
/// before. Lanework's libraries compute captured calls in host functions, which do use the driver.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_set_in_host_function(running: i32) -> i32 {
    i32::from(RUNNING.replace(running != 0))
}

/// Whether this thread runs a host function of a stream.
pub fn is_running() -> bool {
    RUNNING.get()
}

/// Parts of the names of calls that are refused: they use memory or streams. Queries stay possible.
const REFUSED: [&str; 11] = [
    "Alloc",
    "Free",
    "Memcpy",
    "Memset",
    "Launch",
    "Synchronize",
    "Create",
    "Destroy",
    "Record",
    "WaitEvent",
    "Register",
];

/// Refuses a call in a host function of a stream.
pub fn check_call(name: &str) -> Result {
    if !RUNNING.get() || !REFUSED.iter().any(|part| name.contains(part)) {
        return Ok(());
    }
    Err(refuse(
        Status::NotPermitted,
        "a host function that a stream calls must not call CUDA: the stream waits for the function",
        "let the function tell another thread, which makes the call, or make the call before the work is queued",
    ))
}
