//! Streams: what programs ask of them, and what else they queue. Work happens when it is queued, but behind a wait (`deferred`).

use crate::api::api;
use crate::devices::contexts::{Context, current, or_current};
use crate::graphs::work::{Callback, HostFunction, Work};
use crate::handles::Handle;
use crate::ordering;
use crate::pointers::store;
use crate::state::{driver, table};
use crate::status::Status;
use crate::streams::event::Event;
use crate::streams::key::StreamKey;
use crate::streams::stream::{Stream, next_number};
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

api! {
    fn cuStreamCreate(stream: *mut Handle, flags: u32) {
        let context = driver()?.context()?.handle;
        if flags > 1 {
            return Err(Status::InvalidValue);
        }
        let handle = table::<Stream>().add(Stream { context, flags, priority: 0, number: next_number(), attributes: Mutex::default() });
        // SAFETY: by the caller.
        unsafe { store(stream, handle) }
    }

    fn cuStreamCreateWithPriority(stream: *mut Handle, flags: u32, priority: i32) {
        let context = driver()?.context()?.handle;
        if flags > 1 {
            return Err(Status::InvalidValue);
        }
        let handle = table::<Stream>().add(Stream { context, flags, priority: priority.clamp(-5, 0), number: next_number(), attributes: Mutex::default() });
        // SAFETY: by the caller.
        unsafe { store(stream, handle) }
    }

    fn cuStreamDestroy_v2(stream: Handle) {
        let driver = driver()?;
        let removed = table::<Stream>().remove(stream)?;
        ordering::destroyed(StreamKey { context: removed.context, stream });
        driver.forget(stream);
        Ok(())
    }

    fn cuCtxSynchronize() {
        let context = driver()?.context()?;
        driver()?.finish_context(context.handle)?;
        context.healthy()
    }

    fn cuCtxSynchronize_v2(context: Handle) {
        let context = or_current(context)?;
        context.healthy()?;
        driver()?.finish_context(context.handle)?;
        context.healthy()
    }

    fn cuStreamSynchronize(stream: Handle) {
        let driver = driver()?;
        let waited = driver.waited_for(stream)?;
        driver.finish_stream(stream)?;
        ordering::synchronised(&waited);
        Ok(())
    }

    fn cuStreamQuery(stream: Handle) {
        let driver = driver()?;
        if driver.is_waiting(stream)? {
            return Err(Status::NotReady);
        }
        ordering::synchronised(&driver.waited_for(stream)?);
        Ok(())
    }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: u32) {
        let driver = driver()?;
        driver.stream(stream)?;
        let event = table::<Event>().get(event)?;
        if let Some((graph, nodes)) = event.captured() {
            driver.join(stream, graph, &nodes);
            return Ok(());
        }
        driver.wait_for_event(stream, event.last_record())?;
        match event.ticket.load(Ordering::Acquire) {
            ticket if driver.is_open(ticket) => driver.queue_after(stream, ticket),
            _ => Ok(()),
        }
    }

    fn cuStreamGetPriority(stream: Handle, priority: *mut i32) {
        let found = driver()?.stream(stream)?;
        // SAFETY: by the caller.
        unsafe { store(priority, found.map_or(0, |stream| stream.priority)) }
    }

    fn cuStreamGetFlags(stream: Handle, flags: *mut u32) {
        let found = driver()?.stream(stream)?;
        // SAFETY: by the caller.
        unsafe { store(flags, found.map_or(0, |stream| stream.flags)) }
    }

    fn cuStreamGetId(stream: Handle, id: *mut u64) {
        driver()?.stream(stream)?;
        // SAFETY: by the caller.
        unsafe { store(id, stream) }
    }

    fn cuStreamGetCtx(stream: Handle, context: *mut Handle) {
        let found = driver()?.stream(stream)?;
        // SAFETY: by the caller.
        unsafe { store(context, found.map_or_else(current, |stream| stream.context)) }
    }

    fn cuStreamGetDevice(stream: Handle, device: *mut i32) {
        let driver = driver()?;
        let context = driver.stream(stream)?.map_or_else(current, |stream| stream.context);
        let context = table::<Context>().find(context).ok_or(Status::InvalidContext)?;
        // SAFETY: by the caller.
        unsafe { store(device, context.gpu) }
    }

    fn cuStreamAddCallback(stream: Handle, callback: Option<Callback>, data: *mut c_void, _flags: u32) {
        let callback = callback.ok_or(Status::InvalidValue)?;
        // SAFETY: by the caller; all work of the stream is done.
        unsafe { driver()?.queue(stream, Work::Callback(callback, stream, data as usize)) }.map(drop)
    }

    fn cuLaunchHostFunc(stream: Handle, function: Option<HostFunction>, data: *mut c_void) {
        let work = Work::Host(function.ok_or(Status::InvalidValue)?, data as usize);
        // SAFETY: by the caller; all work of the stream is done.
        unsafe { driver()?.submit(stream, work) }
    }

    fn cuLaunchHostFunc_v2(stream: Handle, function: Option<HostFunction>, data: *mut c_void, _waits: u32) {
        // How the stream waits for the function (it blocks or spins) changes nothing here.
        let work = Work::Host(function.ok_or(Status::InvalidValue)?, data as usize);
        // SAFETY: by the caller; all work of the stream is done.
        unsafe { driver()?.submit(stream, work) }
    }

    fn cuStreamAttachMemAsync(stream: Handle, _address: u64, _length: usize, _flags: u32) {
        driver()?.stream(stream).map(drop)
    }
}
