//! Streams as the driver keeps them.

use crate::devices::contexts::{Context, current};
use crate::handles::Handle;
use crate::state::{Driver, table};
use crate::status::Result;
use crate::streams::key::{OrderedStream, StreamKey};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A stream that a program made.
pub struct Stream {
    pub context: Handle,
    pub flags: u32,
    pub priority: i32,
    /// Its number among the streams that programs make, from 1.
    pub number: u64,
    /// Attributes that programs set, by their numbers.
    pub attributes: Mutex<BTreeMap<u32, Value>>,
}

/// `CUlaunchAttributeValue`, of streams, launches and nodes.
pub type Value = [u32; 16];

/// The default stream, by its other name, and the default stream of each thread.
const LEGACY: Handle = 1;
pub const PER_THREAD: Handle = 2;

/// The default stream, for synchronous calls: they return when their work is done. No program has this handle.
pub const SYNCHRONOUS: Handle = u64::from_be_bytes(*b"lanework");

/// The number of a new stream.
pub fn next_number() -> u64 {
    static MADE: AtomicU64 = AtomicU64::new(0);
    MADE.fetch_add(1, Ordering::Relaxed) + 1
}

/// The calling thread's own default stream: a handle that no program has.
pub fn own_stream() -> Handle {
    static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
    thread_local! {
        static OWN: Handle = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    OWN.try_with(|own| *own).unwrap_or(PER_THREAD)
}

impl Stream {
    /// Whether it keeps the order of the legacy default stream: it was made without `CU_STREAM_NON_BLOCKING`.
    pub fn is_blocking(&self) -> bool {
        self.flags & 1 == 0
    }
}

impl Driver {
    /// A stream by the key of its queue, and whether it keeps the order of the default stream.
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

    /// The stream of a handle; none for the default streams.
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
