//! Streams: what programs ask of them, and what else they queue. Work happens when it is queued, but behind a wait (`deferred`).

use crate::api::api;
use crate::devices::contexts::{Context, current, or_current};
use crate::graphs::work::{Callback, HostCall, HostFunction, StreamCallback, Work};
use crate::handles::Handle;
use crate::ordering;
use crate::pointers::Out;
use crate::state::{driver, table};
use crate::status::Status;
use crate::streams::event::Event;
use crate::streams::key::StreamKey;
use crate::streams::stream::{Stream, next_number};
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

/// Queues a call of a function of the program.
fn launch_host_function(
    stream: Handle,
    function: Option<HostFunction>,
    data: *mut c_void,
) -> crate::status::Result {
    let function = function.ok_or(Status::InvalidValue)?;
    let call = HostCall::new(function, data);
    driver()?.submit(stream, Work::Host(call))
}

api! {
    fn cuStreamCreate(stream: Out<'_, Handle>, flags: u32) {
        let context = driver()?.context()?.handle;
        if flags > 1 {
            return Err(Status::InvalidValue);
        }
        let handle = table::<Stream>().add(Stream { context, flags, priority: 0, number: next_number(), attributes: Mutex::default() });
        stream.store(handle)
    }

    fn cuStreamCreateWithPriority(stream: Out<'_, Handle>, flags: u32, priority: i32) {
        let context = driver()?.context()?.handle;
        if flags > 1 {
            return Err(Status::InvalidValue);
        }
        let handle = table::<Stream>().add(Stream { context, flags, priority: priority.clamp(-5, 0), number: next_number(), attributes: Mutex::default() });
        stream.store(handle)
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

    fn cuStreamGetPriority(stream: Handle, priority: Out<'_, i32>) {
        let found = driver()?.stream(stream)?;
        priority.store(found.map_or(0, |stream| stream.priority))
    }

    fn cuStreamGetFlags(stream: Handle, flags: Out<'_, u32>) {
        let found = driver()?.stream(stream)?;
        flags.store(found.map_or(0, |stream| stream.flags))
    }

    fn cuStreamGetId(stream: Handle, id: Out<'_, u64>) {
        driver()?.stream(stream)?;
        id.store(stream)
    }

    fn cuStreamGetCtx(stream: Handle, context: Out<'_, Handle>) {
        let found = driver()?.stream(stream)?;
        context.store(found.map_or_else(current, |stream| stream.context))
    }

    fn cuStreamGetDevice(stream: Handle, device: Out<'_, i32>) {
        let driver = driver()?;
        let context = driver.stream(stream)?.map_or_else(current, |stream| stream.context);
        let context = table::<Context>().find(context).ok_or(Status::InvalidContext)?;
        device.store(context.gpu)
    }

    fn cuStreamAddCallback(stream: Handle, callback: Option<Callback>, data: *mut c_void, _flags: u32) {
        let callback = callback.ok_or(Status::InvalidValue)?;
        let callback = StreamCallback::new(callback, stream, data);
        driver()?.queue(stream, Work::Callback(callback)).map(drop)
    }

    fn cuLaunchHostFunc(stream: Handle, function: Option<HostFunction>, data: *mut c_void) {
        launch_host_function(stream, function, data)
    }

    fn cuLaunchHostFunc_v2(stream: Handle, function: Option<HostFunction>, data: *mut c_void, _waits: u32) {
        // How the stream waits for the function (it blocks or spins) changes nothing here.
        launch_host_function(stream, function, data)
    }

    fn cuStreamAttachMemAsync(stream: Handle, _address: u64, _length: usize, _flags: u32) {
        driver()?.stream(stream).map(drop)
    }
}
