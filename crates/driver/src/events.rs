//! Events: points in time of the host, since work is done when it is queued.

use crate::api::api;
use crate::handles::Handle;
use crate::pointers::store;
use crate::state::driver;
use crate::status::{Result, Status};
use std::sync::Mutex;
use std::time::Instant;

/// An event.
pub struct Event {
    pub context: Handle,
    /// Whether it was made without a time.
    untimed: bool,
    recorded: Mutex<Option<Instant>>,
    /// The graph and the nodes that it stands for, where it was recorded on a stream that was being captured.
    nodes: Mutex<Option<(Handle, Vec<Handle>)>>,
}

/// `CU_EVENT_DISABLE_TIMING`.
const UNTIMED: u32 = 2;

impl Event {
    /// The nodes that it stands for in a capture.
    pub fn captured(&self) -> Option<(Handle, Vec<Handle>)> {
        self.nodes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    fn time(&self) -> Result<Instant> {
        match (self.untimed, *self.recorded.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
        {
            (false, Some(time)) => Ok(time),
            _ => Err(Status::InvalidHandle),
        }
    }
}

/// Records an event.
pub fn record(event: Handle, stream: Handle) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    let event = driver.events.get(event)?;
    let captured = driver.captured(stream);
    let is_captured = captured.is_some();
    *event.nodes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = captured;
    if is_captured {
        return Ok(());
    }
    *event.recorded.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(Instant::now());
    Ok(())
}

/// Milliseconds between two events.
fn elapsed(milliseconds: *mut f32, start: Handle, end: Handle) -> Result {
    let driver = driver()?;
    let (start, end) = (driver.events.get(start)?.time()?, driver.events.get(end)?.time()?);
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
        let made = Event { context, untimed: flags & UNTIMED != 0, recorded: Mutex::default(), nodes: Mutex::default() };
        // SAFETY: by the caller.
        unsafe { store(event, driver()?.events.add(made)) }
    }

    fn cuEventDestroy_v2(event: Handle) {
        driver()?.events.remove(event).map(drop)
    }

    fn cuEventRecord(event: Handle, stream: Handle) {
        record(event, stream)
    }

    fn cuEventRecordWithFlags(event: Handle, stream: Handle, _flags: u32) {
        record(event, stream)
    }

    fn cuEventQuery(event: Handle) {
        let driver = driver()?;
        let event = driver.events.get(event)?;
        driver.contexts.find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventSynchronize(event: Handle) {
        let driver = driver()?;
        let event = driver.events.get(event)?;
        driver.contexts.find(event.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) {
        elapsed(milliseconds, start, end)
    }
}
