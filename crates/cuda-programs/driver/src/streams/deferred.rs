//! Deferred work. Work runs at enqueue, except behind a wait for a value that is not written yet: such work is queued,
//! and a worker thread runs it when the value is written. So a program may queue the wait first and write the value
//! later, from any thread or stream, as on a GPU.
//!
//! Limit: a wait inside a child graph blocks the thread that runs the graph.

use crate::devices::contexts::{Context, current, set_current};
use crate::graphs::work::Work;
use crate::interface::call_sites::host_calls;
use crate::ordering::{Tag, host_access};
use crate::state::{Driver, Handle, lock, table};
use crate::status::{Result, Status};
use crate::streams::detached;
use crate::streams::detached::{DetachedLaunch, Progress, become_worker};
use crate::streams::host_functions;
use crate::streams::stream::{OrderedStream, SYNCHRONOUS, StreamKey};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, Once};
use std::time::{Duration, Instant};

/// Interval at which a word is polled.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// The worker thread: runs work as it becomes ready, until the process ends.
fn run_worker() {
    become_worker();
    loop {
        let mut queues = lock(&QUEUES);
        let Some((key, QueuedOperation { work, tag, .. })) = queues.take_ready() else {
            let rest = if queues.all.is_empty() { Duration::from_secs(60) } else { POLL_INTERVAL };
            drop(QUEUES_CHANGED.wait_timeout(queues, rest));
            continue;
        };
        drop(queues);
        set_current(key.context);
        let ran = catch_unwind(AssertUnwindSafe(|| perform(key.context, work, tag)));
        match ran.unwrap_or(Progress::Ended(Err(Status::Unknown))) {
            Progress::Ended(result) => finish(key, result),
            Progress::Detached(launch) => {
                if let Some(queue) = lock(&QUEUES).all.get_mut(&key) {
                    queue.detached = Some(launch.clone());
                }
                launch.follow(move |result| finish(key, result));
            }
        }
    }
}

/// Runs work. A launch that waits for others continues in its own thread.
fn perform(context: Handle, work: Work, tag: Option<Arc<Tag>>) -> Progress {
    match &work {
        Work::Launch(launch, _) if launch.may_wait() => {
            detached::run(context, move || work.run_tagged(tag.as_deref()))
        }
        _ => Progress::Ended(work.run_tagged(tag.as_deref())),
    }
}

/// Holds work that calls a function of the program, whose memory is watched.
fn hold(context: Handle, work: Work, tag: Option<Arc<Tag>>) {
    let operation = move || {
        let outer = current();
        set_current(context);
        if let Err(status) = work.run_tagged(tag.as_deref())
            && let Some(context) = table::<Context>().find(context)
        {
            context.fail(status);
        }
        set_current(outer);
    };
    host_functions::hold(operation, [host_access::enter, host_access::leave]);
}

/// Finishes the current operation of a queue.
fn finish(key: StreamKey, result: Result) {
    if let Err(status) = result
        && let Some(context) = table::<Context>().find(key.context)
    {
        context.fail(status);
    }
    lock(&QUEUES).finish(key);
}

impl Driver {
    /// Runs or defers work of a stream; returns a ticket for deferred work.
    pub fn queue(&self, stream: Handle, work: Work) -> Result<Option<u64>> {
        let tag = self.tag(stream, &work)?;
        self.queue_tagged(stream, work, tag)
    }

    /// As [`Driver::queue`], for work with a tag.
    pub fn queue_tagged(
        &self,
        stream: Handle,
        work: Work,
        tag: Option<Arc<Tag>>,
    ) -> Result<Option<u64>> {
        if !ANY_DEFERRED.load(Ordering::Acquire) && is_ready(&work) {
            // If there are several operations, later ones may have to wait.
            if !matches!(&work, Work::Memory(ops) if ops.len() > 1) {
                // Interpreted host code has one thread, which runs host functions at once.
                let may_hold = tag.is_some() && work.calls_host() && host_calls().is_empty();
                if may_hold && host_access::guards_any() {
                    hold(current(), work, tag);
                    return Ok(None);
                }
                return self.run_now(stream, work, tag);
            }
        }
        let mut ticket = None;
        let parts = match work {
            Work::Memory(ops) => ops.into_iter().map(|op| Work::Memory(vec![op])).collect(),
            other => vec![other],
        };
        for part in parts {
            ticket = self.enqueue(stream, Vec::new(), part, tag.clone())?;
        }
        match ticket {
            Some(ticket) if stream == SYNCHRONOUS => self.wait_for(&[ticket]).map(|()| None),
            ticket => Ok(ticket),
        }
    }

    /// Runs or defers one operation.
    fn enqueue(
        &self,
        stream: Handle,
        mut after: Vec<u64>,
        work: Work,
        tag: Option<Arc<Tag>>,
    ) -> Result<Option<u64>> {
        let ordered = self.ordered_stream(stream)?;
        let mut queues = lock(&QUEUES);
        after.extend(queues.before(ordered));
        after.retain(|&ticket| queues.is_open(ticket));
        if queues.all.contains_key(&ordered.key) || !after.is_empty() || !is_ready(&work) {
            // A copy of pageable memory must finish before the call returns.
            if !matches!(&work, Work::Copy(copy) if copy.is_pageable()) {
                static WORKER: Once = Once::new();
                WORKER.call_once(|| drop(std::thread::spawn(run_worker)));
                let ticket = queues.push(ordered, after, work, tag);
                queues.changed();
                return Ok(Some(ticket));
            }
            after.extend(queues.all.get(&ordered.key).into_iter().flat_map(StreamQueue::tickets));
            drop(queues);
            self.wait_for(&after)?;
        } else {
            drop(queues);
        }
        self.run_now(stream, work, tag)
    }

    /// Runs work on an idle stream; returns a ticket for a detached launch.
    fn run_now(&self, stream: Handle, work: Work, tag: Option<Arc<Tag>>) -> Result<Option<u64>> {
        match perform(current(), work, tag) {
            Progress::Ended(result) => result.map(|()| None),
            Progress::Detached(launch) => {
                let ordered = self.ordered_stream(stream)?;
                let mut queues = lock(&QUEUES);
                let ticket = queues.ticket();
                let queue = queues.queue(ordered);
                (queue.busy, queue.detached) = (Some(ticket), Some(launch.clone()));
                queues.changed();
                drop(queues);
                launch.follow(move |result| finish(ordered.key, result));
                Ok(Some(ticket))
            }
        }
    }

    /// Makes a stream wait for a ticket.
    pub fn queue_after(&self, stream: Handle, ticket: u64) -> Result {
        self.enqueue(stream, vec![ticket], Work::Nothing, None).map(drop)
    }
}

/// A deferred operation.
pub struct QueuedOperation {
    pub ticket: u64,
    /// Tickets of other queues that must finish first.
    pub after: Vec<u64>,
    pub work: Work,
    /// Its position in the happens-before order, if races are checked.
    pub tag: Option<Arc<Tag>>,
}

/// Operations of a stream, in order.
pub struct StreamQueue {
    /// Whether the stream synchronizes with the default stream.
    pub blocking: bool,
    pub operations: VecDeque<QueuedOperation>,
    /// Ticket of the running operation.
    pub busy: Option<u64>,
    /// The detached launch, if one is running.
    pub detached: Option<Arc<DetachedLaunch>>,
}

/// Queues of all streams.
pub struct StreamQueues {
    pub all: BTreeMap<StreamKey, StreamQueue>,
    next: u64,
    /// When an operation last finished.
    pub progress: Option<Instant>,
}

/// All queues of the process.
pub static QUEUES: Mutex<StreamQueues> =
    Mutex::new(StreamQueues { all: BTreeMap::new(), next: 1, progress: None });

/// Signaled whenever queues change.
pub static QUEUES_CHANGED: Condvar = Condvar::new();

/// Whether there are queues: a fast check for calls.
pub static ANY_DEFERRED: AtomicBool = AtomicBool::new(false);

impl StreamQueue {
    /// Tickets of all operations, the running one first.
    pub fn tickets(&self) -> impl Iterator<Item = u64> {
        self.busy.into_iter().chain(self.operations.iter().map(|operation| operation.ticket))
    }

    /// Whether its running operation is making progress.
    pub fn advances(&self) -> bool {
        self.busy.is_some() && !self.detached.as_ref().is_some_and(|detached| detached.is_stalled())
    }
}

impl StreamQueues {
    /// Whether the work of a ticket is unfinished.
    pub fn is_open(&self, ticket: u64) -> bool {
        self.all.values().any(|queue| queue.tickets().any(|open| open == ticket))
    }

    /// The last tickets of the queues that new work of a stream must wait for.
    pub fn before(&self, stream: OrderedStream) -> Vec<u64> {
        let OrderedStream { key, blocking } = stream;
        let comes_first = |(other, queue): &(&StreamKey, &StreamQueue)| {
            other.context == key.context
                && other.stream != key.stream
                && ((key.stream == 0 && queue.blocking) || (blocking && other.stream == 0))
        };
        self.all
            .iter()
            .filter(comes_first)
            .filter_map(|(_, queue)| queue.tickets().last())
            .collect()
    }

    /// Appends work to a stream's queue; returns its ticket.
    pub fn push(
        &mut self,
        stream: OrderedStream,
        after: Vec<u64>,
        work: Work,
        tag: Option<Arc<Tag>>,
    ) -> u64 {
        let ticket = self.ticket();
        self.queue(stream).operations.push_back(QueuedOperation { ticket, after, work, tag });
        ticket
    }

    /// A new ticket.
    pub fn ticket(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The queue of a stream, created on first use.
    pub fn queue(&mut self, stream: OrderedStream) -> &mut StreamQueue {
        let OrderedStream { key, blocking } = stream;
        let new =
            || StreamQueue { blocking, operations: VecDeque::new(), busy: None, detached: None };
        self.all.entry(key).or_insert_with(new)
    }

    /// Takes an operation that is ready to run; it becomes its queue's running operation.
    fn take_ready(&mut self) -> Option<(StreamKey, QueuedOperation)> {
        let ready = |queue: &StreamQueue| {
            queue.busy.is_none()
                && queue.operations.front().is_some_and(|operation| {
                    operation.after.iter().all(|&ticket| !self.is_open(ticket))
                        && is_ready(&operation.work)
                })
        };
        let key = *self.all.iter().find(|(_, queue)| ready(queue))?.0;
        let queue = self.all.get_mut(&key)?;
        let operation = queue.operations.pop_front()?;
        queue.busy = Some(operation.ticket);
        Some((key, operation))
    }

    /// Finishes the running operation of a queue.
    pub fn finish(&mut self, key: StreamKey) {
        if let Some(queue) = self.all.get_mut(&key) {
            (queue.busy, queue.detached) = (None, None);
            if queue.operations.is_empty() {
                self.all.remove(&key);
            }
        }
        self.progress = Some(Instant::now());
        self.changed();
    }

    /// Wakes threads that wait for changes of queues.
    pub fn changed(&self) {
        ANY_DEFERRED.store(!self.all.is_empty(), Ordering::Release);
        QUEUES_CHANGED.notify_all();
    }
}

/// Whether work can run now, even if it will fail.
fn is_ready(work: &Work) -> bool {
    match work {
        Work::Memory(ops) => {
            ops.iter().take_while(|op| op.is_wait()).all(|op| op.pass().unwrap_or(true))
        }
        _ => true,
    }
}
