//! Deferred work of streams. Work is done when it is queued, except behind a wait for a value that is not written yet: what a program queues
//! there is kept, and a worker thread of the driver does it when the value is there. So a program may queue the wait first and write the value
//! later, from the same thread, another one or another stream, as on a GPU.
//!
//! A wait that never ends hangs a GPU. Here a call that waits for it gives up when nothing has happened for a while
//! (`LANEWORK_WAIT_SECONDS`, 30): the report names the word and what it holds, and the context is lost as after a kernel that never ends.
//!
//! Limit: a wait in a graph inside another graph is waited for by whoever runs the graph.

use crate::contexts::{Context, current, set_current};
use crate::detached::{self, DetachedLaunch, Progress};
use crate::handles::Handle;
use crate::lock::lock;
use crate::memory_ops::{MemoryOp, report_endless_wait, wait_limit};
use crate::queue::{PER_THREAD, SYNCHRONOUS, own_stream};
use crate::state::{Driver, table};
use crate::status::{Result, Status};
use crate::stream_queues::{
    ANY_DEFERRED, QUEUES, QUEUES_CHANGED, StreamKey, StreamQueue, StreamQueues, is_ready,
};
use crate::work::Work;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

/// Time between two polls of a word.
const POLL_INTERVAL: Duration = Duration::from_micros(200);

thread_local! {
    /// Whether this is the worker thread. It must not wait for streams, which wait for it: CUDA forbids such calls in callbacks.
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
}

/// The worker thread: does what becomes ready, for as long as the process lives.
fn run_worker() {
    IS_WORKER.set(true);
    loop {
        let mut queues = lock(&QUEUES);
        let Some((key, work)) = queues.take_ready() else {
            let rest = if queues.all.is_empty() { Duration::from_secs(60) } else { POLL_INTERVAL };
            drop(QUEUES_CHANGED.wait_timeout(queues, rest));
            continue;
        };
        drop(queues);
        set_current(key.context);
        // SAFETY: what it was made from is as the caller promised until its stream has done it.
        let ran = catch_unwind(AssertUnwindSafe(|| unsafe { perform(key.context, work) }));
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
///
/// # Safety
/// As [`Work::run`].
unsafe fn perform(context: Handle, work: Work) -> Progress {
    match &work {
        Work::Launch(launch, _) if launch.may_wait() => {
            // SAFETY: by the caller.
            detached::run(context, move || unsafe { work.run() })
        }
        // SAFETY: as above.
        _ => Progress::Ended(unsafe { work.run() }),
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
    /// Where the work of a stream stands, and whether it keeps the order of the default stream.
    fn key(&self, stream: Handle) -> Result<(StreamKey, bool)> {
        Ok(match self.stream(stream)? {
            Some(of_stream) => {
                (StreamKey { context: of_stream.context, stream }, of_stream.flags & 1 == 0)
            }
            None => {
                let stream = if stream == PER_THREAD { own_stream() } else { 0 };
                (StreamKey { context: current(), stream }, true)
            }
        })
    }

    /// Does work of a stream now, or defers it until its stream comes to it; gives the ticket of what is deferred.
    ///
    /// # Safety
    /// As [`Work::run`].
    pub unsafe fn queue(&self, stream: Handle, work: Work) -> Result<Option<u64>> {
        if !ANY_DEFERRED.load(Ordering::Acquire) && is_ready(&work) {
            // Of several operations a later one may wait.
            if !matches!(&work, Work::Memory(ops) if ops.len() > 1) {
                // SAFETY: by the caller.
                return unsafe { self.run_now(stream, work) };
            }
        }
        let mut ticket = None;
        let parts = match work {
            Work::Memory(ops) => ops.into_iter().map(|op| Work::Memory(vec![op])).collect(),
            other => vec![other],
        };
        for part in parts {
            // SAFETY: by the caller.
            ticket = unsafe { self.enqueue(stream, Vec::new(), part) }?;
        }
        match ticket {
            Some(ticket) if stream == SYNCHRONOUS => self.wait_for(&[ticket]).map(|()| None),
            ticket => Ok(ticket),
        }
    }

    /// Does one piece of work, or defers it.
    ///
    /// # Safety
    /// As [`Work::run`].
    unsafe fn enqueue(
        &self,
        stream: Handle,
        mut after: Vec<u64>,
        work: Work,
    ) -> Result<Option<u64>> {
        let (key, blocking) = self.key(stream)?;
        let mut queues = lock(&QUEUES);
        after.extend(queues.before(key, blocking));
        after.retain(|&ticket| queues.is_open(ticket));
        if queues.all.contains_key(&key) || !after.is_empty() || !is_ready(&work) {
            // A copy of memory that the program may use again when the call returns is done when it returns.
            if !matches!(&work, Work::Copy(copy) if copy.is_pageable()) {
                static WORKER: Once = Once::new();
                WORKER.call_once(|| drop(std::thread::spawn(run_worker)));
                let ticket = queues.push(key, blocking, after, work);
                queues.changed();
                return Ok(Some(ticket));
            }
            after.extend(queues.all.get(&key).into_iter().flat_map(StreamQueue::tickets));
            drop(queues);
            self.wait_for(&after)?;
        } else {
            drop(queues);
        }
        // SAFETY: by the caller.
        unsafe { self.run_now(stream, work) }
    }

    /// Does work of a stream that has nothing else to do; gives the ticket of a launch that goes on.
    ///
    /// # Safety
    /// As [`Work::run`].
    unsafe fn run_now(&self, stream: Handle, work: Work) -> Result<Option<u64>> {
        // SAFETY: by the caller.
        match unsafe { perform(current(), work) } {
            Progress::Ended(result) => result.map(|()| None),
            Progress::Detached(launch) => {
                let (key, blocking) = self.key(stream)?;
                let mut queues = lock(&QUEUES);
                let ticket = queues.ticket();
                let queue = queues.queue(key, blocking);
                (queue.busy, queue.detached) = (Some(ticket), Some(launch.clone()));
                queues.changed();
                drop(queues);
                launch.follow(move |result| finish(key, result));
                Ok(Some(ticket))
            }
        }
    }

    /// Waits for launches that go on beside the program, before what cannot be done while one runs.
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

    /// Lets a stream wait for a ticket.
    pub fn queue_after(&self, stream: Handle, ticket: u64) -> Result {
        // SAFETY: nothing is done.
        unsafe { self.enqueue(stream, vec![ticket], Work::Nothing) }.map(drop)
    }

    /// Whether the work of a ticket is still to be done.
    pub fn is_open(&self, ticket: u64) -> bool {
        ticket != 0 && ANY_DEFERRED.load(Ordering::Acquire) && lock(&QUEUES).is_open(ticket)
    }

    /// Whether a stream has work to do.
    pub fn is_waiting(&self, stream: Handle) -> Result<bool> {
        Ok(!self.open_of(stream)?.is_empty())
    }

    /// The tickets of what a stream has to do.
    fn open_of(&self, stream: Handle) -> Result<Vec<u64>> {
        let (key, blocking) = self.key(stream)?;
        if !ANY_DEFERRED.load(Ordering::Acquire) {
            return Ok(Vec::new());
        }
        let queues = lock(&QUEUES);
        let mut open: Vec<u64> =
            queues.all.get(&key).into_iter().flat_map(StreamQueue::tickets).collect();
        if key.stream == 0 {
            open.extend(queues.before(key, blocking));
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
        if !ANY_DEFERRED.load(Ordering::Acquire) {
            return Ok(());
        }
        let of_context = |(key, queue): (&StreamKey, &StreamQueue)| {
            (key.context == context).then(|| queue.tickets().collect::<Vec<_>>())
        };
        let open: Vec<u64> = lock(&QUEUES).all.iter().filter_map(of_context).flatten().collect();
        self.wait_for(&open)
    }

    /// Forgets what streams of a context have to do.
    pub fn forget_queues(&self, context: Handle) {
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

    /// Waits until tickets are done.
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

/// Ends the launches that wait, whose reports say for what, since nothing happens any more.
///
/// # Errors
/// Without such launches, all queues are ended, and it is said which words they wait for.
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
