//! The deferred work of streams: a queue of operations for each stream that waits or is busy. An operation has a ticket; it waits for the
//! operation before it and for tickets of other queues, by which events and the rules of the default stream are kept. A queue that is empty
//! is gone, and costs its stream nothing.

use crate::graphs::work::Work;
use crate::ordering::Tag;
use crate::streams::detached::DetachedLaunch;
use crate::streams::key::{OrderedStream, StreamKey};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// Work that is deferred.
pub struct Operation {
    pub ticket: u64,
    /// Tickets of other queues that come first.
    pub after: Vec<u64>,
    pub work: Work,
    /// Its place in the order of streams, where that is followed.
    pub tag: Option<Arc<Tag>>,
}

/// The operations of a stream, in their order.
pub struct StreamQueue {
    /// Whether the default stream waits for it, and it for the default stream.
    pub blocking: bool,
    pub operations: VecDeque<Operation>,
    /// The operation that is done now.
    pub busy: Option<u64>,
    /// Of a launch that goes on beside the program, that one.
    pub detached: Option<Arc<DetachedLaunch>>,
}

/// The queues of all streams.
pub struct StreamQueues {
    pub all: BTreeMap<StreamKey, StreamQueue>,
    next: u64,
    /// When an operation was last done.
    pub progress: Option<Instant>,
}

/// The queues of the process.
pub static QUEUES: Mutex<StreamQueues> =
    Mutex::new(StreamQueues { all: BTreeMap::new(), next: 1, progress: None });

/// Notified whenever queues change.
pub static QUEUES_CHANGED: Condvar = Condvar::new();

/// Whether there are queues; a fast check for calls when there are none.
pub static ANY_DEFERRED: AtomicBool = AtomicBool::new(false);

impl StreamQueue {
    /// The tickets of what is to be done, the one that is done now first.
    pub fn tickets(&self) -> impl Iterator<Item = u64> {
        self.busy.into_iter().chain(self.operations.iter().map(|operation| operation.ticket))
    }

    /// Whether its busy operation makes progress.
    pub fn advances(&self) -> bool {
        self.busy.is_some() && !self.detached.as_ref().is_some_and(|detached| detached.is_stalled())
    }
}

impl StreamQueues {
    /// Whether the work of a ticket is still to be done.
    pub fn is_open(&self, ticket: u64) -> bool {
        self.all.values().any(|queue| queue.tickets().any(|open| open == ticket))
    }

    /// The last tickets of the queues that come before new work of a stream.
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

    /// Appends work to the queue of a stream; gives its ticket.
    pub fn push(
        &mut self,
        stream: OrderedStream,
        after: Vec<u64>,
        work: Work,
        tag: Option<Arc<Tag>>,
    ) -> u64 {
        let ticket = self.ticket();
        self.queue(stream).operations.push_back(Operation { ticket, after, work, tag });
        ticket
    }

    /// A new ticket.
    pub fn ticket(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The queue of a stream, made where there is none.
    pub fn queue(&mut self, stream: OrderedStream) -> &mut StreamQueue {
        let OrderedStream { key, blocking } = stream;
        let new =
            || StreamQueue { blocking, operations: VecDeque::new(), busy: None, detached: None };
        self.all.entry(key).or_insert_with(new)
    }

    /// An operation that waits for nothing, which is then the busy one of its queue.
    pub fn take_ready(&mut self) -> Option<(StreamKey, Operation)> {
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

    /// Ends the busy operation of a queue.
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

    /// Notifies waiting threads that queues have changed.
    pub fn changed(&self) {
        ANY_DEFERRED.store(!self.all.is_empty(), Ordering::Release);
        QUEUES_CHANGED.notify_all();
    }
}

/// Whether work can be done now; work that fails is done, too.
pub fn is_ready(work: &Work) -> bool {
    match work {
        Work::Memory(ops) => {
            ops.iter().take_while(|op| op.is_wait()).all(|op| op.pass().unwrap_or(true))
        }
        _ => true,
    }
}
