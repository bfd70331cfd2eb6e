//! Streams that wait. Work happens when it is queued, but for a wait for a value that nobody has written yet: what a program queues behind
//! it is kept, and a thread of the driver does it when the value is there. So a program may queue the wait first and write the value later,
//! from the same thread, another one or another stream, as on a GPU.
//!
//! Each stream that waits has a line of steps. A step has a ticket; it waits for the step before it and for tickets of other lines, by which
//! events and the rules of the default stream are kept. A line that is empty is gone, and costs its stream nothing.
//!
//! A wait that is never over hangs a GPU. Here a call that waits for it gives up when nothing has happened for a while
//! (`LANEWORK_WAIT_SECONDS`, 30): the report names the word and what it holds, and the context is lost as after a kernel that never ends.
//!
//! Limit: a wait in a graph inside another graph is waited for by whoever runs the graph.

use crate::apart::{self, Apart, Came};
use crate::contexts::{Context, current, set_current};
use crate::handles::Handle;
use crate::lock::lock;
use crate::memory_ops::{MemoryOp, never, patience};
use crate::queue::{PER_THREAD, WAITED, own_stream};
use crate::state::{Driver, table};
use crate::status::{Result, Status};
use crate::work::Work;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, Once};
use std::time::{Duration, Instant};

/// A stream of a context. 0 is the default stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    context: Handle,
    stream: Handle,
}

/// Work that is kept.
struct Step {
    ticket: u64,
    /// Tickets of other lines that come first.
    after: Vec<u64>,
    work: Work,
}

/// The steps of a stream.
struct Line {
    /// Whether the default stream waits for it, and it for the default stream.
    blocking: bool,
    steps: VecDeque<Step>,
    /// The step that is done now.
    busy: Option<u64>,
    /// Of a launch that goes on beside the program, that one.
    apart: Option<Arc<Apart>>,
}

struct Lines {
    all: BTreeMap<Key, Line>,
    next: u64,
    /// When a step was last done.
    progress: Option<Instant>,
}

static LINES: Mutex<Lines> = Mutex::new(Lines { all: BTreeMap::new(), next: 1, progress: None });

/// Told whenever lines change.
static CHANGED: Condvar = Condvar::new();

/// Whether there are lines: no call looks further where there are none.
static ANY: AtomicBool = AtomicBool::new(false);

/// Time between two looks at a word.
const LOOK: Duration = Duration::from_micros(200);

impl Line {
    fn tickets(&self) -> impl Iterator<Item = u64> {
        self.busy.into_iter().chain(self.steps.iter().map(|step| step.ticket))
    }

    /// Whether something is done now that goes on without others.
    fn gets_on(&self) -> bool {
        self.busy.is_some() && !self.apart.as_ref().is_some_and(|apart| apart.is_still())
    }
}

impl Lines {
    fn is_open(&self, ticket: u64) -> bool {
        self.all.values().any(|line| line.tickets().any(|open| open == ticket))
    }

    /// The last tickets of the lines that come before new work of a stream.
    fn before(&self, key: Key, blocking: bool) -> Vec<u64> {
        let comes_first = |(other, line): &(&Key, &Line)| {
            other.context == key.context
                && other.stream != key.stream
                && ((key.stream == 0 && line.blocking) || (blocking && other.stream == 0))
        };
        self.all.iter().filter(comes_first).filter_map(|(_, line)| line.tickets().last()).collect()
    }

    fn push(&mut self, key: Key, blocking: bool, after: Vec<u64>, work: Work) -> u64 {
        let ticket = self.ticket();
        self.line(key, blocking).steps.push_back(Step { ticket, after, work });
        ticket
    }

    fn ticket(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn line(&mut self, key: Key, blocking: bool) -> &mut Line {
        let new = || Line { blocking, steps: VecDeque::new(), busy: None, apart: None };
        self.all.entry(key).or_insert_with(new)
    }

    /// A step that nothing keeps, which is then the busy one of its line.
    fn take_ready(&mut self) -> Option<(Key, Work)> {
        let ready = |line: &Line| {
            line.busy.is_none()
                && line.steps.front().is_some_and(|step| {
                    step.after.iter().all(|&ticket| !self.is_open(ticket)) && is_ready(&step.work)
                })
        };
        let key = *self.all.iter().find(|(_, line)| ready(line))?.0;
        let line = self.all.get_mut(&key)?;
        let step = line.steps.pop_front()?;
        line.busy = Some(step.ticket);
        Some((key, step.work))
    }

    /// Ends the busy step of a line.
    fn finish(&mut self, key: Key) {
        if let Some(line) = self.all.get_mut(&key) {
            (line.busy, line.apart) = (None, None);
            if line.steps.is_empty() {
                self.all.remove(&key);
            }
        }
        self.progress = Some(Instant::now());
        self.changed();
    }

    fn changed(&self) {
        ANY.store(!self.all.is_empty(), Ordering::Release);
        CHANGED.notify_all();
    }
}

/// Whether work can be done now; work that fails is done, too.
fn is_ready(work: &Work) -> bool {
    match work {
        Work::Memory(ops) => {
            ops.iter().take_while(|op| op.is_wait()).all(|op| op.pass().unwrap_or(true))
        }
        _ => true,
    }
}

thread_local! {
    /// Whether this thread does what streams keep. What it would wait for waits for it: CUDA forbids such calls in callbacks.
    static SERVES: Cell<bool> = const { Cell::new(false) };
}

/// Does what becomes ready, for as long as the process lives.
fn serve() {
    SERVES.set(true);
    loop {
        let mut lines = lock(&LINES);
        let Some((key, work)) = lines.take_ready() else {
            let rest = if lines.all.is_empty() { Duration::from_secs(60) } else { LOOK };
            drop(CHANGED.wait_timeout(lines, rest));
            continue;
        };
        drop(lines);
        set_current(key.context);
        // SAFETY: what it was made from is as the caller promised until its stream has done it.
        let ran = catch_unwind(AssertUnwindSafe(|| unsafe { perform(key.context, work) }));
        match ran.unwrap_or(Came::Ended(Err(Status::Unknown))) {
            Came::Ended(result) => finish(key, result),
            Came::GoesOn(launch) => {
                if let Some(line) = lock(&LINES).all.get_mut(&key) {
                    line.apart = Some(launch.clone());
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
unsafe fn perform(context: Handle, work: Work) -> Came {
    match &work {
        Work::Launch(launch, _) if launch.may_wait() => {
            // SAFETY: by the caller.
            apart::run(context, move || unsafe { work.run() })
        }
        // SAFETY: as above.
        _ => Came::Ended(unsafe { work.run() }),
    }
}

/// The busy step of a line has been done.
fn finish(key: Key, result: Result) {
    if let Err(status) = result
        && let Some(context) = table::<Context>().find(key.context)
    {
        context.fail(status);
    }
    lock(&LINES).finish(key);
}

impl Driver {
    /// Where the work of a stream stands, and whether it keeps the order of the default stream.
    fn key(&self, stream: Handle) -> Result<(Key, bool)> {
        Ok(match self.stream(stream)? {
            Some(of_stream) => {
                (Key { context: of_stream.context, stream }, of_stream.flags & 1 == 0)
            }
            None => {
                let stream = if stream == PER_THREAD { own_stream() } else { 0 };
                (Key { context: current(), stream }, true)
            }
        })
    }

    /// Does work of a stream now, or when its stream is there; gives the ticket of what is kept.
    ///
    /// # Safety
    /// As [`Work::run`].
    pub unsafe fn queue(&self, stream: Handle, work: Work) -> Result<Option<u64>> {
        if !ANY.load(Ordering::Acquire) && is_ready(&work) {
            // Of several operations a later one may wait.
            if !matches!(&work, Work::Memory(ops) if ops.len() > 1) {
                // SAFETY: by the caller.
                return unsafe { self.do_now(stream, work) };
            }
        }
        let mut ticket = None;
        let parts = match work {
            Work::Memory(ops) => ops.into_iter().map(|op| Work::Memory(vec![op])).collect(),
            other => vec![other],
        };
        for part in parts {
            // SAFETY: by the caller.
            ticket = unsafe { self.queue_one(stream, Vec::new(), part) }?;
        }
        match ticket {
            Some(ticket) if stream == WAITED => self.wait_for(&[ticket]).map(|()| None),
            ticket => Ok(ticket),
        }
    }

    /// Does one piece of work, or keeps it.
    ///
    /// # Safety
    /// As [`Work::run`].
    unsafe fn queue_one(
        &self,
        stream: Handle,
        mut after: Vec<u64>,
        work: Work,
    ) -> Result<Option<u64>> {
        let (key, blocking) = self.key(stream)?;
        let mut lines = lock(&LINES);
        after.extend(lines.before(key, blocking));
        after.retain(|&ticket| lines.is_open(ticket));
        if lines.all.contains_key(&key) || !after.is_empty() || !is_ready(&work) {
            // A copy of memory that the program may use again when the call returns is done when it returns.
            if !matches!(&work, Work::Copy(copy) if copy.is_pageable()) {
                static SERVING: Once = Once::new();
                SERVING.call_once(|| drop(std::thread::spawn(serve)));
                let ticket = lines.push(key, blocking, after, work);
                lines.changed();
                return Ok(Some(ticket));
            }
            after.extend(lines.all.get(&key).into_iter().flat_map(Line::tickets));
            drop(lines);
            self.wait_for(&after)?;
        } else {
            drop(lines);
        }
        // SAFETY: by the caller.
        unsafe { self.do_now(stream, work) }
    }

    /// Does work of a stream that has nothing else to do; gives the ticket of a launch that goes on.
    ///
    /// # Safety
    /// As [`Work::run`].
    unsafe fn do_now(&self, stream: Handle, work: Work) -> Result<Option<u64>> {
        // SAFETY: by the caller.
        match unsafe { perform(current(), work) } {
            Came::Ended(result) => result.map(|()| None),
            Came::GoesOn(launch) => {
                let (key, blocking) = self.key(stream)?;
                let mut lines = lock(&LINES);
                let ticket = lines.ticket();
                let line = lines.line(key, blocking);
                (line.busy, line.apart) = (Some(ticket), Some(launch.clone()));
                lines.changed();
                drop(lines);
                launch.follow(move |result| finish(key, result));
                Ok(Some(ticket))
            }
        }
    }

    /// Waits for launches that go on beside the program, before what cannot be done while one runs.
    pub fn settle(&self) -> Result {
        if !apart::are_there() {
            return Ok(());
        }
        if SERVES.get() {
            let of_line = |line: &Line| line.apart.clone();
            let launches: Vec<Arc<Apart>> = lock(&LINES).all.values().filter_map(of_line).collect();
            launches.iter().for_each(|launch| launch.join());
            return Ok(());
        }
        let of_launches = |line: &Line| line.apart.is_some().then_some(line.busy).flatten();
        let open: Vec<u64> = lock(&LINES).all.values().filter_map(of_launches).collect();
        self.wait_for(&open)
    }

    /// Lets a stream wait for a ticket.
    pub fn queue_after(&self, stream: Handle, ticket: u64) -> Result {
        // SAFETY: nothing is done.
        unsafe { self.queue_one(stream, vec![ticket], Work::Nothing) }.map(drop)
    }

    /// Whether what a ticket stands for is still to be done.
    pub fn is_open(&self, ticket: u64) -> bool {
        ticket != 0 && ANY.load(Ordering::Acquire) && lock(&LINES).is_open(ticket)
    }

    /// Whether a stream has work to do.
    pub fn is_waiting(&self, stream: Handle) -> Result<bool> {
        Ok(!self.open_of(stream)?.is_empty())
    }

    /// The tickets of what a stream has to do.
    fn open_of(&self, stream: Handle) -> Result<Vec<u64>> {
        let (key, blocking) = self.key(stream)?;
        if !ANY.load(Ordering::Acquire) {
            return Ok(Vec::new());
        }
        let lines = lock(&LINES);
        let mut open: Vec<u64> = lines.all.get(&key).into_iter().flat_map(Line::tickets).collect();
        if key.stream == 0 {
            open.extend(lines.before(key, blocking));
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
        if !ANY.load(Ordering::Acquire) {
            return Ok(());
        }
        let of_context = |(key, line): (&Key, &Line)| {
            (key.context == context).then(|| line.tickets().collect::<Vec<_>>())
        };
        let open: Vec<u64> = lock(&LINES).all.iter().filter_map(of_context).flatten().collect();
        self.wait_for(&open)
    }

    /// Forgets what streams of a context have to do.
    pub fn forget_lines(&self, context: Handle) {
        let mut lines = lock(&LINES);
        let mut launches: Vec<Arc<Apart>> = Vec::new();
        for (_, line) in lines.all.iter_mut().filter(|(key, _)| key.context == context) {
            line.steps.clear();
            launches.extend(line.apart.clone());
        }
        drop(lines);
        launches.iter().for_each(|launch| launch.end_quietly());
        let mut lines = lock(&LINES);
        lines.all.retain(|key, _| key.context != context);
        lines.changed();
    }

    /// Waits until tickets are done.
    pub fn wait_for(&self, tickets: &[u64]) -> Result {
        let began = Instant::now();
        let mut lines = lock(&LINES);
        while tickets.iter().any(|&ticket| lines.is_open(ticket)) {
            if SERVES.get() {
                return Err(Status::NotPermitted);
            }
            let busy = lines.all.values().any(Line::gets_on);
            if busy {
                lines.progress = Some(Instant::now());
            }
            let last = lines.progress.map_or(began, |progress| progress.max(began));
            if !busy && last.elapsed() > patience() {
                give_up(&mut lines)?;
            }
            lines = CHANGED
                .wait_timeout(lines, Duration::from_millis(20))
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .0;
        }
        Ok(())
    }
}

/// Ends the launches that wait, whose reports say for what, since nothing happens any more.
///
/// # Errors
/// Without such launches, all lines are ended, and it is said which words they wait for.
fn give_up(lines: &mut Lines) -> Result {
    let launches: Vec<&Arc<Apart>> =
        lines.all.values().filter_map(|line| line.apart.as_ref()).collect();
    if !launches.is_empty() {
        launches.iter().for_each(|launch| launch.give_up());
        lines.progress = Some(Instant::now());
        return Ok(());
    }
    let waits: Vec<MemoryOp> = lines
        .all
        .values()
        .filter_map(|line| match &line.steps.front()?.work {
            Work::Memory(ops) => ops.first().copied(),
            _ => None,
        })
        .collect();
    let words = waits.iter().map(|op| format!("it waits for {op}")).collect::<Vec<_>>();
    never(&words.join("\n  and "));
    for key in lines.all.keys() {
        if let Some(context) = table::<Context>().find(key.context) {
            context.fail(Status::LaunchTimeout);
        }
    }
    lines.all.clear();
    lines.changed();
    Err(Status::LaunchTimeout)
}
