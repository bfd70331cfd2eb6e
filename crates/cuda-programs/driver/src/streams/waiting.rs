//! Waiting for streams: for detached launches, and for deferred work.
//!
//! On a GPU, an endless wait hangs. Here, a waiting call gives up if nothing happens for a while
//! (`LANEWORK_WAIT_SECONDS`, default 30): it reports the word and its value, and the context is lost, as after a
//! kernel that never ends.

use crate::devices::contexts::Context;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::ordering;
use crate::state::{Driver, lock, table};
use crate::status::{Result, Status};
use crate::streams::deferred::{ANY_DEFERRED, QUEUES, QUEUES_CHANGED, StreamQueue, StreamQueues};
use crate::streams::detached;
use crate::streams::detached::DetachedLaunch;
use crate::streams::memory_ops::{MemoryOp, report_endless_wait, wait_limit};
use crate::streams::stream::StreamKey;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

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
        if !detached::any() {
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
