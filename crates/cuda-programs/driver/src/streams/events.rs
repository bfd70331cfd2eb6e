//! Events: recording, waiting, and elapsed time.

use crate::api::api;
use crate::devices::contexts::Context;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::ordering;
use crate::ordering::strands::Point;
use crate::pointers::Out;
use crate::state::{driver, lock, table};
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

    /// Marks it as recorded now.
    pub fn happen(&self) {
        *lock(&self.recorded) = Some(Instant::now());
    }
}

/// `CU_EVENT_DISABLE_TIMING`.
const UNTIMED: u32 = 2;

/// Records an event.
pub fn record(handle: Handle, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    let event = table::<Event>().get(handle)?;
    let captured = driver.captured(stream);
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

/// The host has waited for an event.
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
    if is_open(&start_event)? || is_open(&end_event)? {
        return Err(Status::NotReady);
    }
    let (start, end) = (start_event.time()?, end_event.time()?);
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
        if flags > 7 {
            return Err(Status::InvalidValue);
        }
        let made = Event { context, untimed: flags & UNTIMED != 0, recorded: Mutex::default(), nodes: Mutex::default(), ticket: AtomicU64::new(0), point: Mutex::default() };
        event.store(table::<Event>().add(made))
    }

    fn cuEventDestroy_v2(event: Handle) {
        table::<Event>().remove(event).map(drop)
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        record(event, stream)
    }

    fn cuEventRecordWithFlags(event: Handle, stream: Handle, _flags: u32) {
        record(event, stream)
    }

    fn cuEventQuery(event: Handle) {
        driver()?;
        let event = table::<Event>().get(event)?;
        if event.captured().is_some() {
            return Err(Status::CapturedEvent);
        }
        if is_open(&event)? {
            return Err(Status::NotReady);
        }
        happened(&event);
        table::<Context>().find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventSynchronize(event: Handle) {
        let driver = driver()?;
        let event = table::<Event>().get(event)?;
        if event.captured().is_some() {
            return Err(Status::CapturedEvent);
        }
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
