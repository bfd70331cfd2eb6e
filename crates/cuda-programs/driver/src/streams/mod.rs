//! Streams and events: ordering, deferred work, capture, and the calls that record, wait for and time events.

pub mod captures;
pub mod deferred;
pub mod detached;
pub mod function_memory;
pub mod host_functions;
pub mod memory_ops;
pub mod stream;
pub mod tracked;

use crate::api::api;
use crate::devices::contexts::Context;
use crate::graphs::work::Work;
use crate::ordering;
use crate::ordering::strands::Point;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// An event.
pub struct Event {
    pub context: Handle,
    /// Whether timing is disabled.
    pub untimed: bool,
    pub recorded: Mutex<Option<Instant>>,
    /// Graph and nodes, if it was recorded during capture.
    pub nodes: Mutex<Option<(Handle, Vec<Handle>)>>,
    /// Ticket of a deferred record; 0 if none.
    pub ticket: AtomicU64,
    /// Point of the last record, if races are checked.
    pub point: Mutex<Option<Arc<Point>>>,
}

impl Event {
    /// The captured nodes it represents.
    pub fn captured(&self) -> Option<(Handle, Vec<Handle>)> {
        lock(&self.nodes).clone()
    }

    /// Whether the event was recorded.
    pub fn is_recorded(&self) -> bool {
        self.ticket.load(Ordering::Acquire) != 0 || lock(&self.recorded).is_some()
    }

    /// Time of the record.
    pub fn time(&self) -> Result<Instant> {
        match (self.untimed, *lock(&self.recorded)) {
            (false, Some(time)) => Ok(time),
            _ => Err(Status::InvalidHandle),
        }
    }

    /// Point of the last record.
    pub fn last_record(&self) -> Option<Arc<Point>> {
        lock(&self.point).clone()
    }

    /// Records the event at the current time.
    pub fn happen(&self) {
        *lock(&self.recorded) = Some(Instant::now());
    }
}

/// `CU_EVENT_DISABLE_TIMING`.
const UNTIMED: u32 = 2;

/// Checks the flags of a record or a wait: `CU_EVENT_RECORD_EXTERNAL` (1) makes a node, so it needs a capture.
pub fn external(driver: &Driver, stream: Handle, flags: u32) -> Result {
    match flags {
        0 => Ok(()),
        1 if driver.captured(stream)?.is_some() => Ok(()),
        1 => Err(Status::IllegalState),
        _ => Err(Status::InvalidValue),
    }
}

/// Records an event.
pub fn record(handle: Handle, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    let event = table::<Event>().get(handle)?;
    driver.check_legacy(stream)?;
    let captured = driver.captured(stream)?;
    if captured.is_none() && driver.ordered_stream(stream)?.key.context != event.context {
        return Err(Status::InvalidHandle);
    }
    let is_captured = captured.is_some();
    *lock(&event.nodes) = captured;
    if is_captured {
        return Ok(());
    }
    let work = Work::Record(handle);
    let tag = driver.tag(stream, &work)?;
    *lock(&event.point) = tag.as_ref().map(|tag| tag.point());
    let kept = driver.queue_tagged(stream, work, tag)?;
    event.ticket.store(kept.unwrap_or(0), Ordering::Release);
    Ok(())
}

/// Records that the host has waited for an event.
fn happened(event: &Event) {
    ordering::synchronized(event.last_record().as_slice());
}

/// Whether an event has not happened yet.
fn is_open(event: &Event) -> Result<bool> {
    Ok(driver()?.is_open(event.ticket.load(Ordering::Acquire)))
}

/// Milliseconds between two events.
fn elapsed(milliseconds: Out<'_, f32>, start: Handle, end: Handle) -> Result {
    driver()?;
    let (start_event, end_event) = (table::<Event>().get(start)?, table::<Event>().get(end)?);
    if milliseconds.is_null() {
        return Err(Status::InvalidHandle);
    }
    if start_event.captured().is_some() || end_event.captured().is_some() {
        return Err(Status::CapturedEvent);
    }
    if is_open(&start_event)? || is_open(&end_event)? {
        return Err(Status::NotReady);
    }
    let (start, end) = (start_event.time()?, end_event.time()?);
    // Like a query, the call does not wait.
    let open = |event: &Event| ordering::query_finds_open(event.last_record().as_slice());
    if open(&start_event) | open(&end_event) {
        return Err(Status::NotReady);
    }
    [&start_event, &end_event].into_iter().for_each(|event| happened(event));
    let signed = match end.checked_duration_since(start) {
        Some(after) => after.as_secs_f64(),
        None => -start.duration_since(end).as_secs_f64(),
    };
    milliseconds.store((1e3 * signed) as f32)
}

api! {
    fn cuEventCreate(event: Out<'_, Handle>, flags: u32) {
        let context = driver()?.context()?.handle;
        // Sharing between processes (4) requires an event without timing.
        if flags > 7 || flags & 4 != 0 && flags & UNTIMED == 0 {
            return Err(Status::InvalidValue);
        }
        let made = Event { context, untimed: flags & UNTIMED != 0, recorded: Mutex::default(), nodes: Mutex::default(), ticket: AtomicU64::new(0), point: Mutex::default() };
        event.store(table::<Event>().add(made))
    }

    fn cuEventDestroy_v2(event: Handle) {
        let event = table::<Event>().remove(event)?;
        table::<Context>().find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        record(event, stream)
    }

    fn cuEventRecordWithFlags(event: Handle, stream: Handle, flags: u32) {
        external(driver()?, stream, flags)?;
        record(event, stream)
    }

    fn cuEventQuery(event: Handle) {
        driver()?;
        let missing = if event == 0 { Status::InvalidHandle } else { Status::ContextIsDestroyed };
        let event = table::<Event>().find(event).ok_or(missing)?;
        driver()?.check_event(&event)?;
        if is_open(&event)? || ordering::query_finds_open(event.last_record().as_slice()) {
            return Err(Status::NotReady);
        }
        happened(&event);
        table::<Context>().find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventSynchronize(event: Handle) {
        let driver = driver()?;
        let event = table::<Event>().get(event)?;
        driver.check_event(&event)?;
        let recorded = event.last_record();
        driver.wait_for(&[event.ticket.load(Ordering::Acquire)])?;
        ordering::synchronized(recorded.as_slice());
        table::<Context>().find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventElapsedTime(milliseconds: Out<'_, f32>, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<'_, f32>, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }
}
