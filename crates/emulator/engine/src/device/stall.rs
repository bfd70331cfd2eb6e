//! Progress counters of launches, and the stall handler, which decides about launches without progress.
//!
//! The host and other launches may change memory that a kernel polls. So code that runs launches concurrently sets a stall
//! handler, which is called on the launch's thread before the launch is ended as deadlocked.
//!
//! The progress counters are per process, so with concurrent launches they are only an indication. They do not affect results.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// How certain it is that a launch makes no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// Since the last call no warp has reached a barrier or its end. The launch may be computing, or waiting for
    /// others.
    Suspected,
    /// All warps that can run poll memory, and none of it has changed.
    Certain,
}

/// Whether a stalled launch continues; the handler may block.
pub type StallHandler<'a> = &'a dyn Fn(Stall) -> bool;

thread_local! {
    /// The handler for the launch of this thread. The reference lives as long as [`with_handler`] runs.
    static HANDLER: Cell<Option<*const dyn Fn(Stall) -> bool>> = const { Cell::new(None) };
}

/// Runs launches that continue after a stall as long as `handler` returns true. Only launches whose blocks may wait for each
/// other call it.
pub fn with_handler<R>(handler: StallHandler<'_>, run: impl FnOnce() -> R) -> R {
    struct Restored(Option<*const dyn Fn(Stall) -> bool>);
    impl Drop for Restored {
        fn drop(&mut self) {
            HANDLER.set(self.0);
        }
    }
    // SAFETY: only the lifetime changes; `Restored` takes the pointer back before the reference ends.
    let handler =
        unsafe { std::mem::transmute::<StallHandler<'_>, StallHandler<'static>>(handler) };
    let _restored = Restored(HANDLER.replace(Some(handler)));
    run()
}

/// Whether the launch of this thread has a stall handler: the host or another launch may change the memory that it
/// polls.
pub(crate) fn has_handler() -> bool {
    HANDLER.get().is_some()
}

/// Whether the launch of this thread continues after a stall.
pub(crate) fn goes_on(stall: Stall) -> bool {
    // SAFETY: `with_handler` of this thread has not returned, since `Restored` takes its handler out of `HANDLER`: the
    // reference is alive.
    HANDLER.get().is_some_and(|handler| unsafe { (*handler)(stall) })
}

/// Clusters of the latest launch, and how many of them have ended.
static TOTAL: AtomicU64 = AtomicU64::new(0);

static ENDED: AtomicU64 = AtomicU64::new(0);

/// Launches so far.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Progress of the latest launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Which launch of the process it is, from 1; 0 before the first.
    pub launch: u64,
    /// Blocks that have ended; a cluster counts as one.
    pub ended: u64,
    /// Blocks to run, or clusters.
    pub total: u64,
}

/// Progress of the latest launch.
pub fn position() -> Position {
    let total = TOTAL.load(Ordering::Relaxed);
    let ended = ENDED.load(Ordering::Relaxed).min(total);
    Position { launch: LAUNCHES.load(Ordering::Relaxed), ended, total }
}

/// Starts the count for a launch of this many clusters.
pub(crate) fn begin(clusters: u64) {
    ENDED.store(0, Ordering::Relaxed);
    TOTAL.store(clusters, Ordering::Relaxed);
    LAUNCHES.fetch_add(1, Ordering::Relaxed);
}

/// Counts a cluster that has ended.
pub(crate) fn ended() {
    ENDED.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use crate::device::stall::*;

    #[test]
    fn the_innermost_handler_is_asked_until_its_launch_ends() {
        assert!(!has_handler() && !goes_on(Stall::Certain));
        let inner = |stall| stall == Stall::Suspected;
        with_handler(&|_| true, || {
            with_handler(&inner, || assert!(goes_on(Stall::Suspected) && !goes_on(Stall::Certain)));
            assert!(goes_on(Stall::Certain));
        });
        assert!(!has_handler());
    }
}
