//! Deferred work of streams. Work is done when it is queued, except behind a wait for a value that is not written yet: what a program queues
//! there is kept, and a worker thread of the driver does it when the value is there. So a program may queue the wait first and write the value
//! later, from the same thread, another one or another stream, as on a GPU.
//!
//! Limit: a wait in a graph inside another graph is waited for by whoever runs the graph.

use crate::devices::contexts::{Context, current, set_current};
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::lock::lock;
use crate::ordering::Tag;
use crate::state::{Driver, table};
use crate::status::{Result, Status};
use crate::streams::detached::{self, Progress};
use crate::streams::key::StreamKey;
use crate::streams::stream::SYNCHRONOUS;
use crate::streams::stream_queues::{
    ANY_DEFERRED, Operation, QUEUES, QUEUES_CHANGED, StreamQueue, is_ready,
};
use crate::streams::waiting::become_worker;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};
use std::time::Duration;

/// Time between two polls of a word.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// The worker thread: does what becomes ready, for as long as the process lives.
fn run_worker() {
    become_worker();
    loop {
        let mut queues = lock(&QUEUES);
        let Some((key, Operation { work, tag, .. })) = queues.take_ready() else {
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

/// Does work. A launch that waits for others goes on beside it.
fn perform(context: Handle, work: Work, tag: Option<Arc<Tag>>) -> Progress {
    match &work {
        Work::Launch(launch, _) if launch.may_wait() => {
            detached::run(context, move || work.run_tagged(tag.as_deref()))
        }
        _ => Progress::Ended(work.run_tagged(tag.as_deref())),
    }
}

/// The busy operation of a queue has been done.
fn finish(key: StreamKey, result: Result) {
    if let Err(status) = result
        && let Some(context) = table::<Context>().find(key.context)
    {
        context.fail(status);
    }
    lock(&QUEUES).finish(key);
}

impl Driver {
    /// Does work of a stream now, or defers it until its stream comes to it; gives the ticket of what is deferred.
    pub fn queue(&self, stream: Handle, work: Work) -> Result<Option<u64>> {
        let tag = self.tag(stream, &work)?;
        self.queue_tagged(stream, work, tag)
    }

    /// As [`Driver::queue`], of work with its place in the order of streams.
    pub fn queue_tagged(
        &self,
        stream: Handle,
        work: Work,
        tag: Option<Arc<Tag>>,
    ) -> Result<Option<u64>> {
        if !ANY_DEFERRED.load(Ordering::Acquire) && is_ready(&work) {
            // Of several operations a later one may wait.
            if !matches!(&work, Work::Memory(ops) if ops.len() > 1) {
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

    /// Does one piece of work, or defers it.
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
            // A copy of memory that the program may use again when the call returns is done when it returns.
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

    /// Does work of a stream that has nothing else to do; gives the ticket of a launch that goes on.
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

    /// Lets a stream wait for a ticket.
    pub fn queue_after(&self, stream: Handle, ticket: u64) -> Result {
        self.enqueue(stream, vec![ticket], Work::Nothing, None).map(drop)
    }
}
