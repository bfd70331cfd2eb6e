//! Streams: handles and calls.

use crate::api::api;
use crate::devices::contexts::{Context, current, or_current};
use crate::graphs::work::{Callback, HostCall, HostFunction, StreamCallback, Work};
use crate::memory::allocations::AllocationKind;
use crate::ordering;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, table};
use crate::status::{Result, Status};
use crate::streams::{Event, external};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A stream of a context. Handle 0 is the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamKey {
    pub context: Handle,
    pub stream: Handle,
}

/// A stream, and whether it synchronizes with the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedStream {
    pub key: StreamKey,
    /// Whether it synchronizes with the default stream: created without `CU_STREAM_NON_BLOCKING`.
    pub blocking: bool,
}

/// A stream created by the program.
pub struct Stream {
    pub context: Handle,
    pub flags: u32,
    pub priority: i32,
    /// Creation number, from 1.
    pub number: u64,
    /// Attributes set by the program, by number.
    pub attributes: Mutex<BTreeMap<u32, AttributeValue>>,
}

/// `CUlaunchAttributeValue`, for streams, launches and nodes.
pub type AttributeValue = [u32; 16];

/// Special handles: the legacy default stream, and the per-thread default stream.
pub const LEGACY: Handle = 1;
pub const PER_THREAD: Handle = 2;

/// Handle for synchronous calls on the default stream, which return when their work is done. Programs cannot obtain
/// it.
pub const SYNCHRONOUS: Handle = u64::from_be_bytes(*b"lanework");

/// Number for a new stream.
pub fn next_number() -> u64 {
    static MADE: AtomicU64 = AtomicU64::new(0);
    MADE.fetch_add(1, Ordering::Relaxed) + 1
}

/// Internal handle of the calling thread's default stream.
pub fn own_stream() -> Handle {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
    thread_local! {
        static OWN: Handle = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.try_with(|own| *own).unwrap_or(PER_THREAD)
}

impl Stream {
    /// Whether it synchronizes with the legacy default stream.
    pub fn is_blocking(&self) -> bool {
        self.flags & 1 == 0
    }
}

impl Driver {
    /// The queue key of a stream, and whether it synchronizes with the default stream.
    ///
    /// # Errors
    /// As [`Driver::stream`].
    pub fn ordered_stream(&self, handle: Handle) -> Result<OrderedStream> {
        Ok(match self.stream(handle)? {
            Some(stream) => {
                let key = StreamKey { context: stream.context, stream: handle };
                OrderedStream { key, blocking: stream.is_blocking() }
            }
            None => {
                let stream = if handle == PER_THREAD { own_stream() } else { 0 };
                OrderedStream { key: StreamKey { context: current(), stream }, blocking: true }
            }
        })
    }

    /// The stream of a handle; `None` for default streams.
    pub fn stream(&self, handle: Handle) -> Result<Option<Arc<Stream>>> {
        match handle {
            0 | LEGACY | PER_THREAD | SYNCHRONOUS => self.context().map(|_| None),
            handle => {
                let stream = table::<Stream>().get(handle)?;
                if let Some(context) = table::<Context>().find(stream.context) {
                    context.healthy()?;
                }
                Ok(Some(stream))
            }
        }
    }
}

/// Queues a call of a host function.
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
        table::<Context>().find(removed.context).map_or(Ok(()), |context| context.healthy())
    }

    fn cuCtxSynchronize() {
        let context = driver()?.context()?;
        driver()?.check_wait_for_context(context.handle)?;
        driver()?.finish_context(context.handle)?;
        context.healthy()
    }

    fn cuCtxSynchronize_v2(context: Handle) {
        let context = or_current(context)?;
        context.healthy()?;
        driver()?.check_wait_for_context(context.handle)?;
        driver()?.finish_context(context.handle)?;
        context.healthy()
    }

    fn cuStreamSynchronize(stream: Handle) {
        let driver = driver()?;
        driver.stream(stream)?;
        driver.check_wait(stream)?;
        let waited = driver.waited_for(stream)?;
        driver.finish_stream(stream)?;
        ordering::synchronized(&waited);
        Ok(())
    }

    fn cuStreamQuery(stream: Handle) {
        let driver = driver()?;
        driver.stream(stream)?;
        driver.check_wait(stream)?;
        if driver.is_waiting(stream)? {
            return Err(Status::NotReady);
        }
        let queried = driver.waited_for(stream)?;
        if ordering::query_finds_open(&queried) {
            return Err(Status::NotReady);
        }
        ordering::synchronized(&queried);
        Ok(())
    }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32) {
        let driver = driver()?;
        driver.stream(stream)?;
        let event = table::<Event>().get(event)?;
        external(driver, stream, flags)?;
        if driver.capture_wait(stream, &event)? {
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
        driver()?.check_uncaptured(stream)?;
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
        driver()?.check_uncaptured(stream)?;
        driver()?.queue(stream, Work::Callback(callback)).map(drop)
    }

    fn cuLaunchHostFunc(stream: Handle, function: Option<HostFunction>, data: *mut c_void) {
        launch_host_function(stream, function, data)
    }

    fn cuLaunchHostFunc_v2(stream: Handle, function: Option<HostFunction>, data: *mut c_void, _waits: u32) {
        // How the stream waits for the function (blocking or spinning) makes no difference here.
        launch_host_function(stream, function, data)
    }

    fn cuStreamAttachMemAsync(stream: Handle, address: u64, length: usize, flags: u32) {
        let driver = driver()?;
        driver.stream(stream)?;
        driver.check_uncaptured(stream)?;
        let whole = match driver.allocations().find(address) {
            Some((start, found)) if matches!(found.kind, AllocationKind::Managed) => {
                start == address && (length == 0 || length as u64 == found.bytes)
            }
            _ => false,
        };
        // To all streams (1), to the host (2), or to this stream (4).
        if whole && matches!(flags, 1 | 2 | 4) { Ok(()) } else { Err(Status::InvalidValue) }
    }
}
