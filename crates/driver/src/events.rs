//! Events: points in time of the host, since work is done when it is queued, but for what is behind a wait.

use crate::api::api;
use crate::contexts::Context;
use crate::event::Event;
use crate::handles::Handle;
use crate::lock::lock;
use crate::pointers::store;
use crate::state::{driver, table};
use crate::status::{Result, Status};
use crate::work::Work;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

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
    // SAFETY: nothing of the program is used.
    let kept = unsafe { driver.queue(stream, Work::Record(handle)) }?;
    event.ticket.store(kept.unwrap_or(0), Ordering::Release);
    Ok(())
}

/// Whether an event has not happened yet.
fn is_open(event: &Event) -> Result<bool> {
    Ok(driver()?.is_open(event.ticket.load(Ordering::Acquire)))
}

/// Milliseconds between two events.
fn elapsed(milliseconds: *mut f32, start: Handle, end: Handle) -> Result {
    driver()?;
    let (start, end) = (table::<Event>().get(start)?, table::<Event>().get(end)?);
    if is_open(&start)? || is_open(&end)? {
        return Err(Status::NotReady);
    }
    let (start, end) = (start.time()?, end.time()?);
    let signed = match end.checked_duration_since(start) {
        Some(after) => after.as_secs_f64(),
        None => -start.duration_since(end).as_secs_f64(),
    };
    // SAFETY: by the callers.
    unsafe { store(milliseconds, (1e3 * signed) as f32) }
}

api! {
    fn cuEventCreate(event: *mut Handle, flags: u32) {
        let context = driver()?.context()?.handle;
        if flags > 7 {
            return Err(Status::InvalidValue);
        }
        let made = Event { context, untimed: flags & UNTIMED != 0, recorded: Mutex::default(), nodes: Mutex::default(), ticket: AtomicU64::new(0) };
        // SAFETY: by the caller.
        unsafe { store(event, table::<Event>().add(made)) }
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
        table::<Context>().find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventSynchronize(event: Handle) {
        let driver = driver()?;
        let event = table::<Event>().get(event)?;
        if event.captured().is_some() {
            return Err(Status::CapturedEvent);
        }
        driver.wait_for(&[event.ticket.load(Ordering::Acquire)])?;
        table::<Context>().find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }
}
